r"""A folded tree as an automaton over its atoms, for the catastrophe check. Pure.

A state is an atom that has just read a character; an edge from p to q is counted by the ways a backtracking matcher
can go there (two or more: the same text is read in two ways). State 0 reads any text before the match. Word edges and
anchors cut edges that they make impossible; look-arounds and atomic parts are analysed by themselves (`roots`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from typing import TypeVar

from engine.language.patterns.nodes import (
    Alt,
    Any,
    Atom,
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
    accepts,
    bare,
    is_word,
    walk,
    width,
)

LONGEST_TEXT = 20_000
"""Code points of the longest text that patterns are run on (the caller cuts longer ones)."""

UNROLLED = 8
"""A repeat of several parts up to this count is laid out copy by copy; above, it counts as endless in shape."""

FIXED = 64
r"""A fixed count of one character up to this is laid out too: `\d{4}` is four digits, not a loop."""

MAX_STATES = 3_000

_BEGIN, _END, _AT, _NOT_AT, _LOOKED = 1, 2, 4, 8, 16
_MARKS = {"^": _BEGIN, "$": _END, "\\b": _AT, "\\B": _NOT_AT}
_Key = TypeVar("_Key")
Ways = dict[tuple[int, int], int]
"""State and what must hold on the way there (bits) to the number of ways, at most 2."""


@dataclass
class Fragment:
    """The states that a part can begin and end with, and the ways through it that read nothing."""

    first: Ways
    last: Ways
    empty: dict[int, int]


@dataclass
class Automaton:
    """`masks[q]`: the samples that state q reads (bits); `edges[p][q]`: the ways; `size[q]`: how often the loops
    around q can turn; `loops[q]`: those repeats, outermost first; `done`: states where a match may end freely."""

    masks: list[int] = field(default_factory=list)
    edges: list[dict[int, int]] = field(default_factory=list)
    size: list[int] = field(default_factory=list)
    loops: list[tuple[Repeat, ...]] = field(default_factory=list)
    done: set[int] = field(default_factory=set)
    roots: list[tuple[Node, int]] = field(default_factory=list)
    anchored: bool = False


def build(tree: Node) -> Automaton:
    """The automaton of `tree`. Raises PatternRefused when a repeat holds what can be empty, or when it is too large."""
    return _Builder(tree).build()


class _Builder:
    def __init__(self, tree: Node) -> None:
        self.tree = tree
        self.made = Automaton()
        self.samples = _samples(tree)
        self.words = sum(1 << at for at, one in enumerate(self.samples) if is_word(one))
        self.every = (1 << len(self.samples)) - 1
        self.places = {one: at for at, one in enumerate(self.samples)}
        self.known: dict[tuple[tuple[Named | Range, ...], bool], int] = {}

    def build(self) -> Automaton:
        made = self.made
        before = self._state(self.every, LONGEST_TEXT, ())
        made.edges[before][before] = 1
        whole = self._fragment(self.tree, (), 1, 1, False)
        self._join({(before, 0): 1}, whole.first)
        made.done = {state for state, needs in whole.last if needs == 0}
        made.anchored = len(made.edges[before]) == 1
        return made

    def _state(self, mask: int, size: int, loops: tuple[Repeat, ...]) -> int:
        if len(self.made.masks) >= MAX_STATES:
            cure = "Make several patterns of it, or use smaller counts."
            raise PatternRefused("The pattern is too large to be checked.", self.tree.start, cure, self.tree.end)
        self.made.masks.append(mask)
        self.made.edges.append({})
        self.made.size.append(size)
        self.made.loops.append(loops)
        return len(self.made.masks) - 1

    def _mask(self, atom: Atom) -> int:
        if isinstance(atom, Char):
            return 1 << self.places[atom.text]
        if isinstance(atom, Any):
            return self.every
        key = (atom.items, atom.negated)
        if key not in self.known:
            self.known[key] = sum(1 << at for at, one in enumerate(self.samples) if accepts(atom, one))
        return self.known[key]

    def _join(self, last: Ways, first: Ways) -> None:
        masks, words = self.made.masks, self.words
        for (p, left), ways in last.items():
            edges = self.made.edges[p]
            for (q, right), more in first.items():
                needs = left | right
                if needs:
                    if needs & (_BEGIN | _END) or needs & (_AT | _NOT_AT) == _AT | _NOT_AT:
                        continue
                    p_word, q_word = masks[p] & words, masks[q] & words
                    p_sign, q_sign = masks[p] & ~words, masks[q] & ~words
                    if needs & _AT and not ((p_word and q_sign) or (p_sign and q_word)):
                        continue
                    if needs & _NOT_AT and not ((p_word and q_word) or (p_sign and q_sign)):
                        continue
                edges[q] = min(2, edges.get(q, 0) + ways * more)

    def _fragment(self, node: Node, loops: tuple[Repeat, ...], size: int, copies: int, sealed: bool) -> Fragment:
        """`size`: how often the loops around turn; `copies`: how often the part is laid out; `sealed`: within what
        is not gone back into, where loops offer no second way."""
        if isinstance(node, (Char, Set, Any)):
            state = self._state(self._mask(node), size, loops)
            return Fragment({(state, 0): 1}, {(state, 0): 1}, {})
        if isinstance(node, Edge):
            return Fragment({}, {}, {_MARKS[node.sign]: 1})
        if isinstance(node, Look):
            self.made.roots.append((node.body, size))
            return Fragment({}, {}, {_LOOKED: 1})
        if isinstance(node, Seq):
            whole: Fragment | None = None
            for is_char, items in groupby(node.items, lambda item: isinstance(item, Char)):
                run = list(items)
                for part in [run] if is_char else [[item] for item in run]:
                    made = (
                        self._word(part, loops, size)
                        if is_char
                        else self._fragment(part[0], loops, size, copies, sealed)
                    )
                    whole = made if whole is None else self._concat(whole, made)
            assert whole is not None
            return whole
        if isinstance(node, Alt):
            branches = [self._fragment(branch, loops, size, copies, sealed) for branch in node.branches]
            return Fragment(
                _sum(*(branch.first for branch in branches)),
                _sum(*(branch.last for branch in branches)),
                _sum(*(branch.empty for branch in branches)),
            )
        if isinstance(node, Group):
            if node.atomic:
                self.made.roots.append((node.body, size))
            return self._fragment(node.body, loops, size, copies, sealed or node.atomic)
        return self._repeat(node, loops, size, copies, sealed)

    def _word(self, chars: Sequence[Node], loops: tuple[Repeat, ...], size: int) -> Fragment:
        """Characters in a row."""
        states = [self._state(1 << self.places[char.text], size, loops) for char in chars if isinstance(char, Char)]
        for p, q in pairwise(states):
            self.made.edges[p][q] = 1
        return Fragment({(states[0], 0): 1}, {(states[-1], 0): 1}, {})

    def _repeat(self, node: Repeat, loops: tuple[Repeat, ...], size: int, copies: int, sealed: bool) -> Fragment:
        high = node.high
        if node.mode == "+":
            self.made.roots.append((node.body, size))
        if high == 1:
            part = self._fragment(node.body, loops, size, copies, sealed or node.mode == "+")
            return _optional(part) if node.low == 0 else part
        atom = isinstance(bare(node.body), (Char, Set, Any))
        most = FIXED if atom and node.low == high else UNROLLED if not atom else 0
        if high is not None and high * copies <= most:
            return self._unroll(node, high, loops, size, copies if atom else copies * high, sealed)
        if width(node.body)[0] == 0:
            says = "This repeats what can be empty, so it turns without end."
            raise PatternRefused(says, node.start, "Make one part within it required.", node.end)
        turns = LONGEST_TEXT if high is None else high - node.low + 1 if atom else high
        size = min(LONGEST_TEXT, size * turns)
        sealed = sealed or node.mode == "+"
        part = self._fragment(node.body, loops if sealed else (*loops, node), 1 if sealed else size, copies, sealed)
        if not sealed:
            self._join(part.last, part.first)
        return _optional(part) if node.low == 0 else part

    def _unroll(
        self, node: Repeat, high: int, loops: tuple[Repeat, ...], size: int, copies: int, sealed: bool
    ) -> Fragment:
        sealed = sealed or node.mode == "+"
        rest = self._fragment(node.body, loops, size, copies, sealed)
        for left in range(high - 1, 0, -1):
            rest = self._concat(
                self._fragment(node.body, loops, size, copies, sealed), _optional(rest) if left >= node.low else rest
            )
        return _optional(rest) if node.low == 0 else rest

    def _concat(self, left: Fragment, right: Fragment) -> Fragment:
        self._join(left.last, right.first)
        return Fragment(
            _sum(left.first, _through(left.empty, right.first)),
            _sum(right.last, _through(right.empty, left.last)),
            {a | b: min(2, m * n) for a, m in left.empty.items() for b, n in right.empty.items()},
        )


def _through(empty: dict[int, int], ways: Ways) -> Ways:
    found: Ways = {}
    for needs, count in empty.items():
        for (state, more), times in ways.items():
            key = (state, needs | more)
            found[key] = min(2, found.get(key, 0) + count * times)
    return found


def _sum(*several: dict[_Key, int]) -> dict[_Key, int]:
    found = dict(several[0])
    for ways in several[1:]:
        for key, count in ways.items():
            found[key] = min(2, found.get(key, 0) + count)
    return found


def _optional(part: Fragment) -> Fragment:
    return Fragment(part.first, part.last, _sum(part.empty, {0: 1}))


_USUAL = "az09_ !-.,é\u0301я退あ\U0001f642"


def _samples(tree: Node) -> list[str]:
    """Characters enough to tell the pattern's atoms apart: two atoms share a character if they share a sample."""
    found = set(_USUAL)
    for node in walk(tree):
        if isinstance(node, Char):
            found.add(node.text)
        elif isinstance(node, Set):
            for item in node.items:
                if isinstance(item, Range):
                    found.update(_around(item))
    return sorted(found)


def _around(item: Range) -> Iterable[str]:
    for point in (ord(item.low) - 1, ord(item.low), ord(item.high), ord(item.high) + 1):
        if 0 <= point <= 0x10FFFF:
            yield chr(point)
