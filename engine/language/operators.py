"""The operators of the card language: what each asks of a value."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from engine.language.conditions import (
    NO,
    UNKNOWN,
    Answer,
    Condition,
    Evidence,
    OfItem,
    OfWhole,
    State,
    conjunction,
    evidence_of,
    failed,
    yes_no,
)
from engine.language.extract import Money
from engine.language.facts import Fact
from engine.language.normalise import normalise
from engine.language.patterns import Pattern, PatternTimeout
from engine.language.right_side import Operand, Several, form, looked_up
from engine.language.turn import ABSENT, Failed, Item, Turn
from engine.language.values import likeness, same

if TYPE_CHECKING:
    from engine.language.line import Line

PATTERN_SECONDS = 0.25
"""Run-time bound of one pattern on one text: a last net (DESIGN §10), counted as a failed check."""


def operand_value(operand: Operand, turn: Turn) -> tuple[Any, Answer | None]:
    """The one value of an operand; or, beside None, the answer when it failed or is not known."""
    values = operand.values(turn)
    if isinstance(values, Failed):
        return None, failed(values.source)
    return (values[0], None) if values else (None, UNKNOWN)


@dataclass(frozen=True)
class Is(OfItem):
    kind: str
    to: Operand
    tolerance: float = 0.0
    name = "is"

    @cached_property
    def fixed(self) -> frozenset[Any] | None:
        """What it compares with, in the form in which values of the type are looked up, when no fact decides that."""
        return looked_up(self.kind, [self.to])

    def answer_item(self, path: str, item: Item, turn: Turn) -> Answer:
        if self.fixed is not None:
            hit = form(self.kind, item.value) in self.fixed
            return yes_no(True, (evidence_of(path, item),)) if hit else NO
        values = self.to.values(turn)
        if isinstance(values, Failed):
            return failed(values.source)
        if not values:
            return UNKNOWN
        hit = any(same(self.kind, item.value, value, self.tolerance) for value in values)
        return yes_no(hit, (evidence_of(path, item),))

    def reads(self) -> Iterator[str]:
        yield from self.to.reads()

    def __str__(self) -> str:
        return f"is {self.to}"


@dataclass(frozen=True)
class In(OfItem):
    kind: str
    of: Several
    wanted: bool
    tolerance: float = 0.0

    @property
    def name(self) -> str:  # type: ignore[override]
        return "in" if self.wanted else "not_in"

    @cached_property
    def fixed(self) -> frozenset[Any] | None:
        """As of `is`."""
        return looked_up(self.kind, self.of.of)

    def answer_item(self, path: str, item: Item, turn: Turn) -> Answer:
        if self.fixed is not None:
            hit = (form(self.kind, item.value) in self.fixed) is self.wanted
            return yes_no(True, (evidence_of(path, item),)) if hit else NO
        inside = any(same(self.kind, item.value, value, self.tolerance) for value in self.of.known(turn))
        if not inside:
            values = self.of.values(turn)
            if isinstance(values, Failed):
                return failed(values.source)
        return yes_no(inside is self.wanted, (evidence_of(path, item),))

    def reads(self) -> Iterator[str]:
        yield from self.of.reads()

    def __str__(self) -> str:
        return f"{self.name} {self.of}"


@dataclass(frozen=True)
class Has(OfItem):
    """On a text: it contains that literal, or one of a list's values by length (`of`, `at_least`, `at_most`, `alone`)."""

    of: Several
    at_least: Operand | None = None
    at_most: Operand | None = None
    alone: bool = False
    name = "has"

    def answer_item(self, path: str, item: Item, turn: Turn) -> Answer:
        values = self.of.values(turn)
        if isinstance(values, Failed):
            return failed(values.source)
        low, high = _bound(self.at_least, turn), _bound(self.at_most, turn)
        text = str(item.value)
        spans: set[tuple[int, int]] = set()
        for value in values:
            spelled = str(value)
            if spelled and (low is None or len(spelled) >= low) and (high is None or len(spelled) <= high):
                for form in {spelled, json.dumps(spelled)[1:-1], json.dumps(spelled, ensure_ascii=False)[1:-1]}:
                    spans.update(_occurrences(text, form, self.alone))
        ordered = sorted(spans, key=lambda span: (span[0] - span[1], span[0]))
        return yes_no(bool(spans), [Evidence(path, text[a:b], text[a:b], a, b) for a, b in ordered])

    def reads(self) -> Iterator[str]:
        yield from self.of.reads()
        for bound in (self.at_least, self.at_most):
            if bound:
                yield from bound.reads()

    def __str__(self) -> str:
        return f"has {self.of}"


def _bound(operand: Operand | None, turn: Turn) -> float | None:
    values = operand.values(turn) if operand else None
    return values[0] if isinstance(values, list) and values else None


def _occurrences(text: str, literal: str, alone: bool) -> Iterator[tuple[int, int]]:
    at = text.find(literal)
    while at >= 0:
        end = at + len(literal)
        before, after = text[at - 1 : at], text[end : end + 1]
        if not alone or not (before.isalnum() or before == "_" or after.isalnum() or after == "_"):
            yield at, end
        at = text.find(literal, at + 1)


@dataclass(frozen=True)
class Empty(OfWhole):
    wanted: bool
    name = "empty"

    def answer_whole(self, path: str, value: Any, turn: Turn) -> Answer:
        if value is ABSENT:
            nothing = not any(below in turn.facts for below in turn.line.below(path))
        elif isinstance(value, str):
            nothing = not normalise(value).text.strip()
        else:
            nothing = isinstance(value, (list, tuple, dict)) and len(value) == 0
        items = value if isinstance(value, list) else []
        return yes_no(nothing is self.wanted, [evidence_of(path, item) for item in items])

    def __str__(self) -> str:
        return f"empty {str(self.wanted).lower()}"


COMPARISONS = {
    "over": lambda a, b: a > b,
    "under": lambda a, b: a < b,
    "at_least": lambda a, b: a >= b,
    "at_most": lambda a, b: a <= b,
}


@dataclass(frozen=True)
class Compare(OfItem):
    how: str
    to: Operand

    @property
    def name(self) -> str:  # type: ignore[override]
        return self.how

    def answer_item(self, path: str, item: Item, turn: Turn) -> Answer:
        bound, instead = operand_value(self.to, turn)
        return instead or yes_no(compare(self.how, item.value, bound), (evidence_of(path, item),))

    def reads(self) -> Iterator[str]:
        yield from self.to.reads()

    def __str__(self) -> str:
        return f"{self.how} {self.to}"


def compare(how: str, a: Any, b: Any) -> bool:
    if isinstance(a, Money) and isinstance(b, Money):
        return a.currency in (None, b.currency) and COMPARISONS[how](a.amount, b.amount)
    return bool(COMPARISONS[how](a, b))


@dataclass(frozen=True)
class Between(OfItem):
    """From the first to the second end, both included; on times of day it wraps midnight, equal ends mean all day."""

    kind: str
    low: Operand
    high: Operand
    name = "between"

    def answer_item(self, path: str, item: Item, turn: Turn) -> Answer:
        (low, instead), (high, otherwise) = operand_value(self.low, turn), operand_value(self.high, turn)
        if instead or otherwise:
            return conjunction([answer for answer in (instead, otherwise) if answer])
        if self.kind == "clock":
            value = item.value
            inside = low == high or (low <= value <= high if low < high else value >= low or value <= high)
        else:
            inside = compare("at_least", item.value, low) and compare("at_most", item.value, high)
        return yes_no(inside, (evidence_of(path, item),))

    def reads(self) -> Iterator[str]:
        yield from self.low.reads()
        yield from self.high.reads()

    def __str__(self) -> str:
        return f"between [{self.low}, {self.high}]"


@dataclass(frozen=True)
class Within(OfItem):
    """An instant that lies at most so long ago; a duration (`…_ago`) that is at most so long."""

    span: Operand
    name = "within"

    def answer_item(self, path: str, item: Item, turn: Turn) -> Answer:
        span, instead = operand_value(self.span, turn)
        if instead:
            return instead
        value = item.value
        ago = (turn.now - value).total_seconds() if isinstance(value, dt.datetime) else float(value)
        return yes_no(0 <= ago <= span, (evidence_of(path, item),))

    def reads(self) -> Iterator[str]:
        yield from self.span.reads()

    def __str__(self) -> str:
        return f"within {self.span}"


@dataclass(frozen=True)
class Matches(OfItem):
    patterns: tuple[Pattern, ...]
    terms: tuple[str, ...] = ()
    name = "matches"

    def answer_item(self, path: str, item: Item, turn: Turn) -> Answer:
        normal = turn.normal(path, str(item.value))
        if isinstance(normal, Failed):
            return failed(normal.source)
        text, evidence = normal.original, list[Evidence]()
        likely, indexed = turn.may_match(path, normal), turn.line.indexed
        for pattern in self.every_pattern(turn):
            if pattern.source in indexed and pattern.source not in likely:
                continue
            try:
                for start, end in pattern.finditer(normal, timeout=PATTERN_SECONDS):
                    evidence.append(Evidence(path, text[start:end], text[start:end], start, end))
            except PatternTimeout:
                return failed("pattern")
        return yes_no(bool(evidence), evidence)

    def every_source(self, line: Line) -> frozenset[str]:
        """The sources of its patterns, those of its terms too: one of them must match."""
        named = (pattern for term in self.terms for pattern in line.terms[term].patterns if term in line.terms)
        return frozenset(one.source for one in (*self.patterns, *named))

    def every_pattern(self, turn: Turn) -> Iterator[Pattern]:
        yield from self.patterns
        for term in self.terms:
            yield from turn.line.terms[term].patterns

    def reads(self) -> Iterator[str]:
        for term in self.terms:
            yield f"terms.{term}"

    def __str__(self) -> str:
        listed = [f"'{pattern.source}'" for pattern in self.patterns] + [f"$terms.{term}" for term in self.terms]
        return f"matches [{', '.join(listed)}]"


@dataclass(frozen=True)
class Like(OfItem):
    to: Several
    at_least: Operand
    name = "like"

    def answer_item(self, path: str, item: Item, turn: Turn) -> Answer:
        values, bound = self.to.values(turn), self.at_least.values(turn)
        for got in (values, bound):
            if isinstance(got, Failed):
                return failed(got.source)
        assert isinstance(values, list) and isinstance(bound, list)
        if not bound:
            return UNKNOWN
        hit = any(likeness(str(item.value), str(value)) >= bound[0] for value in values)
        return yes_no(hit, (evidence_of(path, item),))

    def reads(self) -> Iterator[str]:
        yield from self.to.reads()
        yield from self.at_least.reads()

    def __str__(self) -> str:
        return f"like {self.to} at_least {self.at_least}"


class ItemTurn(Turn):
    """The turn as seen from one item of a list: `it` and `it.field` besides every fact of the turn."""

    def __init__(self, turn: Turn, path: str, item: Item) -> None:
        super().__init__(turn.line, turn.facts, turn.now, turn.marks, turn.answers)
        self._outer, self._path, self._item = turn, path, item

    def get(self, path: str) -> Any:
        if path == "it":
            return self._item.value
        if path.startswith("it."):
            fact: Fact | None = self.line.facts.get(f"{self._path}.{path[3:]}")
            value = self._item.value.get(path[3:], ABSENT) if isinstance(self._item.value, dict) else ABSENT
            return self._canonical(value, fact.one()) if fact and value is not ABSENT else value
        return self._outer.get(path)


@dataclass(frozen=True)
class Quantified(OfWhole):
    """`some`, `none`, `every` and `count` over the items of a list."""

    how: str
    condition: Condition | None
    counts: tuple[Compare, ...] = ()

    @property
    def name(self) -> str:  # type: ignore[override]
        return self.how

    def answer_whole(self, path: str, value: Any, turn: Turn) -> Answer:
        items: Sequence[Item] = value if isinstance(value, list) else []
        answers = [
            (item, self.condition.answer(ItemTurn(turn, path, item)) if self.condition else yes_no(True))
            for item in items
        ]
        hits = [evidence_of(path, item) for item, got in answers if got.holds]
        misses = [evidence_of(path, item) for item, got in answers if got.state is State.FALSE]
        open_ = [got for _, got in answers if got.state not in (State.TRUE, State.FALSE)]
        if self.how == "some":
            return yes_no(True, hits) if hits else (open_[0] if open_ else NO)
        if self.how == "none":
            return NO if hits else (open_[0] if open_ else yes_no(True))
        if self.how == "every":
            if not items:
                return NO
            return NO if misses else (open_[0] if open_ else yes_no(True, hits))
        if open_:
            return open_[0]
        counted = Item(float(len(hits)))
        answered = conjunction([compare.answer_item(path, counted, turn) for compare in self.counts])
        return Answer(answered.state, tuple(hits), answered.source) if answered.holds else answered

    def reads(self) -> Iterator[str]:
        if self.condition:
            yield from (path for path in self.condition.reads() if not path.startswith("it"))
        for compare in self.counts:
            yield from compare.reads()

    def __str__(self) -> str:
        counts = " and ".join(str(compare) for compare in self.counts)
        return f"{self.how} {counts}".strip()
