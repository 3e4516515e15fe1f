"""Live data: is the shop open, does it deliver there, is it on the shelf, which product is behind a link."""

from __future__ import annotations

from engine.stages.cards import run_cards
from engine.stages.passage import Ended, Passage
from engine.stages.sources import read_source


async def run(passage: Passage) -> Ended | None:
    """The live data are read under their time, then the cards of `live`."""
    await read_source(passage, "live")
    return (await run_cards(passage, "live"))[0]
