"""The cards of one point on one turn: questions asked at it, on first read and by a card; then how it ends."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from engine.decision import Effect
from engine.language.actions import Ending
from engine.language.bodies import Question
from engine.language.run import Result, Spoken, first_possible, run_point, said
from engine.language.slots import slots_of
from engine.language.turn import Unasked
from engine.stages.asking import ask, ask_read, known
from engine.stages.passage import Ended, Passage
from engine.stages.prompts import gather


async def run_cards(passage: Passage, point: str) -> tuple[Ended | None, Result]:
    """Run a point: its own questions first, all at once; then its cards, until one ends it or none does."""
    await _asked_here(passage, point)
    after: Result | None = None
    while True:
        result = await _looked(passage, point, after)
        if result.ending.kind not in ("ask", "skip"):
            break
        ended = await _carried_out(passage, result)
        if ended is not None:
            await _keep(passage, result)
            return ended, result
        after = result
    await _keep(passage, result)
    return ended_by(passage, result), result


async def _asked_here(passage: Passage, point: str) -> None:
    """The questions with `at: point` whose `when` holds, in parallel."""
    here = [
        (id, question)
        for id, question in passage.line.asked_at.get(point, ())
        if id not in passage.skipped and id not in passage.asking
    ]
    if not here:
        return
    wanted = [(id, given) for id, question in here if (given := await _given(passage, question)) is not None]
    if wanted:
        async with asyncio.TaskGroup() as together:
            for id, given in wanted:
                together.create_task(ask(passage, id, given))


async def _given(passage: Passage, question: Question) -> Mapping[str, Any] | None:
    """What a question is given, gathered before any is asked; None when its `when` does not hold."""
    turn, when = passage.turn, question.when
    if when is not None and not (await known(passage, lambda: when.answer(turn))).holds:
        return None
    return await known(passage, lambda: gather(question, turn))


async def _looked(passage: Passage, point: str, after: Result | None) -> Result:
    """The result of a point. A question that is asked on first read is asked, and the point looked at anew."""
    while True:
        kept = passage.turn.kept()
        try:
            return run_point(point, passage.turn, after)
        except Unasked as unasked:
            passage.turn.back(kept)
            await ask_read(passage, unasked.question)


async def _carried_out(passage: Passage, result: Result, instead_of: tuple[Ending, ...] | None = None) -> Ended | None:
    """Carry out an `ask` or a `skip`: how the turn ends by it, None when the next card goes on.

    `instead_of`: what the card would have next, where one before could not be carried out.
    """
    spoken = result.by
    assert spoken is not None
    if result.ending.kind == "skip":
        passage.skipped.add(result.ending.name)
        passage.turn.on_read -= {result.ending.name}
        return None
    ending: Ending = result.ending
    then = spoken.rule.then if instead_of is None else instead_of
    rest = then[then.index(ending) + 1 :] if ending in then else ()
    if passage.line.questions[ending.name].port:
        passage.keep((), result.clears)  # before it is called: it may be done although its reply never comes
    failed = None if ending.name in passage.asking else await ask(passage, ending.name, spoken.gathered)
    if failed is not None and not rest:
        return failed
    if failed is None and ending.say is None:
        return None
    turn, found = passage.turn, spoken.found
    text = await known(passage, lambda: said(ending, turn, found)) if failed is None else None
    if text is not None and ending.say is not None:
        return _said_end(passage, spoken, ending.say, text)
    instead = await known(passage, lambda: first_possible(rest, spoken.rule.point, turn, found))
    result.ending, result.text = instead, await known(passage, lambda: said(instead, turn, found))
    if instead.kind == "ask":
        return await _carried_out(passage, result, rest)
    return ended_by(passage, result)


async def _keep(passage: Passage, result: Result) -> None:
    """What a point leaves behind beside its ending: marks, effects, its place in the trace."""
    passage.looked(len(passage.line.ordered(result.point.name)), result.spoken)
    if result.sets or result.clears:
        passage.keep(result.sets, result.clears)
    for does, name, to in result.effects:
        text = await _notice(passage, name) if does == "notice" else None
        passage.effects.append(Effect(does, name, to, text or ""))


async def _notice(passage: Passage, text: str) -> str | None:
    return await known(passage, lambda: passage.line.texts[text].render(passage.turn))


def ended_by(passage: Passage, result: Result) -> Ended | None:
    """How a result ends the turn; None when it does not."""
    if not result.ended or result.by is None:
        return None
    ending, spoken = result.ending, result.by
    if ending.kind == "say":
        if result.text is None:
            return passage.hold(spoken.rule.card.id, spoken.rule.name)
        return _said_end(passage, spoken, ending, result.text)
    if ending.kind == "wake":
        for item in passage.turn.get(ending.ref):
            passage.effects.append(Effect("wake", str(item.value), card=spoken.rule.name))
        return _spoken_end(spoken, "store_only", None, "")
    if ending.name == "merge":
        passage.effects.append(Effect("merge", passage.id, card=spoken.rule.name))
        return _spoken_end(spoken, "store_only", None, "")
    return _spoken_end(spoken, ending.name, None, "")


def _spoken_end(spoken: Spoken, outcome: str, text: str | None, source: str) -> Ended:
    return Ended(outcome, spoken.reason, spoken.rule.name, text, source)


def _said_end(passage: Passage, spoken: Spoken, say: Ending, text: str) -> Ended:
    own = not say.ref and not _holds_answers(passage, say.name)
    return Ended("send", spoken.reason, spoken.rule.name, text, source_of(passage, say), own)


def _holds_answers(passage: Passage, text: str) -> bool:
    """Whether a fixed text has a slot that a model fills with words of its own."""
    slots = [slot for _, words in passage.line.texts[text].cases for one in words.values() for slot in slots_of(one)]
    return any(_of_model(passage, slot.path) for slot in slots)


def _of_model(passage: Passage, path: str) -> bool:
    head, _, field = path.partition(".")
    if head == "texts":
        return _holds_answers(passage, field)
    question = passage.line.questions.get(head)
    return question is not None and not question.port and passage.line.facts[path].type.name == "text"


def source_of(passage: Passage, ending: Ending) -> str:
    """Where the words of a `say` come from: a fixed text, the knowledge, or a model."""
    if not ending.ref:
        return "text"
    source = passage.line.facts[ending.ref].source
    return "knowledge" if source == "knowledge" else "model" if source in (*passage.line.questions, "model") else "text"
