"""Decisions in one SQLite file: written as they are made, found by id or by the message's id, counted, shortened."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.decision import Decision
from engine.language.line import Line
from engine.log.codec import decode, encode
from engine.store.file import StateFile

PROBE = "probe"
"""Ids that begin so are probes: logged, and left out of every report."""
_TABLES = """
CREATE TABLE IF NOT EXISTS decisions (
  number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, line TEXT NOT NULL, at TEXT NOT NULL, message TEXT NOT NULL,
  outcome TEXT NOT NULL, reason TEXT NOT NULL, wave TEXT NOT NULL, card TEXT NOT NULL, probe INTEGER NOT NULL,
  origin TEXT NOT NULL, delivered INTEGER, delivered_at TEXT, decision TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS decisions_by_message ON decisions (message);
CREATE INDEX IF NOT EXISTS decisions_by_time ON decisions (line, at);
"""


class LogUnavailable(Exception):
    """The log cannot be read or written; one sentence and the cure."""


@dataclass(frozen=True)
class Logged:
    """A decision as it stands in the log. `origin`: empty, or the file it was imported from."""

    decision: Decision
    probe: bool
    origin: str
    delivered: bool | None
    delivered_at: dt.datetime | None


class DecisionLog:
    """The log at `path`; made when it is first written. Safe to use from several threads and processes at once.
    Raises LogUnavailable."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = StateFile(path, _TABLES, LogUnavailable)

    def keeper(self, line: Line) -> Callable[[Decision], None]:
        """What a compiled line calls with each decision: texts pass the line's own `log` cards, then it is written."""
        from engine.log.cards import cleaned

        def keep(decision: Decision) -> None:
            self.write(cleaned(line, decision))

        return keep

    def write(self, decision: Decision, origin: str = "") -> bool:
        """Write a decision; False when its id is in the log already (what is there stays)."""
        return self.add([decision], origin) == 1

    def add(self, decisions: Iterable[Decision], origin: str = "") -> int:
        """Write decisions, all or none; how many were new. One without a time is kept as long as if made now."""
        rows = [_row(one, origin) for one in decisions]
        with self._file.connected() as connection:
            before = connection.total_changes
            connection.executemany(_INSERT, rows)
            return connection.total_changes - before

    def delivered(self, id: str, delivered: bool, at: dt.datetime) -> None:
        """Note what became of a decision."""
        with self._file.connected() as connection:
            connection.execute("UPDATE decisions SET delivered = ?, delivered_at = ? WHERE id = ?",
                               (int(delivered), at.isoformat(), id))  # fmt: skip

    def get(self, id: str) -> Logged:
        """The decision of this id, or of the message with this id, or whose id begins so and no other does. Raises
        KeyError with one sentence."""
        with self._file.connected() as connection:
            for where in (
                "id = ?",
                "message = ? ORDER BY number DESC LIMIT 1",
                "substr(id, 1, length(?1)) = ?1 LIMIT 2",
            ):
                rows = connection.execute(f"{_SELECT} WHERE {where}", (id,)).fetchall()
                if len(rows) == 1:
                    return _logged(rows[0])
                if rows:
                    raise KeyError(f"Several decisions begin with `{id}`. Give more of the id.")
        raise KeyError(f"No decision `{id}` is in the log. `rulecard log list` shows the latest.")

    def rows(
        self, line: str | None = None, since: dt.datetime | None = None, until: dt.datetime | None = None,
        outcome: str | None = None, reason: str | None = None, probes: bool = False, most: int | None = None,
        imported: bool | None = None,
    ) -> list[Logged]:  # fmt: skip
        """The decisions, newest first; probes only where they are asked for. `imported`: only those from elsewhere, or
        only those made here."""
        tests = [
            ("line = ?", line), ("at >= ?", _instant(since) if since else None),
            ("at < ?", _instant(until) if until else None), ("outcome = ?", outcome), ("reason = ?", reason),
            ("probe = ?", None if probes else 0), ("(origin != '') = ?", None if imported is None else int(imported)),
        ]  # fmt: skip
        used = [(test, value) for test, value in tests if value is not None]
        where = " AND ".join(test for test, _ in used) or "1"
        with self._file.connected() as connection:
            asked = f"{_SELECT} WHERE {where} ORDER BY number DESC LIMIT ?"
            found = connection.execute(asked, (*(value for _, value in used), -1 if most is None else most))
            return [_logged(row) for row in found]

    def counts(self, line: str | None = None, since: dt.datetime | None = None) -> list[tuple[str, str, int]]:
        """How many decisions ended how: (outcome, reason, count), the most frequent first. Probes are left out."""
        with self._file.connected() as connection:
            return connection.execute(
                "SELECT outcome, reason, count(*) FROM decisions WHERE probe = 0 AND (?1 IS NULL OR line = ?1)"
                " AND (?2 IS NULL OR at >= ?2) GROUP BY outcome, reason ORDER BY 3 DESC, 1, 2",
                (line, _instant(since) if since else None),
            ).fetchall()

    def shorten(self, older_than: dt.datetime, line: str | None = None) -> int:
        """Delete what is older; how many decisions that were."""
        with self._file.connected() as connection:
            return connection.execute("DELETE FROM decisions WHERE at < ?1 AND (?2 IS NULL OR line = ?2)",
                                      (_instant(older_than), line)).rowcount  # fmt: skip


_SELECT = "SELECT decision, probe, origin, delivered, delivered_at FROM decisions"
_INSERT = (
    "INSERT OR IGNORE INTO decisions (id, line, at, message, outcome, reason, wave, card, probe, origin, decision)"
    " VALUES (?,?,?,?,?,?,?,?,?,?,?)"
)


def _row(decision: Decision, origin: str) -> tuple[Any, ...]:
    message = str(decision.facts.get("message.id") or "")
    names = (decision.outcome, decision.reason, decision.wave, decision.card)
    return (
        _storable(decision.id), decision.line, _instant(decision.at or dt.datetime.now(dt.UTC)), _storable(message),
        *map(_storable, names), int(is_probe(decision)), origin, encode(decision),
    )  # fmt: skip


def _storable(text: str) -> str:
    """A text without halves of characters, which no file holds."""
    return text.encode("utf-8", "replace").decode()


def _instant(at: dt.datetime) -> str:
    """An instant so that texts come in the order of time, whatever offset each was told with."""
    return at.astimezone(dt.UTC).isoformat(timespec="microseconds")


def is_probe(decision: Decision) -> bool:
    """Whether a decision is about a probe, by its id or the message's."""
    return decision.id.startswith(PROBE) or str(decision.facts.get("message.id", "")).startswith(PROBE)


def _logged(row: tuple[Any, ...]) -> Logged:
    decision, probe, origin, delivered, at = row
    return Logged(decode(decision), bool(probe), origin, None if delivered is None else bool(delivered),
                  dt.datetime.fromisoformat(at) if at else None)  # fmt: skip
