"""Admission: is this a message the line takes at all?"""

from __future__ import annotations

from engine.stages.cards import run_cards
from engine.stages.passage import Ended, Passage


async def run(passage: Passage) -> Ended | None:
    """The cards of `admission`."""
    return (await run_cards(passage, "admission"))[0]
