"""A SQLite file of live state: opened by each thread and process for itself, in short transactions."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

BUSY_SECONDS = 5.0
"""How long a writer waits for another one."""
_CURES = (
    ("malformed", "Move the file away: a new one is begun, without what it held."),
    ("not a database", "Move the file away: a new one is begun, without what it held."),
    ("no such", "It is of another version. Move the file away: a new one is begun, without what it held."),
    ("full", "Make room on the disk and try again."),
    ("readonly", "Give its owner the right to write it."),
    ("unable to open", "Give its owner the right to read and write it and its folder."),
    ("", "Try again."),
)
"""What to do, by what SQLite says."""


@dataclass(frozen=True)
class _Opened:
    connection: sqlite3.Connection
    process: int
    file: int
    """The inode: a file that was moved away or deleted is not written to any more."""


class StateFile:
    """The file at `path` with its tables; made with its folder (0700, the file 0600) when it is first used.

    Safe to use from several threads and processes at once. `unavailable`: what is raised, with one sentence and the
    cure, when the file cannot be used.
    """

    def __init__(self, path: Path, tables: str, unavailable: type[Exception]) -> None:
        self.path, self.tables, self.unavailable = path, tables, unavailable
        self._kept = threading.local()

    @contextmanager
    def connected(self) -> Iterator[sqlite3.Connection]:
        """A connection of this thread, in one transaction: committed at the end, or rolled back."""
        try:
            with self._connection() as connection:
                yield connection
        except sqlite3.Error as error:
            self._kept.opened = None
            cure = next(cure for says, cure in _CURES if says in str(error))
            raise self.unavailable(f"{self.path.name} cannot be used: {error}. {cure}") from None
        except OSError as error:
            self._kept.opened = None
            raise self.unavailable(f"{self.path} cannot be used: {error.strerror}.") from None

    def _connection(self) -> sqlite3.Connection:
        kept: _Opened | None = getattr(self._kept, "opened", None)
        if kept is None or (kept.process, kept.file) != (os.getpid(), _inode(self.path)):
            connection = self._open()
            kept = self._kept.opened = _Opened(connection, os.getpid(), _inode(self.path))
        return kept.connection

    def _open(self) -> sqlite3.Connection:
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not self.path.exists():
            os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))
        connection = sqlite3.connect(self.path, timeout=BUSY_SECONDS)
        last = time.monotonic() + BUSY_SECONDS
        while True:  # SQLite does not wait by itself for whoever changes a new file's journal at the same time
            try:
                connection.execute("PRAGMA journal_mode=WAL")
                connection.execute("PRAGMA synchronous=NORMAL")
                connection.executescript(self.tables)
                return connection
            except sqlite3.OperationalError as error:
                if "locked" not in str(error) or time.monotonic() > last:
                    raise
                time.sleep(0.01)


def _inode(path: Path) -> int:
    try:
        return os.stat(path).st_ino
    except OSError:
        return -1
