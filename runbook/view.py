"""What both documents of a line show: its path, its cards in chapters, its instructions, and the links between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from runbook.card_view import ChangeView, ExampleView, Row


@dataclass(frozen=True)
class Link:
    """A link to a card or an instruction: its name and its title."""

    name: str
    title: str


@dataclass(frozen=True)
class CardView:
    """One card as the documents show it; `stage`: the point where it speaks, or empty (waves speak at `outcome`);
    `place`: where it stands in an order."""

    name: str
    kind: str
    id: str
    file: str
    title: str
    why: str
    since: str
    owner: str
    stage: str
    endings: tuple[str, ...]
    """The endings that it can come to."""
    place: str
    state: str
    """Of a wave: `open` or `closed`, as line.yaml sets its switch."""
    unexplained: bool
    rows: tuple[Row, ...]
    examples: tuple[ExampleView, ...]
    changes: tuple[ChangeView, ...]
    explains: tuple[Link, ...]
    """Instructions that it explains, each with its text."""
    uses: tuple[Link, ...]
    used_by: tuple[Link, ...]
    told_in: tuple[Link, ...]
    """Instructions that quote its value or words."""
    waves: tuple[str, ...]
    """The waves that it names, or that name it, and itself."""


@dataclass(frozen=True)
class Station:
    """One point of the path, or one beside it: how many cards speak there, and the endings that leave it there."""

    name: str
    says: str
    cards: int
    endings: tuple[str, ...]
    asked: tuple[Link, ...]
    """Questions asked at its start."""
    chapter: str
    """The chapter to read about it; empty when no card speaks there."""


@dataclass(frozen=True)
class Chapter:
    """Cards that stand together: those of a point (`stage/answer`) or of a kind (`kind/waves`)."""

    id: str
    title: str
    says: str
    cards: tuple[CardView, ...]
    station: Station | None = None


@dataclass(frozen=True)
class InstructionView:
    """One instruction: as the model reads it (`text`), as an item of the prompt (`item`), and the card behind it."""

    id: str
    text: str
    item: str
    written: str
    """As it stands in its file, when slots were filled in it; else empty."""
    hash: str
    place: str
    explained_by: tuple[Link, ...]
    quotes: tuple[Link, ...]
    changes: tuple[ChangeView, ...]


@dataclass(frozen=True)
class BlockView:
    """A block of instructions; `head` is its heading as the model reads it, `switch` includes it."""

    id: str
    title: str
    head: str
    switch: str
    state: str
    """Of its switch: `on`, `off`, or empty when it is always told."""
    told_in: tuple[str, ...]
    """The prompts that hold it: `` for the line's own, else a question's id."""
    instructions: tuple[InstructionView, ...]


@dataclass(frozen=True)
class PromptView:
    """A prompt: the line's own (`question` empty) or a question's; its blocks, and instructions appended to it."""

    question: str
    title: str
    opens: bool
    blocks: tuple[str, ...]
    adds: tuple[Link, ...]


@dataclass(frozen=True)
class SwitchView:
    name: str
    value: str
    why: str
    waves: tuple[Link, ...]
    blocks: tuple[str, ...]


@dataclass(frozen=True)
class View:
    """Everything that the Markdown and the page of a line show."""

    name: str
    title: str
    why: str
    settings: tuple[tuple[str, str], ...]
    counts: tuple[tuple[str, int], ...]
    path: tuple[Station, ...]
    beside: tuple[Station, ...]
    endings: tuple[str, ...]
    chapters: tuple[Chapter, ...]
    opening: str
    blocks: tuple[BlockView, ...]
    prompts: tuple[PromptView, ...]
    switches: tuple[SwitchView, ...]
    facts: tuple[tuple[str, str], ...]
    """Constant values and facts of its own that line.yaml declares."""
    does_not: tuple[tuple[str, str], ...]
    exclusions: tuple[tuple[str, Link, str, str], ...]
    """Accepted findings: which, on which card, why, since when."""
    changes: tuple[ChangeView, ...]
    """Of line.yaml."""
    recent: tuple[tuple[Link, ChangeView], ...]
    """The latest of all: the card (or `line.yaml`), and what changed."""
    owners: tuple[str, ...]
    waves: tuple[str, ...]

    def cards(self) -> Iterator[CardView]:
        """Every card, in the order of the document."""
        for chapter in self.chapters:
            yield from chapter.cards
