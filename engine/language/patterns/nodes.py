"""The parts of a pattern. Each knows its span in the source, so that a change can be made by splicing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

import regex

MAX_COUNT = 1_000
"""The highest count in `{n,m}`: `regex` takes memory and time in proportion."""


class PatternRefused(ValueError):
    """A pattern that cannot be used: what is wrong, where in the source (`at` to `end`, from 0), and the cure."""

    def __init__(self, says: str, at: int, cure: str, end: int | None = None) -> None:
        super().__init__(f"{says} {cure}".strip())
        self.says = says
        self.at = at
        self.end = at + 1 if end is None else end
        self.cure = cure


@dataclass(frozen=True, slots=True)
class Part:
    """What every part has: the span of the source it was read from, in code points."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Char(Part):
    """One written character: a letter with its marks, a sign, an emoji family. In a folded tree one code point."""

    text: str


@dataclass(frozen=True, slots=True)
class Named:
    r"""A class by name within a Set: `d`, `w`, `s` or a property (`p{Han}`), or all but it (`\D`, `\P{…}`)."""

    name: str
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Range:
    """Characters from `low` to `high`; both the same for one, which may be written with its marks."""

    low: str
    high: str


@dataclass(frozen=True, slots=True)
class Set(Part):
    r"""One character out of several: `[a-z_]`, `[^,]`, `\d`, `\p{L}`."""

    items: tuple[Named | Range, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Any(Part):
    """`.`"""


@dataclass(frozen=True, slots=True)
class Edge(Part):
    r"""`^`, `$`, `\b` or `\B`."""

    sign: Literal["^", "$", "\\b", "\\B"]


@dataclass(frozen=True, slots=True)
class Look(Part):
    """`(?=…)`, `(?!…)`, `(?<=…)`, `(?<!…)`."""

    body: Node
    ahead: bool
    negative: bool


@dataclass(frozen=True, slots=True)
class Group(Part):
    """`(…)` and `(?:…)`, which mean the same, or `(?>…)`, which is not gone back into."""

    body: Node
    atomic: bool = False


@dataclass(frozen=True, slots=True)
class Repeat(Part):
    """A part and its count; `high` None is no end; `mode` is empty (greedy), `?` (lazy) or `+` (possessive)."""

    body: Node
    low: int
    high: int | None
    mode: Literal["", "?", "+"]


@dataclass(frozen=True, slots=True)
class Seq(Part):
    """Parts one after another."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Alt(Part):
    """`a|b`"""

    branches: tuple[Node, ...]


Atom: TypeAlias = Char | Set | Any
Node: TypeAlias = Char | Set | Any | Edge | Look | Group | Repeat | Seq | Alt


def children(node: Node) -> tuple[Node, ...]:
    """The parts directly within `node`."""
    if isinstance(node, (Look, Group, Repeat)):
        return (node.body,)
    if isinstance(node, Seq):
        return node.items
    return node.branches if isinstance(node, Alt) else ()


def walk(node: Node) -> Iterator[Node]:
    """`node` and all parts within it, in the order of the source."""
    yield node
    for child in children(node):
        yield from walk(child)


def bare(node: Node) -> Node:
    """`node` without the groups around it that change nothing."""
    while (isinstance(node, Group) and not node.atomic) or (isinstance(node, Seq) and len(node.items) == 1):
        node = node.body if isinstance(node, Group) else node.items[0]
    return node


def width(node: Node) -> tuple[int, int | None]:
    """The fewest and the most characters that `node` matches; None is no end."""
    if isinstance(node, Char):
        return len(node.text), len(node.text)
    if isinstance(node, (Set, Any)):
        return 1, 1
    if isinstance(node, (Edge, Look)):
        return 0, 0
    widths = [width(child) for child in children(node)]
    lows, highs = [low for low, _ in widths], [high for _, high in widths]
    if isinstance(node, Alt):
        return min(lows), None if None in highs else max(high for high in highs if high is not None)
    low, high = sum(lows), None if None in highs else sum(high for high in highs if high is not None)
    if isinstance(node, Repeat):
        return low * node.low, None if node.high is None or high is None else high * node.high
    return low, high


def accepts(atom: Atom, character: str) -> bool:
    """Whether one character of a folded tree matches `character`."""
    if isinstance(atom, Char):
        return atom.text == character
    if isinstance(atom, Any):
        return True
    return any(_holds(item, character) for item in atom.items) is not atom.negated


def _holds(item: Named | Range, character: str) -> bool:
    if isinstance(item, Range):
        return item.low <= character <= item.high
    return (
        named(item.name).match(character) is not None if not item.negated else named(item.name).match(character) is None
    )


@lru_cache(512)
def named(name: str) -> regex.Pattern[str]:
    """The class `name` as `regex` has it. Raises regex.error when it has no such property."""
    return regex.compile(rf"\{name}")


def is_word(character: str) -> bool:
    r"""Whether `\b` counts `character` as part of a word."""
    return named("w").match(character) is not None
