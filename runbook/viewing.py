"""From a line to the view of it that its documents show. Pure, and total: every card stands in exactly one chapter."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from engine.files import short_hash
from engine.language.kinds import Question, Wave
from engine.language.points import OUTCOMES, POINTS, Point
from engine.language.project import Card, LineSource
from engine.language.references import references
from engine.language.slots import slots_of
from engine.prompt import Resolved, parts, resolved, told
from runbook.card_view import ChangeView, changes, examples, rows
from runbook.items import is_unexplained
from runbook.phrases import Names, names_of
from runbook.view import (
    BlockView,
    CardView,
    Chapter,
    InstructionView,
    Link,
    PromptView,
    Station,
    SwitchView,
    View,
)  # fmt: skip

KIND_TITLES = {
    "waves": ("Waves", "Classes of answers that may be sent without a person; the first that matches labels a decision."),
    "texts": ("Texts", "The fixed lines that go out."),
    "questions": ("Questions", "Typed calls to a model or a port."),
    "limits": ("Limits", "Numbers, each in one place."),
    "ladders": ("Ladders", "What happens on failure, rung by rung."),
    "roles": ("Roles", "Who may do what; the first that matches is the sender's."),
    "marks": ("Marks", "Dated notes on a chat, a person or the line."),
    "terms": ("Terms", "Named conditions and named patterns."),
    "situations": ("Situations", "What the line does when…"),
    "background": ("Background", "What is true."),
    "style": ("Style", "How the line writes."),
}  # fmt: skip
"""The chapters after the path, in order: kind → title and what it holds."""
WAVES_SPEAK = "outcome"
"""The point of the path where a wave labels the decision."""
RECENT = 10
"""How many of the latest changes the front page shows."""


def view(line: LineSource, counts: Mapping[str, int] | None = None) -> View:
    """What the documents of a line show. `counts`: more numbers for the front page, by their label."""
    return _Builder(line).view(counts or {})


class _Builder:
    """A line's names, texts and links, gathered once."""

    def __init__(self, line: LineSource) -> None:
        self.line, self.config = line, line.config
        self.names: Names = names_of(line)
        self.texts: dict[str, Resolved] = resolved(line)[0]
        self.opening, self.parts = parts(line)
        self.rules: dict[str, list[Card]] = {}
        for card in line.cards.values():
            if card.kind in ("gates", "guard"):
                self.rules.setdefault(str(getattr(card.body, "at", "")), []).append(card)
        self.uses = {name: references(card) & set(line.cards) for name, card in line.cards.items()}
        self.used_by: dict[str, list[str]] = {name: [] for name in line.cards}
        for name in sorted(line.cards):
            for used in self.uses[name]:
                self.used_by[used].append(name)
        self.quotes = {id: self._quoted(text) for id, text in self.texts.items()}

    def _quoted(self, text: Resolved) -> list[str]:
        """The cards whose value or words an instruction holds, in the order of its slots."""
        names = (slot.replace(".", "/", 1) for slot in text.slots)
        return [name for name in dict.fromkeys(names) if name in self.line.cards]

    def view(self, counts: Mapping[str, int]) -> View:
        config = self.config
        chapters = tuple(self._chapters())
        path = tuple(self._path())
        beside = (self._station(point) for point in POINTS.values() if not point.on_path)
        blocks = tuple(self._blocks())
        return View(
            name=self.line.name, title=config.title, why=config.why or "", settings=tuple(self._settings()),
            counts=(*self._counts(chapters), *counts.items()),
            path=path, beside=tuple(station for station in beside if station.cards),
            endings=_in_order(ending for one in path for ending in one.endings),
            chapters=chapters, opening=self.opening, blocks=blocks, prompts=tuple(self._prompts()),
            switches=tuple(self._switches()), facts=tuple(self._facts()),
            does_not=tuple((one.title, one.why) for one in config.does_not),
            exclusions=tuple((one.finding, self._link(one.card), one.why, str(one.date)) for one in config.exclusions),
            changes=changes(config, "line.yaml"), recent=tuple(self._recent()),
            owners=tuple(sorted({card.body.owner for card in self.line.cards.values() if card.body.owner})),
            waves=tuple(self._ranked("waves")),
        )  # fmt: skip

    # the front page

    def _settings(self) -> Iterator[tuple[str, str]]:
        config = self.config
        yield "Languages", ", ".join(config.languages)
        yield "Time zone", config.zone
        if config.channels:
            yield "Channels", ", ".join(config.channels)
        if config.owner:
            yield "Owner", config.owner

    def _counts(self, chapters: tuple[Chapter, ...]) -> Iterator[tuple[str, int]]:
        cards = [card for chapter in chapters for card in chapter.cards]
        yield _number("card", len(cards))
        yield _number("instruction", len(self.texts))
        yield _number("example", sum(len(card.examples) for card in cards))
        if self.line.of("waves"):
            opened = sum(card.state == "open" for card in cards)
            label, number = _number("wave", len(self.line.of("waves")))
            yield f"{label} ({opened} open)", number
        if any(card.unexplained for card in cards):
            yield _number("unexplained card", sum(card.unexplained for card in cards))

    def _switches(self) -> Iterator[SwitchView]:
        waves = self.line.of("waves").items()
        for name, setting in self.config.switches.items():
            opened = [f"waves/{id}" for id, card in waves if getattr(card.body, "switch", "") == name]
            blocks = tuple(block.title for block in self.line.blocks.values() if block.switch == name)
            yield SwitchView(name, setting.value, setting.why or "", self._links(opened), blocks)

    def _facts(self) -> Iterator[tuple[str, str]]:
        """The constant values of line.yaml, and the facts it declares: type, where it is known, what it says."""
        if self.config.order_number:
            yield "order_number", self.config.order_number
        for path, setting in self.config.facts.items():
            value = [] if setting.value is None else [self._spelled(("facts", path, "value"), setting.value)]
            known = (
                [f"from {setting.from_} on"] if setting.from_ else [f"at {', '.join(setting.at)}"] if setting.at else []
            )
            source = [f"source {setting.source}"] if setting.source else []
            told = [*value, *filter(None, [setting.type]), *source, *known, *filter(None, [setting.says])]
            yield path, ", ".join(told)

    def _spelled(self, key: tuple[str | int, ...], value: Any) -> str:
        """A value of line.yaml as it is written there."""
        if isinstance(value, list):
            return ", ".join(self._spelled((*key, index), one) for index, one in enumerate(value))
        return self.line.source.raw.get(key, str(value))

    def _recent(self) -> Iterator[tuple[Link, ChangeView]]:
        """The latest changes of all cards and of line.yaml, newest first."""
        entries = [(name, changes(card.body, "")) for name, card in sorted(self.line.cards.items())]
        found = [(change.date, name, index, self._link(name), change)
                 for name, made in [*entries, ("line.yaml", changes(self.config, ""))]
                 for index, change in enumerate(made)]  # fmt: skip
        newest = sorted(found, key=lambda one: (one[0], one[1], one[2]), reverse=True)
        yield from ((link, change) for *_, link, change in newest[:RECENT])

    # the path

    def _path(self) -> Iterator[Station]:
        """The points that the line uses, those with cards in any case; all of the path if line.yaml lists none."""
        listed = self.config.stages
        for point in POINTS.values():
            station = self._station(point)
            if point.on_path and (listed is None or point.name in listed or station.cards):
                yield station

    def _station(self, point: Point) -> Station:
        rules, waves = self._at(point.name), self._of_kind("waves") if point.name == WAVES_SPEAK else []
        asked = [card.name for card in self._of_kind("questions") if getattr(card.body, "at", None) == point.name]
        chapters = ((f"stage/{point.name}", rules), ("kind/waves", waves), ("kind/questions", asked))
        leaves = (ending for card in [*rules, *waves] for ending in _endings(card))
        return Station(
            point.name, point.says, len(rules) + len(waves) + len(asked), _in_order(leaves), self._links(asked),
            next((chapter for chapter, cards in chapters if cards), ""),
        )  # fmt: skip

    # chapters

    def _chapters(self) -> Iterator[Chapter]:
        for point in POINTS.values():
            cards = self._at(point.name)
            if cards:
                count = len(cards)
                shown = (self._card(card, f"{number} of {count}") for number, card in enumerate(cards, 1))
                yield Chapter(f"stage/{point.name}", f"At {point.name}", point.says, tuple(shown), self._station(point))
        for kind, (title, says) in KIND_TITLES.items():
            cards = self._of_kind(kind)
            ordered = kind in ("waves", "roles")
            places = (f"{number} of {len(cards)}" if ordered else "" for number in range(1, len(cards) + 1))
            if cards:
                shown = (self._card(card, place) for card, place in zip(cards, places, strict=True))
                yield Chapter(f"kind/{kind}", title, says, tuple(shown))

    def _at(self, point: str) -> list[Card]:
        """The gates and guard cards of a point, in the line's order."""
        rank = {id: index for index, id in enumerate(self.config.order.get(point, []))}
        rules = self.rules.get(point, [])
        return sorted(rules, key=lambda card: (rank.get(card.id, len(rank)), card.id, card.kind))

    def _of_kind(self, kind: str) -> list[Card]:
        cards = self.line.of(kind)
        return [cards[id] for id in self._ranked(kind)]

    def _ranked(self, kind: str) -> list[str]:
        """The ids of a kind: in line.yaml's order where there is one, then by name."""
        ids = sorted(self.line.of(kind))
        listed = [id for id in getattr(self.config, kind, ()) if id in ids] if kind in ("waves", "roles") else []
        return list(dict.fromkeys([*listed, *ids]))

    def _card(self, card: Card, place: str) -> CardView:
        body, name = card.body, card.name
        stage = WAVES_SPEAK if isinstance(body, Wave) else str(getattr(body, "at", None) or "")
        linked = [*self.uses[name], *self.used_by[name], name]
        waves = {one.partition("/")[2] for one in linked if one.startswith("waves/")}
        state = ""
        if isinstance(body, Wave):
            setting = self.config.switches.get(body.switch)
            state = "open" if body.switch == "always" or (setting and setting.value == "on") else "closed"
        told_in = [id for id, quoted in self.quotes.items() if name in quoted]
        return CardView(
            name=name, kind=card.kind, id=card.id, file=card.file, title=body.title, why=body.why.strip(),
            since=str(body.since), owner=body.owner or "", stage=stage,
            endings=_in_order(_endings(card)), place=f"{place} at {stage}" if stage and place else place, state=state, unexplained=is_unexplained(card),
            rows=rows(card, self.names), examples=examples(card), changes=changes(body, ""),
            explains=self._told(body.explains), uses=self._links(sorted(self.uses[name])),
            used_by=self._links(self.used_by[name]), told_in=self._told(told_in),
            waves=tuple(id for id in self._ranked("waves") if id in waves),
        )  # fmt: skip

    def _link(self, name: str) -> Link:
        return Link(name, self.names.titles.get(name, ""))

    def _links(self, names: Iterable[str]) -> tuple[Link, ...]:
        return tuple(self._link(name) for name in names)

    def _told(self, ids: Iterable[str]) -> tuple[Link, ...]:
        return tuple(Link(id, self.texts[id].text) for id in ids if id in self.texts)

    # what the model is told

    def _blocks(self) -> Iterator[BlockView]:
        prompts = self._told_blocks()
        for part in self.parts:
            block = self.line.blocks[part.block]
            setting = self.config.switches.get(block.switch or "")
            shown = {item.id: self._instruction(item.id, item.text, part.items[item.id]) for item in block.instructions}
            yield BlockView(
                block.id, block.title, part.head, block.switch or "", setting.value if setting else "",
                tuple(question for question, names in prompts.items() if block.id in names), tuple(shown.values()),
            )  # fmt: skip

    def _instruction(self, id: str, text: str, item: str) -> InstructionView:
        found = self.texts[id]
        owners = [card for _, card in sorted(self.line.cards.items()) if id in card.body.explains]
        changed = [change for card in owners for change in changes(card.body, "") if change.about.split(" ")[0] == id]
        return InstructionView(
            id, found.text, item, text.strip() if slots_of(text) else "", short_hash(found.text), str(found.place),
            self._links(card.name for card in owners), self._links(self.quotes[id]), tuple(changed),
        )  # fmt: skip

    def _told_blocks(self) -> dict[str, list[str]]:
        """The blocks of each prompt: of the line's own (``), and of each question that gets instructions."""
        found = {"": told(self.line, None)[0]}
        for id, card in sorted(self.line.of("questions").items()):
            if isinstance(card.body, Question) and (card.body.instructions or card.body.adds):
                found[id] = told(self.line, id)[0]
        return found

    def _prompts(self) -> Iterator[PromptView]:
        for question, blocks in self._told_blocks().items():
            if not question:
                yield PromptView("", "The line's prompt", True, tuple(blocks), ())
                continue
            card = self.line.cards[f"questions/{question}"]
            opens = getattr(card.body, "fills", None) is not None
            yield PromptView(question, card.body.title, opens, tuple(blocks), self._told(told(self.line, question)[1]))


def _number(what: str, number: int) -> tuple[str, int]:
    return (what if number == 1 else f"{what}s"), number


def _in_order(endings: Iterable[str]) -> tuple[str, ...]:
    """Endings without repeats: outcomes from the least to the most strict, then the others by name."""
    found = set(endings)
    return (*(one for one in OUTCOMES if one in found), *sorted(found - set(OUTCOMES)))


def _endings(card: Card) -> Iterator[str]:
    """What a gate or guard card ends with; an open wave sends, a closed one does what it says."""
    if isinstance(card.body, Wave):
        yield from ("send",) if card.body.switch == "always" else ("send", card.body.closed)
    elif card.kind in ("gates", "guard"):
        yield from _outcomes(card.source.value.get("then"))


def _outcomes(then: Any) -> Iterator[str]:
    """The endings that `then` can come to; to say something, or to wake somebody, is to send."""
    if isinstance(then, list):
        for one in then:
            yield from _outcomes(one)
    elif isinstance(then, Mapping):
        if "say" in then or "wake" in then:
            yield "send"
    elif isinstance(then, str) and then not in ("pass", "next"):
        yield then
