"""A compiled line at work: a message in, a decision out; what was delivered, recorded."""

from __future__ import annotations

import asyncio
import datetime as dt
import time
import uuid
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from engine.deadline import Deadline
from engine.decision import Decision, Effect, Pending, Step
from engine.language.line import Line
from engine.language.problems import nearest
from engine.language.turn import ABSENT, Failed, Turn, Unasked
from engine.model.called import CalledModels, Function
from engine.ports import Knowledge, Marks, Models, Port, Seen, Source, Switches
from engine.stages.passage import Ended, Needs, Passage
from engine.stages.path import decide, run_stage
from engine.stages.prompts import Prompts, jsonable

Keep = Callable[[Decision], None]
"""Writes a decision to the log; what it raises is noted in the decision and loses nothing."""


@dataclass(frozen=True)
class Rooms:
    """What a line works with: models and knowledge, what it may call, where its marks and switches are kept."""

    models: Models
    marks: Marks
    switches: Switches
    seen: Seen
    knowledge: Knowledge | None = None
    sources: Mapping[str, Source] = field(default_factory=dict)
    ports: Mapping[str, Port] = field(default_factory=dict)
    keep: Keep | None = None
    delivered: Callable[[str, bool, dt.datetime], None] | None = None
    """Notes in the log that a decision was delivered, and when."""
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    now: Callable[[], dt.datetime] = lambda: dt.datetime.now(dt.UTC)


class CompiledLine:
    """A line that answers. Re-entrant: turns that run at the same time share nothing but the stores.

    `line`: the compiled cards. `revision`: the content hash of what the line is made of, kept with each decision.
    """

    def __init__(self, line: Line, rooms: Rooms, revision: str = "") -> None:
        self.line = line
        self.rooms = rooms
        self.revision = revision
        self.prompts = Prompts(line)

    @property
    def name(self) -> str:
        return self.line.name

    async def answer(
        self, turn: Mapping[str, Any], *, id: str | None = None, now: dt.datetime | None = None
    ) -> Decision:
        """Decide one message.

        `turn`: fact path → value: `message.text`, `sender.id` and whatever else is known (docs/facts.md). `id`: the
        decision's id (default: a new one; the log finds it by the message's id too). `now`: aware; default the clock.
        Never raises for what happens inside: that ends as `hold` with a reason. A path that is no fact of the line
        ends so too, and the trace says which. Its marks are written when it is committed.
        """
        begun = self.rooms.clock()
        passage = self.passage(turn, id, now)
        wrong = self.unknown_facts(turn)
        if wrong:
            passage.steps.append(Step("arrive", says=tuple(wrong)))
            ended = Ended("hold", "facts_unavailable")
        elif any(isinstance(passage.turn.facts.get(f"switches.{name}"), Failed) for name in self.line.switches):
            passage.steps.append(Step("arrive", says=("the switches cannot be read",)))
            ended = Ended("hold", "switches_unavailable")
        else:
            ended = await self._decided(passage)
        decision = self.decided(passage, ended, self.rooms.clock() - begun)
        return self._kept(decision)

    def commit(self, decision: Decision, delivered: bool = True, at: dt.datetime | None = None) -> Decision:
        """Say what became of a decision: its marks are written, and so is what must follow a real send.

        `delivered`: whether its words went out. `at`: when; default the clock. Once for each decision: a second call
        changes nothing. What the store of marks raises comes through, and the decision can be committed again. The
        decision comes back with the step of `record` in its trace, and with the effects of its cards behind those it
        had.
        """
        when = at or self.rooms.now()
        passage = self._resumed(decision, when)
        if not self.rooms.seen.claim(f"commit:{decision.id}", when):
            return decision
        passage.turn.put("delivered.sent", delivered)
        for name in ("text", "source"):
            if value := getattr(decision, name):
                passage.turn.put(f"delivered.{name}", value)
        passage.turn.put("delivered.card", decision.card.partition("/")[2])
        if decision.wave:
            passage.turn.put("delivered.wave", decision.wave)
        _finished(run_stage(passage, "record"))
        sets = (*decision.pending.sets, *passage.sets)
        clears = (*decision.pending.clears, *passage.clears)
        try:
            self.rooms.marks.write(sets, clears)
        except Exception:
            self.rooms.seen.release(f"commit:{decision.id}")  # nothing was written: it can be committed again
            raise
        if self.rooms.delivered is not None:
            self.rooms.delivered(decision.id, delivered, when)
        return replace(
            decision, trace=(*decision.trace, *passage.steps), pending=Pending(sets, clears),
            effects=(*decision.effects, *passage.effects),
        )  # fmt: skip

    def delivery(self, decision: Decision, facts: Mapping[str, Any], at: dt.datetime | None = None) -> Ended:
        """What becomes of one piece of a decision (`send.*` facts): `deliver`, `dropped` or `requeue`, and why."""
        try:
            passage = self._resumed(decision, at or self.rooms.now())
        except Exception:  # its marks cannot be read: it is sent when they can
            return Ended("requeue", "engine_unavailable")
        for path, value in facts.items():
            passage.turn.put(path, value)
        ended: Ended = _finished(run_stage(passage, "delivery")) or Ended("deliver", "")
        return replace(ended, outcome="requeue") if ended.outcome == "hold" else ended

    def wrap(self, call: Function) -> Callable[..., Coroutine[Any, Any, Decision]]:
        """The gates, the guard and its one repair around a model function of your own.

        `call`: takes a Request (system prompt, turns, schema) and returns the words of the answer, or the fields of
        the question; sync or async. Returns `answer` of a line that asks this function instead of a model.
        """
        return self.with_models(CalledModels(call)).answer

    def with_models(self, models: Models) -> CompiledLine:
        """The same line with other models; prompts and stores are shared."""
        return self.with_rooms(models=models)

    def with_rooms(self, **rooms: Any) -> CompiledLine:
        """The same line with other rooms in place of some; prompts and the others are shared."""
        other = CompiledLine(self.line, replace(self.rooms, **rooms), self.revision)
        other.prompts = self.prompts
        return other

    def turn(self, facts: Mapping[str, Any], now: dt.datetime | None = None) -> Turn:
        """A turn of this line with today's switches, for asking limits and conditions."""
        return self.passage(facts, None, now).turn

    # parts

    def passage(self, facts: Mapping[str, Any], id: str | None, now: dt.datetime | None) -> Passage:
        """A turn at the begin of its path."""
        rooms = self.rooms
        known = {path: value for path, value in facts.items() if path in self.line.facts}
        switches = {f"switches.{name}": value for name, value in self._switches().items()}
        turn = Turn(self.line, {**known, **switches}, now or rooms.now(), on_read=self.line.on_read)
        needs = Needs(
            rooms.models, rooms.knowledge, rooms.marks, rooms.seen, rooms.clock, rooms.sleep, rooms.sources, rooms.ports
        )
        deadline = Deadline.of(self._budget(turn), rooms.clock)
        return Passage(id or uuid.uuid4().hex, self.line, turn, deadline, needs, self.prompts)

    async def _decided(self, passage: Passage) -> Ended:
        try:
            return await decide(passage)
        except asyncio.CancelledError:
            if passage.claimed:  # nobody decided it: who brings it again is not a duplicate
                self.rooms.seen.release(passage.claimed)
            raise

    def _switches(self) -> Mapping[str, Any]:
        try:
            return self.rooms.switches.values()
        except Exception:  # a store that cannot be read: nobody knows what is switched off
            return dict.fromkeys(self.line.switches, Failed("switches"))

    def _budget(self, turn: Turn) -> float:
        """Seconds for the whole turn; none where the limit is named and cannot be told."""
        try:
            budget = self.line.used_limit("budget", turn)
        except Unasked:
            budget = None
        return budget if budget is not None else 0.0 if self.line.uses.get("budget") else float("inf")

    def unknown_facts(self, facts: Mapping[str, Any]) -> list[str]:
        """A sentence for each path that is no fact of this line, with the nearest one that is."""
        unknown = [path for path in facts if path not in self.line.facts]
        return [f"`{path}` is no fact of this line. {nearest(str(path), self.line.facts)}".strip() for path in unknown]

    def _resumed(self, decision: Decision, at: dt.datetime) -> Passage:
        """The turn of a decision as it was when it was decided, to go on with: with the marks it set and cleared. What
        was not asked by then stays unasked."""
        passage = self.passage({}, decision.id, at)
        turn = passage.turn
        for path, value in decision.facts.items():
            turn.put(path, value)
        turn.on_read = frozenset()
        for call in decision.calls:
            turn.answered(call.question, call.fields if call.state == "answered" else Failed(call.question))
        passage.load_marks()
        for mark, _, _ in decision.pending.clears:
            turn.clear(mark)
        for entry in decision.pending.sets:
            turn.mark(entry)
        passage.repaired = True
        return passage

    def decided(self, passage: Passage, ended: Ended, seconds: float) -> Decision:
        """The decision that a turn has come to."""
        turn = passage.turn
        topic = turn.facts.get("decision.topic", turn.facts.get("topic.nearest"))
        switches = {name: str(turn.get(f"switches.{name}")) for name in self.line.switches}
        return Decision(
            passage.id, self.name, ended.outcome, ended.reason, ended.card,
            ended.text if ended.outcome in ("send", "draft") else None, ended.source,
            topic if isinstance(topic, str) else "", passage.wave, passage.wave_state, tuple(passage.verdicts),
            tuple(passage.effects), Pending(tuple(passage.sets), tuple(passage.clears)), tuple(passage.steps),
            tuple(passage.calls), passage.neighbours, _kept_facts(turn), tuple(passage.read), switches, self.revision,
            turn.now, seconds, max(0.0, seconds - passage.outside), passage.embedding,
        )  # fmt: skip

    def _kept(self, decision: Decision) -> Decision:
        if self.rooms.keep is None:
            return decision
        try:
            self.rooms.keep(decision)
        except Exception as error:  # a log that cannot be written must not cost the answer
            note = Effect("alert", "log", text=f"The decision was not logged: {type(error).__name__}.")
            return replace(decision, effects=(*decision.effects, note))
        return decision


def _kept_facts(turn: Turn) -> dict[str, Any]:
    """The facts of a turn as plain values."""
    return {
        path: value if isinstance(value, Failed) else jsonable(value)
        for path, value in turn.facts.items()
        if value is not ABSENT
    }


def _finished(stage: Any) -> Any:
    """Run a stage that asks nothing of the outside to its end, with or without a running loop."""
    try:
        stage.send(None)
    except StopIteration as done:
        return done.value
    stage.close()
    raise RuntimeError("A card at `record` or `delivery` asked a question: nothing can be asked there.")
