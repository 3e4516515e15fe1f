"""The cards of one point on one turn: questions asked at it, on first read and by a card; then how it ends."""

from __future__ import annotations

import asyncio

from engine.decision import Effect
from engine.language.actions import Ending
from engine.language.run import Result, Spoken, first_possible, run_point, said
from engine.language.turn import Unasked
from engine.stages.asking import ask
from engine.stages.passage import Ended, Passage


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
            _keep(passage, result)
            return ended, result
        after = result
    _keep(passage, result)
    return ended_by(passage, result), result


async def _asked_here(passage: Passage, point: str) -> None:
    """The questions with `at: point` whose `when` holds, in parallel."""
    here = [
        (id, question)
        for id, question in passage.line.questions.items()
        if question.at == point and id not in passage.skipped and id not in passage.asking
    ]
    wanted = [id for id, question in here if question.when is None or question.when.answer(passage.turn).holds]
    if wanted:
        await asyncio.gather(*(ask(passage, id) for id in wanted))


async def _looked(passage: Passage, point: str, after: Result | None) -> Result:
    """The result of a point. A question that is asked on first read is asked, and the point looked at anew."""
    while True:
        kept = passage.turn.kept()
        try:
            return run_point(point, passage.turn, after)
        except Unasked as unasked:
            passage.turn.back(kept)
            await ask(passage, unasked.question)


async def _carried_out(passage: Passage, result: Result) -> Ended | None:
    """Carry out an `ask` or a `skip`: how the turn ends by it, None when the next card goes on."""
    spoken = result.by
    assert spoken is not None
    if result.ending.kind == "skip":
        passage.skipped.add(result.ending.name)
        return None
    ending: Ending = result.ending
    rest = spoken.rule.then[spoken.rule.then.index(ending) + 1 :] if ending in spoken.rule.then else ()
    failed = None if ending.name in passage.asking else await ask(passage, ending.name, spoken.gathered)
    if failed is not None and not rest:
        return failed
    if failed is None and ending.say is None:
        return None
    text = said(ending, passage.turn, spoken.found) if failed is None else None
    if text is not None:
        return _spoken_end(spoken, "send", text, "text")
    instead = first_possible(rest, spoken.rule.point, passage.turn, spoken.found)
    result.ending, result.text = instead, said(instead, passage.turn, spoken.found)
    if instead.kind == "ask":
        return await _carried_out(passage, result)
    return ended_by(passage, result)


def _keep(passage: Passage, result: Result) -> None:
    """What a point leaves behind beside its ending: marks, effects, its place in the trace."""
    passage.looked(len(passage.line.ordered(result.point.name)), result.spoken)
    passage.keep(result.sets, result.clears)
    for does, name, to in result.effects:
        text = passage.line.texts[name].render(passage.turn) if does == "notice" else None
        passage.effects.append(Effect(does, name, to, text or ""))


def ended_by(passage: Passage, result: Result) -> Ended | None:
    """How a result ends the turn; None when it does not."""
    if not result.ended or result.by is None:
        return None
    ending, spoken = result.ending, result.by
    if ending.kind == "say":
        if result.text is None:
            return passage.hold(spoken.rule.card.id, spoken.rule.name)
        return _spoken_end(spoken, "send", result.text, source_of(passage, ending))
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


def source_of(passage: Passage, ending: Ending) -> str:
    """Where the words of a `say` come from: a fixed text, the knowledge, or a model."""
    if not ending.ref:
        return "text"
    source = passage.line.facts[ending.ref].source
    return "knowledge" if source == "knowledge" else "model" if source in (*passage.line.questions, "model") else "text"
