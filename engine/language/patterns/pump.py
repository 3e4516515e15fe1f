"""Pumped texts: a second opinion on a pattern's cost, by counting the steps of a plain backtracking matcher. Pure.

For each repeat a text is made that runs through it `k` times and then fails; a pattern whose steps grow more than
`STEEP` times when `k` doubles is refused. No clock: the same pattern always gets the same answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache, partial

from engine.language.patterns.nodes import (
    Alt,
    Any,
    Char,
    Edge,
    Group,
    Look,
    Node,
    Repeat,
    Seq,
    Set,
    accepts,
    bare,
    is_word,
    walk,
)

STEEP = 20
"""Growth for a doubled text that no polynomial of degree 4 shows, while doubling each turn gives 2⁸ at 8 turns."""

MANY = 50_000
"""Steps that no first text needs: thousands of alternatives, eight times over, are below it."""

TURNS = 8
"""Turns of the first text; fewer when the part is long, so that texts stay below `LONGEST`."""

LONGEST = 80
_FAILS = "\x00"
"""An end that no pattern of ours matches, but `.` and negated sets: behind it a match must fail or be done."""

Next = Callable[[int], bool]
Step = Callable[[str, int, Next], bool]


def grows(tree: Node) -> Repeat | None:
    """The first repeat of a folded tree that a pumped text makes explode, or None."""
    repeats = [node for node in walk(tree) if isinstance(node, Repeat) and (node.high is None or node.high > TURNS)]
    composite = [node for node in repeats if not isinstance(bare(node.body), (Char, Set, Any))]
    if not composite and len(repeats) < 2:
        return None
    matcher = _Matcher(tree)
    for repeat in repeats:
        before = _way_to(tree, repeat) or ""
        for unit in dict.fromkeys((_sample(repeat.body, False), _sample(repeat.body, True))):
            turns = min(TURNS, LONGEST // (2 * max(1, len(unit))))
            if turns < 3 or len(before) > LONGEST:
                continue
            few = matcher.steps(before + unit * turns + _FAILS, MANY)
            if not few or not matcher.steps(before + unit * (2 * turns) + _FAILS, STEEP * few):
                return repeat
    return None


class _Matcher:
    """The tree as nested calls, each given what follows; a count of the atoms and repeats tried."""

    def __init__(self, tree: Node) -> None:
        self.left = 0
        self.run = self._step(tree)

    def steps(self, text: str, most: int) -> int:
        """Steps to find that `text` does or does not match at its beginning; 0 when there are more than `most`."""
        self.left = most
        try:
            self.run(text, 0, lambda at: True)
        except _TooMany:
            return 0
        return max(1, most - self.left)

    def _count(self) -> None:
        self.left -= 1
        if self.left <= 0:
            raise _TooMany

    def _step(self, node: Node) -> Step:
        if isinstance(node, Char):
            return self._word(node.text)
        if isinstance(node, (Set, Any)):
            return self._atom(node)
        if isinstance(node, Edge):
            return lambda text, at, then: _holds(node, text, at) and then(at)
        if isinstance(node, Look):
            return self._look(node)
        if isinstance(node, Seq):
            return _in_turn([self._step(item) for item in _joined(node.items)])
        if isinstance(node, Alt):
            branches = [self._step(branch) for branch in node.branches]
            return lambda text, at, then: any(branch(text, at, then) for branch in branches)
        if isinstance(node, Group):
            body = self._step(node.body)
            return _sealed(body) if node.atomic else body
        return self._repeat(node)

    def _word(self, word: str) -> Step:
        def step(text: str, at: int, then: Next) -> bool:
            self._count()
            return text.startswith(word, at) and then(at + len(word))

        return step

    def _atom(self, node: Set | Any) -> Step:
        reads = lru_cache(None)(partial(accepts, node))

        def step(text: str, at: int, then: Next) -> bool:
            self._count()
            return at < len(text) and reads(text[at]) and then(at + 1)

        return step

    def _run(self, node: Repeat, atom: Char | Set | Any) -> Step:
        """A repeat of one character, without a call for each."""
        reads = lru_cache(None)(partial(accepts, atom))

        def step(text: str, at: int, then: Next) -> bool:
            most = 0
            while at + most < len(text) and most != node.high and reads(text[at + most]):
                self._count()
                most += 1
            counts = range(node.low, most + 1)
            for count in counts if node.mode == "?" else reversed(counts):
                self._count()
                if then(at + count):
                    return True
            return False

        return step

    def _look(self, node: Look) -> Step:
        body = self._step(node.body)

        def step(text: str, at: int, then: Next) -> bool:
            if node.ahead:
                found = body(text, at, lambda end: True)
            else:
                found = any(body(text, start, lambda end: end == at) for start in range(at, -1, -1))
            return found is not node.negative and then(at)

        return step

    def _repeat(self, node: Repeat) -> Step:
        atom = bare(node.body)
        if isinstance(atom, (Char, Set, Any)):
            return _sealed(self._run(node, atom)) if node.mode == "+" else self._run(node, atom)
        body = self._step(node.body)
        high = LONGEST * 2 if node.high is None else node.high

        def turn(text: str, at: int, count: int, then: Next) -> bool:
            self._count()

            def again(end: int) -> bool:
                return (end > at or count < node.low) and turn(text, end, count + 1, then)

            if count < node.low:
                return body(text, at, again)
            if node.mode == "?":
                return then(at) or (count < high and body(text, at, again))
            return (count < high and body(text, at, again)) or then(at)

        def step(text: str, at: int, then: Next) -> bool:
            return turn(text, at, 0, then)

        return _sealed(step) if node.mode == "+" else step


class _TooMany(Exception):
    pass


def _joined(items: tuple[Node, ...]) -> Iterator[Node]:
    """`items` with characters in a row as one."""
    word: list[Char] = []
    for item in items:
        if isinstance(item, Char):
            word.append(item)
            continue
        if word:
            yield Char(word[0].start, word[-1].end, "".join(char.text for char in word))
            word = []
        yield item
    if word:
        yield Char(word[0].start, word[-1].end, "".join(char.text for char in word))


def _in_turn(steps: list[Step]) -> Step:
    first, *rest = steps
    if not rest:
        return first
    others = _in_turn(rest)
    return lambda text, at, then: first(text, at, lambda end: others(text, end, then))


def _sealed(body: Step) -> Step:
    def step(text: str, at: int, then: Next) -> bool:
        ends: list[int] = []

        def first(end: int) -> bool:
            ends.append(end)
            return True

        return body(text, at, first) and then(ends[0])

    return step


def _holds(node: Edge, text: str, at: int) -> bool:
    if node.sign == "^":
        return at == 0
    if node.sign == "$":
        return at == len(text)
    before, after = at > 0 and is_word(text[at - 1]), at < len(text) and is_word(text[at])
    return (before is not after) is (node.sign == "\\b")


def _way_to(node: Node, target: Node) -> str | None:
    """A short text that leads from the beginning of `node` to `target`; None when it is not within."""
    if node is target:
        return ""
    if isinstance(node, Seq):
        before = ""
        for item in node.items:
            way = _way_to(item, target)
            if way is not None:
                return before + way
            before += _sample(item, False)
        return None
    if isinstance(node, Alt):
        return next((way for branch in node.branches if (way := _way_to(branch, target)) is not None), None)
    return _way_to(node.body, target) if isinstance(node, (Look, Group, Repeat)) else None


def _sample(node: Node, rich: bool) -> str:
    """A text that `node` matches, edges apart; `rich`: with what may be absent, and the last of alternatives."""
    if isinstance(node, Char):
        return node.text
    if isinstance(node, (Set, Any)):
        return next((one for one in _candidates(node) if accepts(node, one)), "")
    if isinstance(node, Seq):
        return "".join(_sample(item, rich) for item in node.items)
    if isinstance(node, Alt):
        return _sample(node.branches[-1 if rich else 0], rich)
    if isinstance(node, Repeat):
        return _sample(node.body, rich) * min(LONGEST, max(node.low, int(rich)))
    return _sample(node.body, rich) if isinstance(node, Group) else ""


def _candidates(node: Set | Any) -> Iterator[str]:
    yield from "a0 !,-é\u0301я退あ\U0001f642"
    for item in node.items if isinstance(node, Set) else ():
        low = getattr(item, "low", None)
        if low is not None:
            yield low
            yield chr(min(0x10FFFF, ord(low) + 1))
