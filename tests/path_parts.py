"""A line at work for a test: its cards, models that say what they are told to, stores in memory."""

from __future__ import annotations

import asyncio
import datetime as dt
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from one_card import line_of

from engine.compiled import CompiledLine, Rooms
from engine.decision import Decision
from engine.language.line import Line
from engine.ports import CallFailed, Neighbour, Reply, Request
from engine.store import Memory
from runbook.session import open_project

ROOT = Path(__file__).parent.parent
NOW = dt.datetime(2026, 12, 1, 12, 0, tzinfo=dt.UTC)
LINE = """
    rulecard: 1
    title: A line made for a test
    languages: [en, es]
    zone: Europe/London
    region: GB
    order_number: '\\bAB-\\d{4}\\b'
    channels: [web]
    switches: {send: {value: on}, w1: {value: on}}
    waves: [w1]
    uses: {budget: budget, repair_floor: floor, read_time: read_time, neighbours: near, majority: most}
    models: {model: {use: none}}
    facts:
      line.phones: {value: ['+44 20 7946 0100']}
"""
CARDS: Mapping[str, str] = {
    "limits/budget": "value: 50 s\n",
    "limits/floor": "value: 8 s\n",
    "limits/read_time": "value: 5 s\n",
    "limits/near": "value: 5\n",
    "limits/most": "value: 3\n",
    "limits/model_time": "value: 20 s\n",
    "waves/w1": "opens: {decision.source: {in: [model, text, knowledge]}}\nswitch: w1\n",
    "questions/answer": (
        "calls: model\nreads: [message.text, order.number, customer.name, store.open]\nfills: answer\nlimits: [model_time]\n"
        "fields: {text: text, person: yes_no, note: {type: text, optional: true}}\n"
    ),
}
GUARD = {
    "guard/phone": ("when: {answer.phones: {not_in: [$line.phones]}}\nrepair: Leave {found} out.\nthen: hold\n"),
    "guard/promise": (
        "when: {answer.text: {matches: ['\\bpromise\\b']}}\nrepair: Promise nothing.\nthen: {say: sorry}\n"
    ),
    "texts/sorry": "words: A person will look at it.\n",
}

Said = str | Mapping[str, Any] | Exception | Callable[[Request], Any]


class Scripted:
    """Says one thing after the other, the last one for ever; `seen` are the requests."""

    name = "scripted"

    def __init__(self, *said: Said) -> None:
        self.said, self.seen = list(said), list[Request]()

    def model(self, profile: str, key: str = "first") -> Scripted:
        return self

    async def ask(self, request: Request) -> Reply:
        self.seen.append(request)
        one = self.said.pop(0) if len(self.said) > 1 else self.said[0]
        if isinstance(one, Exception):
            raise one
        if callable(one):
            one = one(request)
            one = await one if isinstance(one, Awaitable) else one
        fields = {"text": one, "person": False} if isinstance(one, str) else dict(one)
        return Reply(fields, json.dumps(fields), self.name)


class Near:
    """Knowledge that always finds the same."""

    hash, remote = "near", False

    def __init__(self, *topics: tuple[str, float, str], fails: bool = False) -> None:
        self.found = [Neighbour("q", topic, score, answer, False, "en") for topic, score, answer in topics]
        self.fails = fails

    def nearest(self, text: str, count: int) -> Sequence[Neighbour]:
        if self.fails:
            raise CallFailed("network", "The provider cannot be reached.")
        return self.found[:count]


class Clock:
    """A clock that moves when somebody waits."""

    def __init__(self) -> None:
        self.at, self.waits = 0.0, list[float]()

    def __call__(self) -> float:
        return self.at

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.at += seconds


def at_work(cards: Mapping[str, str], *said: Said, line: str = LINE, models: Any = None, **rooms: Any) -> CompiledLine:
    """A line of CARDS and the cards given, whose model says `said`."""
    made = line_of({**CARDS, **cards}, line)
    memory = Memory()
    whole: dict[str, Any] = {
        "models": models or Scripted(*(said or ("Fine.",))), "marks": memory.marks(made),
        "switches": memory.switches(made), "seen": memory.seen(), **rooms,
    }  # fmt: skip
    return CompiledLine(made, Rooms(**whole))


def support(models: Any, **rooms: Any) -> CompiledLine:
    """The shipped support line with a model that is scripted."""
    made = _support()
    memory = Memory()
    whole: dict[str, Any] = {
        "models": models, "marks": memory.marks(made), "switches": memory.switches(made), "seen": memory.seen(), **rooms,
    }  # fmt: skip
    return CompiledLine(made, Rooms(**whole))


@cache
def _support() -> Line:
    return open_project(ROOT).lines["support"]


def decided(line: CompiledLine, text: str = "hello there", **facts: Any) -> Decision:
    """The decision on a message; facts with `__` for the dot of their path."""
    with asyncio.Runner() as runner:
        return runner.get_loop().run_until_complete(line.answer(facts_of(text, **facts), now=NOW))


def facts_of(text: str, **facts: Any) -> dict[str, Any]:
    given = {name.replace("__", "."): value for name, value in facts.items()}
    return {
        "message.text": text,
        "message.from": "user",
        "message.kind": "text",
        "sender.id": "s1",
        "chat.id": "c1",
        **given,
    }
