"""Which cards of a point can fire at all on a turn, told from its facts, marks and texts in one look: the others need
not be asked.

A card is left out where none of its leads is met. Nothing else changes: the cards that are left are asked as ever, in
the line's order. Where something has failed, all are asked that a text does not rule out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from engine.language.actions import Effect
from engine.language.conditions import Condition
from engine.language.leads import Lead, leads, may_time_out
from engine.language.right_side import form
from engine.language.turn import ABSENT, Failed, Turn

if TYPE_CHECKING:
    from engine.language.line import Line


@dataclass
class _Fact:
    """The cards that wait for one fact of a type `kind`, by their place: for a value of it, for its being known; those
    that are asked when it is absent too, because a pattern of theirs may fail; and all of them."""

    kind: str
    values: dict[Hashable, list[int]] = field(default_factory=lambda: defaultdict(list))
    known: list[int] = field(default_factory=list)
    absent: list[int] = field(default_factory=list)
    every: list[int] = field(default_factory=list)


class Plan:
    """Cards that are asked one after the other, by their place in that order.

    `conditions`: what each asks, None for a card that always fires. `effects`: what one does beside its ending, which
    the cards behind it may read. What reads a question that is asked on first read is always asked.
    """

    def __init__(self, conditions: Sequence[Condition | None], line: Line, effects: Iterable[Effect] = ()) -> None:
        self.size = len(conditions)
        self.always: list[int] = []
        self.facts: dict[str, _Fact] = {}
        self.marks: dict[str, list[int]] = defaultdict(list)
        self.texts: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        self.waiting: dict[str, list[int]] = defaultdict(list)
        late = _changed(effects)
        for at, condition in enumerate(conditions):
            found = leads(condition, line)
            if condition is None or not found or _asks(condition, line) or any(_late(lead, late) for lead in found):
                self.always.append(at)
                continue
            strict = may_time_out(condition)
            for lead in found:
                self._wait(at, lead, strict, line)

    def _wait(self, at: int, lead: Lead, strict: bool, line: Line) -> None:
        if lead.kind == "mark":
            self.marks[lead.path].append(at)
        elif lead.kind == "pattern":
            self.waiting[lead.path].append(at)
            for source in lead.keys:
                self.texts[lead.path][str(source)].append(at)
        else:
            fact = self.facts.setdefault(lead.path, _Fact(line.facts[lead.path].type.name))
            fact.every.append(at)
            fact.absent += [at] if strict else []
            fact.known += [at] if lead.kind == "known" else []
            for value in lead.keys:
                fact.values[value].append(at)

    def likely(self, turn: Turn) -> Sequence[int]:
        """The places of the cards that may fire, in order."""
        if turn.forced or len(self.always) == self.size:
            return range(self.size)
        places = set(self.always)
        failing = turn.failing
        for path, fact in self.facts.items():
            places.update(fact.every if failing else self._of_fact(fact, turn.get(path)))
        if self.marks:
            for mark in self.marks if failing else {entry.mark for entry in turn.marks}:
                places.update(self.marks.get(mark, ()))
        for path, sources in self.texts.items():
            self._matching(path, sources, turn, places)
        return sorted(places)

    def _of_fact(self, fact: _Fact, value: Any) -> Iterable[int]:
        if isinstance(value, Failed):
            return fact.every
        if value is ABSENT or value == []:
            return fact.absent
        if not fact.values or type(value) not in (str, bool):
            return fact.known
        return (*fact.known, *fact.values.get(form(fact.kind, value), ()))

    def _matching(self, path: str, sources: dict[str, list[int]], turn: Turn, places: set[int]) -> None:
        text = turn.get(path)
        normal = turn.normal(path, text) if isinstance(text, str) else None
        if normal is None or isinstance(normal, Failed):
            places.update(self.waiting[path])
            return
        for source in sources.keys() & turn.may_match(path, normal):
            places.update(sources[source])


def _changed(effects: Iterable[Effect]) -> tuple[set[str], set[str]]:
    """The families of facts that are bound, and the marks that are set, for the cards behind."""
    some = list(effects)
    bound = {path.partition(".")[0] for one in some if one.does == "bind" for path in one.values or ()}
    return bound | ({"knowledge", "sender", "waves"} if bound else set()), {
        one.name for one in some if one.does == "set"
    }


def _late(lead: Lead, changed: tuple[set[str], set[str]]) -> bool:
    bound, marked = changed
    family, _, rest = lead.path.partition(".")
    if lead.kind == "mark" or family == "marks":
        return (lead.path if lead.kind == "mark" else rest.partition(".")[0]) in marked
    return family in bound


def _asks(condition: Condition, line: Line) -> bool:
    """Whether a question is asked by reading it. The text of the answer is there when it is guarded."""
    return any(path != "answer.text" and path.partition(".")[0] in line.on_read for path in condition.reads())
