"""A line compiled from its cards: what a turn is decided by."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from engine.language.bodies import Ladder, Limit, Mark, Question, Role, Rule, Term, Text, Wave
from engine.language.conditions import Condition, State
from engine.language.extract import Context
from engine.language.facts import Fact
from engine.language.kinds import LineFile
from engine.language.normalise import Normal
from engine.language.paths import Reading, dependents, readings
from engine.language.patterns import Pattern, Prepared
from engine.language.patterns.index import Index
from engine.language.plan import Plan
from engine.language.project import LineSource
from engine.language.turn import ABSENT, DISTINCT, Failed, Item, Turn


@dataclass
class Line:
    """Everything a turn needs, each by id; `rules` by point in the line's order. Not changed after compiling."""

    source: LineSource
    zone: str = "UTC"
    """The line's time zone; UTC while line.yaml names none there is, so that its other mistakes can be found."""
    facts: dict[str, Fact] = field(default_factory=dict)
    constants: dict[str, Any] = field(default_factory=dict)
    switches: dict[str, str] = field(default_factory=dict)
    rules: dict[str, list[Rule]] = field(default_factory=dict)
    terms: dict[str, Term] = field(default_factory=dict)
    limits: dict[str, Limit] = field(default_factory=dict)
    marks: dict[str, Mark] = field(default_factory=dict)
    questions: dict[str, Question] = field(default_factory=dict)
    texts: dict[str, Text] = field(default_factory=dict)
    waves: dict[str, Wave] = field(default_factory=dict)
    roles: dict[str, Role] = field(default_factory=dict)
    ladders: dict[str, Ladder] = field(default_factory=dict)
    uses: dict[str, str] = field(default_factory=dict)
    """Setting of the engine → the id of the limit or ladder it reads."""
    checked: Mapping[str, Prepared] = field(default_factory=dict)
    """Sources of patterns that this version has checked before, with what was worked out of them."""
    patterns: dict[str, Pattern] = field(default_factory=dict)
    """The patterns that held, by source."""
    _names: dict[str, frozenset[str]] = field(default_factory=dict)
    _plans: dict[tuple[str, str], tuple[list[Rule], Plan]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.source.name

    @property
    def config(self) -> LineFile:
        return self.source.config

    @cached_property
    def index(self) -> Index:
        """Which of the line's patterns may match a text: one look for all of them."""
        return Index(self.matched)

    @cached_property
    def matched(self) -> list[Pattern]:
        """Every pattern that a card of the line matches with, each once."""
        found: dict[str, Pattern] = {}
        for body in self.everything().values():
            for condition in (getattr(body, name, None) for name in ("when", "unless", "opens", "who", "condition")):
                for part in condition.parts() if condition is not None else ():
                    for operator in getattr(part, "operators", ()):
                        found.update({one.source: one for one in getattr(operator, "patterns", ())})
            found.update({one.source: one for one in getattr(body, "patterns", ())})
        return list(found.values())

    def may_match(self, normal: Normal) -> frozenset[str]:
        """The sources of the patterns that may match a text; those of no card of the line are not among them."""
        matched = self.matched
        return frozenset(matched[at].source for at in self.index.candidates(normal))

    @cached_property
    def indexed(self) -> frozenset[str]:
        """The sources that `may_match` knows."""
        return frozenset(one.source for one in self.matched)

    @cached_property
    def readings(self) -> Mapping[str, Reading]:
        """How each fact is read."""
        return readings(self.facts, self.questions, self.constants, ABSENT)

    @cached_property
    def _dependents(self) -> dict[str, tuple[str, ...]]:
        concerns = (path for mark in self.marks.values() for path in mark.keys)
        return dependents((*concerns, *DISTINCT), [role.who.reads() for role in self.roles.values() if role.who])

    def dependents(self, family: str) -> tuple[str, ...]:
        """The families of facts that are read anew when one of `family` changes, itself first."""
        known = self._dependents.get(family)
        if known is None:
            known = self._dependents[family] = (family, *self._dependents[""])
        return known

    @cached_property
    def asked_at(self) -> Mapping[str, Sequence[tuple[str, Question]]]:
        """Point → the questions that are asked at it by themselves."""
        found: dict[str, list[tuple[str, Question]]] = {}
        for id, question in self.questions.items():
            if question.at:
                found.setdefault(question.at, []).append((id, question))
        return found

    @cached_property
    def on_read(self) -> frozenset[str]:
        """The questions that are asked when a field of theirs is first read."""
        return frozenset(id for id, question in self.questions.items() if question.on_read)

    @cached_property
    def _below(self) -> Mapping[str, tuple[str, ...]]:
        below: dict[str, list[str]] = {}
        for path in self.facts:
            head, _, _ = path.rpartition(".")
            while head:
                below.setdefault(head, []).append(path)
                head, _, _ = head.rpartition(".")
        return {head: tuple(paths) for head, paths in below.items()}

    def below(self, path: str) -> tuple[str, ...]:
        """The declared facts whose paths go on from this one."""
        return self._below.get(path, ())

    def context(self, now: dt.datetime | None) -> Context:
        """What the extractors need to know of the line; `now` resolves relative times."""
        config = self.source.config
        return Context(config.region, tuple(config.languages), self.zone, config.order_number, now)

    def names(self, kind: str) -> frozenset[str]:
        """The ids of a kind, those included whose file is broken: a reference to them is no second mistake."""
        if kind not in self._names:
            broken = {name.split("/")[1] for name in self.source.broken if name.startswith(f"{kind}/")}
            self._names[kind] = frozenset(self.source.of(kind)) | broken
        return self._names[kind]

    def wave_state(self, name: str, turn: Turn) -> Any:
        """`open` or `closed`: a wave is open when its switch is on, or is `always`."""
        wave = self.waves.get(name)
        if wave is None:
            return ABSENT
        if wave.switch == "always":
            return "open"
        state = turn.get(f"switches.{wave.switch}")
        return state if isinstance(state, Failed) else "open" if state == "on" else "closed"

    def role_fact(self, path: str, turn: Turn) -> Any:
        """`sender.role`: the first role whose `who` holds (one without `who` is only alerted); `sender.may` and `sender.reads`: what it may."""
        if path == "sender.role":
            for role in self.roles.values():
                if role.who is None:
                    continue
                got = role.who.answer(turn)
                if got.holds:
                    return role.card.id
                if got.state is State.FAILED:
                    return Failed(got.source)
            return ABSENT
        name = turn.get("sender.role")
        if isinstance(name, Failed):
            return name
        found = self.roles.get(name) if isinstance(name, str) else None
        if found is None:
            return ABSENT
        granted = found.reads if path == "sender.reads" else [m for m in found.may if m not in found.may_not]
        return [Item(one) for one in granted]

    def used_limit(self, setting: str, turn: Turn) -> float | None:
        """The value of the limit that a setting of the engine reads, in seconds or as a number; None when line.yaml
        names none, or its value cannot be told."""
        limit = self.limits.get(self.uses.get(setting, ""))
        value = limit.value(turn) if limit else None
        return value if isinstance(value, float) else None

    def label(self, turn: Turn) -> tuple[str, str] | None:
        """The wave that labels the decision and its state; None when none matches, Failed counts as no match."""
        opened, plan = self._opened
        for at in plan.likely(turn):
            name, opens = opened[at]
            if opens.answer(turn).holds:
                return name, str(turn.get(f"waves.{name}"))
        return None

    @cached_property
    def _opened(self) -> tuple[list[tuple[str, Condition]], Plan]:
        opened = [(name, wave.opens) for name, wave in self.waves.items() if wave.opens is not None]
        return opened, Plan([opens for _, opens in opened], self)

    def ordered(self, point: str) -> Sequence[Rule]:
        """The gates and guard cards of a point, in the line's order."""
        return self.rules.get(point, ())

    def likely(self, point: str, kind: str, turn: Turn) -> Sequence[Rule]:
        """Of the cards of a kind at a point those that can fire on a turn, in the line's order."""
        known = self._plans.get((point, kind))
        if known is None:
            rules = [rule for rule in self.ordered(point) if rule.card.kind == kind]
            effects = [effect for rule in rules for effect in rule.also]
            known = self._plans[point, kind] = rules, Plan([rule.when for rule in rules], self, effects)
        rules, plan = known
        return [rules[at] for at in plan.likely(turn)] if rules else rules

    def everything(self) -> Mapping[str, Any]:
        """All compiled bodies by `kind/id`."""
        found: dict[str, Any] = {rule.name: rule for rules in self.rules.values() for rule in rules}
        for table in (
            self.terms,
            self.limits,
            self.marks,
            self.questions,
            self.texts,
            self.waves,
            self.roles,
            self.ladders,
        ):
            found.update({body.card.name: body for body in table.values()})
        return found
