"""What must be known of a line before any condition can be read: settings, facts, marks, questions, limits, terms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from zoneinfo import ZoneInfo

from engine.language import kinds
from engine.language.bodies import Limit, Mark, Question, Term
from engine.language.facts import ALWAYS, SCALARS, Fact, Type, catalogue, extend, points_from, read_type
from engine.language.line import Line
from engine.language.patterns import Prepared
from engine.language.problems import Problem, nearest
from engine.language.project import Card, LineSource
from engine.language.reading import Reader
from engine.language.turn import SCOPES
from engine.language.values import Quantity, read_duration, read_literal, read_quantity

TYPE_NAMES = tuple(f"{many}{name}" for many in ("", "list of ") for name in SCALARS if name != "choice")


class Declarations:
    """The line under construction and the problems found so far."""

    def __init__(self, source: LineSource, checked: Mapping[str, Prepared] | None = None) -> None:
        self.source = source
        self.line = Line(source, checked=checked or {})
        self.problems: list[Problem] = []

    def declare(self) -> None:
        """Settings first, then whatever conditions may name."""
        self._settings()
        self._declare()

    def reader(self, card: Card, points: frozenset[str] = frozenset()) -> Reader:
        return Reader(card, self.line, points, self.problems)

    def cards(self, kind: str) -> Iterator[tuple[str, Card, Any]]:
        for id, card in sorted(self.source.of(kind).items()):
            yield id, card, card.body

    def refuse(self, key: tuple[str | int, ...], code: str, says: str, cure: str = "") -> None:
        self.problems.append(Problem(self.source.source.place_of(key), code, says, cure))

    def _settings(self) -> None:
        config = self.source.config
        try:
            self.line.zone = ZoneInfo(config.zone).key
        except Exception:  # ZoneInfo raises several kinds for a bad key: all mean the same to the reader
            self.refuse(
                ("zone",), "unknown_value", f"`{config.zone}` is no time zone.", "Write an IANA name: Europe/London."
            )
        self.line.switches = {name: setting.value for name, setting in config.switches.items()}
        self.line.facts = extend(catalogue(), self._declared_facts())

    def _declared_facts(self) -> Iterator[Fact]:
        for name in self.source.config.switches:
            yield Fact(f"switches.{name}", Type("choice", choices=("on", "off")), "", "switches", ALWAYS, "a switch")
        for name in self.line.names("waves"):
            yield Fact(f"waves.{name}", Type("choice", choices=("open", "closed")), "", "waves", ALWAYS, "a wave")
        for path, setting in self.source.config.facts.items():
            fact = self._own_fact(path, setting)
            if fact:
                yield fact

    def _own_fact(self, path: str, setting: kinds.FactSetting) -> Fact | None:
        known = catalogue().get(path)
        if setting.type is None:
            if known is None:
                cure = nearest(path, catalogue()) or "Give it a `type`, or correct the path."
                self.refuse(("facts", path), "unknown_path", f"`{path}` is no fact of the catalogue.", cure)
            return known
        kind = read_type(setting.type)
        if kind is None:
            self.refuse(("facts", path, "type"), "unknown_value", f"`{setting.type}` is no type.",
                        nearest(setting.type, TYPE_NAMES))  # fmt: skip
            return None
        if known is not None:
            self.refuse(("facts", path, "type"), "already_declared", f"`{path}` is declared by the engine as {known.type}.",
                        "Take `type` away, or choose another path.")  # fmt: skip
            return known
        points = frozenset(setting.at or ()) or (points_from(setting.from_) if setting.from_ else ALWAYS)
        return Fact(path, kind, "", setting.source or path.partition(".")[0], points, setting.says or "")

    def _declare(self) -> None:
        for id, card, body in self.cards("marks"):
            self._mark(id, card, body)
        for id, card, body in self.cards("questions"):
            self._question_fields(id, card, body)
        self._constants()
        for id, card, body in self.cards("limits"):
            self._limit(id, card, body)
        for id, card, body in self.cards("terms"):
            both = (body.when is None) == (body.patterns is None)
            if both:
                self.reader(card).refuse((), "bad_form", "A term has either `when` or `patterns`.")
            else:
                self.line.terms[id] = Term(card, body.when is not None)

    def _constants(self) -> None:
        for path, setting in self.source.config.facts.items():
            fact = self.line.facts.get(path)
            if setting.value is None or fact is None:
                continue
            values = setting.value if isinstance(setting.value, list) else [setting.value]
            for index, value in enumerate(values):
                key = ("facts", path, "value", index) if isinstance(setting.value, list) else ("facts", path, "value")
                try:
                    read_literal(value, fact.one().type, self.line.context(None))
                except ValueError as error:
                    says, _, cure = str(error).partition("\n")
                    self.refuse(key, "wrong_type", says, cure)
            self.line.constants[path] = setting.value

    def _mark(self, id: str, card: Card, body: kinds.Mark) -> None:
        reader = self.reader(card)
        carries = {}
        for name, spelling in body.carries.items():
            kind = self._field_type(spelling, reader, ("carries", name))
            if kind:
                carries[name] = kind
                self._add(f"marks.{id}.{name}", kind, "marks", ALWAYS)
        self._add(f"marks.{id}.ago", Type("duration"), "marks", ALWAYS)
        keys = tuple(dict.fromkeys(path for scope in body.scope for path in SCOPES[scope]))
        self.line.marks[id] = Mark(card, keys, carries, self._seconds(reader, body.lasts, ("lasts",)))

    def _question_fields(self, id: str, card: Card, body: kinds.Question) -> None:
        reader = self.reader(card)
        points = points_from(body.at) if body.at else points_from("model") if body.fills else ALWAYS
        if not isinstance(body.fields, Mapping) or not body.fields:
            reader.refuse(("fields",), "wrong_type", "`fields` is a mapping of the typed fields it must return.")
            return
        fields = {}
        for name, spelling in body.fields.items():
            kind = self._field_type(spelling, reader, ("fields", name))
            if kind is None:
                continue
            fields[name] = kind
            if f"{id}.{name}" not in catalogue():
                self._add(f"{id}.{name}", kind, id, points)
        if body.fills and fields.get("text") != Type("text"):
            reader.refuse(
                ("fields",), "missing_key", "A question that fills the answer has a field `text` of type text."
            )
        self._add(f"{id}.state", Type("choice", choices=("answered", "failed", "unasked")), id, ALWAYS)
        self.line.questions[id] = Question(
            card, body.calls, fields, "hold", body.at or "", fills=body.fills or "", reads=tuple(body.reads),
            limits=tuple(body.limits), ladder=body.ladder or "",
        )  # fmt: skip
        self.line.questions[id].otherwise = self._otherwise(reader, body.else_, fields)

    def _otherwise(self, reader: Reader, raw: Any, fields: Mapping[str, Type]) -> str | Mapping[str, Any]:
        if raw in ("hold", "absent"):
            return str(raw)
        if not isinstance(raw, Mapping):
            cure = nearest(str(raw), ("hold", "absent"))
            reader.refuse(("else",), "unknown_value", "`else` is hold, absent, or the fields to assume.", cure)
            return "hold"
        for name, value in raw.items():
            if name not in fields:
                reader.refuse(
                    ("else", name), "unknown_key", f"The question has no field `{name}`.", nearest(name, fields)
                )
                continue
            reader.operand(value, fields[name], ("else", name))
        return dict(raw)

    def _field_type(self, spelling: Any, reader: Reader, key: tuple[str | int, ...]) -> Type | None:
        if isinstance(spelling, list) and spelling and all(isinstance(one, str) for one in spelling):
            return Type("choice", choices=tuple(spelling))
        if isinstance(spelling, Mapping):
            for name in set(spelling) - {"type", "from", "to", "optional"}:
                reader.refuse((*key, name), "unknown_key", f"`{name}` is no key of a field.",
                              nearest(name, ("type", "from", "to", "optional")))  # fmt: skip
            spelling = spelling.get("type")
            if isinstance(spelling, list):
                return self._field_type(spelling, reader, (*key, "type"))
        kind = read_type(spelling) if isinstance(spelling, str) else None
        if kind is None:
            reader.refuse(
                key, "unknown_value", f"`{spelling}` is no type of field.", nearest(str(spelling), TYPE_NAMES)
            )
        return kind

    def _add(self, path: str, kind: Type, source: str, points: frozenset[str]) -> None:
        self.line.facts[path] = Fact(path, kind, "", source, points, "")

    def _seconds(self, reader: Reader, raw: Any, key: tuple[str | int, ...]) -> float | None:
        if raw is None:
            return None
        try:
            return read_duration(raw)
        except ValueError as error:
            reader.refuse(key, "wrong_type", str(error))
            return None

    def _limit(self, id: str, card: Card, body: kinds.Limit) -> None:
        reader = self.reader(card)
        if (body.value is None) == (body.cases is None):
            reader.refuse((), "bad_form", "A limit has either `value` or `cases`.")
            return
        raws = [(("value",), body.value)] if body.cases is None else [
            (("cases", index, "value"), case.value) for index, case in enumerate(body.cases)
        ]  # fmt: skip
        quantities = [self._amount(reader, raw, key) for key, raw in raws]
        found = [quantity for quantity in quantities if quantity]
        if len({quantity.kind for quantity in found}) > 1:
            reader.refuse(("cases",), "wrong_type", "The cases measure different things.")
        if not found or len(found) < len(raws):
            return
        kind = "number" if body.of else found[0].kind
        least, most = self._bound(reader, body.at_least, "at_least"), self._bound(reader, body.at_most, "at_most")
        low = None if least else self._amount(reader, body.at_least, ("at_least",))
        high = None if most else self._amount(reader, body.at_most, ("at_most",))
        if low and high and low.amount > high.amount:
            reader.refuse(("at_least",), "limits_contradict", "`at_least` is above `at_most`.")
        of = ""
        if body.of:
            fact = reader.fact(body.of[1:], ("of",))
            of = fact.path if fact else ""
        self.line.limits[id] = Limit(
            card, kind, [(None, quantity) for quantity in found], self._seconds(reader, body.within, ("within",)),
            of, body.per or "", low.amount if low else None, high.amount if high else None,
            least, most,
        )  # fmt: skip

    def _bound(self, reader: Reader, raw: Any, key: str) -> str:
        """The limit that bounds this one: `at_most: $limits.budget`."""
        if not isinstance(raw, str) or not raw.startswith("$limits."):
            return ""
        name = raw.removeprefix("$limits.")
        return name if reader.exists("limits", name, (key,)) else ""

    def _amount(self, reader: Reader, raw: Any, key: tuple[str | int, ...]) -> Quantity | None:
        if raw is None:
            return None
        try:
            return read_quantity(raw)
        except ValueError as error:
            reader.refuse(key, "wrong_type", str(error))
            return None
