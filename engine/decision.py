"""A decision and its trace: what became of a message, why, and what was looked at on the way. Plain values only."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.language.conditions import Evidence
from engine.language.run import Spoken
from engine.language.turn import MarkEntry
from engine.ports import Neighbour, Usage


@dataclass(frozen=True)
class Verdict:
    """What is wrong with an answer, by the card that found it. `round` 1: the first answer, 2: the repaired one."""

    card: str
    reason: str
    found: str
    evidence: tuple[Evidence, ...]
    repair: str
    ending: str
    failed: str = ""
    """The source that failed, when the check itself could not run."""
    round: int = 1


@dataclass(frozen=True)
class Call:
    """One question as it was asked: of a model or a port, what came back, what it took."""

    question: str
    calls: str
    state: str
    """`answered` or `failed`."""
    fields: Mapping[str, Any] = field(default_factory=dict)
    raw: str = ""
    prompt_hash: str = ""
    """SHA-256 of system prompt, turns and schema: a recorded answer is used again only where it is equal."""
    model: str = ""
    usage: Usage = field(default_factory=Usage)
    errors: tuple[str, ...] = ()
    """The class of error of each try that failed, in order."""
    says: str = ""
    seconds: float = 0.0


@dataclass(frozen=True)
class Spoke:
    """A card that fired or failed at a stage: its ending, its evidence (spans in the original text)."""

    card: str
    reason: str
    ending: str
    evidence: tuple[Evidence, ...] = ()
    failed: str = ""

    @classmethod
    def of(cls, spoken: Spoken) -> Spoke:
        answer = spoken.answer
        return cls(spoken.rule.name, spoken.reason, str(spoken.ending), answer.evidence, answer.source)


@dataclass(frozen=True)
class Step:
    """What happened at one stage: how many cards were looked at, which spoke, what else was done."""

    stage: str
    looked: int = 0
    spoke: tuple[Spoke, ...] = ()
    says: tuple[str, ...] = ()
    seconds: float = 0.0


@dataclass(frozen=True)
class Effect:
    """An effect beside the ending: `alert`, `notice`, `start`, `discard`. A notice has its words in `text`."""

    does: str
    name: str
    to: str = ""
    text: str = ""
    card: str = ""


@dataclass(frozen=True)
class Pending:
    """The marks of a decision: written when it is committed."""

    sets: tuple[MarkEntry, ...] = ()
    clears: tuple[tuple[str, Mapping[str, str], dt.datetime], ...] = ()


@dataclass(frozen=True)
class Decision:
    """What became of one message.

    `outcome`: send, draft, hold, silent, store_only or dropped. `text`: the words of a send, or those attached to a
    draft; a hold has none. `wave`: the class that labels it, `wave_state` open or closed. `facts`: as they were when
    it was decided, with what was bound and answered on the way.
    """

    id: str
    line: str
    outcome: str
    reason: str
    card: str = ""
    text: str | None = None
    source: str = ""
    """Where the words come from: `model`, `text` or `knowledge`."""
    topic: str = ""
    wave: str = ""
    wave_state: str = ""
    verdicts: tuple[Verdict, ...] = ()
    effects: tuple[Effect, ...] = ()
    pending: Pending = field(default_factory=Pending)
    trace: tuple[Step, ...] = ()
    calls: tuple[Call, ...] = ()
    neighbours: tuple[Neighbour, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    marks: tuple[MarkEntry, ...] = ()
    """The marks as they were read when the turn began."""
    switches: Mapping[str, str] = field(default_factory=dict)
    revision: str = ""
    """The content hash of the line's cards, instructions and knowledge."""
    at: dt.datetime | None = None
    seconds: float = 0.0
    """The time the whole turn took; `own` without models, ports, sources and embedding."""
    own: float = 0.0
    embedding: float = 0.0

    @property
    def stages(self) -> Sequence[str]:
        return [step.stage for step in self.trace]
