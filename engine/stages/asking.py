"""Asking one question of the turn: its prompt and live document, or its port; what becomes of the answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from engine.asking import Asked, ask_model, ask_port
from engine.language.bodies import Question
from engine.language.turn import ABSENT, Failed, Unasked
from engine.ports import CallFailed, Request
from engine.stages.passage import Ended, Passage
from engine.stages.prompts import document, fields_given, gather

Looked = TypeVar("Looked")


async def known(passage: Passage, look: Callable[[], Looked]) -> Looked:
    """What `look` finds in the turn. A question that is asked on first read is asked when it is read, and it is looked
    again."""
    while True:
        try:
            return look()
        except Unasked as unasked:
            await ask_read(passage, unasked.question)


async def ask_read(passage: Passage, id: str) -> None:
    """Ask a question because a field of it is read. One that is being asked already reads itself in a circle: it has
    failed."""
    if id in passage.asking:
        passage.turn.answered(id, Failed(id))
    else:
        await ask(passage, id)


async def ask(
    passage: Passage, id: str, given: Mapping[str, Any] | None = None, more: tuple[tuple[str, str], ...] = (),
    counts_as: str = "", again: bool = False,
) -> Ended | None:  # fmt: skip
    """Ask a question; how the turn ends if it fails and says so.

    `given`: what it reads, where that was gathered before. `more`: further turns of a repair. `counts_as`: the class
    of error that a verdict gave the answer, which enters the question's ladder. `again`: for a better answer; when
    it fails, the first one stays as it was.
    """
    question = passage.line.questions[id]
    passage.asking.add(id)
    read = await known(passage, lambda: gather(question, passage.turn)) if given is None else given
    broken = next((value.source for value in read.values() if isinstance(value, Failed)), "")
    if broken:
        passage.says(f"{id} was not asked: {broken} has failed")
        return _unread(passage, id, question, broken)
    asked = await (_of_port(passage, id, read) if question.port else _of_model(passage, id, read, more, counts_as))
    passage.calls.append(asked.call)
    if asked.fields is None:
        passage.says(f"{id} failed: {asked.call.says or ', '.join(asked.call.errors)}")
        return passage.hold(id) if again else await _failed(passage, id, question, asked)
    passage.turn.answered(id, asked.fields)
    if question.fills:
        _filled(passage, id, question, asked.fields)
    return None


async def _of_model(
    passage: Passage, id: str, given: Mapping[str, Any], more: tuple[tuple[str, str], ...], counts_as: str
) -> Asked:
    question, turn = passage.line.questions[id], passage.turn
    system, key = passage.prompts.system(id, turn)
    turns = (("user", document(question, given, turn)), *more)
    seconds, tokens, temperature = await known(passage, lambda: limits_of(passage, question))

    def request(left: float) -> Request:
        return Request(id, system, turns, schema, left, temperature, tokens, key, hash)

    schema, hash = passage.prompts.schemas[id], passage.prompts.hashes[id]
    with passage.away():
        return await ask_model(
            request, question.calls, passage.line.ladders.get(question.ladder), passage.needs.models, passage.deadline,
            seconds, passage.needs.sleep, counts_as,
        )  # fmt: skip


async def _of_port(passage: Passage, id: str, given: Mapping[str, Any]) -> Asked:
    question = passage.line.questions[id]
    fields = fields_given(question, given, passage.turn)
    longest = await known(passage, lambda: most_characters(passage, question))
    seconds, _, _ = await known(passage, lambda: limits_of(passage, question))
    port = passage.needs.ports.get(question.port) or _unconnected(question.port)
    if longest is not None and any(isinstance(one, str) and len(one) > longest for one in fields.values()):
        port = _refusing(f"What `{id}` is given has more than {longest:g} characters.")
    with passage.away():
        return await ask_port(
            port, question.calls.partition(".")[2], fields, f"{passage.key}:{id}",
            passage.line.ladders.get(question.ladder), passage.deadline, seconds, passage.needs.sleep,
            passage.prompts.schemas[id], id,
        )  # fmt: skip


def _unconnected(name: str) -> Any:
    return _refusing(f"No port `{name}` is connected.", "unavailable")


def _refusing(says: str, error: str = "bad_form") -> Any:
    async def port(operation: str, given: Mapping[str, Any], key: str, seconds: float) -> Mapping[str, Any]:
        raise CallFailed(error, says)

    return port


def limits_of(passage: Passage, question: Question) -> tuple[float | None, int | None, float | None]:
    """Seconds, tokens and temperature of a question by the limits it names: a duration, the units say the rest."""
    seconds, tokens, temperature = None, None, None
    for name in question.limits:
        limit = passage.line.limits[name]
        value = limit.value(passage.turn)
        if not isinstance(value, float):
            continue
        unit = limit.card.body.unit  # type: ignore[attr-defined]
        if limit.kind == "duration":
            seconds = value if seconds is None else min(seconds, value)
        elif unit == "tokens":
            tokens = int(value)
        elif unit == "temperature":
            temperature = value
    return seconds, tokens, temperature


def most_characters(passage: Passage, question: Question) -> float | None:
    """The most characters of a text that a port may be given."""
    for name in question.limits:
        limit = passage.line.limits[name]
        value = limit.value(passage.turn)
        if limit.card.body.unit == "characters" and isinstance(value, float):  # type: ignore[attr-defined]
            return value
    return None


def _filled(passage: Passage, id: str, question: Question, fields: Mapping[str, Any]) -> None:
    """The result becomes the answer: the fields it has take the place of the old ones, the others stay."""
    turn = passage.turn
    for name in question.fields:
        if f"answer.{name}" in passage.line.facts:
            value = fields.get(name)
            turn.put(f"answer.{name}", ABSENT if value is None else value)
    turn.put("answer.source", "model")
    turn.put("answer.finish", "stop")
    passage.answered_by = id


def _unread(passage: Passage, id: str, question: Question, source: str) -> Ended | None:
    """A question that reads what has failed fails too."""
    passage.turn.answered(id, Failed(source))
    return passage.hold(source, f"questions/{id}") if question.otherwise == "hold" else None


async def _failed(passage: Passage, id: str, question: Question, asked: Asked) -> Ended | None:
    """A question that failed: by its `else`, and where that holds, as its ladder gives up."""
    passage.turn.answered(id, Failed(id))
    if asked.instead and asked.instead not in passage.asking:
        return await ask(passage, asked.instead)
    if question.otherwise != "hold":
        return None
    ladder = f"ladders/{question.ladder}" if question.ladder else ""
    reason = asked.reason or f"{id}_unavailable"
    if asked.say and (text := passage.line.texts[asked.say].render(passage.turn)) is not None:
        return Ended("send", reason, ladder or f"questions/{id}", text, "text", own=True)
    if asked.give_up == "next":
        return None
    outcome = asked.give_up if asked.give_up not in ("", "read_only", "start_empty") else "hold"
    return Ended(outcome, reason, ladder or f"questions/{id}")
