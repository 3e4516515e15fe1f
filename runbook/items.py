"""The locked things of a line: what the lock holds of each, and the card that explains it. Pure.

An item is named as people type it: `instruction rules.greet`, `order rules`, `block rules`, `blocks`, `prompt`,
`schema rating`, `question rating`. What the lock holds of it (its `text`) is a hash, or plain words where they are
short and a reviewer can read them (the order of instructions, a block's switch).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from engine.files import short_hash
from engine.language.kinds import Change, Question
from engine.language.problems import Place, Problem, nearest
from engine.language.project import Card, LineSource
from engine.prompt import Constants, Resolved, answer_schema, resolved

INSTRUCTION, ORDER, BLOCK, BLOCKS, PROMPT, SCHEMA, QUESTION = (
    "instruction", "order", "block", "blocks", "prompt", "schema", "question",
)  # fmt: skip
SINGLE = (BLOCKS, PROMPT)
"""Items of which a line has one, named by their kind alone."""
LINE = "line"
"""The name of line.yaml where a card's name stands."""
UNEXPLAINED = "unexplained"
"""A card whose `why` begins with this word explains nothing yet (`adopt` writes such cards)."""
NONE = "none"
"""What an item was before it existed, and is after its removal."""


@dataclass(frozen=True)
class Item:
    """One locked thing: its name, what the lock holds of it, where it stands, and the card that explains it."""

    name: str
    text: str
    place: Place
    card: str | None

    @property
    def kind(self) -> str:
        return kind_of(self.name)

    @property
    def id(self) -> str:
        return id_of(self.name)


@dataclass(frozen=True)
class Entry:
    """One entry under `changes` as a step of an item's chain; `before` or `after` is None when it lacks it."""

    card: str
    change: Change
    place: Place
    before: str | None
    after: str | None

    def __str__(self) -> str:
        return f"the entry of {self.change.date} at {self.place}"


@dataclass(frozen=True)
class State:
    """A line as it stands in its files: its items by name, the entries about each, and what is wrong with them."""

    line: LineSource
    texts: Mapping[str, Resolved]
    items: Mapping[str, Item]
    entries: Mapping[str, Mapping[str, Sequence[Entry]]]
    """Item → card → entries, in the order in which the card lists them."""
    renames: Mapping[str, str]
    """Instruction id that is no more → later one, from the entries that name a `was`."""
    problems: list[Problem] = field(default_factory=list)

    def explanation(self, item: Item) -> str:
        """The hash of what the item's card says about it: title, why and its entries; `unexplained` if it is."""
        card = self.line.cards.get(item.card or "")
        if card is not None and is_unexplained(card):
            return UNEXPLAINED
        said = [card.body.title, card.body.why] if card is not None else []
        entries = self.entries.get(item.name, {}).get(item.card or "", ())
        changes = [[str(c.date), c.why, c.from_, c.to, c.was] for c in (entry.change for entry in entries)]
        return short_hash(_json([said, changes]))


def kind_of(name: str) -> str:
    return name.partition(" ")[0]


def id_of(name: str) -> str:
    return name.partition(" ")[2]


def speakable(name: str) -> str:
    """The item as `rulecard accept` takes it: an instruction by its id alone."""
    return id_of(name) if kind_of(name) == INSTRUCTION else name


def item_name(spoken: str) -> str:
    """The name of what was spoken: `rules.greet`, `order rules` or `order:rules`, `prompt`."""
    words = spoken.replace(":", " ").split()
    if len(words) == 1 and words[0] not in SINGLE:
        return f"{INSTRUCTION} {words[0]}"
    return " ".join(words)


def is_unexplained(card: Card) -> bool:
    return card.body.why.strip().lower().startswith(UNEXPLAINED)


def state_of(line: LineSource) -> State:
    """The items and entries of a line, with the problems of explaining: none, twice, or what does not exist."""
    texts, problems = resolved(line)
    explained = _explainers(line)
    items = {item.name: item for item in _items(line, texts, explained)}
    entries, wrong = _entries(line)
    renames = {
        change.was: change.instruction
        for _, change, _ in _changes(line)
        if change.was is not None and change.instruction is not None and change.was not in texts
    }
    state = State(line, texts, items, entries, renames, [*problems, *wrong])
    state.problems.extend(_explaining(line, texts, explained))
    return state


def _explainers(line: LineSource) -> dict[str, list[Card]]:
    found: dict[str, list[Card]] = {}
    for name in sorted(line.cards):
        for id in dict.fromkeys(line.cards[name].body.explains):
            found.setdefault(id, []).append(line.cards[name])
    return found


def _items(line: LineSource, texts: Mapping[str, Resolved], explained: Mapping[str, list[Card]]) -> Iterator[Item]:
    for text in texts.values():
        cards = explained.get(text.id, [])
        yield Item(f"{INSTRUCTION} {text.id}", short_hash(text.text), text.place, cards[0].name if cards else None)
    constants = Constants(line)
    for block in line.blocks.values():
        ids = " ".join(item.id.removeprefix(f"{block.id}.") for item in block.instructions)
        yield Item(f"{ORDER} {block.id}", ids, block.source.place_of(("instructions",)), LINE)
        included = f"switch:{block.switch}" if block.switch else "always"
        place = block.source.place_of(("switch",) if block.switch else ("title",))
        heading = block.title if block.heading is None else f"{constants.filled(block.heading)}\n{block.title}"
        yield Item(f"{BLOCK} {block.id}", f"{included} {short_hash(heading)}", place, LINE)
    setting = line.config.prompt
    place = line.source.place_of(("prompt",))
    yield Item(BLOCKS, " ".join(setting.blocks), line.source.place_of(("prompt", "blocks")), LINE)
    templates = [constants.filled(template) for template in (setting.opening, setting.heading, setting.item)]
    yield Item(PROMPT, short_hash(_json(templates)), place, LINE)
    for id, card in line.of("questions").items():
        schema = short_hash(json.dumps(answer_schema(card), ensure_ascii=True))
        yield Item(f"{SCHEMA} {id}", schema, card.place("fields"), card.name)
        assert isinstance(card.body, Question)
        words = " ".join([*card.body.instructions, *(f"+{one}" for one in card.body.adds)])
        place = card.place("instructions" if card.body.instructions else "adds")
        yield Item(f"{QUESTION} {id}", words or "-", place, card.name)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=True, sort_keys=True)


# explaining


def _explaining(
    line: LineSource, texts: Mapping[str, Resolved], explained: Mapping[str, list[Card]]
) -> Iterator[Problem]:
    for id, text in texts.items():
        cards = explained.get(id, [])
        if not cards:
            says = f"No card explains the instruction `{id}`."
            cure = f"Write `explains: [{id}]` in the card that gives its reason, or write that card."
            yield Problem(text.place, "instruction_unexplained", says, cure)
        for card in cards[1:]:
            says = f"The instruction `{id}` is explained by {cards[0].name} and by {card.name}: one card explains it."
            place = card.place("explains", card.body.explains.index(id))
            yield Problem(place, "explained_twice", says, "Take it out of the `explains` of all but one.")
    for card in (line.cards[name] for name in sorted(line.cards)):
        for index, id in enumerate(card.body.explains):
            if id in texts or f"blocks/{id.partition('.')[0]}" in line.broken:
                continue
            says = f"{card.name} explains `{id}`, and there is no such instruction."
            cure = nearest(id, texts) or "Take it out of `explains`."
            yield Problem(card.place("explains", index), "explains_unknown", says, cure)


# entries


def _changes(line: LineSource) -> Iterator[tuple[str, Change, Place]]:
    for index, change in enumerate(line.config.changes):
        yield LINE, change, line.source.place_of(("changes", index))
    for name in sorted(line.cards):
        card = line.cards[name]
        for index, change in enumerate(card.body.changes):
            yield name, change, card.place("changes", index)


def _entries(line: LineSource) -> tuple[dict[str, dict[str, list[Entry]]], list[Problem]]:
    found: dict[str, dict[str, list[Entry]]] = {}
    problems: list[Problem] = []

    def add(item: str, entry: Entry) -> None:
        found.setdefault(item, {}).setdefault(entry.card, []).append(entry)

    for card, change, place in _changes(line):
        if change.instruction is not None:
            before = NONE if change.was is not None else change.from_
            add(f"{INSTRUCTION} {change.instruction}", Entry(card, change, place, before, change.to))
            if change.was is not None:
                add(f"{INSTRUCTION} {change.was}", Entry(card, change, place, change.from_, NONE))
        elif change.item is not None:
            known = (INSTRUCTION, ORDER, BLOCK, SCHEMA, QUESTION)
            if not (change.item in SINGLE or (kind_of(change.item) in known and id_of(change.item))):
                says = f"`{change.item}` is no locked thing."
                cure = "Write `instruction: ID`, or `item:` with `order`, `block`, `schema` or `question` and a name."
                problems.append(Problem(place, "unknown_item", says, cure))
                continue
            add(change.item, Entry(card, change, place, change.from_, change.to))
    return found, problems
