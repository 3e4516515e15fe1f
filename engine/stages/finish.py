"""The finish: an empty or marked answer is brought to an end."""

from __future__ import annotations

from engine.stages.guarding import guarded
from engine.stages.passage import Ended, Passage


async def run(passage: Passage) -> Ended | None:
    """The cards of `finish`."""
    return await guarded(passage, "finish")
