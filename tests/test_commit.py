"""Commit: what a turn leaves behind once it is known what went out, and what it never leaves."""

from __future__ import annotations

import asyncio
import datetime as dt
import threading
import time
from collections.abc import Mapping
from typing import Any

import pytest
from path_parts import NOW, Clock, Scripted, at_work, decided, facts_of

from engine.compiled import CompiledLine
from engine.decision import Decision
from engine.store import Memory

ANY = "when: {message.text: {empty: false}}\n"
LATER = NOW + dt.timedelta(seconds=5)
MARKS = {"marks/one": "scope: sender\nlasts: 1 h\n", "marks/two": "scope: sender\nlasts: 1 h\n"}


def kept(line: CompiledLine) -> list[str]:
    return sorted(one.mark for one in line.rooms.marks.entries)  # type: ignore[attr-defined]


def again(line: CompiledLine, text: str, seconds: float) -> None:
    """One more turn, committed."""
    at = NOW + dt.timedelta(seconds=seconds)
    line.commit(asyncio.run(line.answer(facts_of(text), now=at)), True, at)


@pytest.mark.parametrize(
    "cards, marks",
    [
        ({"gates/a": f"at: fast\n{ANY}also: {{set: one}}\n", "gates/b": "at: record\nwhen: {marks.one: true}\nalso: {set: two}\n"}, ["one", "two"]),
        ({"gates/a": f"at: fast\n{ANY}also: {{set: one}}\n", "gates/b": f"at: fixed\n{ANY}also: [{{clear: one}}, {{set: two}}]\n"}, ["two"]),
        ({"gates/a": f"at: fast\n{ANY}also: {{set: one}}\n", "gates/b": f"at: fast\n{ANY}also: [{{clear: one}}, {{set: two}}]\n"}, ["two"]),
        ({"gates/a": f"at: arrive\n{ANY}also: {{set: one}}\n", "gates/b": f"at: arrive\n{ANY}also: [{{clear: one}}, {{set: two}}]\n"}, ["two"]),
        ({"gates/a": f"at: arrive\n{ANY}also: {{set: one}}\n", "gates/b": "at: record\nwhen: {marks.one: true}\nalso: [{clear: one}, {set: two}]\n"}, ["two"]),
        ({"gates/a": f"at: fast\n{ANY}also: [{{clear: one}}, {{set: one}}]\n", "gates/b": "at: record\nwhen: {marks.two: true}\nalso: {set: two}\n"}, ["one"]),
    ],
)  # fmt: skip
def test_what_is_set_and_cleared_on_the_way_is_what_record_reads_and_what_stays(
    cards: Mapping[str, str], marks: list[str]
) -> None:
    line = at_work({**MARKS, **cards})
    line.commit(decided(line), True, LATER)
    assert kept(line) == marks


def test_a_mark_that_was_cleared_is_gone_for_the_cards_of_record() -> None:
    cards = {
        **MARKS,
        "gates/a": "at: fast\nwhen: {message.text: first}\nalso: {set: one}\n",
        "gates/b": "at: fast\nwhen: {message.text: second}\nalso: {clear: one}\n",
        "gates/c": "at: record\nwhen: {marks.one: true, message.text: second}\nalso: {set: two}\n",
    }
    line = at_work(cards)
    again(line, "first", 0)
    again(line, "second", 5)
    assert kept(line) == []


def test_a_card_at_record_that_alerts_is_heard_and_a_question_nobody_asked_stays_unasked() -> None:
    cards = {
        **MARKS,
        "questions/rating": "calls: model\nreads: [message.text]\nfields: {good: yes_no}\n",
        "roles/boss": "may: [read]\n",
        "gates/a": f"at: fast\n{ANY}also: {{set: one}}\n",
        "gates/b": "at: record\nwhen: {delivered.sent: true}\nalso: {alert: boss}\n",
        "gates/c": "at: record\nwhen: {rating.good: true}\nalso: {set: two}\n",
    }
    model = Scripted("Fine.")
    line = at_work(cards, models=model)

    async def answered_and_committed() -> Decision:
        return line.commit(await line.answer(facts_of("hi"), now=NOW), True, LATER)

    done = asyncio.run(answered_and_committed())
    assert [one.name for one in done.effects] == ["boss"] and kept(line) == ["one"] and len(model.seen) == 1


def test_many_commits_of_one_decision_at_once_write_it_once() -> None:
    line = at_work({**MARKS, "gates/a": f"at: fast\n{ANY}also: [{{set: one}}, {{set: two}}]\n"})
    found = decided(line)
    threads = [threading.Thread(target=line.commit, args=(found, True, LATER)) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert kept(line) == ["one", "two"]


def test_a_turn_that_ran_out_of_time_leaves_only_what_it_set_on_arrival() -> None:
    clock = Clock()

    def slow(request: Any) -> str:
        clock.at += 60.0
        return "Too late."

    cards = {
        **MARKS,
        "roles/boss": "may: [read]\n",
        "gates/a": f"at: arrive\n{ANY}also: {{set: one}}\n",
        "gates/b": f"at: fast\n{ANY}also: [{{set: two}}, {{alert: boss}}]\n",
    }
    line = at_work(cards, slow, clock=clock)
    found = decided(line)
    line.commit(found, False, LATER)
    assert (found.outcome, found.reason, found.text, found.wave, found.effects) == ("hold", "budget", None, "", ())
    assert kept(line) == ["one"]


@pytest.mark.parametrize("when", ["while it is called", "as it answers", "after it answered"])
def test_what_was_confirmed_is_not_done_twice_although_the_time_ran_out(when: str) -> None:
    clock, keys, late = Clock(), list[str](), [True]

    async def store(operation: str, given: Mapping[str, Any], key: str, seconds: float) -> Mapping[str, Any]:
        keys.append(key)
        if when == "while it is called":
            await asyncio.Event().wait()
        clock.at += 60.0 if when == "as it answers" else 0.0
        return {"result": "done"}

    async def staff(facts: Mapping[str, Any], seconds: float) -> Mapping[str, Any]:
        if keys and late and when == "after it answered":
            late.clear()
            clock.at += 60.0
        return {}

    cards = {
        "questions/write": "calls: store.write\nreads: [marks.change.kind]\nfields: {result: [done, refused]}\n",
        "marks/change": "scope: sender\ncarries: {kind: text}\nlasts: 15 min\n",
        "gates/propose": "at: arrive\nwhen: {message.text: propose}\nalso: {set: change, with: {kind: cancel}}\n",
        "gates/yes": "at: fast\nwhen: {message.text: yes, marks.change: true}\nthen: [{ask: write, say: done}, hold]\nalso: {clear: change}\n",
        "texts/done": "words: Done.\n",
        "limits/budget": f"value: {'50 ms' if when == 'while it is called' else '50 s'}\n",
    }
    real = time.monotonic if when == "while it is called" else clock
    line = at_work(cards, ports={"store": store}, sources={"staff": staff}, clock=real)
    decided(line, "propose")
    found = decided(line, "yes", message__id="m1")
    line.commit(found, False, NOW)
    assert (found.outcome, found.reason) == ("hold", "budget")
    decided(line, "yes", message__id="m2")
    assert keys == ["m1:write"]


def test_marks_that_cannot_be_read_are_no_commit_and_it_can_be_made_later() -> None:
    line = at_work({**MARKS, "gates/a": f"at: fast\n{ANY}also: {{set: one}}\n"})
    found, whole = decided(line), line.rooms.marks
    broken = line.with_rooms(marks=_Broken())
    with pytest.raises(OSError, match="full"):
        broken.commit(found, True, LATER)
    assert broken.delivery(found, {"send.superseded": True}, LATER).outcome == "requeue"
    line.commit(found, True, LATER)
    assert kept(line) == ["one"] and line.rooms.marks is whole


class _Broken:
    def live(self, keys: Mapping[str, str], now: dt.datetime) -> Any:
        raise OSError("full")

    def write(self, sets: Any, clears: Any) -> None:
        raise OSError("full")


def test_a_mark_concerns_only_whom_its_scope_names() -> None:
    cards = {
        "marks/one": "scope: sender_in_chat\nlasts: 1 h\n",
        "gates/a": "at: fast\nwhen: {marks.one: true}\nthen: hold\n",
        "gates/b": f"at: fixed\n{ANY}also: {{set: one}}\n",
    }
    line = at_work(cards, marks=Memory().marks(at_work(cards).line))
    line.commit(decided(line), True, NOW)
    who = [("s1", "c1"), ("s1", "c2"), ("s2", "c1")]
    assert [decided(line, sender__id=s, chat__id=c).reason for s, c in who] == ["a", "w1", "w1"]


def test_what_could_not_be_written_can_be_committed_again() -> None:
    line = at_work(
        {
            "marks/seen": "scope: sender\nlasts: 1 h\n",
            "gates/see": "at: fast\nwhen: {message.text: {empty: false}}\nalso: {set: seen}\n",
        }
    )
    found = decided(line)
    marks = line.rooms.marks

    class Full:
        def live(self, keys: Any, now: Any) -> Any:
            return marks.live(keys, now)

        def write(self, sets: Any, clears: Any) -> None:
            raise OSError("full")

    with pytest.raises(OSError, match="full"):
        line.with_rooms(marks=Full()).commit(found, True, NOW)
    line.commit(found, True, NOW)
    assert [one.mark for one in marks.live({"sender.id": "s1"}, NOW)] == ["seen"]
