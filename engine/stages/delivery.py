"""Delivery: each single send, before it is handed to the channel."""

from __future__ import annotations

from engine.stages.cards import run_cards
from engine.stages.passage import Ended, Passage


async def run(passage: Passage) -> Ended | None:
    """The cards of `delivery` on one piece (`send.*`): `deliver`, `dropped` or `requeue`; None means deliver."""
    return (await run_cards(passage, "delivery"))[0]
