"""The model: the question that fills the answer is asked."""

from __future__ import annotations

from engine.stages.asking import ask
from engine.stages.cards import run_cards
from engine.stages.passage import Ended, Passage


def answering(passage: Passage) -> list[str]:
    """The questions that fill the answer and that nothing else asks."""
    questions = passage.line.questions.items()
    return [id for id, one in questions if one.fills and not (one.at or one.asked) and id not in passage.skipped]


async def run(passage: Passage) -> Ended | None:
    """Ask for the answer, then the cards of `model`."""
    for id in answering(passage):
        if id in passage.asking:
            continue
        ended = await ask(passage, id)
        if ended is not None:
            return ended
    return (await run_cards(passage, "model"))[0]
