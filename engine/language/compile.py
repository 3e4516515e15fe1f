"""From a line as written to a compiled line, with every mistake at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from zoneinfo import ZoneInfo

from engine.language import kinds
from engine.language.actions import check_slots, read_also, read_edit, read_then
from engine.language.bodies import Ladder, Limit, Mark, Question, Role, Rule, Term, Text, Wave
from engine.language.facts import ALWAYS, Fact, Type, catalogue, extend, points_from, read_type
from engine.language.ladders import read_ladder
from engine.language.line import Line
from engine.language.points import POINTS
from engine.language.problems import Problem, nearest
from engine.language.project import Card, LineSource
from engine.language.reading import Reader, unknown_at
from engine.language.slots import slots_of
from engine.language.values import Quantity, read_duration, read_literal, read_quantity

_OUTCOME_ON = points_from("outcome") | {"memory", "log"}


def compile_line(source: LineSource) -> tuple[Line, list[Problem]]:
    """The compiled line and every mistake found; a card with a mistake is left out of the compiled line."""
    builder = _Builder(source)
    builder.build()
    return builder.line, builder.problems


class _Builder:
    def __init__(self, source: LineSource) -> None:
        self.source = source
        self.line = Line(source)
        self.problems: list[Problem] = []

    def build(self) -> None:
        self._settings()
        self._declare()
        self._fill()
        self._rules()
        self._order()
        self._deep()

    def reader(self, card: Card, points: frozenset[str] = frozenset()) -> Reader:
        return Reader(card, self.line, points, self.problems)

    def cards(self, kind: str) -> Iterator[tuple[str, Card, Any]]:
        for id, card in sorted(self.source.of(kind).items()):
            yield id, card, card.body

    def refuse(self, key: tuple[str | int, ...], code: str, says: str, cure: str = "") -> None:
        self.problems.append(Problem(self.source.source.place_of(key), code, says, cure))

    # line.yaml

    def _settings(self) -> None:
        config = self.source.config
        try:
            self.line.zone = ZoneInfo(config.zone).key
        except Exception:  # ZoneInfo raises several kinds for a bad key: all mean the same to the reader
            self.refuse(("zone",), "unknown_value", f"`{config.zone}` is no time zone.", "Write an IANA name: Europe/London.")
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
                        nearest(setting.type, kinds_of_types()))  # fmt: skip
            return None
        if known is not None:
            self.refuse(("facts", path, "type"), "already_declared", f"`{path}` is declared by the engine as {known.type}.",
                        "Take `type` away, or choose another path.")  # fmt: skip
            return known
        points = frozenset(setting.at or ()) or (points_from(setting.from_) if setting.from_ else ALWAYS)
        return Fact(path, kind, "", setting.source or path.partition(".")[0], points, setting.says or "")

    # declarations: what must be known before any condition is read

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
        self.line.marks[id] = Mark(card, body.scope, carries, self._seconds(reader, body.lasts, ("lasts",)))

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
            reader.refuse(("fields",), "missing_key", "A question that fills the answer has a field `text` of type text.")
        self._add(f"{id}.state", Type("choice", choices=("answered", "failed", "unasked")), id, ALWAYS)
        self.line.questions[id] = Question(card, body.calls, fields, "hold", body.at or "", fills=body.fills or "")
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
                reader.refuse(("else", name), "unknown_key", f"The question has no field `{name}`.", nearest(name, fields))
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
            reader.refuse(key, "unknown_value", f"`{spelling}` is no type of field.", nearest(str(spelling), kinds_of_types()))
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

    # bodies that hold conditions

    def _fill(self) -> None:
        for id, card, body in self.cards("terms"):
            self._term(id, card, body)
        for id, card, body in self.cards("limits"):
            limit = self.line.limits.get(id)
            if limit is not None and body.cases:
                limit.quantities = list(zip(self._cases(card, body.cases), [q for _, q in limit.quantities], strict=True))
        for id, card, body in self.cards("questions"):
            question = self.line.questions.get(id)
            if question is not None and body.when is not None:
                points = frozenset({body.at}) if body.at else frozenset()
                question.when = self.reader(card, points).condition(body.when, ("when",))
            self._question_names(card, body)
        for id, card, body in self.cards("texts"):
            self._text(id, card, body)
        for id, card, body in self.cards("roles"):
            who = self.reader(card).condition(body.who, ("who",)) if body.who is not None else None
            self.line.roles[id] = Role(card, who, tuple(body.may), tuple(body.may_not), tuple(body.reads))
        for id, card, body in self.cards("waves"):
            self._wave(id, card, body)
        for id, card, body in self.cards("ladders"):
            errors = read_ladder(self.reader(card), body.errors)
            seconds = self._seconds(self.reader(card), body.window, ("window",))
            if errors is not None and (seconds or body.window is None):
                self.line.ladders[id] = Ladder(card, body.for_, errors)

    def _cases(self, card: Card, cases: list[Any]) -> list[Any]:
        reader, made = self.reader(card), []
        for index, case in enumerate(cases):
            last = index == len(cases) - 1
            if (case.when is None) != last:
                says = "The last case has no `when`." if last else "Only the last case may lack a `when`."
                reader.refuse(("cases", index), "bad_form", says, "A case without `when` answers for all that is left.")
            made.append(reader.condition(case.when, ("cases", index, "when")) if case.when is not None else None)
        return made

    def _term(self, id: str, card: Card, body: kinds.Term) -> None:
        term, reader = self.line.terms.get(id), self.reader(card)
        if term is None:
            return
        if body.when is not None:
            term.condition = reader.condition(body.when, ("when",))
        for index, raw in enumerate(body.patterns or ()):
            pattern = reader.pattern(raw, ("patterns", index))
            if pattern:
                term.patterns = (*term.patterns, pattern)

    def _question_names(self, card: Card, body: kinds.Question) -> None:
        reader = self.reader(card)
        for index, name in enumerate(body.limits):
            reader.exists("limits", name, ("limits", index))
        if body.ladder:
            reader.exists("ladders", body.ladder, ("ladder",))
        for index, name in enumerate(body.instructions):
            if name not in self.source.blocks and f"blocks/{name}" not in self.source.broken:
                says = f"There is no block of instructions `{name}`."
                reader.refuse(("instructions", index), "unknown_block", says, nearest(name, self.source.blocks))
        ids = {item.id for item in self.source.instructions()}
        for index, name in enumerate(body.adds):
            if name not in ids:
                says = f"There is no instruction `{name}`."
                reader.refuse(("adds", index), "unknown_instruction", says, nearest(name, ids))
        for index, path in enumerate(body.reads):
            reader.fact(path, ("reads", index))

    def _text(self, id: str, card: Card, body: kinds.TextCard) -> None:
        reader = self.reader(card)
        if (body.words is None) == (body.cases is None):
            reader.refuse((), "bad_form", "A text has either `words` or `cases`.")
            return
        if body.cases is None:
            words = self._words(reader, body.words, ("words",))
            if words:
                self.line.texts[id] = Text(card, [(None, words)])
            return
        conditions = self._cases(card, body.cases)
        spoken = [self._words(reader, case.words, ("cases", index, "words")) for index, case in enumerate(body.cases)]
        if all(spoken):
            pairs = zip(conditions, spoken, strict=True)
            self.line.texts[id] = Text(card, [(condition, words) for condition, words in pairs if words])

    def _words(self, reader: Reader, raw: Any, key: tuple[str | int, ...]) -> Mapping[str, str] | None:
        spoken = {"": raw} if not isinstance(raw, Mapping) else raw
        for language, words in spoken.items():
            at = (*key, language) if isinstance(raw, Mapping) else key
            if not isinstance(words, str) or not words.strip():
                reader.refuse(at, "wrong_type", "The words of a text are text, or text by language: {en: …, es: …}.")
                return None
            if language and language not in self.source.config.languages:
                says = f"The line does not speak `{language}`."
                reader.refuse(at, "unknown_value", says, nearest(language, self.source.config.languages))
            check_slots(reader, words, at)
        return {str(language): words for language, words in spoken.items()}

    def _wave(self, id: str, card: Card, body: kinds.Wave) -> None:
        reader = self.reader(card, frozenset({"outcome"}))
        opens = reader.condition(body.opens, ("opens",)) if body.opens is not None else None
        if body.opens is None:
            reader.refuse((), "missing_key", "`opens` is missing: which decisions does the wave let out?")
        if body.switch != "always" and body.switch not in self.source.config.switches:
            cure = nearest(body.switch, [*self.source.config.switches, "always"])
            reader.refuse(("switch",), "unknown_switch", f"line.yaml has no switch `{body.switch}`.", cure)
        self.line.waves[id] = Wave(card, opens, body.switch, body.closed)

    # rules

    def _rules(self) -> None:
        for kind in ("gates", "guard"):
            for _, card, body in self.cards(kind):
                rule = self._rule(card, body)
                if rule:
                    self.line.rules.setdefault(rule.point.name, []).append(rule)

    def _rule(self, card: Card, body: kinds.Gate | kinds.Guard) -> Rule | None:
        point = POINTS[body.at]
        before = len(self.problems)
        reader = self.reader(card, frozenset({point.name}))
        when = reader.condition(body.when, ("when",)) if body.when is not None else None
        unless = reader.condition(body.unless, ("unless",)) if body.unless is not None else None
        also = read_also(reader, body.also, ("also",))
        edit = read_edit(reader, getattr(body, "edit", None), ("edit",))
        then = self._then(reader, card, body, bool(also or edit))
        on_error = read_then(reader, point, body.on_error or point.on_error, ("on_error",))
        repair, repair_ask = self._repair(reader, body)
        if body.unless is not None and body.when is None:
            reader.refuse(("unless",), "bad_form", "`unless` without `when` excuses from nothing.")
        if len(self.problems) > before:
            return None
        return Rule(
            card, point, when, unless, then, also, body.reason or card.id, on_error, repair, repair_ask, edit,
            getattr(body, "counts_as", None) or "",
        )  # fmt: skip

    def _then(self, reader: Reader, card: Card, body: kinds.Gate | kinds.Guard, effects: bool) -> Any:
        if body.then is not None:
            return read_then(reader, POINTS[body.at], body.then, ("then",))
        if not effects:
            reader.refuse((), "missing_key", "`then` is missing: the card does nothing.", "Say what follows.")
        return read_then(reader, POINTS[body.at], "next", ("then",))

    def _repair(self, reader: Reader, body: kinds.Gate | kinds.Guard) -> tuple[str, str]:
        raw = getattr(body, "repair", None)
        if raw is None:
            return "", ""
        if isinstance(raw, str):
            check_slots(reader, raw, ("repair",))
            return raw, ""
        if isinstance(raw, Mapping) and set(raw) == {"ask"}:
            reader.exists("questions", str(raw["ask"]), ("repair", "ask"))
            return "", str(raw["ask"])
        reader.refuse(("repair",), "bad_form", "`repair` is the text the model gets back, or {ask: QUESTION}.")
        return "", ""

    def _order(self) -> None:
        for point, ids in self.source.config.order.items():
            rules = self.line.rules.get(point, [])
            here = {rule.card.id for rule in rules} | {
                name.split("/")[1] for name in self.source.broken if name.startswith(("gates/", "guard/"))
            }
            unbuilt = {c.id for k in ("gates", "guard") for c in self.source.of(k).values() if getattr(c.body, "at", "") == point}
            for index, id in enumerate(ids):
                if id not in here | unbuilt:
                    says = f"`{id}` is no gate or guard card at `{point}`."
                    self.refuse(("order", point, index), "unknown_card", says, nearest(id, here | unbuilt))
            rank = {id: index for index, id in enumerate(ids)}
            rules.sort(key=lambda rule, rank=rank: (rank.get(rule.card.id, len(rank)), rule.card.id))  # type: ignore[misc]
        for name, table in (("waves", self.line.waves), ("roles", self.line.roles)):
            self._ranked(name, table)

    def _ranked(self, kind: str, table: dict[str, Any]) -> None:
        listed = getattr(self.source.config, kind)
        for index, id in enumerate(listed):
            if id not in self.line.names(kind):
                says = f"There is no card {kind}/{id}."
                self.refuse((kind, index), f"unknown_{kind[:-1]}", says, nearest(id, self.line.names(kind)))
        missing = sorted(id for id, body in table.items() if id not in listed and getattr(body, "who", body) is not None)
        if missing:
            says = f"{kind} are ordered, and line.yaml does not say where {', '.join(missing)} stand."
            self.refuse((kind,) if listed else (), f"{kind}_unordered", says, f"List every one under `{kind}:`.")
        ordered = [id for id in listed if id in table] + sorted(set(table) - set(listed))
        entries = {id: table[id] for id in ordered}
        table.clear()
        table.update(entries)

    # what can only be seen once everything is read

    def _deep(self) -> None:
        looped = self._loops()
        if looped:
            return
        for rules in self.line.rules.values():
            for rule in rules:
                for condition in (rule.when, rule.unless):
                    if condition is None:
                        continue
                    for path in condition.reads():
                        fact = self.line.facts.get(path)
                        if fact and rule.point.name not in fact.points and not path.startswith("it"):
                            reader = self.reader(rule.card)
                            says = f"A term it asks reads `{path}`. {unknown_at(fact, frozenset({rule.point.name}))}"
                            reader.refuse(("when",), "not_known_here", says)
        for block in self.source.blocks.values():
            if block.switch and block.switch not in self.source.config.switches:
                place = block.source.place_of(("switch",))
                cure = nearest(block.switch, self.source.config.switches)
                self.problems.append(Problem(place, "unknown_switch", f"line.yaml has no switch `{block.switch}`.", cure))
        for index, name in enumerate(self.source.config.prompt.blocks):
            if name not in self.source.blocks and f"blocks/{name}" not in self.source.broken:
                self.refuse(("prompt", "blocks", index), "unknown_block", f"There is no block `{name}` in rules/{self.line.name}/.",
                            nearest(name, self.source.blocks))  # fmt: skip

    def _loops(self) -> bool:
        """Refuse terms and texts that name themselves, directly or in a ring."""
        below = {
            name: {p.removeprefix("terms.") for part in (term.condition.parts() if term.condition else ())
                   for p in _named(part)} for name, term in self.line.terms.items()
        }  # fmt: skip
        texts = {
            name: {slot.path.removeprefix("texts.") for _, words in text.cases for spoken in words.values()
                   for slot in slots_of(spoken) if slot.path.startswith("texts.")} for name, text in self.line.texts.items()
        }  # fmt: skip
        found = False
        for kind, graph in (("terms", below), ("texts", texts)):
            for name in graph:
                if name in _reach(graph, name):
                    card = self.source.cards[f"{kind}/{name}"]
                    self.reader(card).refuse((), "ring", f"{kind}/{name} leads back to itself.", "Break the ring.")
                    found = True
        return found


def _named(part: Any) -> Iterator[str]:
    term = getattr(part, "term", None)
    if isinstance(term, str):
        yield f"terms.{term}"


def _reach(graph: Mapping[str, set[str]], start: str) -> set[str]:
    seen: set[str] = set()
    todo = set(graph.get(start, ()))
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            todo |= graph.get(name, set())
    return seen


def kinds_of_types() -> list[str]:
    """The names a type may have, for the nearest right one."""
    from engine.language.facts import SCALARS

    return [name for name in SCALARS if name != "choice"] + [f"list of {name}" for name in SCALARS if name != "choice"]
