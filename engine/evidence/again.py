"""A logged turn decided again: the same facts, marks, switches and answers, nothing asked of the outside."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.compiled import CompiledLine
from engine.decision import Call, Decision
from engine.language.turn import Turn
from engine.ports import CallFailed, Model, Reply, Request
from engine.stages.path import decide
from engine.store import Memory

OWN = ("answer.", "decision.", "delivered.", "switches.")
"""Families of facts that the path makes itself."""


@dataclass
class Again:
    """What came of it. `asked`: questions that had no recorded answer, so that nobody knows what would have come."""

    decision: Decision
    turn: Turn
    asked: set[str] = field(default_factory=set)


@dataclass
class _Recorded:
    """The recorded answers of a turn, each question's in the order in which they came."""

    calls: dict[str, list[Call]]
    asked: set[str]
    name: str = "recorded"

    def model(self, profile: str, key: str = "first") -> Model:
        return self

    async def ask(self, request: Request) -> Reply:
        call = self.next(request.question)
        return Reply(call.fields, call.raw, call.model, call.usage)

    async def port(self, operation: str, given: Mapping[str, Any], key: str, seconds: float) -> Mapping[str, Any]:
        return self.next(key.rpartition(":")[2]).fields

    def next(self, question: str) -> Call:
        left = self.calls.get(question, [])
        if not left:
            self.asked.add(question)
            raise CallFailed("unavailable", "Nothing was recorded for this question.")
        call = left.pop(0)
        if call.state != "answered":
            raise CallFailed(call.errors[-1] if call.errors else "unknown", call.says)
        return call


def again(line: CompiledLine, decision: Decision, forced: Mapping[int, Any], switches: Mapping[str, str]) -> Again:
    """Decide a logged turn once more. `forced`: answers that stand for single conditions; `switches`: others than
    those of the log."""
    calls: dict[str, list[Call]] = {}
    for call in decision.calls:
        calls.setdefault(call.question, []).append(call)
    recorded = _Recorded(calls, set())
    memory = Memory()
    marks = memory.marks(line.line)
    marks.entries = list(decision.marks)
    kept = memory.switches(line.line)
    kept.set = {**decision.switches, **switches}

    async def no_wait(seconds: float) -> None:
        return None

    alone = line.with_rooms(
        models=recorded, knowledge=None, marks=marks, switches=kept, seen=memory.seen(), sources={}, keep=None,
        ports={question.port: recorded.port for question in line.line.questions.values() if question.port},
        clock=lambda: 0.0, sleep=no_wait,
    )  # fmt: skip
    facts = {path: value for path, value in decision.facts.items() if not path.startswith(OWN)}
    passage = alone.passage(facts, decision.id, decision.at)
    passage.turn.forced = dict(forced)
    ended = asyncio.run(decide(passage))
    made = dataclasses.replace(alone.decided(passage, ended, 0.0), neighbours=decision.neighbours)
    return Again(made, passage.turn, recorded.asked)
