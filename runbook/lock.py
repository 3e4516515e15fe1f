"""The lock of a line as a file: one line an item, sorted, read and written without loss. Pure.

`reference/<line>/lock.yaml` is YAML, so that any reader can take it; it is written in one form only and read by
that form, so that a change by hand is seen.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from engine.language.problems import Place, Problem

HEADER = """\
# Written by `rulecard build`, never by hand: `rulecard check` compares it with the cards and the rules.
# text: what it is (first 16 hex digits of the SHA-256 of an instruction as the model reads it, or plain words);
# card: the one card that explains it; explained: hash of that explanation; first: what it was when first built.
"""
_LINE = re.compile(
    r"(?P<name>[a-z]+(?: [a-z][a-z0-9_.-]*)?): \{text: '(?P<text>[^']*)', card: (?P<card>[a-z][a-z0-9_/]*), "
    r"explained: (?P<explained>'[0-9a-f]+'|unexplained)(?:, first: '(?P<first>[^']*)')?\}"
)
_CONFLICT = ("<<<<<<<", "=======", ">>>>>>>")


@dataclass(frozen=True)
class Locked:
    """What the lock holds of one item: what it is, the card that explains it, that explanation's hash, and what it
    was when it was first built (`none`: it came later)."""

    text: str
    card: str
    explained: str
    first: str


@dataclass(frozen=True)
class Lock:
    """The items of one line by name."""

    items: Mapping[str, Locked]

    def text(self, name: str, absent: str = "") -> str:
        """What the lock holds of an item, or `absent`."""
        locked = self.items.get(name)
        return locked.text if locked else absent


def lock_file(line: str) -> str:
    """The project file that holds a line's lock."""
    return f"reference/{line}/lock.yaml"


def write_lock(lock: Lock) -> str:
    """The lock as text: a header that names the command, then one line an item, sorted by name."""
    return HEADER + "".join(f"{_line(name, lock.items[name])}\n" for name in sorted(lock.items))


def _line(name: str, locked: Locked) -> str:
    explained = locked.explained if locked.explained == "unexplained" else f"'{locked.explained}'"
    first = f", first: '{locked.first}'" if locked.first != locked.text else ""
    return f"{name}: {{text: '{locked.text}', card: {locked.card}, explained: {explained}{first}}}"


def read_lock(text: str, file: str) -> tuple[Lock | None, list[Problem]]:
    """A lock from its text; None with a problem for each line that `write_lock` would not have written so.

    Comment lines and line ends (LF or CRLF) are free.
    """
    items: dict[str, Locked] = {}
    problems = []
    before = ""
    for number, line in enumerate(text.replace("\r\n", "\n").splitlines(), 1):
        if line.startswith("#"):
            continue
        match = _LINE.fullmatch(line)
        if match is None:
            what = "is a conflict of a merge" if line.startswith(_CONFLICT) else "is none that `rulecard build` writes"
            problems.append(_by_hand(file, number, f"This line {what}."))
            continue
        name = match["name"]
        if name <= before:
            problems.append(_by_hand(file, number, f"`{name}` stands twice or out of order."))
        before, first = name, match["first"]
        locked = Locked(
            match["text"], match["card"], match["explained"].strip("'"), match["text"] if first is None else first
        )
        items[name] = locked
        if _line(name, locked) != line:
            problems.append(_by_hand(file, number, "This line is none that `rulecard build` writes."))
    return (None if problems else Lock(items)), problems


def _by_hand(file: str, line: int, says: str) -> Problem:
    cure = "Run `rulecard build`, which makes it anew from the base revision."
    return Problem(Place(file, line, 1), "lock_edited_by_hand", says, cure)
