"""The review: the last look before an answer may leave."""

from __future__ import annotations

from engine.stages.guarding import guarded
from engine.stages.passage import Ended, Passage


async def run(passage: Passage) -> Ended | None:
    """The cards of `review`."""
    return await guarded(passage, "review")
