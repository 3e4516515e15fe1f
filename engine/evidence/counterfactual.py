"""The smallest sets of conditions that would have changed an outcome, each proven by deciding the turn again."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.compiled import CompiledLine
from engine.decision import Decision
from engine.evidence.again import Again, again
from engine.language.bodies import Rule
from engine.language.conditions import NO, YES, All, Any_, Condition, Not, State, TermTest
from engine.language.turn import Turn

MOST_FLIPS = 3
"""Conditions in one set."""
MOST_RUNS = 400
"""Turns decided again in one search."""
MOST_WAYS = 12
"""Ways kept to make one condition hold or not."""


@dataclass(frozen=True)
class Flip:
    """One condition that would have to answer otherwise: where it stands, how it is written, what it saw."""

    card: str
    says: str
    saw: str
    wanted: bool
    leaf: int = 0
    switch: str = ""


Ways = list[frozenset[Flip]]


@dataclass(frozen=True)
class Change:
    """A set of flips, and how the turn would have ended. `asks`: questions whose answer nobody can know."""

    flips: tuple[Flip, ...]
    outcome: str
    reason: str
    asks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Search:
    """What a search found: the smallest changes, or why there are none."""

    changes: tuple[Change, ...]
    says: str = ""


def search(line: CompiledLine, decision: Decision, other: str) -> Search:
    """The smallest sets of conditions by which the turn would have ended in `other`; or, when it did end in `other`,
    by which it would not have."""
    first = again(line, decision, {}, {})
    if (first.decision.outcome, first.decision.reason) != (decision.outcome, decision.reason):
        return Search((), f"With today's cards it ends in {first.decision.outcome} ({first.decision.reason}), "
                          "so nothing can be told about the conditions of that day.")  # fmt: skip
    wanted = _Wanted(other, away=decision.outcome == other)
    found, runs = list[Change](), 0
    level: list[tuple[frozenset[Flip], Again]] = [(frozenset(), first)]
    seen: set[frozenset[Flip]] = {frozenset()}
    for size in range(1, MOST_FLIPS + 1):
        following = []
        for flips, state in level:
            for way in _ways_on(line, state, wanted):
                taken = flips | way
                if taken in seen or len(taken) > MOST_FLIPS or runs >= MOST_RUNS:
                    continue
                seen.add(taken)
                runs += 1
                then = _run(line, decision, taken)
                if wanted.reached(then):
                    change = Change(
                        tuple(sorted(taken, key=str)),
                        then.decision.outcome,
                        then.decision.reason,
                        tuple(sorted(then.asked)),
                    )
                    found.append(change)
                elif len(taken) < MOST_FLIPS:
                    following.append((taken, then))
        small = [change for change in found if len(change.flips) <= size]
        if small:
            least = min(len(change.flips) for change in small)
            best = [change for change in found if len(change.flips) == least]
            return Search(tuple(sorted(best, key=lambda one: (bool(one.asks), str(one.flips)))[:5]))
        level = following
    ended = f"within {MOST_FLIPS} conditions" if runs < MOST_RUNS else f"in {MOST_RUNS} tries"
    return Search((), f"No change of conditions was found that would have ended it otherwise, {ended}.")


@dataclass(frozen=True)
class _Wanted:
    outcome: str
    away: bool

    def reached(self, then: Again) -> bool:
        """Whether the outcome is the wanted one; a turn that would have asked a model is open, and counts."""
        if then.asked:
            return then.decision.outcome != self.outcome if self.away else True
        return (then.decision.outcome != self.outcome) is self.away


def _run(line: CompiledLine, decision: Decision, flips: frozenset[Flip]) -> Again:
    forced = {flip.leaf: YES if flip.wanted else NO for flip in flips if flip.leaf}
    switches = {flip.switch: "on" if flip.wanted else "off" for flip in flips if flip.switch}
    return again(line, decision, forced, switches)


def _ways_on(line: CompiledLine, state: Again, wanted: _Wanted) -> Iterator[frozenset[Flip]]:
    """What to try next from a state: to unmake what decided it, to open a wave, to make a card fire that ends it so."""
    decision, turn = state.decision, state.turn
    rules = {rule.name: rule for point in line.line.rules.values() for rule in point}
    rule = rules.get(decision.card)
    if rule is not None:
        yield from _unmade(rule, turn)
    if decision.outcome in ("draft", "hold", "silent") and not wanted.away and decision.wave_state != "open":
        yield from _opened(line, decision, turn)
    if decision.wave_state == "open" and wanted.away:
        yield from _closed(line, decision, turn)
    if wanted.away or rule is None:
        target = None if wanted.away else wanted.outcome
        for one in rules.values():
            if one.point.name in decision.stages and any(_ends(one, decision.outcome, target)):
                yield from (way for way in _fired(one, turn) if len(way) == 1)


def _ends(rule: Rule, outcome: str, target: str | None) -> Iterator[bool]:
    for ending in rule.then:
        if ending.outcome:
            yield ending.outcome != outcome if target is None else ending.outcome == target


def _unmade(rule: Rule, turn: Turn) -> Ways:
    ways = _make(rule.when, False, turn, rule.name) if rule.when is not None else []
    return ways + (_make(rule.unless, True, turn, rule.name) if rule.unless is not None else [])


def _fired(rule: Rule, turn: Turn) -> Ways:
    if rule.when is None:
        return []
    ways = _make(rule.when, True, turn, rule.name)
    excused = rule.unless is not None and rule.unless.answer(turn).holds
    return _crossed([ways, _make(rule.unless, False, turn, rule.name)]) if excused and rule.unless else ways


def _opened(line: CompiledLine, decision: Decision, turn: Turn) -> Iterator[frozenset[Flip]]:
    for name, wave in line.line.waves.items():
        if wave.opens is None or (decision.wave and name != decision.wave and decision.wave_state == "closed"):
            continue
        ways = _make(wave.opens, True, turn, f"waves/{name}")
        if turn.get(f"waves.{name}") != "open":
            flip = Flip("line.yaml", f"switches.{wave.switch}: on", "off", True, switch=wave.switch)
            ways = _crossed([ways, [frozenset({flip})]])
        yield from ways


def _closed(line: CompiledLine, decision: Decision, turn: Turn) -> Iterator[frozenset[Flip]]:
    wave = line.line.waves[decision.wave]
    if wave.switch != "always":
        yield frozenset({Flip("line.yaml", f"switches.{wave.switch}: on", "on", False, switch=wave.switch)})
    if wave.opens is not None:
        yield from _make(wave.opens, False, turn, f"waves/{decision.wave}")


def _make(condition: Condition, wanted: bool, turn: Turn, card: str) -> Ways:
    """The smallest ways to make a condition hold, or to make it false, leaf by leaf; one empty way when it does."""
    state = condition.answer(turn).state
    if state is (State.TRUE if wanted else State.FALSE):
        return [frozenset()]
    if isinstance(condition, Not):
        return _make(condition.of, not wanted, turn, card)
    if isinstance(condition, TermTest):
        inner = condition.condition()
        return _make(inner, wanted is condition.wanted, turn, card) if inner is not None else []
    if isinstance(condition, All | Any_):
        below = [_make(one, wanted, turn, card) for one in condition.of]
        together = isinstance(condition, All) is wanted
        ways = _crossed(below) if together else [way for one in below for way in one if way]
        return sorted(ways, key=len)[:MOST_WAYS]
    leaf = condition.explain(turn)
    return [frozenset({Flip(card, leaf.says, leaf.saw, wanted, id(condition))})]


def _crossed(parts: Sequence[Ways]) -> Ways:
    """One way out of each part, together."""
    if not all(parts):
        return []
    ways = [frozenset().union(*one) for one in itertools.islice(itertools.product(*parts), 500)]
    return sorted((way for way in ways if len(way) <= MOST_FLIPS), key=len)[:MOST_WAYS]
