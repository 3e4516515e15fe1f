"""Fast paths: answers that need no model."""

from __future__ import annotations

from engine.stages.cards import run_cards
from engine.stages.passage import Ended, Passage


async def run(passage: Passage) -> Ended | None:
    """The cards of `fast`."""
    return (await run_cards(passage, "fast"))[0]
