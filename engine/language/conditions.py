"""Compiled conditions and how they answer: three values and failure, with evidence.

A condition answers TRUE, FALSE, UNKNOWN (a value is absent) or FAILED (a source failed). `any` and `all` follow
Kleene's three-valued logic; a failure counts like an unknown that names its source.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import Any, ClassVar

from engine.language.turn import ABSENT, Failed, Item, Turn


class State(Enum):
    TRUE = "PASS"
    FALSE = "FAIL"
    UNKNOWN = "UNKNOWN"
    FAILED = "FAILED"


@dataclass(frozen=True)
class Evidence:
    """Why a condition holds: the fact, its value, and where it stands in the original text (code points)."""

    path: str
    value: Any = field(hash=False)
    text: str = ""
    start: int = -1
    end: int = -1

    @property
    def subject(self) -> str:
        """The text fact in which the span lies."""
        return self.path if self.path.endswith(".text") else f"{self.path.rpartition('.')[0]}.text"


@dataclass(frozen=True)
class Answer:
    state: State
    evidence: tuple[Evidence, ...] = ()
    source: str = ""
    """The source that failed, when the state is FAILED."""

    @property
    def holds(self) -> bool:
        return self.state is State.TRUE


YES, NO, UNKNOWN = Answer(State.TRUE), Answer(State.FALSE), Answer(State.UNKNOWN)


def failed(source: str) -> Answer:
    return Answer(State.FAILED, source=source)


def yes_no(value: bool, evidence: Sequence[Evidence] = ()) -> Answer:
    return Answer(State.TRUE, tuple(evidence)) if value else NO


@dataclass(frozen=True)
class Leaf:
    """One leaf of an explained condition: how it is written, what it answered, the value it saw."""

    says: str
    answer: Answer
    saw: str = ""
    children: tuple[Leaf, ...] = ()


class Condition(ABC):
    """A compiled condition; `key` is where it stands in its card."""

    key: tuple[str | int, ...]

    @abstractmethod
    def answer(self, turn: Turn) -> Answer:
        """What it says of a turn."""

    @abstractmethod
    def explain(self, turn: Turn) -> Leaf:
        """The same, with every part of it."""

    def reads(self) -> Iterator[str]:
        """The fact paths it reads (terms unfolded), marks as `marks.m`."""
        yield from ()

    def parts(self) -> Iterator[Condition]:
        """Itself and everything below."""
        yield self


@dataclass(frozen=True)
class Group(Condition):
    """Several conditions together."""

    of: tuple[Condition, ...]
    key: tuple[str | int, ...] = field(default=(), compare=False)
    word: ClassVar[str]

    def explain(self, turn: Turn) -> Leaf:
        return Leaf(self.word, self.answer(turn), children=tuple(part.explain(turn) for part in self.of))

    def reads(self) -> Iterator[str]:
        for part in self.of:
            yield from part.reads()

    def parts(self) -> Iterator[Condition]:
        yield self
        for part in self.of:
            yield from part.parts()


@dataclass(frozen=True)
class All(Group):
    word = "all"

    def answer(self, turn: Turn) -> Answer:
        worst, evidence = YES, list[Evidence]()
        for part in self.of:
            got = part.answer(turn)
            if got.state is State.FALSE:
                return NO
            if got.state is State.FAILED or (got.state is State.UNKNOWN and worst.state is State.TRUE):
                worst = got
            evidence.extend(got.evidence)
        return Answer(State.TRUE, tuple(evidence)) if worst is YES else worst


@dataclass(frozen=True)
class Any_(Group):
    word = "any"

    def answer(self, turn: Turn) -> Answer:
        best, evidence, found = NO, list[Evidence](), False
        for part in self.of:
            got = part.answer(turn)
            if got.holds:
                found = True
                evidence.extend(got.evidence)
            elif got.state is State.FAILED or (got.state is State.UNKNOWN and best.state is State.FALSE):
                best = got
        return Answer(State.TRUE, tuple(evidence)) if found else best


@dataclass(frozen=True)
class Not(Condition):
    of: Condition
    key: tuple[str | int, ...] = field(default=(), compare=False)

    def answer(self, turn: Turn) -> Answer:
        return negate(self.of.answer(turn))

    def explain(self, turn: Turn) -> Leaf:
        return Leaf("not", self.answer(turn), children=(self.of.explain(turn),))

    def reads(self) -> Iterator[str]:
        yield from self.of.reads()

    def parts(self) -> Iterator[Condition]:
        yield self
        yield from self.of.parts()


@dataclass(frozen=True)
class TermTest(Condition):
    """`terms.unprompted: true`. The term is looked up late, so that terms may name one another."""

    term: str
    wanted: bool
    condition: Callable[[], Condition | None] = field(compare=False, repr=False)
    key: tuple[str | int, ...] = field(default=(), compare=False)

    def answer(self, turn: Turn) -> Answer:
        condition = self.condition()
        got = condition.answer(turn) if condition else UNKNOWN
        return got if self.wanted else negate(got)

    def explain(self, turn: Turn) -> Leaf:
        condition = self.condition()
        below = (condition.explain(turn),) if condition else ()
        return Leaf(f"terms.{self.term}: {str(self.wanted).lower()}", self.answer(turn), children=below)

    def reads(self) -> Iterator[str]:
        yield f"terms.{self.term}"
        condition = self.condition()
        if condition:
            yield from condition.reads()


class Operator:
    """One operator with its operand."""

    name: str

    def reads(self) -> Iterator[str]:
        """The facts, limits and terms its operand names."""
        yield from ()


class OfItem(Operator, ABC):
    """An operator that asks of one value: of a scalar, or of each item of a list."""

    @abstractmethod
    def answer_item(self, path: str, item: Item, turn: Turn) -> Answer:
        """What it says of one value of the fact at `path`."""


class OfWhole(Operator, ABC):
    """An operator that asks of a fact as a whole: is it empty, how many of a list."""

    @abstractmethod
    def answer_whole(self, path: str, value: Any, turn: Turn) -> Answer:
        """What it says of the fact at `path`; `value` may be ABSENT."""


@dataclass(frozen=True)
class FactTest(Condition):
    """Operators on one fact path; on a list, some item for which all of them hold."""

    path: str
    many: bool
    operators: tuple[Operator, ...]
    key: tuple[str | int, ...] = field(default=(), compare=False)

    def answer(self, turn: Turn) -> Answer:
        if turn.forced and id(self) in turn.forced:
            return turn.forced[id(self)]  # type: ignore[no-any-return]
        value = turn.get(self.path)
        if isinstance(value, Failed):
            return failed(value.source)
        whole, single = self._sorted
        if not whole and len(single) == 1 and not self.many:
            got = _one(self.path, value, single[0], turn)
            return got if got.state is not State.TRUE else conjunction([got])
        answers = [op.answer_whole(self.path, value, turn) for op in whole]
        if single and self.many:
            answers.append(_some(self.path, value, single, turn))
        elif single:
            answers.extend(_one(self.path, value, op, turn) for op in single)
        return conjunction(answers)

    @cached_property
    def _sorted(self) -> tuple[list[OfWhole], list[OfItem]]:
        """Its operators: those that ask of the whole fact, those that ask of one value."""
        whole = [op for op in self.operators if isinstance(op, OfWhole)]
        return whole, [op for op in self.operators if isinstance(op, OfItem)]

    def explain(self, turn: Turn) -> Leaf:
        says = "; ".join(f"{self.path} {op}" for op in self.operators)
        return Leaf(says, self.answer(turn), saw=shown(turn.get(self.path)))

    def reads(self) -> Iterator[str]:
        yield self.path
        for op in self.operators:
            yield from op.reads()


def _one(path: str, value: Any, op: OfItem, turn: Turn) -> Answer:
    if value is ABSENT:
        return UNKNOWN
    return op.answer_item(path, Item(value), turn)


def _some(path: str, items: list[Item], ops: Sequence[OfItem], turn: Turn) -> Answer:
    worst, evidence, found = NO, list[Evidence](), False
    for item in items:
        got = conjunction([op.answer_item(path, item, turn) for op in ops])
        if got.holds:
            found = True
            evidence.extend(got.evidence or (evidence_of(path, item),))
        elif got.state is not State.FALSE:
            worst = got
    return Answer(State.TRUE, tuple(evidence)) if found else worst


def conjunction(answers: Sequence[Answer]) -> Answer:
    """`all` over answers already given."""
    if len(answers) == 1 and answers[0].state is not State.TRUE:
        return answers[0]
    if any(got.state is State.FALSE for got in answers):
        return NO
    for state in (State.FAILED, State.UNKNOWN):
        for got in answers:
            if got.state is state:
                return got
    return Answer(State.TRUE, tuple(dict.fromkeys(one for got in answers for one in got.evidence)))


def negate(got: Answer) -> Answer:
    if got.state is State.TRUE:
        return NO
    return YES if got.state is State.FALSE else got


def evidence_of(path: str, item: Item) -> Evidence:
    if item.found:
        return Evidence(path, item.value, item.found.text, item.found.start, item.found.end)
    return Evidence(path, item.value, item.value if isinstance(item.value, str) else "")


def shown(value: Any) -> str:
    """A fact's value as an operator reads it in a trace; long ones are cut."""
    if isinstance(value, list):
        return "[" + ", ".join(shown(item.found.text if item.found else item.value) for item in value) + "]"
    if isinstance(value, Failed):
        return f"failed ({value.source})"
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return text if len(text) <= 120 else text[:117] + "…"
