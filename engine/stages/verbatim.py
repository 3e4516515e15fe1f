"""A knowledge answer that may go out word for word (its guard follows, as for every answer)."""

from __future__ import annotations

from engine.stages.cards import run_cards
from engine.stages.passage import Ended, Passage


async def run(passage: Passage) -> Ended | None:
    """The cards of `verbatim`."""
    return (await run_cards(passage, "verbatim"))[0]
