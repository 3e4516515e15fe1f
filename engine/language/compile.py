"""From a line as written to a compiled line, with every mistake at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from engine.language import kinds
from engine.language.actions import check_slots, read_also, read_edit, read_then
from engine.language.bodies import Ladder, Role, Rule, Text, Wave
from engine.language.declare import Declarations
from engine.language.ladders import read_ladder
from engine.language.line import Line
from engine.language.operands import unknown_at
from engine.language.patterns import Prepared
from engine.language.points import ASK_BEFORE, POINTS, UNASKED_AT
from engine.language.problems import Problem, nearest
from engine.language.project import Card, LineSource
from engine.language.reading import Reader
from engine.language.slots import slots_of
from engine.language.uses import USES


def compile_line(source: LineSource, checked: Mapping[str, Prepared] | None = None) -> tuple[Line, list[Problem]]:
    """The compiled line and every mistake found; a card with a mistake is left out of the compiled line.

    `checked`: sources of patterns that this version has found good before, and what was worked out of them (the slow
    part).
    """
    builder = _Builder(source, checked)
    builder.build()
    return builder.line, builder.problems


class _Builder(Declarations):
    def build(self) -> None:
        self.declare()
        self._fill()
        self._rules()
        self._who_asks()
        self._uses()
        self._order()
        self._deep()

    # bodies that hold conditions

    def _fill(self) -> None:
        for id, card, body in self.cards("terms"):
            self._term(id, card, body)
        for id, card, body in self.cards("limits"):
            limit = self.line.limits.get(id)
            if limit is not None and body.cases:
                limit.quantities = list(
                    zip(self._cases(card, body.cases), [q for _, q in limit.quantities], strict=True)
                )
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
        if body.at in UNASKED_AT:
            reader.refuse(("at",), "unknown_value", f"Nothing is asked at `{body.at}`.", ASK_BEFORE)
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
            name = str(raw["ask"])
            question = self.line.questions.get(name) if reader.exists("questions", name, ("repair", "ask")) else None
            if question is not None and (question.port or not question.fills):
                says = f"`{name}` brings no answer, so it cannot repair one."
                reader.refuse(("repair", "ask"), "bad_form", says, "Ask a question of a model with `fills: answer`.")
            return "", name
        reader.refuse(("repair",), "bad_form", "`repair` is the text the model gets back, or {ask: QUESTION}.")
        return "", ""

    def _who_asks(self) -> None:
        """Which questions are asked by a card's ending, by a repair or by a rung."""
        rules = [rule for rules in self.line.rules.values() for rule in rules]
        asked = {ending.name for rule in rules for ending in (*rule.then, *rule.on_error) if ending.kind == "ask"}
        asked |= {rule.repair_ask for rule in rules}
        for ladder in self.line.ladders.values():
            asked |= {str(rung["ask"]) for rungs in ladder.errors.values() for rung in rungs if "ask" in rung}
        for name in asked & set(self.line.questions):
            self.line.questions[name].asked = True

    def _uses(self) -> None:
        for setting, id in self.source.config.uses.items():
            if setting not in USES:
                self.refuse(
                    ("uses", setting), "unknown_key", f"The engine has no setting `{setting}`.", nearest(setting, USES)
                )
                continue
            kind, says = USES[setting]
            table = "ladders" if kind == "ladder" else "limits"
            if id not in self.line.names(table):
                cure = nearest(id, self.line.names(table))
                self.refuse(("uses", setting), f"unknown_{table[:-1]}", f"There is no card {table}/{id}.", cure)
                continue
            limit = self.line.limits.get(id)
            if table == "limits" and limit is not None and limit.kind != kind:
                says = f"`{setting}` ({says}) is a {kind}; limits/{id} is a {limit.kind}."
                self.refuse(("uses", setting), "wrong_type", says)
            self.line.uses[setting] = id

    def _order(self) -> None:
        for point, ids in self.source.config.order.items():
            rules = self.line.rules.get(point, [])
            here = {rule.card.id for rule in rules} | {
                name.split("/")[1] for name in self.source.broken if name.startswith(("gates/", "guard/"))
            }
            unbuilt = {
                c.id
                for k in ("gates", "guard")
                for c in self.source.of(k).values()
                if getattr(c.body, "at", "") == point
            }
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
        missing = sorted(
            id for id, body in table.items() if id not in listed and getattr(body, "who", body) is not None
        )
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
                self.problems.append(
                    Problem(place, "unknown_switch", f"line.yaml has no switch `{block.switch}`.", cure)
                )
        limit = self.source.config.prompt.at_most
        if limit and limit not in self.line.names("limits"):
            says = f"There is no card limits/{limit}."
            self.refuse(("prompt", "at_most"), "unknown_limit", says, nearest(limit, self.line.names("limits")))
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
