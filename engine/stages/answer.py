"""The answer before its guard: all verdicts, one repair, the strictest ending."""

from __future__ import annotations

from engine.stages.guarding import guarded
from engine.stages.passage import Ended, Passage


async def run(passage: Passage) -> Ended | None:
    """The cards of `answer` on what the model answered."""
    return await guarded(passage, "answer")
