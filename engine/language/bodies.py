"""Compiled bodies of the cards: what the engine holds of a rule, a text, a limit, a mark, a term and the rest."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from engine.language.actions import Edit, Effect, Ending
from engine.language.conditions import Condition
from engine.language.extract import Moment, Money
from engine.language.facts import Type
from engine.language.ladders import FAMILY
from engine.language.patterns import Pattern
from engine.language.points import Point
from engine.language.project import Card
from engine.language.slots import fill
from engine.language.turn import ABSENT, Failed, Turn
from engine.language.values import Quantity


@dataclass(frozen=True)
class Rule:
    """A gate or a guard card: when, unless, and what follows."""

    card: Card
    point: Point
    when: Condition | None
    unless: Condition | None
    then: tuple[Ending, ...]
    also: tuple[Effect, ...]
    reason: str
    on_error: tuple[Ending, ...]
    repair: str = ""
    repair_ask: str = ""
    edit: Edit | None = None
    counts_as: str = ""

    @property
    def name(self) -> str:
        return self.card.name


@dataclass
class Term:
    """A named condition, or named patterns."""

    card: Card
    is_condition: bool
    condition: Condition | None = None
    patterns: tuple[Pattern, ...] = ()


@dataclass
class Limit:
    """A number: its kind (`number`, `duration`, `percent`), fixed or by case, bounded, perhaps a share of a fact."""

    card: Card
    kind: str
    quantities: list[tuple[Condition | None, Quantity]] = field(default_factory=list)
    within: float | None = None
    of: str = ""
    per: str = ""
    at_least: float | None = None
    at_most: float | None = None
    least: str = ""
    most: str = ""
    """Other limits that bound this one (`at_most: $limits.budget`): checked, and applied."""

    def value(self, turn: Turn, length: int | None = None) -> float | Failed | None:
        """Its value for this turn; None when it depends on a fact that is absent.

        `length`: how many of the unit named by `per` there are (characters of a text).
        """
        quantity = self._case(turn)
        if not isinstance(quantity, Quantity):
            return quantity
        amount = quantity.amount
        if self.of:
            whole = turn.get(self.of)
            if not isinstance(whole, float):
                return whole if isinstance(whole, Failed) else None
            amount = whole * amount / 100.0
        if self.per:
            amount *= length or 0
        return self._bounded(amount, turn)

    def said(self, turn: Turn) -> str | None:
        """Its value in words: as the card writes it (`48 h`) unless it is bounded or a share."""
        value, quantity = self.value(turn), self._case(turn)
        if not isinstance(value, float) or not isinstance(quantity, Quantity):
            return None
        return quantity.written if value == quantity.amount else spell(value, self.kind)

    def _case(self, turn: Turn) -> Quantity | Failed | None:
        for condition, quantity in self.quantities:
            got = condition.answer(turn) if condition is not None else None
            if got is not None and got.source:
                return Failed(got.source)
            if got is None or got.holds:
                return quantity
        return None

    def _bounded(self, amount: float, turn: Turn) -> float | Failed | None:
        for bound, name, pick in ((self.at_least, self.least, max), (self.at_most, self.most, min)):
            other: float | Failed | None = turn.line.limits[name].value(turn) if name else bound
            if isinstance(other, Failed):
                return other
            if other is not None:
                amount = pick(amount, other)
        return amount


@dataclass(frozen=True)
class Mark:
    """A dated note. `keys`: the paths whose values tell whom it concerns; none for the whole line."""

    card: Card
    keys: tuple[str, ...]
    carries: Mapping[str, Type]
    lasts: float | None


@dataclass
class Question:
    """A typed call: `otherwise` is `hold`, `absent`, or the fields assumed when it fails."""

    card: Card
    calls: str
    fields: Mapping[str, Type]
    otherwise: str | Mapping[str, Any]
    at: str = ""
    when: Condition | None = None
    fills: str = ""
    reads: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()
    ladder: str = ""
    asked: bool = False
    """Whether a card, a repair or a ladder asks it: then nothing else does."""

    @property
    def port(self) -> str:
        """The port it calls (`store`); empty when it calls a model."""
        return self.calls.partition(".")[0] if "." in self.calls else ""

    @property
    def on_read(self) -> bool:
        """Whether it is asked when a field of it is first read. What may write is never asked by being read."""
        return not (self.at or self.asked or self.fills or self.port)


@dataclass
class Text:
    """A fixed line: its words by case, each by language (`""` is every language)."""

    card: Card
    cases: list[tuple[Condition | None, Mapping[str, str]]] = field(default_factory=list)

    def render(self, turn: Turn, found: str = "") -> str | None:
        """The words for this turn, in the customer's language where the line has it; None when a slot stays empty."""
        for condition, words in self.cases:
            if condition is None or condition.answer(turn).holds:
                spelled = words.get(language_of(turn)) or words.get("") or next(iter(words.values()))
                return fill(spelled, slot_lookup(turn, found))
        return None


def language_of(turn: Turn) -> str:
    """The language to answer in: the message's if the line speaks it, else the line's first."""
    heard = turn.get("message.language")
    languages = turn.line.config.languages
    return heard if heard in languages else languages[0]


def slot_lookup(turn: Turn, found: str = "") -> Callable[[str], str | None]:
    """How a slot is filled from a turn: `{found}`, `{texts.x}`, `{limits.x}`, or a fact."""

    def lookup(path: str) -> str | None:
        if path == "found":
            return found or None
        if path.startswith("texts."):
            text = turn.line.texts.get(path.removeprefix("texts."))
            return text.render(turn) if text else None
        if path.startswith("limits."):
            limit = turn.line.limits.get(path.removeprefix("limits."))
            return limit.said(turn) if limit else None
        value = turn.get(path)
        given = turn.as_given(path)
        if isinstance(value, list) and isinstance(given, (list, tuple)) and all(isinstance(one, str) for one in given):
            return ", ".join(given) or None
        said = given if isinstance(given, str) and not isinstance(value, Failed) else spelled(value)
        return said if said and said.strip() else None

    return lookup


def spelled(value: Any) -> str | None:
    """A fact's value as it is written in a text; None when there is none."""
    if value is ABSENT or isinstance(value, Failed) or value == []:
        return None
    if isinstance(value, list):
        parts = [item.found.text if item.found else spelled(item.value) for item in value]
        return ", ".join(part for part in parts if part)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, dt.datetime):
        return value.strftime("%Y-%m-%d %H:%M")
    if isinstance(value, (Money, Moment, Decimal)):
        return str(value)
    return str(value)


def spell(value: float, kind: str) -> str:
    """A limit's value in words: `15 min`, `80 %`, `400`."""
    if kind == "percent":
        return f"{value:g} %"
    if kind == "duration":
        for unit, seconds in (("d", 86400.0), ("h", 3600.0), ("min", 60.0), ("s", 1.0)):
            if value >= seconds and value % seconds == 0 and not (unit == "d" and value < 2 * seconds):
                return f"{value / seconds:g} {unit}"
        return f"{value * 1000:g} ms" if value < 1 else f"{value:g} s"
    return f"{value:g}"


@dataclass(frozen=True)
class Wave:
    """A class of answers: the first that matches labels a decision."""

    card: Card
    opens: Condition | None
    switch: str
    closed: str


@dataclass(frozen=True)
class Role:
    card: Card
    who: Condition | None
    may: tuple[str, ...]
    may_not: tuple[str, ...]
    reads: tuple[str, ...]


@dataclass(frozen=True)
class Ladder:
    """What is done on each class of error, rung by rung."""

    card: Card
    answers_for: str
    errors: Mapping[str, tuple[Mapping[str, Any], ...]]

    def answered_as(self, error: str) -> str:
        """The class whose rungs are taken for an error: its own, else that of its family."""
        return error if error in self.errors else FAMILY.get(error, error)

    def rung(self, error: str, number: int) -> Mapping[str, Any] | None:
        """The rung (from 1) to take for an error class; None when the ladder does not answer it or has ended."""
        rungs = self.errors.get(self.answered_as(error), ())
        return rungs[number - 1] if 0 < number <= len(rungs) else None
