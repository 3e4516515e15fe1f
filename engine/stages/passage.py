"""One message on its way: its turn, its deadline, what it needs from outside, and what has been found so far."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from engine.deadline import Deadline
from engine.decision import Call, Effect, Spoke, Step, Verdict
from engine.language.line import Line
from engine.language.points import PATH
from engine.language.run import Spoken
from engine.language.turn import SCOPES, MarkEntry, Turn
from engine.ports import Knowledge, Marks, Models, Neighbour, Port, Seen, Source
from engine.stages.prompts import Prompts

KEYS = tuple(dict.fromkeys(path for paths in SCOPES.values() for path in paths))
"""The facts that tell whom a mark concerns."""


@dataclass(frozen=True)
class Needs:
    """What the path needs from outside. `clock`: seconds, monotonic; `sleep`: waits, for the rungs of ladders.

    `sources`: by the stage that reads them (`orders`, `live`, and `staff`, which is read again before the outcome).
    """

    models: Models
    knowledge: Knowledge | None
    marks: Marks
    seen: Seen
    clock: Callable[[], float]
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    sources: Mapping[str, Source] = field(default_factory=dict)
    ports: Mapping[str, Port] = field(default_factory=dict)


@dataclass(frozen=True)
class Ended:
    """How a turn ends, as far as a stage can say: an outcome, its reason and the card (`kind/id`) that gave it."""

    outcome: str
    reason: str
    card: str = ""
    text: str | None = None
    source: str = ""
    own: bool = False
    """Whether the words are the line's own, a fixed text: all others pass the guard before they leave."""


@dataclass
class Passage:
    """The state of one turn. Made for one turn and thrown away with it: nothing in it is shared."""

    id: str
    line: Line
    turn: Turn
    deadline: Deadline
    needs: Needs
    prompts: Prompts
    steps: list[Step] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)
    neighbours: tuple[Neighbour, ...] = ()
    effects: list[Effect] = field(default_factory=list)
    sets: list[MarkEntry] = field(default_factory=list)
    clears: list[tuple[str, Mapping[str, str], dt.datetime]] = field(default_factory=list)
    read: list[MarkEntry] = field(default_factory=list)
    """The marks as they came from the store."""
    skipped: set[str] = field(default_factory=set)
    """Stages and questions that a card has left out."""
    asking: set[str] = field(default_factory=set)
    """Questions that have been asked in this turn: each is asked once."""
    answered_by: str = ""
    """The question whose answer is the answer."""
    proposed: Ended | None = None
    at: str = ""
    """The stage that runs."""
    guarded: str | None = None
    """The words that the guard has looked at, as it left them."""
    repaired: bool = False
    edited: bool = False
    claimed: str = ""
    """What this turn was the first to claim."""
    wave: str = ""
    wave_state: str = ""
    outside: float = 0.0
    embedding: float = 0.0
    _away: int = 0
    _left: float = 0.0
    _keys: dict[str, str] | None = None
    _loaded: int = -1
    _looked: int = 0
    _spoke: list[Spoke] = field(default_factory=list)
    _notes: list[str] = field(default_factory=list)

    @property
    def key(self) -> str:
        """What calls of this turn are made under: the message's id, so that a turn taken up again after a crash makes
        the same call and not a second one."""
        id = self.turn.facts.get("message.id")
        return str(id) if id else self.id

    @property
    def stages(self) -> Collection[str]:
        """The stages the line uses; `outcome` is always one."""
        used = self.line.config.stages
        return PATH if used is None else used

    def says(self, what: str) -> None:
        """Note for the trace of the stage that runs: what was done beside the cards."""
        self._notes.append(what)

    def looked(self, cards: int, spoken: Sequence[Spoken]) -> None:
        """Note for the trace which cards were looked at and which of them spoke."""
        self._looked += cards
        self._spoke += [Spoke.of(one) for one in spoken]

    def step(self, stage: str, seconds: float) -> None:
        """Close the stage's step of the trace."""
        self.steps.append(Step(stage, self._looked, tuple(self._spoke), tuple(self._notes), seconds))
        self._looked, self._spoke, self._notes = 0, [], []

    @contextmanager
    def away(self) -> Iterator[None]:
        """Time spent here is not the engine's own: a model, a port, a source. What is asked side by side counts once."""
        if not self._away:
            self._left = self.needs.clock()
        self._away += 1
        try:
            yield
        finally:
            self._away -= 1
            if not self._away:
                self.outside += self.needs.clock() - self._left

    def load_marks(self) -> None:
        """Read the marks that concern this turn; again once more is known of whom it concerns (an order's number)."""
        if self._loaded == self.turn.moves:
            return
        keys = {path: value for path in KEYS if isinstance(value := self.turn.get(path), str)}
        if keys == self._keys:
            self._loaded = self.turn.moves
            return
        self._keys = keys
        cleared = {name for name, _, _ in self.clears}
        for entry in self.needs.marks.live(keys, self.turn.now):
            if entry in self.read or entry.mark in cleared:
                continue
            self.read.append(entry)
            self.turn.mark(entry)
        self._loaded = self.turn.moves

    def keep(self, sets: Sequence[MarkEntry], clears: Sequence[str]) -> None:
        """Marks set and cleared on the way: pending until the decision is committed."""
        self.sets = [*(one for one in self.sets if one.mark not in clears), *sets]
        for name in clears:
            paths = self.line.marks[name].keys
            keys = {path: value for path in paths if isinstance(value := self.turn.get(path), str)}
            if (clear := (name, keys, self.turn.now)) not in self.clears:
                self.clears.append(clear)

    def discard(self) -> None:
        """Drop the marks of a turn that failed or ran out of time. What was cleared when a port was called stays
        cleared: it may have been done, and is not confirmed a second time."""
        self.sets = []
        if not any(self.line.questions[id].port for id in self.asking):
            self.clears = []

    def hold(self, source: str, card: str = "") -> Ended:
        """The end when something failed: a person sees it, and the reason names what failed."""
        return Ended("hold", f"{source}_unavailable", card)
