"""A project as read: lines, cards, blocks of instructions, and every mistake found on the way. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from engine.language.kinds import ID, KINDS, BlockFile, Common, LineFile
from engine.language.problems import Place, Problem, nearest
from engine.language.shape import shaped
from engine.language.yaml_source import Source, parse

_CARD = re.compile(r"^cards/([^/]+)/([^/]+)/([^/]+)\.yaml$")
_LINE = re.compile(r"^cards/([^/]+)/line\.yaml$")
_BLOCK = re.compile(r"^rules/([^/]+)/([^/]+)\.yaml$")


@dataclass(frozen=True)
class Card:
    """One card: `kind/id` is its name everywhere (file, anchor in the runbook, log)."""

    line: str
    kind: str
    id: str
    file: str
    body: Common
    source: Source

    @property
    def name(self) -> str:
        return f"{self.kind}/{self.id}"

    def place(self, *path: str | int) -> Place:
        return self.source.place_of(path)


@dataclass(frozen=True)
class Instruction:
    """One item the model is told; `text` is as written, with its slots unfilled."""

    id: str
    text: str
    block: str
    place: Place


@dataclass(frozen=True)
class Block:
    """A block of instructions, in the order the model reads them; `switch` includes it, or None for always."""

    id: str
    title: str
    switch: str | None
    instructions: tuple[Instruction, ...]
    file: str
    source: Source
    heading: str | None = None
    """How its heading is written, if not as line.yaml says; `none` for no heading."""


@dataclass(frozen=True)
class LineSource:
    """One line as written: its line.yaml, its cards by `kind/id` and its blocks by id (files sorted by name)."""

    name: str
    config: LineFile
    source: Source
    cards: dict[str, Card]
    blocks: dict[str, Block]
    broken: frozenset[str] = frozenset()
    """Names of cards and blocks that exist as files but could not be read: references to them are no new mistake."""

    def of(self, kind: str) -> dict[str, Card]:
        """The cards of one kind by id."""
        return {card.id: card for card in self.cards.values() if card.kind == kind}

    def instructions(self) -> Iterator[Instruction]:
        """All instructions in prompt order (blocks that line.yaml lists, then the others by name)."""
        listed = [name for name in self.config.prompt.blocks if name in self.blocks]
        for name in [*listed, *sorted(set(self.blocks) - set(listed))]:
            yield from self.blocks[name].instructions


@dataclass
class Project:
    """All lines of a project folder and the problems of reading them."""

    lines: dict[str, LineSource] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)


def read_project(files: Mapping[str, str]) -> Project:
    """Read a project from its files: project-relative POSIX name → text. Never raises on what a file holds."""
    project = Project()
    sources: dict[str, Source] = {}
    ours = [name for name in sorted(files) if name.startswith(("cards/", "rules/")) and name.endswith(".yaml")]
    for name in ours:
        if not (_CARD.match(name) or _LINE.match(name) or _BLOCK.match(name)):
            project.problems.append(_stray(name))
            continue
        source, problems = parse(files[name], name)
        project.problems.extend(problems)
        if source is not None:
            sources[name] = source
    for line in sorted({name.split("/")[1] for name in ours if name.count("/") > 1}):
        read = _read_line(line, sources, frozenset(ours), project.problems)
        if read is not None:
            project.lines[line] = read
    if not ours:
        says = "The project holds no line: there is no cards/<line>/line.yaml."
        project.problems.append(Problem(Place("cards"), "empty_project", says, "Run `rulecard new NAME` to begin one."))
    return project


def _stray(name: str) -> Problem:
    return Problem(
        Place(name), "stray_file", "A YAML file stands where no card or block can be.",
        "Cards are cards/<line>/<kind>/<id>.yaml, blocks rules/<line>/<block>.yaml.",
    )  # fmt: skip


def _read_line(
    name: str, sources: Mapping[str, Source], present: frozenset[str], problems: list[Problem]
) -> LineSource | None:
    """One line from its parsed files; None when its line.yaml is missing or broken (the mistakes are reported)."""
    config_file = f"cards/{name}/line.yaml"
    cards, blocks, broken = {}, {}, set()
    for file in sorted(present):
        if match := _CARD.match(file):
            if match[1] != name:
                continue
            card = _read_card(match[1], match[2], match[3], file, sources.get(file), problems)
            if card:
                cards[card.name] = card
            else:
                broken.add(f"{match[2]}/{match[3]}")
        elif (match := _BLOCK.match(file)) and match[1] == name:
            block = _read_block(match[2], file, sources.get(file), problems)
            if block:
                blocks[block.id] = block
            else:
                broken.add(f"blocks/{match[2]}")
    if config_file not in present:
        says = f"The line `{name}` has no line.yaml."
        problems.append(Problem(Place(config_file), "line_missing", says, "Write one, or run `rulecard new`."))
        return None
    source = sources.get(config_file)
    config = shaped(LineFile, source, problems) if source else None
    if source is None or config is None:
        return None
    return LineSource(name, config, source, cards, blocks, frozenset(broken))


def _read_card(line: str, kind: str, id: str, file: str, source: Source | None, problems: list[Problem]) -> Card | None:
    if kind not in KINDS:
        says = f"`{kind}` is no kind of card."
        problems.append(Problem(Place(file), "unknown_kind", says, nearest(kind, KINDS)))
        return None
    if not re.fullmatch(ID, id):
        says = f"`{id}` is no id: a card's file is named with small letters, digits and `_`, a letter first."
        problems.append(Problem(Place(file), "bad_id", says, "Rename the file."))
        return None
    if source is None:
        return None
    body = shaped(KINDS[kind], source, problems)
    return Card(line, kind, id, file, body, source) if body else None


def _read_block(id: str, file: str, source: Source | None, problems: list[Problem]) -> Block | None:
    if not re.fullmatch(ID, id):
        says = f"`{id}` is no id: a block's file is named with small letters, digits and `_`, a letter first."
        problems.append(Problem(Place(file), "bad_id", says, "Rename the file."))
        return None
    if source is None:
        return None
    body = shaped(BlockFile, source, problems)
    if body is None:
        return None
    items = tuple(
        Instruction(item.id, item.text, id, source.place_of(("instructions", index, "text")))
        for index, item in enumerate(body.instructions)
    )
    for index, item in enumerate(items):
        if item.id.split(".")[0] != id:
            place = source.place_of(("instructions", index, "id"))
            says = f"The instruction `{item.id}` stands in the block `{id}`, so its id begins with `{id}.`."
            problems.append(Problem(place, "instruction_id", says))
    return Block(id, body.title, body.switch, items, file, source, body.heading)
