"""Deciding conditions from their structure: enumerations, ranges and boolean form exactly; patterns by equality.

`never` and `always` are sound and, for conjunctions of literal tests on scalar enumerations and ranges, complete.
What cannot be decided is left alone: no finding is better than a wrong one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from engine.language.conditions import All, Any_, Condition, FactTest, Not
from engine.language.line import Line
from engine.language.operators import Between, Compare, Empty, In, Is, Matches
from engine.language.right_side import Literal, Several

__all__ = ["Condition", "always", "covered", "implies", "never"]


@dataclass
class Range:
    """The values a scalar may still take: an interval, or a set of choices."""

    low: float = -math.inf
    high: float = math.inf
    low_open: bool = False
    high_open: bool = False
    choices: frozenset[object] | None = None
    absent: bool = False
    """`empty: true` is asked: no value at all."""
    asked: bool = False
    """Something is asked of the value: there must be one."""

    @property
    def empty(self) -> bool:
        if self.absent:
            return self.asked
        if self.choices is not None:
            return not self.choices
        return self.low > self.high or (self.low == self.high and (self.low_open or self.high_open))


def never(condition: Condition, line: Line) -> str:
    """Why a condition can never be true, or an empty string."""
    if isinstance(condition, Any_):
        reasons = [never(part, line) for part in condition.of]
        return reasons[0] if all(reasons) else ""
    parts = condition.of if isinstance(condition, All) else (condition,)
    for part in parts:
        if isinstance(part, Any_) and (why := never(part, line)):
            return why
        if isinstance(part, Not) and any(part.of == other for other in parts):
            return "it asks for something and for its opposite"
    ranges: dict[str, Range] = {}
    for part in parts:
        if isinstance(part, FactTest) and not part.many:
            allowed = ranges.setdefault(part.path, _whole(part.path, line))
            for operator in part.operators:
                _narrow(allowed, operator)
            if allowed.empty:
                return f"no value of `{part.path}` meets all that is asked of it"
    return ""


def always(condition: Condition, line: Line) -> str:
    """Why a condition is true for every value of the facts it reads, or an empty string."""
    if isinstance(condition, All):
        reasons = [always(part, line) for part in condition.of]
        return reasons[0] if all(reasons) else ""
    if isinstance(condition, Not):
        return never(condition.of, line)
    if not isinstance(condition, Any_):
        return ""
    for part in condition.of:
        if any(isinstance(other, Not) and other.of == part for other in condition.of):
            return "one of its alternatives is the opposite of another"
    by_path: dict[str, set[object]] = {}
    for part in condition.of:
        if isinstance(part, FactTest) and not part.many and len(part.operators) == 1:
            whole = _whole(part.path, line).choices
            if whole is None:
                continue
            one = Range(choices=whole)
            _narrow(one, part.operators[0])
            if _decided(part.operators[0]) and one.choices is not None:
                by_path.setdefault(part.path, set()).update(one.choices)
                if by_path[part.path] >= whole:
                    return f"its alternatives cover every value of `{part.path}`"
    return ""


def covered(part: Condition) -> Iterator[tuple[Condition, Condition]]:
    """Alternatives of an `any` that another alternative of it already covers, with that other one."""
    if not isinstance(part, Any_):
        return
    for index, one in enumerate(part.of):
        for at, other in enumerate(part.of):
            if at != index and implies(one, other) and (at < index or not implies(other, one)):
                yield one, other
                break


def implies(a: Condition, b: Condition) -> bool:
    """Whether `a` being true makes `b` true, as far as structure shows it."""
    if a == b:
        return True
    if isinstance(b, All):
        return all(implies(a, part) for part in b.of)
    if isinstance(a, Any_):
        return all(implies(part, b) for part in a.of)
    if isinstance(b, Any_) and any(implies(a, part) for part in b.of):
        return True
    if isinstance(a, All):
        return any(implies(part, b) for part in a.of)
    if isinstance(a, FactTest) and isinstance(b, FactTest) and a.path == b.path:
        return all(any(_tighter(one, other) for one in a.operators) for other in b.operators)
    return False


def _tighter(a: object, b: object) -> bool:
    """Whether what passes operator `a` passes operator `b`."""
    if _same_operator(a, b):
        return True
    if isinstance(a, Matches) and isinstance(b, Matches):
        mine, theirs = {p.source for p in a.patterns}, {p.source for p in b.patterns}
        return mine <= theirs and set(a.terms) <= set(b.terms) and bool(mine or a.terms)
    if isinstance(a, (Compare, Between, Is)) and isinstance(b, (Compare, Between)):
        inner, outer, both = Range(), Range(), Range()
        if not (_decided(a) and _decided(b)):
            return False
        for target in (inner, both):
            _narrow(target, a)
        _narrow(outer, b)
        _narrow(both, b)
        return (both.low, both.high, both.low_open, both.high_open) == (
            inner.low, inner.high, inner.low_open, inner.high_open)  # fmt: skip
    first, second = _values(a), _values(b)
    if first is None or second is None:
        return False
    return first <= second


def _same_operator(a: object, b: object) -> bool:
    return type(a) is type(b) and a == b and not isinstance(a, Matches)


def _values(operator: object) -> frozenset[object] | None:
    """The literal values that pass `is` or `in`."""
    if isinstance(operator, Is) and isinstance(operator.to, Literal) and not operator.tolerance:
        return frozenset({_key(operator.to.value)})
    if isinstance(operator, In) and operator.wanted and _decided(operator):
        return frozenset(_key(one.value) for one in operator.of.of if isinstance(one, Literal))
    return None


def _decided(operator: object) -> bool:
    """Whether an operator compares with literals alone."""
    if isinstance(operator, (Is, Compare)):
        return isinstance(operator.to, Literal)
    if isinstance(operator, Between):
        return isinstance(operator.low, Literal) and isinstance(operator.high, Literal)
    if isinstance(operator, In):
        return isinstance(operator.of, Several) and all(isinstance(one, Literal) for one in operator.of.of)
    return False


def _whole(path: str, line: Line) -> Range:
    fact = line.facts.get(path)
    if fact is not None and fact.type.choices:
        return Range(choices=frozenset(fact.type.choices))
    if fact is not None and fact.type.name == "yes_no":
        return Range(choices=frozenset({True, False}))
    return Range()


def _narrow(allowed: Range, operator: object) -> None:
    if isinstance(operator, Empty):
        allowed.absent = allowed.absent or operator.wanted
        allowed.asked = allowed.asked or not operator.wanted
        return
    allowed.asked = True
    if not _decided(operator):
        return
    values = _values(operator)
    if values is not None:
        allowed.choices = values if allowed.choices is None else allowed.choices & values
    elif isinstance(operator, In):
        refused = {_key(one.value) for one in operator.of.of if isinstance(one, Literal)}
        if allowed.choices is not None:
            allowed.choices = allowed.choices - refused
    elif isinstance(operator, Compare) and isinstance(operator.to, Literal):
        _cut(allowed, operator.how, operator.to.value)
    elif isinstance(operator, Between) and operator.kind != "clock":
        assert isinstance(operator.low, Literal) and isinstance(operator.high, Literal)
        _cut(allowed, "at_least", operator.low.value)
        _cut(allowed, "at_most", operator.high.value)
    if allowed.choices is not None and (allowed.low, allowed.high) != (-math.inf, math.inf):
        allowed.choices = frozenset(one for one in allowed.choices if _inside(one, allowed))


def _cut(allowed: Range, how: str, bound: object) -> None:
    if not isinstance(bound, (int, float)):
        return
    if how in ("over", "at_least") and (bound, how == "over") > (allowed.low, allowed.low_open):
        allowed.low, allowed.low_open = float(bound), how == "over"
    if how in ("under", "at_most") and (bound < allowed.high or (bound == allowed.high and how == "under")):
        allowed.high, allowed.high_open = float(bound), how == "under"


def _inside(value: object, allowed: Range) -> bool:
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return True
    above = value > allowed.low or (value == allowed.low and not allowed.low_open)
    return above and (value < allowed.high or (value == allowed.high and not allowed.high_open))


def _key(value: object) -> object:
    return value if isinstance(value, (str, int, float, bool)) else repr(value)
