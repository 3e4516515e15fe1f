"""Limits: rates and queues."""

from __future__ import annotations

from engine.stages.cards import run_cards
from engine.stages.passage import Ended, Passage


async def run(passage: Passage) -> Ended | None:
    """The cards of `limits`."""
    return (await run_cards(passage, "limits"))[0]
