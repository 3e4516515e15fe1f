"""The path: the stages of a line in order, within one deadline, until one of them ends the turn."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from engine.language.points import PATH
from engine.ports import CallFailed
from engine.stages import (
    admission,
    answer,
    arrive,
    delivery,
    fast,
    finish,
    fixed,
    limits,
    live,
    model,
    orders,
    outcome,
    person_needed,
    pre_gate,
    prompt,
    record,
    review,
    staff,
    topic,
    verbatim,
)  # fmt: skip
from engine.stages.passage import Ended, Passage

Stage = Callable[[Passage], Awaitable[Ended | None]]

STAGES: Mapping[str, Stage] = {
    "arrive": arrive.run, "admission": admission.run, "staff": staff.run, "limits": limits.run, "fast": fast.run,
    "pre-gate": pre_gate.run, "topic": topic.run, "orders": orders.run, "fixed": fixed.run, "live": live.run,
    "verbatim": verbatim.run, "prompt": prompt.run, "model": model.run, "person-needed": person_needed.run,
    "answer": answer.run, "finish": finish.run, "review": review.run, "outcome": outcome.run,
    "delivery": delivery.run, "record": record.run,
}  # fmt: skip
DECIDING = PATH[: PATH.index("outcome")]
"""The stages that may propose an end; `outcome` makes it a decision, `delivery` and `record` come after it."""


async def decide(passage: Passage) -> Ended:
    """Take a message along the path. Never raises but when it is cancelled: what fails inside ends as `hold`.

    When the deadline passes, whatever still runs is cancelled and its result dropped; what was set and changed on
    the way is not kept, but for marks that were cleared when a port was called.
    """
    try:
        async with asyncio.timeout(passage.deadline.left()):
            ended = await _along(passage)
    except TimeoutError:
        ended = _late(passage)
    if passage.deadline.over:
        ended = _late(passage)
    return ended


def _late(passage: Passage) -> Ended:
    passage.discard()
    passage.effects, passage.wave, passage.wave_state = [], "", ""
    limit = passage.line.uses.get("budget", "")
    passage.says("the time of the turn is over")
    passage.step(passage.at, 0.0)
    return Ended("hold", limit or "budget_unavailable", f"limits/{limit}" if limit else "")


async def _along(passage: Passage) -> Ended:
    for name in DECIDING:
        if name in passage.stages and name not in passage.skipped:
            passage.proposed = await run_stage(passage, name)
            if passage.proposed is not None:
                break
    ended = await run_stage(passage, "outcome")
    assert ended is not None
    return ended


async def run_stage(passage: Passage, name: str) -> Ended | None:
    """One stage with its step of the trace; a failure inside it ends the turn as `hold`."""
    begun = passage.needs.clock()
    passage.at = name
    try:
        passage.load_marks()
        ended = await STAGES[name](passage)
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        ended = _broken(passage, f"{name} failed: something it called was cancelled", "engine")  # by nobody outside
    except CallFailed as failed:
        ended = _broken(passage, f"{name} failed: {failed.says}", name.replace("-", "_"))
    except Exception as error:  # whatever it is: nothing is lost, a person sees the message
        ended = _broken(passage, f"{name} failed: {type(error).__name__}", "engine")
    passage.step(name, passage.needs.clock() - begun)
    return ended


def _broken(passage: Passage, says: str, source: str) -> Ended:
    """The end of a turn in which a stage itself failed: a person sees it, and no mark of it is kept."""
    passage.says(says)
    passage.discard()
    return passage.hold(source)
