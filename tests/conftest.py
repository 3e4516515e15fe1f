"""What holds for every test: no network beyond loopback, and property tests that are bounded and the same every time."""

from __future__ import annotations

import ipaddress
import os
import shutil
import socket
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "suite", deadline=None, derandomize=True, max_examples=40, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("search", deadline=None, max_examples=1000, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "suite"))

_connect, _connect_ex = socket.socket.connect, socket.socket.connect_ex


def _local(address: Any) -> bool:
    if not isinstance(address, tuple):
        return True  # a Unix socket's path
    try:
        return ipaddress.ip_address(str(address[0]).partition("%")[0]).is_loopback
    except ValueError:
        return address[0] == "localhost"


@pytest.fixture(autouse=True)
def only_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every connection to an address that is not this machine fails the test."""

    def connect(self: socket.socket, address: Any) -> None:
        if not _local(address):
            pytest.fail(f"a test opened a connection to {address}")
        _connect(self, address)

    def connect_ex(self: socket.socket, address: Any) -> int:
        if not _local(address):
            pytest.fail(f"a test opened a connection to {address}")
        return _connect_ex(self, address)

    monkeypatch.setattr(socket.socket, "connect", connect)
    monkeypatch.setattr(socket.socket, "connect_ex", connect_ex)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A real browser of this machine, which calls nobody by itself; where there is none the test is skipped."""
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if path is None:
        pytest.skip("no chromium on this machine")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        pytest.skip("no playwright in this environment: it comes with the extra `ci`")
    quiet = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--no-first-run"]
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=path, args=quiet)
        yield made
        made.close()
