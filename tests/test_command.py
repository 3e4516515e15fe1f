"""The command as a process of its own: where it finds its project, what it says to a terminal, watching, a foreign package."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from one_card import files_of

ROOT = Path(__file__).parent.parent
GATE = {
    "gates/a": "when: {message.kind: text}\nthen: hold\nexamples: [{message: hi, fires: true}, {facts: {message.kind: photo}, fires: false}]\n"
}


def project(folder: Path) -> Path:
    for name, text in files_of(GATE).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    return folder


def run(*arguments: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "import cli; cli.main()", *arguments]
    given = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONSAFEPATH": "1", **environment}
    return subprocess.run(command, cwd=cwd, env=given, capture_output=True, text=True, timeout=60, check=False)


def test_the_current_folder_is_the_project_where_it_is_one(tmp_path: Path) -> None:
    assert "1 of 1 at pre-gate" in run("explain", "gates/a", cwd=project(tmp_path)).stdout


def test_elsewhere_the_shipped_lines_are(tmp_path: Path) -> None:
    told = run("explain", "gates/complaint", cwd=tmp_path)
    assert told.returncode == 0
    assert told.stdout.startswith("gates/complaint")


def test_a_project_is_named_with_an_option(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    root = project(tmp_path / "mine")
    assert run("test", "--project", str(root), cwd=tmp_path / "elsewhere").stdout == "2 examples held, 0 failed.\n"


@pytest.mark.parametrize("locale", ["C", "POSIX", "C.UTF-8"])
def test_every_terminal_can_print_it(tmp_path: Path, locale: str) -> None:
    root = project(tmp_path)
    (root / "cards/demo/texts").mkdir()
    (root / "cards/demo/texts/hello.yaml").write_text(
        "title: ¡Hola! 👋\nwhy: naïve\nsince: 2026-09-21\nwords: ¿Qué tal? {order.nmber}\n", "utf-8"
    )
    done = run("check", cwd=root, LC_ALL=locale, PYTHONIOENCODING="", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    assert done.returncode == 1
    assert "texts/hello.yaml:4:8" in done.stdout
    assert "Traceback" not in done.stderr


def test_a_foreign_package_of_the_same_name_is_named(tmp_path: Path) -> None:
    (tmp_path / "foreign/engine").mkdir(parents=True)
    (tmp_path / "foreign/engine/__init__.py").write_text("")
    done = run("check", cwd=tmp_path, PYTHONPATH=os.pathsep.join([str(tmp_path / "foreign"), str(ROOT)]))
    assert done.returncode != 0
    assert "another package named `engine`" in done.stderr and str(tmp_path / "foreign") in done.stderr
    assert "Traceback" not in done.stderr


def test_a_reader_that_goes_away_is_no_fault(tmp_path: Path) -> None:
    command = (
        f'"{sys.executable}" -c "import cli; cli.main()" schema gates --project "{project(tmp_path)}" | head -c 10'
    )
    done = subprocess.run(
        command,
        shell=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "Traceback" not in done.stderr


def test_watching_checks_again_when_a_file_changes(tmp_path: Path) -> None:
    root = project(tmp_path)
    command = [sys.executable, "-u", "-c", "import cli; cli.main()", "check", "--watch", "--base", "none"]
    with subprocess.Popen(
        command, cwd=root, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE, text=True
    ) as watching:
        assert watching.stdout is not None
        first = _until(watching, "Watching")
        assert "unknown_ending" not in first
        card = root / "cards/demo/gates/a.yaml"
        card.write_text(card.read_text("utf-8").replace("then: hold", "then: hodl"), "utf-8")
        assert "Did you mean `hold`?" in _until(watching, "Watching")
        watching.send_signal(signal.SIGINT)
        assert watching.wait(timeout=20) == 0


def _until(process: subprocess.Popen[str], word: str) -> str:
    assert process.stdout is not None
    said, end = "", time.monotonic() + 40
    while word not in said.rpartition("\n\n")[2] and time.monotonic() < end:
        line = process.stdout.readline()
        if not line:
            break
        said += line
        if line.startswith(word):
            break
    return said
