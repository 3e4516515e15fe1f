"""Asking a model or a port by its ladder: rung by rung, within the time that is left, every try on record."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.deadline import Deadline
from engine.decision import Call
from engine.language.bodies import Ladder
from engine.language.values import read_duration
from engine.ports import CallFailed, Models, Port, Reply, Request, Usage, prompt_hash

Sleep = Callable[[float], Awaitable[None]]
MOST_TRIES = 20
"""However its rungs are written, a ladder ends here."""


@dataclass(frozen=True)
class Asked:
    """What came of a question: its fields, or None and how its ladder gave up.

    `give_up`: the outcome a rung names, or `next`; empty when no rung does. `say`: a text to say. `instead`: another
    question to ask.
    """

    fields: Mapping[str, Any] | None
    call: Call
    give_up: str = ""
    reason: str = ""
    say: str = ""
    instead: str = ""


async def ask_model(
    request_for: Callable[[float], Request], profile: str, ladder: Ladder | None, models: Models, deadline: Deadline,
    limit: float | None, sleep: Sleep, counts_as: str = "",
) -> Asked:  # fmt: skip
    """Ask a model. `request_for` makes the request for the seconds one try may take; `limit` bounds each try.

    `counts_as`: the ladder is entered as if the first try had brought this class of error (a verdict on its answer).
    Never raises but when it is cancelled.
    """
    first = request_for(deadline.step(limit))
    climb = _Climb(ladder, deadline, limit, sleep, profile, find=models.model)

    async def tried(seconds: float) -> Reply:
        return await models.model(climb.profile, climb.key).ask(request_for(seconds))

    return await climb.up(tried, first.question, prompt_hash(first), counts_as)


async def ask_port(
    port: Port, operation: str, given: Mapping[str, Any], key: str, ladder: Ladder | None, deadline: Deadline,
    limit: float | None, sleep: Sleep, schema: Mapping[str, Any], question: str,
) -> Asked:  # fmt: skip
    """Ask a port. Every try has the same `key`, so that what was done by a lost one is not done again; what it gives
    is held against the question's fields. Never raises but when it is cancelled."""
    from engine.strict import check

    climb = _Climb(ladder, deadline, limit, sleep, operation)

    async def tried(seconds: float) -> Reply:
        fields = await port(operation, given, key, seconds)
        if not isinstance(fields, Mapping):
            raise CallFailed("bad_form", f"The port gave a {type(fields).__name__} instead of fields.")
        known = {name: value for name, value in fields.items() if value is not None}
        check(known, {**schema, "required": [n for n in schema["required"] if not _optional(schema, n)]})
        return Reply(known, "", operation)

    return await climb.up(tried, question, "", "")


def _optional(schema: Mapping[str, Any], name: str) -> bool:
    kinds = schema["properties"][name].get("type")
    return isinstance(kinds, list) and "null" in kinds


@dataclass
class _Climb:
    """One climb: which model and key are asked next, and which rungs of each class have been taken."""

    ladder: Ladder | None
    deadline: Deadline
    limit: float | None
    sleep: Sleep
    profile: str
    key: str = "first"
    find: Callable[[str, str], Any] | None = None
    """Finds a model by profile and key; raises CallFailed when there is none."""
    taken: dict[str, int] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    says: str = ""
    raw: str = ""
    repeats: int = 0

    async def up(self, tried: Callable[[float], Awaitable[Reply]], question: str, hash: str, counts_as: str) -> Asked:
        begun = self.deadline.clock()
        failed = CallFailed(counts_as, "A verdict counts the answer as failed.") if counts_as else None
        for _ in range(MOST_TRIES):
            reply = None if failed else await self.once(tried)
            if isinstance(reply, Reply):
                took = self.deadline.clock() - begun
                call = Call(question, self.profile, "answered", reply.fields, reply.raw, hash, reply.model,
                            reply.usage, tuple(self.errors), self.says, took)  # fmt: skip
                return Asked(reply.fields, call)
            failed = failed or reply
            assert isinstance(failed, CallFailed)
            self.errors.append(failed.error)
            self.says, self.raw = failed.says, failed.raw or self.raw
            rung = await self.next_rung(failed)
            if rung is not None:
                break
            failed = None
        else:
            rung = {}
        took = self.deadline.clock() - begun
        call = Call(question, self.profile, "failed", {}, self.raw, hash, "", Usage(), tuple(self.errors), self.says,
                    took)  # fmt: skip
        return _given_up(call, rung)

    async def once(self, tried: Callable[[float], Awaitable[Reply]]) -> Reply | CallFailed:
        """One try within its time; whatever goes wrong is a class of error."""
        seconds = self.deadline.step(self.limit)
        if seconds <= 0:
            return CallFailed("timeout", "No time was left to ask.")
        try:
            async with asyncio.timeout(seconds):
                reply = await tried(seconds)
        except CallFailed as failed:
            return failed
        except TimeoutError:
            return CallFailed("timeout", f"No answer within {seconds:.3g} s.")
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            return CallFailed("unknown", "The call was cancelled from within.")
        except Exception as error:  # its words may hold anything: only its kind is kept
            return CallFailed("unknown", f"{type(error).__name__} was raised.")
        return CallFailed("timeout", "The answer came after the time was over.") if self.deadline.over else reply

    async def next_rung(self, failed: CallFailed) -> Mapping[str, Any] | None:
        """Climb: None when there is another try, the rung that ends the ladder otherwise (empty when none is left)."""
        while True:
            if self.repeats:
                self.repeats -= 1
                return None
            error = self.ladder.answered_as(failed.error) if self.ladder else failed.error
            number = self.taken[error] = self.taken.get(error, 0) + 1
            rung = self.ladder.rung(error, number) if self.ladder else None
            if rung is None or "give_up" in rung or "ask" in rung:
                return rung or {}
            if await self.take(rung, failed):
                return None

    async def take(self, rung: Mapping[str, Any], failed: CallFailed) -> bool:
        """Take a rung; False when there is no time for it, or no such model or key: then the next one follows."""
        profile, key = str(rung.get("model", self.profile)), str(rung.get("key", self.key))
        if self.find is not None and (profile, key) != (self.profile, self.key):
            try:
                self.find(profile, key)
            except CallFailed as missing:
                self.says = f"{failed.says} {missing.says}"
                return False
        self.profile, self.key = profile, key
        self.repeats = int(rung.get("times", 1)) - 1
        wait = read_duration(rung["wait"]) if "wait" in rung else 0.0
        if wait and failed.retry_after is not None:
            wait = max(wait, failed.retry_after)
        if wait >= self.deadline.left():
            self.repeats = 0
            return False
        if wait:
            await self.sleep(wait)
        return True


def _given_up(call: Call, rung: Mapping[str, Any] | None) -> Asked:
    rung = rung or {}
    give_up, reason = rung.get("give_up", ""), str(rung.get("reason", ""))
    say = str(give_up["say"]) if isinstance(give_up, Mapping) else ""
    return Asked(None, call, "" if say else str(give_up), reason, say, str(rung.get("ask", "")))
