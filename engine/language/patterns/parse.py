"""The one reader of patterns: a documented subset of `regex` to a tree (docs/patterns.md). Pure.

What it cannot read is refused with its place and a cure; it never guesses.
"""

from __future__ import annotations

from typing import Literal, NoReturn

import regex

from engine.language.normalise import unseen
from engine.language.patterns.nodes import (
    MAX_COUNT,
    Alt,
    Any,
    Char,
    Edge,
    Group,
    Look,
    Named,
    Node,
    PatternRefused,
    Range,
    Repeat,
    Seq,
    Set,
    named,
)

MAX_LENGTH = 5_000
"""The longest pattern, in code points: enough for some hundred words as alternatives."""

MAX_DEPTH = 30
"""The deepest nesting of groups."""

_WRITTEN = regex.compile(r"\X")
_COUNT = regex.compile(r"\{(\d{0,9})(,?)(\d{0,9})\}", regex.ASCII)
_PROPERTY = regex.compile(r"\{([A-Za-z_]+)\}")
_SELECTORS = "\ufe0e\ufe0f"
_NO_CAPITALS = frozenset({"lu", "lt", "uppercase", "uppercaseletter", "titlecaseletter", "upper"})
_ESCAPES = {
    "A": ("`\\A`", "Write `^`."),
    "Z": ("`\\Z`", "Write `$`."),
    "z": ("`\\z`", "Write `$`."),
    "m": ("`\\m`", "Write `\\b`."),
    "M": ("`\\M`", "Write `\\b`."),
    "X": ("`\\X`", "Write `.`."),
} | dict.fromkeys("tnrfvhR", ("This white space", "White space is folded to one space: write a space, or `\\s`."))
_GROUPS = (
    ("(?P<", "A named group", "Write `(?:…)`: groups only hold parts together."),
    ("(?P=", "A back-reference", "Write the words out: a pattern cannot ask for the same text again."),
    ("(?#", "A comment", "Say it in the card's `why`."),
    ("(?|", "A branch reset", "Write `(?:…|…)`."),
    ("(?(", "A conditional", "Write the cases as alternatives: `(?:…|…)`."),
    ("(*", "A verb such as `(*SKIP)`", "Write `\\(\\*` for the signs themselves, or leave it out."),
)


def parse(source: str) -> Node:
    """The tree of `source`, as it is written. Raises PatternRefused."""
    return _Reader(source).read()


class _Reader:
    def __init__(self, source: str) -> None:
        self.source = source
        self.at = 0
        self.depth = 0

    def read(self) -> Node:
        self._look_over()
        node = self._alternatives()
        if self.at < len(self.source):
            self._refuse("This `)` closes nothing.", "Open it with `(`, or write `\\)` for the sign.")
        return node

    def _look_over(self) -> None:
        source = self.source
        if not source:
            self._refuse("The pattern is empty.", "Write what the text holds.")
        if len(source) > MAX_LENGTH:
            cure = "Make several patterns of it: any of a list may match."
            self._refuse(f"The pattern has {len(source):,} characters; at most {MAX_LENGTH:,} are read.", cure)
        for at, character in enumerate(source):
            if character == "\b":
                cure = "Put the pattern in single quotes: in double quotes YAML makes one of `\\b`."
                self._refuse("This is a backspace character, not a word edge.", cure, at)
            if character in "\t\n\r\v\f\x1c\x1d\x1e\x1f\x85\u2028\u2029":
                cure = "Write a space, or `\\s`."
                self._refuse(f"White space is folded to one space, so U+{ord(character):04X} never matches.", cure, at)
        for at in unseen(source):
            if source[at] not in _SELECTORS or at == 0:
                self._refuse(f"U+{ord(source[at]):04X} cannot be seen and is removed from texts.", "Delete it.", at)

    def _refuse(self, says: str, cure: str, at: int | None = None, end: int | None = None) -> NoReturn:
        raise PatternRefused(says, self.at if at is None else at, cure, end)

    def _next(self) -> str:
        return self.source[self.at : self.at + 1]

    def _take(self, text: str) -> bool:
        if self.source.startswith(text, self.at):
            self.at += len(text)
            return True
        return False

    def _alternatives(self) -> Node:
        start = self.at
        branches = [self._sequence()]
        while self._take("|"):
            branches.append(self._sequence())
        return branches[0] if len(branches) == 1 else Alt(start, self.at, tuple(branches))

    def _sequence(self) -> Node:
        start = self.at
        items: list[Node] = []
        while self._next() not in ("", "|", ")"):
            items.append(self._repeated(self._one()))
        if not items:
            self._refuse("Nothing stands here, so it would match everywhere.", "Write `(…)?` for what may be absent.")
        return items[0] if len(items) == 1 else Seq(start, self.at, tuple(items))

    def _repeated(self, body: Node) -> Node:
        at = self.at
        count = self._count()
        if count is None:
            return body
        if isinstance(body, (Edge, Look)):
            self._refuse("What has no width cannot be repeated.", "Take the count away.", at, self.at)
        low, high = count
        mode: Literal["", "?", "+"] = "?" if self._take("?") else "+" if self._take("+") else ""
        again = self.at
        if self._count() is not None:
            self._refuse("Two counts stand together.", "Keep one.", again, self.at)
        return Repeat(body.start, again, body, low, high, mode)

    def _count(self) -> tuple[int, int | None] | None:
        for sign, low, high in (("*", 0, None), ("+", 1, None), ("?", 0, 1)):
            if self._take(sign):
                return low, high
        if self._next() != "{":
            return None
        found = _COUNT.match(self.source, self.at)
        if not found or not (found[1] or found[3]):
            self._refuse("`{` begins a count such as `{2,5}`.", "Write `\\{` for the sign.")
        at, self.at = self.at, found.end()
        low = int(found[1] or 0)
        high = int(found[3]) if found[3] else None if found[2] else low
        if (high is not None and not low <= high) or high == 0:
            self._refuse(
                f"`{found[0]}` can hold nothing.", "Write the smaller number first, the larger above 0.", at, self.at
            )
        if max(low, high or 0) > MAX_COUNT:
            self._refuse(f"A count is at most {MAX_COUNT:,}.", "Use a smaller one, or `{n,}`.", at, self.at)
        return low, high

    def _one(self) -> Node:
        start, sign = self.at, self._next()
        if sign == "(":
            return self._group()
        if sign == "[":
            return self._set()
        if sign == "\\":
            return self._escape()
        if sign in "*+?{":
            cure = f"Put it behind what it repeats, or write `\\{sign}` for the sign."
            self._refuse("This count has nothing before it.", cure)
        if sign in "]}":
            self._refuse(f"This `{sign}` closes nothing.", f"Write `\\{sign}` for the sign.")
        if sign in ".^$":
            self.at += 1
            return Any(start, self.at) if sign == "." else Edge(start, self.at, "^" if sign == "^" else "$")
        text = self._written()
        return Char(start, self.at, text)

    def _written(self) -> str:
        """One character with the marks that belong to it."""
        if self.source[self.at : self.at + 2].isascii():
            self.at += 1
            return self.source[self.at - 1]
        found = _WRITTEN.match(self.source, self.at)
        assert found is not None
        size = next((at for at, one in enumerate(found[0]) if at and one.isascii()), len(found[0]))
        self.at += size
        return found[0][:size]

    def _group(self) -> Node:
        start = self.at
        for opening, ahead, negative in (
            ("(?=", True, False),
            ("(?!", True, True),
            ("(?<=", False, False),
            ("(?<!", False, True),
        ):
            if self._take(opening):
                body = self._within(start)
                return Look(start, self.at, body, ahead, negative)
        atomic = self._take("(?>")
        if not atomic and not self._take("(?:"):
            self._refuse_other_groups()
            self._take("(")
        body = self._within(start)
        return Group(start, self.at, body, atomic)

    def _within(self, start: int) -> Node:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self._refuse(f"Groups are nested more than {MAX_DEPTH} deep.", "Make several patterns of it.", start)
        body = self._alternatives()
        if not self._take(")"):
            self._refuse("This `(` is not closed.", "Close it with `)`, or write `\\(` for the sign.", start)
        self.depth -= 1
        return body

    def _refuse_other_groups(self) -> None:
        for opening, name, cure in _GROUPS:
            if self.source.startswith(opening, self.at):
                self._refuse(f"{name} cannot be read.", cure, end=self.at + len(opening))
        if self.source.startswith("(?<", self.at):
            self._refuse("A named group cannot be read.", "Write `(?:…)`.", end=self.at + 3)
        if self.source.startswith("(?", self.at):
            cure = "Leave it out: case is folded, `.` meets no line break, and nothing is named or called."
            self._refuse("A flag, call or other extension cannot be read.", cure, end=self.at + 2)

    def _escape(self) -> Node:
        start = self.at
        letter = self.source[start + 1 : start + 2]
        if letter in ("b", "B"):
            self.at += 2
            return Edge(start, self.at, "\\b" if letter == "b" else "\\B")
        name = self._class()
        if name is not None:
            return Set(start, self.at, (name,))
        text = self._escaped()
        return Char(start, self.at, text)

    def _class(self) -> Named | None:
        r"""`\d`, `\w`, `\s`, `\p{…}` or their negation, if one stands here."""
        letter = self.source[self.at + 1 : self.at + 2]
        if letter and letter in "dwsDWS":
            self.at += 2
            return Named(letter.lower(), letter.isupper())
        if letter not in ("p", "P"):
            return None
        found = _PROPERTY.match(self.source, self.at + 2)
        if not found:
            self._refuse("A property needs its name.", "Write `\\p{L}` or `\\p{Han}`.", end=self.at + 2)
        name = f"p{{{found[1]}}}"
        if found[1].lower().replace("_", "") in _NO_CAPITALS:
            self._refuse(f"Case is folded, so `\\{name}` never matches.", "Write `\\p{L}`.", end=found.end())
        try:
            named(name)
        except regex.error:
            cure = "Use a category (`\\p{L}`, `\\p{Sc}`) or a script (`\\p{Han}`)."
            self._refuse(f"There is no property `{found[1]}`.", cure, end=found.end())
        self.at = found.end()
        return Named(name, letter == "P")

    def _escaped(self) -> str:
        r"""The character behind a backslash: a sign, or `\xHH`, `\uHHHH`, `\UHHHHHHHH`."""
        start = self.at
        letter = self.source[start + 1 : start + 2]
        if not letter:
            self._refuse("The pattern ends in a backslash.", "Write `\\\\` for the sign.")
        if letter in "xuU":
            size = {"x": 2, "u": 4, "U": 8}[letter]
            digits = self.source[start + 2 : start + 2 + size]
            if not regex.fullmatch(rf"[0-9A-Fa-f]{{{size}}}", digits) or int(digits, 16) > 0x10FFFF:
                cure = "Write the character itself, or all digits of its code."
                self._refuse(f"`\\{letter}` needs {size} hexadecimal digits.", cure, end=start + 2)
            self.at += 2 + size
            return chr(int(digits, 16))
        if letter in "0123456789":
            self._refuse("A back-reference cannot be read.", "Write the words out.", end=start + 2)
        if letter.isalnum():
            name, cure = _ESCAPES.get(letter, (f"`\\{letter}`", f"Write `{letter}` for the letter."))
            self._refuse(f"{name} cannot be read.", cure, end=start + 2)
        self.at += 2
        return letter

    def _set(self) -> Node:
        start = self.at
        self.at += 1
        negated = self._take("^")
        items: list[Named | Range] = []
        while not self._take("]"):
            if self.at >= len(self.source):
                self._refuse("This `[` is not closed.", "Close it with `]`, or write `\\[` for the sign.", start)
            items.append(self._item())
        if not items:
            self._refuse("This set is empty.", "Write `\\]` for the sign.", start, self.at)
        return Set(start, self.at, tuple(items), negated)

    def _item(self) -> Named | Range:
        start = self.at
        low = self._member()
        if isinstance(low, Named) or self._next() != "-" or self.source[self.at + 1 : self.at + 2] in ("]", ""):
            return low if isinstance(low, Named) else Range(low, low)
        self.at += 1
        high = self._member()
        if isinstance(high, Named) or len(low) > 1 or len(high) > 1 or low > high:
            cure = "Write the lower character first, or `\\-` for the sign."
            self._refuse("This is no range of characters.", cure, start, self.at)
        return Range(low, high)

    def _member(self) -> Named | str:
        sign = self._next()
        if sign == "[":
            self._refuse("A `[` within a set cannot be read.", "Write `\\[` for the sign.")
        if sign and sign in "-&|~" and self.source.startswith(sign * 2, self.at):
            self._refuse(f"`{sign * 2}` within a set cannot be read.", f"Write `\\{sign}` for the sign, once.")
        if sign != "\\":
            return self._written()
        if self.source[self.at + 1 : self.at + 2] in ("b", "B"):
            self._refuse("A word edge cannot stand in a set.", "Write `(?:\\b|…)`.", end=self.at + 2)
        return self._class() or self._escaped()
