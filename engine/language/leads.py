"""What must be so before a condition can hold or fail, told by one cheap look: a value, a mark, a pattern that may match.

A condition with leads answers FALSE or UNKNOWN where none of them is met, as long as nothing has failed.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engine.language.conditions import All, Any_, Condition, FactTest, OfItem, TermTest
from engine.language.mark_test import MarkTest
from engine.language.operators import Compare, Empty, In, Is, Matches, Quantified
from engine.language.right_side import LimitRef, Literal

if TYPE_CHECKING:
    from engine.language.line import Line


@dataclass(frozen=True)
class Lead:
    """One way to be met. `pattern`: one of the pattern sources `keys` may match the text at `path`; `value`: the fact
    at `path` is one of `keys`, in the form in which values are looked up; `known`: it is known, a list not empty; `mark`: the turn has a mark named `path`."""

    kind: str
    path: str
    keys: frozenset[Hashable] = frozenset()


_COST = {"value": 0, "mark": 1, "pattern": 2, "known": 3}


def leads(condition: Condition | None, line: Line) -> tuple[Lead, ...]:
    """The leads of which one must be met; none when the condition may hold whatever is so."""
    if isinstance(condition, All):
        found = [some for part in condition.of if (some := leads(part, line))]
        return min(found, key=_weight, default=())
    if isinstance(condition, Any_):
        parts = [leads(part, line) for part in condition.of]
        return tuple(lead for some in parts for lead in some) if all(parts) else ()
    if isinstance(condition, TermTest) and condition.wanted:
        return leads(condition.condition(), line)
    if isinstance(condition, MarkTest):
        return (Lead("mark", condition.mark),) if _needs_one(condition, line) else ()
    return tuple(_of_fact(condition, line)) if isinstance(condition, FactTest) else ()


def _weight(some: tuple[Lead, ...]) -> tuple[int, int]:
    """The more selective comes first: a value of two is less so than one mark or pattern."""
    worst = max(_COST[lead.kind] for lead in some)
    return worst, len(some)


def _of_fact(test: FactTest, line: Line) -> Iterator[Lead]:
    patterns = [op for op in test.operators if isinstance(op, Matches)]
    sources = patterns[0].every_source(line) if patterns and not test.many else frozenset()
    if sources and sources <= line.indexed:
        yield Lead("pattern", test.path, sources)
        return
    values = None if test.many else next((got for op in test.operators if (got := _values(op)) is not None), None)
    if values is not None:
        yield Lead("value", test.path, values)
    elif any(_needs_known(op, test, line) for op in test.operators):
        yield Lead("known", test.path)


def _values(operator: object) -> frozenset[Hashable] | None:
    if isinstance(operator, Is) or (isinstance(operator, In) and operator.wanted):
        return operator.fixed
    return None


def _needs_known(operator: object, test: FactTest, line: Line) -> bool:
    if isinstance(operator, OfItem):
        return True
    if isinstance(operator, Empty):
        fact = line.facts.get(test.path)
        return not operator.wanted and fact is not None and fact.type.name != "record" and not line.below(test.path)
    return isinstance(operator, Quantified) and operator.how in ("some", "every")


def _needs_one(test: MarkTest, line: Line) -> bool:
    """Whether it cannot hold without a mark, and cannot fail either."""
    if test.within is not None and not isinstance(test.within, Literal):
        return False
    if not test.counts:
        return test.wanted
    return any(_at_least_one(one, line) for one in test.counts) and all(_certain(one.to, line) for one in test.counts)


def _certain(operand: Any, line: Line) -> bool:
    """Whether an operand has a value whatever the facts are."""
    if not isinstance(operand, LimitRef):
        return isinstance(operand, Literal)
    limit = line.limits[operand.limit]
    bound = limit.of or limit.per or limit.least or limit.most or limit.at_most is not None
    return not bound and len(limit.quantities) == 1 and limit.quantities[0][0] is None


def _at_least_one(compare: Compare, line: Line) -> bool:
    if not _certain(compare.to, line):
        return False
    limited = isinstance(compare.to, LimitRef)
    amount = line.limits[compare.to.limit].quantities[0][1].amount if limited else compare.to.value  # type: ignore[attr-defined]
    return bool(amount > 0 if compare.how == "at_least" else compare.how == "over" and amount >= 0)


def may_time_out(condition: Condition | None) -> bool:
    """Whether a pattern of it runs against the clock: then it may fail although nothing else has."""
    parts = condition.parts() if condition is not None else ()
    return any(_unsure(part) for part in parts)


def _unsure(part: Condition) -> bool:
    if isinstance(part, TermTest):
        return may_time_out(part.condition())
    operators = part.operators if isinstance(part, FactTest) else ()
    for op in operators:
        if isinstance(op, Matches) and (op.terms or not all(pattern.sure for pattern in op.patterns)):
            return True
        if isinstance(op, Quantified) and may_time_out(op.condition):
            return True
    return False
