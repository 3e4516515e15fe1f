"""The pre-gate: reasons why a message cannot be handled as usual."""

from __future__ import annotations

from engine.stages.cards import run_cards
from engine.stages.passage import Ended, Passage


async def run(passage: Passage) -> Ended | None:
    """The cards of `pre-gate`."""
    return (await run_cards(passage, "pre-gate"))[0]
