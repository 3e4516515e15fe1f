"""Record: what was really delivered is written down."""

from __future__ import annotations

from engine.stages.cards import run_cards
from engine.stages.passage import Ended, Passage


async def run(passage: Passage) -> Ended | None:
    """The cards of `record` on `delivered.*`: they set the marks that must follow a real send."""
    return (await run_cards(passage, "record"))[0]
