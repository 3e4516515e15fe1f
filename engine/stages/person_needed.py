"""The model asks for a person: what a person would do first is done, or asked, by cards."""

from __future__ import annotations

from engine.stages.cards import run_cards
from engine.stages.passage import Ended, Passage


async def run(passage: Passage) -> Ended | None:
    """The cards of `person-needed`."""
    return (await run_cards(passage, "person-needed"))[0]
