"""An answer under guard at one point: verdicts, the one repair of the turn, and the second look after it."""

from __future__ import annotations

from dataclasses import replace

from engine.language.run import Result
from engine.stages.asking import ask, known
from engine.stages.cards import run_cards
from engine.stages.passage import Ended, Passage
from guard import Repair, repair_of, verdicts_of

POINTS = ("person-needed", "answer", "finish", "review")
"""What a new answer passes, in order."""


async def guarded(passage: Passage, point: str) -> Ended | None:
    """Run a point that guards an answer. An answer that was repaired, or edited after its first guard, passes every
    point up to this one again, once."""
    ended, result = await _verdicts(passage, point)
    if passage.answered_by and not passage.repaired and await _renewed(passage, result):
        return await _again(passage, point)
    if ended is None and result.edited is not None and point != "answer" and not passage.edited:
        passage.edited = True
        return await _again(passage, point)
    return ended


async def words(passage: Passage, ended: Ended) -> Ended:
    """Guard words that the guard has not seen as they are: a kept answer, a fact that is said, an answer that was
    edited behind its guard. They are not repaired."""
    if ended.outcome not in ("send", "draft") or ended.own or ended.text is None or ended.text == passage.guarded:
        return ended
    passage.turn.put("answer.text", ended.text)
    passage.turn.put("answer.source", ended.source)
    stopped, result = await _verdicts(passage, "answer")
    if stopped is not None:
        bare = stopped.outcome in ("send", "draft") and stopped.text is None
        return replace(stopped, text=passage.guarded, source=ended.source) if bare else stopped
    text = ended.text if result.edited is None else result.edited
    return replace(ended, text=text)


async def _verdicts(passage: Passage, point: str) -> tuple[Ended | None, Result]:
    ended, result = await run_cards(passage, point)
    if point == "answer":
        text = passage.turn.get("answer.text")
        passage.guarded = text if isinstance(text, str) else None
    round = 2 if passage.repaired else 1
    passage.verdicts += await known(passage, lambda: verdicts_of(result.spoken, passage.turn, round))
    return ended, result


async def _again(passage: Passage, point: str) -> Ended | None:
    used = passage.stages
    for name in POINTS[: POINTS.index(point) + 1]:
        if name in used:
            ended, _ = await _verdicts(passage, name)
            if ended is not None:
                return ended
    return None


async def _renewed(passage: Passage, result: Result) -> bool:
    """Whether a new answer came: by the ladder that a verdict enters, or by the one repair."""
    error = next((one.rule.counts_as for one in result.spoken if one.rule.counts_as and one.answer.holds), "")
    repair = repair_of(result.spoken, passage.turn, passage.answered_by)
    if not error and repair is None:
        return False
    floor = passage.line.used_limit("repair_floor", passage.turn) or 0.0
    if passage.deadline.left() < floor:
        passage.says(f"no repair: {passage.deadline.left():.1f} s left, {floor:g} s are its floor")
        return False
    passage.repaired = True
    failed = await _climb(passage, error) if error else await _repair(passage, repair)
    passage.repaired = failed is None
    passage.turn.put("answer.repaired", passage.repaired)
    passage.says("the repaired answer is guarded whole" if failed is None else "the repair brought no answer")
    return failed is None


async def _climb(passage: Passage, error: str) -> Ended | None:
    return await ask(passage, passage.answered_by, counts_as=error, again=True)


async def _repair(passage: Passage, repair: Repair | None) -> Ended | None:
    assert repair is not None
    raw = next((call.raw for call in reversed(passage.calls) if call.question == passage.answered_by), "")
    return await ask(passage, repair.question, more=(("assistant", raw), ("user", repair.document)), again=True)
