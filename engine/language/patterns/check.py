"""The catastrophe check: which patterns could stall on some text, told from the tree alone. Pure, and no clock.

Two things are refused. A repeat that can read one text in two ways (Weideman et al., 2016: exponential ambiguity): each
turn doubles the work. And loops one behind another that can all read the same text: each multiplies the work by the
length of the text, and together they exceed `LIMIT` steps on the longest text; the search for a beginning is the first
such loop. So two endless ones are taken (`.*` behind a word), three are not, and bounded ones (`.{0,80}`) mostly are.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import pairwise, product

from engine.language.patterns.automaton import LONGEST_TEXT, Automaton, build
from engine.language.patterns.fold import render
from engine.language.patterns.nodes import (
    Any,
    Char,
    Node,
    PatternRefused,
    Repeat,
    Seq,
    Set,
    bare,
    walk,
)
from engine.language.patterns.pump import grows

LIMIT = LONGEST_TEXT**2
"""Steps on the longest text."""

MAX_PAIRS = 100_000
"""Steps of the check itself: beyond it, a repeat is refused as too large."""


def check_cost(tree: Node, source: str) -> None:
    """Refuse a pattern that could stall. `tree` is `source`, folded. Raises PatternRefused."""
    if not _repeats(tree):
        return
    _check_neighbours(tree, source)
    _check_root(tree, source, 1)
    repeat = grows(tree)
    if repeat is not None:
        raise _doubling(repeat, source)


def _repeats(node: Node) -> bool:
    return any(isinstance(part, Repeat) and part.high != 1 for part in walk(node))


def _check_neighbours(tree: Node, source: str) -> None:
    """Two endless repeats of the same, side by side: one is idle and both are tried for each share."""
    for node in walk(tree):
        if not isinstance(node, Seq):
            continue
        for left, right in pairwise(node.items):
            if _endless(left) and _endless(right) and _same(left, right):
                shown = f"{_written(left, source)} and {_written(right, source)}"
                says = f"{shown} stand side by side and share the same text in every possible way."
                raise PatternRefused(says, left.start, "Keep one.", right.end)


def _endless(node: Node) -> bool:
    return isinstance(node, Repeat) and node.high is None and node.mode != "+"


def _same(left: Node, right: Node) -> bool:
    assert isinstance(left, Repeat) and isinstance(right, Repeat)
    one, other = bare(left.body), bare(right.body)
    return isinstance(one, (Char, Set, Any)) and render(one) == render(other)


def _check_root(root: Node, source: str, around: int) -> None:
    """`around`: how often the part is begun anew at one place of the text (a look-ahead in a loop)."""
    made = build(root)
    groups = _loops(made)
    for group in groups:
        twice = _read_twice(made, group)
        if twice is not None:
            raise _doubling(next(repeat for repeat in made.loops[twice[0]] if repeat in made.loops[twice[1]]), source)
    _check_chain(made, groups, source, around)
    for inner, turns in made.roots:
        if _repeats(inner):
            _check_root(inner, source, around * turns)


def _loops(made: Automaton) -> list[list[int]]:
    """The loops: sets of states that can all reach one another, each before those it can reach."""
    return [group for group in _components(made) if len(group) > 1 or group[0] in made.edges[group[0]]]


def _components(made: Automaton) -> list[list[int]]:
    """Strongly connected components, each before those it can reach (Tarjan, without recursion)."""
    count = len(made.masks)
    index = [-1] * count
    low = [0] * count
    on = [False] * count
    stack: list[int] = []
    found: list[list[int]] = []
    seen = 0
    for root in range(count):
        if index[root] >= 0:
            continue
        work = [(root, iter(made.edges[root]))]
        index[root] = low[root] = seen
        seen += 1
        stack.append(root)
        on[root] = True
        while work:
            state, following = work[-1]
            for after in following:
                if index[after] < 0:
                    index[after] = low[after] = seen
                    seen += 1
                    stack.append(after)
                    on[after] = True
                    work.append((after, iter(made.edges[after])))
                    break
                if on[after]:
                    low[state] = min(low[state], index[after])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[state])
                if low[state] == index[state]:
                    group = []
                    while on[state]:
                        one = stack.pop()
                        on[one] = False
                        group.append(one)
                    found.append(sorted(group))
    return found[::-1]


def _read_twice(made: Automaton, group: list[int]) -> tuple[int, int] | None:
    """Two states that a loop can be in after the same text, and come back from to one; the same twice for one state
    that is reached in two ways. None when each text is read in one way."""
    inside = set(group)
    for p in group:
        for q, ways in made.edges[p].items():
            if q in inside and ways > 1:
                return p, q
    if len(group) == 1:
        return None
    together = {(p, p) for p in group}
    before: dict[tuple[int, int], set[tuple[int, int]]] = {}
    todo = deque(together)
    steps = 0
    while todo:
        pair = todo.popleft()
        for after in _both(made, inside, pair):
            steps += 1
            if steps > MAX_PAIRS:
                raise _too_large(made, group)
            before.setdefault(after, set()).add(pair)
            if after not in together:
                together.add(after)
                todo.append(after)
    back = deque((p, p) for p in group)
    seen = set(back)
    while back:
        for pair in sorted(before.get(back.popleft(), ())):
            if pair[0] != pair[1]:
                return pair
            if pair not in seen:
                seen.add(pair)
                back.append(pair)
    return None


def _both(made: Automaton, inside: set[int], pair: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """Where two readings of one text can be a character later."""
    for a in made.edges[pair[0]]:
        if a in inside:
            for b in made.edges[pair[1]]:
                if b in inside and made.masks[a] & made.masks[b]:
                    yield (a, b) if a <= b else (b, a)


def _doubling(repeat: Repeat, source: str) -> PatternRefused:
    shown = _written(repeat, source)
    says = f"{shown} can read the same text in several ways, so each turn doubles the work on a long message."
    return PatternRefused(says, repeat.start, _cure_twice(repeat), repeat.end)


def _cure_twice(repeat: Repeat) -> str:
    inner = bare(repeat.body)
    if isinstance(inner, Repeat):
        one = Repeat(0, 0, inner.body, min(inner.low, repeat.low), None, "")
        return f"Drop one of the two counts: `{_cut(render(one))}`."
    if isinstance(inner, Seq) and len(inner.items) > 1:
        first, last = inner.items[0], inner.items[-1]
        if isinstance(first, Repeat) and isinstance(last, Repeat) and render(first.body) == render(last.body):
            one = Repeat(0, 0, Seq(0, 0, inner.items[:-1]), repeat.low, repeat.high, repeat.mode)
            return f"Keep `{render(first)}` on one side: `{_cut(render(one))}`."
    return "Let each turn begin with something that nothing else in it matches, or bound the count to a few."


def _check_chain(made: Automaton, groups: list[list[int]], source: str, around: int) -> None:
    """Refuse loops one behind another whose turns multiply beyond the limit."""
    loops = [group for group in groups if not made.done.intersection(group)]
    best: list[tuple[float, list[int]]] = [(0.0, [])] * len(
        loops
    )  # from each: the steps, and the loops they go through
    for at in range(len(loops) - 1, -1, -1):
        turns = _size(made, loops[at])
        reached = _reach(made, loops[at])
        best[at] = (float(turns), [at])
        for to in range(at + 1, len(loops)):
            if loops[to][0] not in reached or best[to][0] * turns <= best[at][0]:
                continue
            length = _shared(made, loops[at], loops[to])
            if length is None:
                continue
            cost, chain = best[to]
            cost = max(1.0, cost / length if len(chain) == 1 else cost) * max(1.0, turns / length)
            if cost > best[at][0]:
                best[at] = (cost, [at, *chain])
    for cost, chain in best:
        # A part within a loop is begun at every place of the text, if its own chain does not count the places.
        begun = LONGEST_TEXT if around > 1 and chain and loops[chain[0]] != [0] and not made.anchored else 1
        if chain and cost * around * begun > LIMIT:
            raise _chain(made, [loops[at] for at in chain], source)


def _size(made: Automaton, group: list[int]) -> int:
    return max(made.size[state] for state in group)


def _shared(made: Automaton, first: list[int], second: list[int]) -> int | None:
    """Length of the shortest text that can be read by the loop `first`, by the loop `second`, and on the way from
    one to the other; None when there is none. (Up to twice the shortest, since only some beginnings are tried: each
    such text can be begun anew, turned and doubled, at any state of the loop `first`, and when that is one state
    also at any of `second`.)
    """
    one, other = set(first), set(second)
    steps = 0
    for p, q in product(_turning(made, first), _turning(made, second) if len(first) == 1 else second):
        if not made.masks[p] & made.masks[q]:
            continue
        seen = {(p, p, q)}
        todo = deque([((p, p, q), 0)])
        while todo:
            (a, b, c), length = todo.popleft()
            steps += 1
            if steps > MAX_PAIRS:
                raise _too_large(made, second)
            for x, z in product(one.intersection(made.edges[a]), other.intersection(made.edges[c])):
                shared = made.masks[x] & made.masks[z]
                if not shared:
                    continue
                for y in made.edges[b]:
                    if (x, y, z) == (p, q, q) and made.masks[y] & shared:
                        return length + 1
                    if made.masks[y] & shared and (x, y, z) not in seen:
                        seen.add((x, y, z))
                        todo.append(((x, y, z), length + 1))
    return None


def _turning(made: Automaton, loop: list[int]) -> list[int]:
    """States of a loop of which every way round goes through one: where a walk in depth comes back to itself."""
    inside = set(loop)
    found: set[int] = set()
    state = dict.fromkeys(loop, 0)  # 1: on the walk, 2: done
    for root in loop:
        if state[root]:
            continue
        walk_on = [(root, iter(inside.intersection(made.edges[root])))]
        state[root] = 1
        while walk_on:
            at, following = walk_on[-1]
            after = next(following, None)
            if after is None:
                state[at] = 2
                walk_on.pop()
            elif state[after] == 1:
                found.add(after)
            elif state[after] == 0:
                state[after] = 1
                walk_on.append((after, iter(inside.intersection(made.edges[after]))))
    return sorted(found)


def _reach(made: Automaton, loop: list[int]) -> set[int]:
    """The states that can be reached from a loop."""
    found = set(loop)
    todo = list(loop)
    while todo:
        for after in made.edges[todo.pop()]:
            if after not in found:
                found.add(after)
                todo.append(after)
    return found


def _chain(made: Automaton, loops: list[list[int]], source: str) -> PatternRefused:
    repeats = [made.loops[group[0]][0] for group in loops if made.loops[group[0]]]
    shown = ", ".join(_written(repeat, source) for repeat in repeats)
    says = (
        f"{shown} can share one stretch of text in every possible way, so the work grows with the cube of its length."
    )
    if len(repeats) == 1:
        says = f"{shown} is gone through again from every place, so the work grows with the cube of the text's length."
    cure = "Bound them (`.{0,80}` in place of `.*`), or make two patterns of it."
    return PatternRefused(says, repeats[0].start, cure, repeats[-1].end)


def _too_large(made: Automaton, loop: list[int]) -> PatternRefused:
    repeat = made.loops[loop[0]][0]
    cure = "Make several patterns of it."
    return PatternRefused("This repeat is too large to be checked.", repeat.start, cure, repeat.end)


def _written(node: Node, source: str) -> str:
    return f"`{_cut(source[node.start : node.end])}`"


def _cut(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}…"
