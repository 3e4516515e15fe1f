"""Staff: has a person already replied, and is one writing?"""

from __future__ import annotations

from engine.stages.cards import run_cards
from engine.stages.passage import Ended, Passage
from engine.stages.sources import read_source


async def run(passage: Passage) -> Ended | None:
    """What is known of people on shift is read, then the cards of `staff`."""
    await read_source(passage, "staff")
    return (await run_cards(passage, "staff"))[0]
