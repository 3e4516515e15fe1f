"""Orders: the customer and their orders are read."""

from __future__ import annotations

from engine.stages.cards import run_cards
from engine.stages.passage import Ended, Passage
from engine.stages.sources import read_source


async def run(passage: Passage) -> Ended | None:
    """The orders are read under their time, then the cards of `orders`."""
    await read_source(passage, "orders")
    return (await run_cards(passage, "orders"))[0]
