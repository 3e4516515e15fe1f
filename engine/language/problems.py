"""What is wrong, where, and what to do: the one form in which every mistake is reported."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

MAX_LINE = 500
"""Most characters of a line in a problem: five or six lines of a terminal."""

Level = Literal["error", "warning", "note"]
Proof = Literal["", "proven", "seen"]


@dataclass(frozen=True, order=True)
class Place:
    """Where something stands: project-relative POSIX path, 1-based line and column, key path (`when.message.text`).

    Line and column 0 mean the file as a whole.
    """

    file: str
    line: int = 0
    column: int = 0
    key: str = ""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}" if self.line else self.file


@dataclass(frozen=True, order=True)
class Problem:
    """One finding: its place, a stable code (`unknown_key`), one sentence, and what to do about it.

    `level` decides the exit status (`error`: 1 or 2), `proof` says how an analysis knows it:
    `proven` (decided from the cards alone) or `seen` (shown by examples).
    """

    place: Place
    code: str
    says: str
    cure: str = ""
    level: Level = "error"
    proof: Proof = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "says", _readable(self.says))
        object.__setattr__(self, "cure", _readable(self.cure))

    def __str__(self) -> str:
        key = f" [{self.place.key}]" if self.place.key else ""
        proof = f" ({self.proof})" if self.proof else ""
        cure = f" {self.cure}" if self.cure else ""
        return f"{self.place}: {self.level}: {self.code}{key}: {self.says}{proof}{cure}"


def _readable(text: str) -> str:
    """`text` without the middle of lines so long that they quote a whole text."""
    if len(text) <= MAX_LINE:
        return text
    return "\n".join(row if len(row) <= MAX_LINE else f"{row[:300]} … {row[-100:]}" for row in text.split("\n"))


def nearest(name: str, names: Iterable[str]) -> str:
    """The cure sentence that offers the right name nearest to `name`, or an empty string."""
    known = sorted(set(names))
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.6)
    if close:
        return f"Did you mean `{close[0]}`?"
    if 0 < len(known) <= 12:
        return "Known: " + ", ".join(known) + "."
    return ""
