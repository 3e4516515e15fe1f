"""Marks, switches and claims in memory: for a probe, a test, a replay. The same rules as the file's."""

from __future__ import annotations

import datetime as dt
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from engine.language.line import Line
from engine.language.turn import MarkEntry


class Memory:
    """State that ends with the process."""

    def marks(self, line: Line) -> MemoryMarks:
        return MemoryMarks(line)

    def switches(self, line: Line) -> MemorySwitches:
        return MemorySwitches()

    def seen(self, line: Line | None = None) -> MemorySeen:
        return MemorySeen()


@dataclass
class MemoryMarks:
    line: Line
    entries: list[MarkEntry] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def live(self, keys: Mapping[str, str], now: dt.datetime) -> list[MarkEntry]:
        """The marks that concern these scope values and are not over, oldest first."""
        with self.lock:
            found = [one for one in self.entries if concerns(self.line, one, keys, now)]
        return sorted(found, key=lambda one: one.at)

    def write(self, sets: Sequence[MarkEntry], clears: Sequence[tuple[str, Mapping[str, str], dt.datetime]]) -> None:
        """Take away what is cleared, then add what is set."""
        with self.lock:
            for mark, keys, until in clears:
                self.entries = [one for one in self.entries if not _cleared(one, mark, keys, until)]
            self.entries += sets


def concerns(line: Line, entry: MarkEntry, keys: Mapping[str, str], now: dt.datetime) -> bool:
    """Whether a mark concerns a turn with these scope values: every path of its own scope agrees, and it is not over."""
    declared = line.marks.get(entry.mark)
    if declared is None or any(keys.get(path) is None or entry.keys.get(path) != keys[path] for path in declared.keys):
        return False
    return declared.lasts is None or (now - entry.at).total_seconds() <= declared.lasts


def _cleared(entry: MarkEntry, mark: str, keys: Mapping[str, str], until: dt.datetime) -> bool:
    same = all(entry.keys.get(path) == value for path, value in keys.items())
    return entry.mark == mark and same and entry.at <= until


@dataclass
class MemorySwitches:
    set: dict[str, str] = field(default_factory=dict)

    def values(self) -> Mapping[str, str]:
        """Switch → on or off, for those that were set."""
        return self.set


@dataclass
class MemorySeen:
    taken: set[str] = field(default_factory=set)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def claim(self, what: str, now: dt.datetime) -> bool:
        """True for the first who claims it."""
        with self.lock:
            if what in self.taken:
                return False
            self.taken.add(what)
            return True

    def release(self, what: str) -> None:
        """Give a claim back."""
        with self.lock:
            self.taken.discard(what)
