"""Models that are a caller's own function, or answers given beforehand: words alone, or typed fields."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from engine.ports import CallFailed, Model, Models, Reply, Request
from engine.strict import check

Answer = str | Mapping[str, Any]
Function = Callable[[Request], Answer | Awaitable[Answer]]
"""A model function: a request in; the words of the answer, or its typed fields, out. It may be async."""


@dataclass(frozen=True)
class CalledModels:
    """Every profile is the caller's function. What it raises is a failed call: CallFailed as it is, a TimeoutError as
    `timeout`, everything else as `unknown`, without its words."""

    call: Function
    name: str = "called"

    def model(self, profile: str, key: str = "first") -> Model:
        return self

    async def ask(self, request: Request) -> Reply:
        try:
            if inspect.iscoroutinefunction(self.call):
                got = await self.call(request)
            else:
                got = await asyncio.to_thread(self.call, request)
                got = await got if inspect.isawaitable(got) else got
        except CallFailed:
            raise
        except TimeoutError:
            raise CallFailed("timeout", "The function took too long.") from None
        except Exception as error:
            raise CallFailed("unknown", f"The function raised {type(error).__name__}.") from None
        return reply(got, request, self.name)


@dataclass(frozen=True)
class GivenModels:
    """The answer to the message, and the repaired one, are given; every other question is asked of `others`.

    `answering`: the question that fills the answer. A repair that is words alone changes the words of the answer.
    """

    answering: str
    answer: Answer | None
    repair: Answer | None
    others: Models
    name: str = "given"

    def model(self, profile: str, key: str = "first") -> Model:
        return _Given(self, profile, key)


@dataclass(frozen=True)
class _Given:
    models: GivenModels
    profile: str
    key: str

    @property
    def name(self) -> str:
        return self.models.name

    async def ask(self, request: Request) -> Reply:
        given = self.models.repair if len(request.turns) > 1 else self.models.answer
        if request.question != self.models.answering or self.models.answer is None:
            return await self.models.others.model(self.profile, self.key).ask(request)
        if given is None:
            raise CallFailed("unavailable", "No repaired answer is given.")
        if isinstance(given, str) and isinstance(self.models.answer, Mapping):
            given = {**self.models.answer, "text": given}
        return reply(given, request, self.name)


def reply(got: Any, request: Request, name: str) -> Reply:
    """What a function or a file gave as an answer. Words alone fill `text`, and every other field stays unknown; of a
    mapping the fields that the question has are taken, each of its type. Raises CallFailed (`empty`, `bad_form`)."""
    if isinstance(got, str):
        got = {"text": got}
    if not isinstance(got, Mapping):
        raise CallFailed("bad_form", f"The answer is a {type(got).__name__}; it is words, or a mapping of fields.")
    properties: Mapping[str, Any] = request.schema["properties"]
    fields = {field: value for field, value in got.items() if field in properties and value is not None}
    if not fields:
        raise CallFailed("empty", "The answer has none of the question's fields.")
    check(fields, {**request.schema, "required": []})
    return Reply(fields, json.dumps(dict(got), ensure_ascii=False, default=str), name)
