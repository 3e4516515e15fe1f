"""A turn: one message and every fact known about it, read lazily and in one canonical form."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final
from zoneinfo import ZoneInfo

from engine.language.extract import MAX_TEXT, Context, Found, extract, measure
from engine.language.facts import Fact, Type
from engine.language.normalise import Normal, normalise
from engine.language.paths import Reading
from engine.language.values import read_literal

if TYPE_CHECKING:
    from engine.language.line import Line

WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
SCOPES: dict[str, tuple[str, ...]] = {
    "sender": ("sender.id",), "chat": ("chat.id",), "sender_in_chat": ("sender.id", "chat.id"), "line": (),
    "order": ("order.number",), "bot": ("bot.id",), "round": ("round.id",), "chain": ("chain.id",),
    "lane": ("lane.id",),
}  # fmt: skip
DISTINCT = ("sender.id", "chat.id", "order.number", "bot.id")
"""What a mark keeps beside its scope, so that `distinct` can tell apart who set it."""
LONG_TEXT = "long_text"
"""The source that fails for a text of more than MAX_TEXT characters: it is not read, so what reads it fails."""


class Absent:
    """The one value of a fact nobody knows."""

    def __repr__(self) -> str:
        return "absent"


ABSENT: Final = Absent()


@dataclass(frozen=True)
class Failed:
    """A fact whose source failed: a time-out, an error, a bad setting."""

    source: str


class Unasked(Exception):
    """A field was read of a question that is asked on first read, and it has not been asked yet."""

    def __init__(self, question: str) -> None:
        super().__init__(question)
        self.question = question


@dataclass(frozen=True)
class MarkEntry:
    """One mark as set: when, on whom (scope path → value), with what."""

    mark: str
    at: dt.datetime
    keys: Mapping[str, str] = field(default_factory=dict)
    carries: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Item:
    """One value of a list fact; `found` has its span when it was read out of a text."""

    value: Any
    found: Found | None = None


class Turn:
    """The facts of one turn on one line.

    `facts`: path → plain value as the caller has it (a phone number as text, a record as a mapping, or Failed).
    `answers`: question → its fields, or Failed. `now` is aware. Nothing is shared between turns.
    `on_read`: the questions that are asked when a field of theirs is first read: reading one raises Unasked until it
    has an answer.
    """

    def __init__(
        self,
        line: Line,
        facts: Mapping[str, Any],
        now: dt.datetime,
        marks: Sequence[MarkEntry] = (),
        answers: Mapping[str, Mapping[str, Any] | Failed] | None = None,
        on_read: frozenset[str] = frozenset(),
    ) -> None:
        self.line = line
        self.facts = dict(facts)
        self.now = now
        self.marks = list(marks)
        self.answers = dict(answers or {})
        self.on_read = on_read
        self.forced: dict[int, Any] = {}
        """Answers that stand for those of single conditions (by identity): to see what else would have come."""
        self._read: dict[str, Any] = {}
        """What has been read, by path."""
        self._families: dict[str, list[str]] = {}
        """The paths that have been read, by family."""
        self.moves = 0
        """How often a fact that tells whom marks concern may have changed."""
        self._unchecked: set[str] = set(self.facts)
        self._failed: set[str] = set()
        for question in self.answers:
            self._unchecked.update(self._fields(question))
        self._normal: dict[str, Normal] = {}
        self._candidates: dict[str, tuple[Normal, frozenset[str]]] = {}
        self._reading: set[str] = set()

    @cached_property
    def context(self) -> Context:
        return self.line.context(self.now)

    @cached_property
    def _local(self) -> dt.datetime:
        return self.now.astimezone(ZoneInfo(self.line.zone))

    def put(self, path: str, value: Any) -> None:
        """Bind a fact for the rest of the turn; what was derived from it is read anew."""
        self.facts[path] = value
        self._unchecked.add(path)
        how = self.line.readings.get(path)
        self._forget(how.family if how is not None else path.partition(".")[0])

    def _forget(self, family: str) -> None:
        """Read anew what depends on a family of facts."""
        for one in self.line.dependents(family):
            self.moves += one == "marks"
            for path in self._families.pop(one, ()):
                self._read.pop(path, None)

    def answered(self, question: str, fields: Mapping[str, Any] | Failed) -> None:
        """Take the answer of a question (None is a field it left out); what was derived from it is read anew."""
        got = fields if isinstance(fields, Failed) else {k: v for k, v in fields.items() if v is not None}
        self.answers[question] = got
        self._unchecked.update(self._fields(question))
        self._forget(question)

    def _fields(self, question: str) -> list[str]:
        return [f"{question}.{name}" for name in self.line.questions[question].fields]

    def kept(self) -> tuple[dict[str, Any], list[MarkEntry]]:
        """The facts and marks as they are now, for `back`."""
        return dict(self.facts), list(self.marks)

    def back(self, kept: tuple[dict[str, Any], list[MarkEntry]]) -> None:
        """Undo what was bound and marked since `kept`; answers stay."""
        self.facts, self.marks = dict(kept[0]), list(kept[1])
        self.moves += 1
        self._read.clear()
        self._families.clear()
        self._unchecked.update(self.facts)

    def mark(self, entry: MarkEntry) -> None:
        """Set a mark for the rest of the turn."""
        self.marks.append(entry)
        self._forget("marks")

    def clear(self, mark: str) -> None:
        """Take away the live marks of this name."""
        live = self.live(mark)
        self.marks = [entry for entry in self.marks if all(entry is not old for old in live)]
        self._forget("marks")

    def normal(self, path: str, text: str) -> Normal | Failed:
        """The normalised form of a text that the fact at `path` holds; failed when it is too long to be read."""
        if len(text) > MAX_TEXT:
            return Failed(LONG_TEXT)
        known = self._normal.get(path)
        if known is None or known.original != text:
            known = self._normal[path] = normalise(text)
        return known

    def may_match(self, path: str, normal: Normal) -> frozenset[str]:
        """The patterns of the line that may match the text at `path`."""
        known = self._candidates.get(path)
        if known is None or known[0] is not normal:
            known = self._candidates[path] = (normal, self.line.may_match(normal))
        return known[1]

    @property
    def failing(self) -> bool:
        """Whether anything that is known so far has failed, cannot be read as what it is, or is too long to be read."""
        while self._unchecked:
            path = self._unchecked.pop()
            (self._failed.add if self._fails(path) else self._failed.discard)(path)
        return bool(self._failed)

    def _fails(self, path: str) -> bool:
        value = self.get(path)
        if isinstance(value, str):
            return len(value) > MAX_TEXT
        if isinstance(value, (dict, list)):
            return any(map(self._fails, self.line.below(path)))
        return isinstance(value, Failed)

    def as_given(self, path: str) -> Any:
        """The value of a fact as its source wrote it, for texts: a live value is said as it is. ABSENT when it was
        derived or is not known."""
        how = self.line.readings.get(path)
        if how is None:
            return ABSENT
        raw = self._given(path, how)
        return how.constant if raw is ABSENT else raw

    def get(self, path: str) -> Any:
        """The canonical value of a scalar fact, a list of Items, ABSENT, or Failed."""
        if path in self._read:
            return self._read[path]
        how = self.line.readings.get(path)
        if how is None or path in self._reading:
            return ABSENT
        value = self._read[path] = self._look(path, how)
        if how.family in self._families:
            self._families[how.family].append(path)
        else:
            self._families[how.family] = [path]
        return value

    def _look(self, path: str, how: Reading) -> Any:
        raw = self._given(path, how)
        if raw is ABSENT and how.source:
            raw = self._derived(how)
        if raw is ABSENT:
            raw = how.constant
        if raw is ABSENT and how.computed:
            raw = self._guarded(path)
        if raw is ABSENT:
            return [] if how.many else ABSENT
        if type(raw) is how.plain or (how.choices and not how.many and type(raw) is str and raw in how.choices):
            return raw
        return self._canonical(raw, how.fact)

    def _given(self, path: str, how: Reading) -> Any:
        if path in self.facts:
            return self.facts[path]
        if how.question:
            if how.question in self.answers:
                return self._answered(how.question, how.name)
            if how.question in self.on_read and how.name != "state":
                raise Unasked(how.question)
        if how.record and (record := self.facts.get(how.record)) is not None:
            return record if isinstance(record, Failed) else _project(record, path.rpartition(".")[2])
        return ABSENT

    def _answered(self, question: str, name: str) -> Any:
        fields = self.answers[question]
        if name == "state":
            return "failed" if isinstance(fields, Failed) else "answered"
        if not isinstance(fields, Failed):
            return fields.get(name, ABSENT)
        instead = self.line.questions[question].otherwise
        if instead == "hold":
            return fields
        return instead.get(name, ABSENT) if isinstance(instead, Mapping) else ABSENT

    def _derived(self, how: Reading) -> Any:
        text = self._readable(how.source) if how.many or how.name != "length" else self.get(how.source)
        if not isinstance(text, str):
            return text
        if how.many:
            return [Item(found.value, found) for found in extract(how.name, text, self.context)]
        value = measure(how.name, text, self.context)
        return ABSENT if value is None else value

    def _guarded(self, path: str) -> Any:
        """What is worked out from other facts; ABSENT for a fact that would need itself."""
        self._reading.add(path)
        try:
            return self._computed(path)
        finally:
            self._reading.discard(path)

    def _readable(self, path: str) -> Any:
        text = self.get(path)
        return Failed(LONG_TEXT) if isinstance(text, str) and len(text) > MAX_TEXT else text

    def _computed(self, path: str) -> Any:
        family, _, name = path.partition(".")
        if family == "now":
            local = self._local
            clock = f"{local.hour:02d}:{local.minute:02d}"
            values = {"": self.now, "time": clock, "date": local.date(), "weekday": WEEKDAYS[local.weekday()]}
            return values[name]
        if family == "switches":
            return self.line.switches.get(name, ABSENT)
        if family == "waves":
            return self.line.wave_state(name, self)
        if family in self.line.questions and name == "state":
            return "unasked"
        if family == "marks":
            return self._carried(name)
        if path == "message.age":
            sent = self.get("message.sent_at")
            return (self.now - sent).total_seconds() if isinstance(sent, dt.datetime) else sent
        if path == "line.name":
            return self.line.config.title
        if path == "line.languages":
            return self.line.config.languages
        if path == "line.open":
            return self._open()
        if path in ("sender.role", "sender.may", "sender.reads"):
            return self.line.role_fact(path, self)
        return ABSENT

    def _open(self) -> Any:
        hours = self.get("line.hours")
        if not isinstance(hours, list) or not hours:
            return hours if isinstance(hours, Failed) else ABSENT
        clock = self.get("now.time")
        point = read_literal(f"{clock // 60:02d}:{clock % 60:02d}", Type("moment"), self.context)
        return any(item.value.contains(point) for item in hours)

    def _canonical(self, raw: Any, fact: Fact) -> Any:
        if isinstance(raw, Failed):
            return raw
        if fact.type.many:
            if raw is ABSENT:
                return []
            items = raw if isinstance(raw, (list, tuple)) else [raw]
            return self._items(items, fact)
        if raw is ABSENT:
            return ABSENT
        if fact.type.name == "record":
            return raw
        try:
            return read_literal(raw, fact.type, self.context)
        except ValueError:
            return Failed(fact.source)

    def _items(self, raw: Sequence[Any], fact: Fact) -> Any:
        items = []
        for one in raw:
            if isinstance(one, Item):
                items.append(one)
            elif fact.type.name == "record":
                items.append(Item(one))
            else:
                try:
                    items.append(Item(read_literal(one, fact.type, self.context)))
                except ValueError:
                    return Failed(fact.source)
        return items

    # marks

    def live(self, mark: str, within: float | None = None) -> list[MarkEntry]:
        """The marks of this name that concern this turn and are not over; `within` seconds, newest last."""
        set_ = [entry for entry in self.marks if entry.mark == mark]
        if not set_:
            return []
        declared = self.line.marks[mark]
        window = min((span for span in (declared.lasts, within) if span is not None), default=None)
        keys = {path: self.get(path) for path in declared.keys}
        found = []
        for entry in set_:
            age = (self.now - entry.at).total_seconds()
            if age < 0 or (window is not None and age > window):
                continue
            if all(isinstance(value, str) and entry.keys.get(path) == value for path, value in keys.items()):
                found.append(entry)
        return sorted(found, key=lambda entry: entry.at)

    def _carried(self, name: str) -> Any:
        mark, _, carried = name.partition(".")
        if mark not in self.line.marks:
            return ABSENT
        entries = self.live(mark)
        if not entries:
            return ABSENT
        if carried == "ago":
            return (self.now - entries[-1].at).total_seconds()
        return entries[-1].carries.get(carried, ABSENT)


def _project(record: Any, name: str) -> Any:
    """A field of a record, or the field of every record of a list (lists are laid end to end)."""
    if isinstance(record, Mapping):
        return record.get(name, ABSENT)
    if isinstance(record, (list, tuple)):
        values: list[Any] = []
        for item in record:
            value = item.get(name, ABSENT) if isinstance(item, Mapping) else ABSENT
            if isinstance(value, (list, tuple)):
                values.extend(value)
            elif value is not ABSENT:
                values.append(value)
        return values
    return ABSENT
