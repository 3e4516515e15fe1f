"""Marks, switches and claims in one SQLite file, shared by every process that works on the project."""

from __future__ import annotations

import datetime as dt
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.language.line import Line
from engine.language.turn import MarkEntry
from engine.store.file import StateFile
from engine.store.memory import concerns
from engine.store.values import dumped, loaded

_TABLES = """
CREATE TABLE IF NOT EXISTS marks (
  id INTEGER PRIMARY KEY, line TEXT NOT NULL, mark TEXT NOT NULL, scope TEXT NOT NULL, at REAL NOT NULL,
  written TEXT NOT NULL, keys TEXT NOT NULL, carries TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS marks_by_scope ON marks (line, scope, mark, at);
CREATE TABLE IF NOT EXISTS switches (
  id INTEGER PRIMARY KEY, line TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, why TEXT NOT NULL,
  at TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS claims (line TEXT NOT NULL, what TEXT NOT NULL, at REAL NOT NULL, PRIMARY KEY (line, what));
"""


class StateUnavailable(Exception):
    """Live state cannot be read or written; one sentence and the cure. A turn that meets it ends as `hold`."""


@dataclass(frozen=True)
class Change:
    """One change of a switch: to what, why, when."""

    name: str
    value: str
    why: str
    at: dt.datetime


class State:
    """The live state of a project at `path`; made with its folder (0700) when it is first used. Safe to use from
    several threads and processes at once. Raises StateUnavailable."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = StateFile(path, _TABLES, StateUnavailable)

    def marks(self, line: Line) -> StateMarks:
        return StateMarks(self, line)

    def switches(self, line: Line) -> StateSwitches:
        return StateSwitches(self, line.name)

    def seen(self, line: Line) -> StateSeen:
        return StateSeen(self, line.name)

    def connected(self) -> AbstractContextManager[sqlite3.Connection]:
        """A connection of this thread, in one transaction: committed at the end, or rolled back."""
        return self._file.connected()


@dataclass(frozen=True)
class StateMarks:
    state: State
    line: Line

    def live(self, keys: Mapping[str, str], now: dt.datetime) -> list[MarkEntry]:
        """The marks that concern these scope values and are not over, oldest first."""
        all_scopes = (self._scope(declared.keys, keys) for declared in self.line.marks.values())
        scopes = {scope for scope in all_scopes if scope is not None}
        if not scopes:
            return []
        asked = """SELECT mark, at, written, keys, carries FROM marks
                   WHERE line = ? AND scope IN (SELECT value FROM json_each(?)) ORDER BY at, id"""
        with self.state.connected() as connection:
            rows = connection.execute(asked, (self.line.name, dumped(sorted(scopes)))).fetchall()
        found = [_entry(row) for row in rows]
        return [one for one in found if concerns(self.line, one, keys, now)]

    def write(self, sets: Sequence[MarkEntry], clears: Sequence[tuple[str, Mapping[str, str], dt.datetime]]) -> None:
        """Take away what is cleared and add what is set, all or nothing. Marks that are over are taken away too."""
        if not sets and not clears:
            return
        with self.state.connected() as connection:
            for mark, keys, until in clears:
                scope = self._scope(self.line.marks[mark].keys, keys)
                connection.execute("DELETE FROM marks WHERE line = ? AND scope = ? AND mark = ? AND at <= ?",
                                   (self.line.name, scope, mark, until.timestamp()))  # fmt: skip
            for one in sets:
                declared = self.line.marks[one.mark]
                scope = self._scope(declared.keys, one.keys)
                if scope is None:
                    continue  # without whom it concerns it would be found by nobody
                if declared.lasts is not None:
                    over = one.at.timestamp() - declared.lasts
                    connection.execute("DELETE FROM marks WHERE line = ? AND scope = ? AND mark = ? AND at < ?",
                                       (self.line.name, scope, one.mark, over))  # fmt: skip
                row = (
                    self.line.name,
                    one.mark,
                    scope,
                    one.at.timestamp(),
                    one.at.isoformat(),
                    dumped(dict(one.keys)),
                    dumped(dict(one.carries)),
                )
                connection.execute(
                    "INSERT INTO marks (line, mark, scope, at, written, keys, carries) VALUES (?,?,?,?,?,?,?)", row
                )

    def _scope(self, paths: Sequence[str], keys: Mapping[str, str]) -> str | None:
        """A mark's scope as one text: its paths with their values; None where one is not known."""
        values = [keys.get(path) for path in paths]
        return None if None in values else dumped([[*paths], values])


def _entry(row: tuple[Any, ...]) -> MarkEntry:
    mark, _, at, keys, carries = row
    return MarkEntry(mark, dt.datetime.fromisoformat(at), loaded(keys), loaded(carries))


@dataclass(frozen=True)
class StateSwitches:
    state: State
    line: str

    def values(self) -> Mapping[str, str]:
        """Switch → on or off, as it was last set; those never set are not in it."""
        if not self.state.path.exists():
            return {}
        with self.state.connected() as connection:
            rows = connection.execute("SELECT name, value FROM switches WHERE line = ? ORDER BY id", (self.line,))
            return dict(rows.fetchall())

    def set(self, name: str, value: str, why: str, at: dt.datetime) -> None:
        """Keep a change with its date and reason; it acts on the next turn of every process."""
        with self.state.connected() as connection:
            connection.execute("INSERT INTO switches (line, name, value, why, at) VALUES (?,?,?,?,?)",
                               (self.line, name, value, why, at.isoformat()))  # fmt: skip

    def history(self) -> list[Change]:
        """Every change, oldest first."""
        with self.state.connected() as connection:
            rows = connection.execute(
                "SELECT name, value, why, at FROM switches WHERE line = ? ORDER BY id", (self.line,)
            )
            return [Change(name, value, why, dt.datetime.fromisoformat(at)) for name, value, why, at in rows]


@dataclass(frozen=True)
class StateSeen:
    state: State
    line: str

    def claim(self, what: str, now: dt.datetime) -> bool:
        """True for the first who claims it, in whatever process."""
        with self.state.connected() as connection:
            done = connection.execute("INSERT OR IGNORE INTO claims (line, what, at) VALUES (?,?,?)",
                                      (self.line, what, now.timestamp()))  # fmt: skip
            return done.rowcount == 1

    def release(self, what: str) -> None:
        """Give a claim back."""
        with self.state.connected() as connection:
            connection.execute("DELETE FROM claims WHERE line = ? AND what = ?", (self.line, what))
