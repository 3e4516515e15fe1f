"""The topic: the nearest sample questions name it, by majority."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence

from engine.language.turn import Failed
from engine.ports import CallFailed, Knowledge, Neighbour
from engine.stages.cards import run_cards
from engine.stages.passage import Ended, Passage

FACTS = ("topic.nearest", "topic.score", "topic.live_data", "topic.answer")


async def run(passage: Passage) -> Ended | None:
    """Find the nearest sample questions and the topic most of them name, then the cards of `topic`."""
    knowledge, text = passage.needs.knowledge, passage.turn.get("message.text")
    if knowledge is not None and isinstance(text, str) and text.strip() and FACTS[0] not in passage.turn.facts:
        await _nearest(passage, knowledge, text)
    return (await run_cards(passage, "topic"))[0]


async def _nearest(passage: Passage, knowledge: Knowledge, text: str) -> None:
    count = int(passage.line.used_limit("neighbours", passage.turn) or 0)
    begun = passage.needs.clock()
    try:
        with passage.away():
            passage.neighbours = tuple(await _look(passage, knowledge, text, count))
    except (CallFailed, TimeoutError) as failed:
        for path in FACTS:
            passage.turn.put(path, Failed("knowledge"))
        passage.says(f"knowledge failed: {failed.says if isinstance(failed, CallFailed) else 'it took too long'}")
        return
    finally:
        passage.embedding += passage.needs.clock() - begun
    _name(passage, int(passage.line.used_limit("majority", passage.turn) or count))


async def _look(passage: Passage, knowledge: Knowledge, text: str, count: int) -> Sequence[Neighbour]:
    if not knowledge.remote:
        return knowledge.nearest(text, count)
    async with asyncio.timeout(passage.deadline.step(passage.line.used_limit("read_time", passage.turn))):
        return await asyncio.to_thread(knowledge.nearest, text, count)


def _name(passage: Passage, majority: int) -> None:
    """The topic facts, when enough of the nearest agree: score and answer are those of the nearest question of that
    topic, so that a topic and its answer never come from two places."""
    votes = Counter(one.topic for one in passage.neighbours)
    topic, count = votes.most_common(1)[0] if votes else ("", 0)
    if count < majority or not topic:
        passage.says(f"no topic: {count} of {len(passage.neighbours)} nearest questions agree")
        return
    best = next(one for one in passage.neighbours if one.topic == topic)
    if best.score < (passage.line.used_limit("topic_floor", passage.turn) or 0.0):
        passage.says(f"no topic: the best question of {topic} is at {best.score:.2f}, below the floor")
        return
    passage.turn.put("topic.nearest", topic)
    passage.turn.put("topic.score", best.score)
    passage.turn.put("topic.live_data", best.live_data)
    if best.answer:
        passage.turn.put("topic.answer", best.answer)
    passage.says(f"{topic}: {count} of {len(passage.neighbours)} nearest, the best at {best.score:.2f}")
