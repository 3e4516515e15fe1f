"""The prompt: the constant instructions under today's switches; what is live goes into the document beside it."""

from __future__ import annotations

from engine.stages.cards import run_cards
from engine.stages.model import answering
from engine.stages.passage import Ended, Passage


async def run(passage: Passage) -> Ended | None:
    """Note which constant prompt the answering questions get, then the cards of `prompt`."""
    for id in answering(passage):
        text, key = passage.prompts.system(id, passage.turn)
        passage.says(f"{id}: {len(text)} characters, {key}")
    return (await run_cards(passage, "prompt"))[0]
