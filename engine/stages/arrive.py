"""Arrival: a message that was taken before is recognised, the marks that concern it are read."""

from __future__ import annotations

from engine.stages.cards import run_cards
from engine.stages.passage import Ended, Passage


async def run(passage: Passage) -> Ended | None:
    """Claim the message's id, then the cards of `arrive`. Marks set here count at once, whoever ends the turn: a
    message that is dropped later was sent all the same."""
    turn, needs = passage.turn, passage.needs
    id = turn.get("message.id")
    if isinstance(id, str) and "message.duplicate" not in turn.facts:
        first = needs.seen.claim(f"message:{id}", turn.now)
        passage.claimed = f"message:{id}" if first else ""
        turn.put("message.duplicate", not first)
    passage.load_marks()
    ended, _ = await run_cards(passage, "arrive")
    if passage.sets or passage.clears:
        needs.marks.write(passage.sets, passage.clears)
        passage.sets, passage.clears = [], []
    return ended
