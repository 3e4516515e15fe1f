"""What the path needs from outside, each as a small protocol: a model, a port, a source of facts, marks, knowledge.

Everything that reaches beyond the process comes in through these. Nothing here does I/O.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Protocol

from engine.files import content_hash
from engine.language.turn import MarkEntry


@dataclass(frozen=True)
class Usage:
    """Tokens of one call: of the prompt, of these the ones a provider had cached, of the answer."""

    prompt: int = 0
    cached: int = 0
    answer: int = 0


@dataclass(frozen=True)
class Request:
    """One question to a model.

    `system`: the constant instructions, byte-identical under the same switches. `turns`: (role, text), the first
    ("user", one JSON document); a repair adds ("assistant", the raw answer) and ("user", one JSON document).
    `schema`: the strict JSON Schema of the answer. `seconds`: the time this try may take. `cache_key`: the same for
    every request with the same prefix.
    """

    question: str
    system: str
    turns: tuple[tuple[str, str], ...]
    schema: Mapping[str, Any]
    seconds: float
    temperature: float | None = None
    max_tokens: int | None = None
    cache_key: str = ""
    schema_hash: str = ""
    """The schema's hash, where it is known."""


def prompt_hash(request: Request) -> str:
    """SHA-256 over everything that the answer depends on: system prompt, turns, schema, in one canonical form."""
    turns = [list(turn) for turn in request.turns]
    return content_hash(
        canonical([_hash_of(request.system), turns, request.schema_hash or schema_hash(request.schema)])
    )


def schema_hash(schema: Mapping[str, Any]) -> str:
    """SHA-256 of a schema in canonical form."""
    return content_hash(canonical(schema))


def canonical(value: Any) -> str:
    """One JSON text for equal values."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


_hash_of = lru_cache(256)(content_hash)
"""A system prompt is the same for thousands of requests."""


@dataclass(frozen=True)
class Reply:
    """What a model answered: the typed fields, as they came, by which model."""

    fields: Mapping[str, Any]
    raw: str
    model: str
    usage: Usage = field(default_factory=Usage)


class CallFailed(Exception):
    """A call that brought no answer. `error` is a class of `engine.language.ladders.ERRORS`; `says` is one sentence
    without any of the customer's words; `raw` what came back, if anything; `retry_after` in seconds."""

    def __init__(self, error: str, says: str, raw: str = "", retry_after: float | None = None) -> None:
        super().__init__(f"{error}: {says}")
        self.error = error
        self.says = says
        self.raw = raw
        self.retry_after = retry_after


class Model(Protocol):
    """A model profile. Raises CallFailed and nothing else."""

    @property
    def name(self) -> str: ...

    async def ask(self, request: Request) -> Reply: ...


class Models(Protocol):
    """The models of a line by profile (`model`, `vision`, `backup`) and key (`first`, `second`).

    Raises CallFailed (`unknown`) for a profile that is not connected, (`wrong_key`) for a key that is not set.
    """

    def model(self, profile: str, key: str = "first") -> Model: ...


Port = Callable[[str, Mapping[str, Any], str, float], Awaitable[Mapping[str, Any]]]
"""A port of the line (`store`, `channel`): (operation, what the question reads, idempotency key, seconds) → fields.
Raises CallFailed; any other error counts as `unknown`."""

Source = Callable[[Mapping[str, Any], float], Awaitable[Mapping[str, Any]]]
"""A source of facts (`orders`, `live`): (facts so far, seconds) → facts of that source by path. Raises CallFailed;
any other error counts as a failure of the source."""


@dataclass(frozen=True)
class Neighbour:
    """A sample question near to a message: its topic, the similarity from 0 to 1, and the answer kept with it."""

    question: str
    topic: str
    score: float
    answer: str
    live_data: bool
    language: str


class Knowledge(Protocol):
    """A line's topics with their sample questions. `hash` changes whenever an answer or a vector may."""

    @property
    def hash(self) -> str: ...

    @property
    def remote(self) -> bool:
        """Whether embedding a message calls a provider (then it takes time and may fail)."""
        ...

    def nearest(self, text: str, count: int) -> Sequence[Neighbour]:
        """The nearest sample questions, nearest first. Raises CallFailed when a provider fails."""
        ...


class Marks(Protocol):
    """Where the marks of a line are kept between turns. Entries without a key of a mark's scope are never found."""

    def live(self, keys: Mapping[str, str], now: dt.datetime) -> list[MarkEntry]:
        """The marks that concern a turn with these scope values, oldest first."""
        ...

    def write(self, sets: Sequence[MarkEntry], clears: Sequence[tuple[str, Mapping[str, str], dt.datetime]]) -> None:
        """Add marks and take away others: `clears` holds (mark, scope values, only those set until then)."""
        ...


class Seen(Protocol):
    """What has been taken once: a message's id, a decision that was committed."""

    def claim(self, what: str, now: dt.datetime) -> bool:
        """True for the first who claims it, whoever else claims it at the same time."""
        ...

    def release(self, what: str) -> None:
        """Give a claim back: what it was for has not been done, and may be tried again."""
        ...


class Switches(Protocol):
    """The live switches of a line: what somebody has set since, over line.yaml."""

    def values(self) -> Mapping[str, str]:
        """Switch → `on` or `off`, for those that were set."""
        ...
