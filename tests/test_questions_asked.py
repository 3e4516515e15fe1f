"""When questions are asked: at a point side by side, on first read once, by a card, never a port by being read."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest
from path_parts import Scripted, at_work, decided

from engine.ports import CallFailed, Request

RATING = "calls: model\nreads: [message.text]\nfields: {good: yes_no}\n"


def test_questions_at_a_point_are_asked_side_by_side() -> None:
    both = asyncio.Event()
    waiting = list[str]()

    async def together(request: Request) -> Mapping[str, Any]:
        if request.question == "answer":
            return {"text": "Fine.", "person": False}
        waiting.append(request.question)
        if len(waiting) == 2:
            both.set()
        await asyncio.wait_for(both.wait(), 5)
        return {"good": True}

    cards = {"questions/one": f"{RATING}at: topic\n", "questions/two": f"{RATING}at: topic\n"}
    found = decided(at_work(cards, together))
    assert sorted(waiting) == ["one", "two"] and found.outcome == "send"


@pytest.mark.parametrize("message, asked", [("go", ["rating"]), ("stay", [])])
def test_a_question_is_asked_when_a_reached_card_reads_it_and_once(message: str, asked: list[str]) -> None:
    cards = {
        "questions/rating": RATING,
        "gates/count": "at: fast\nwhen: {message.text: {empty: false}}\nalso: {set: seen}\n",
        "marks/seen": "scope: sender\nlasts: 1 h\n",
        "gates/first": "at: fixed\nwhen: {message.text: {matches: ['\\bgo\\b']}, rating.good: false}\nthen: hold\n",
        "gates/second": "at: live\nwhen: {message.text: {matches: ['\\bgo\\b']}, rating.good: true}\nthen: hold\nreason: second\n",
        "gates/state": "at: topic\nwhen: {rating.state: answered}\nthen: hold\n",
    }
    model = Scripted(lambda request: {"good": True} if request.question == "rating" else "Fine.")
    model.said = [
        lambda request: {"good": True} if request.question == "rating" else {"text": "Fine.", "person": False}
    ]
    found = decided(at_work(cards, models=model), message)
    assert [one.question for one in model.seen if one.question == "rating"] == asked
    assert found.reason == ("second" if asked else "w1")
    assert len([entry for entry in found.pending.sets if entry.mark == "seen"]) == 1


@pytest.mark.parametrize(
    "otherwise, outcome, reason",
    [("hold", "hold", "rating_unavailable"), ("absent", "send", "w1"), ("{good: false}", "hold", "bad")],
)
def test_else_says_what_a_failed_question_means(otherwise: str, outcome: str, reason: str) -> None:
    cards = {
        "questions/rating": f"{RATING}else: {otherwise}\n",
        "gates/bad": "at: fast\nwhen: {rating.good: false}\nthen: hold\n",
    }

    def failing(request: Request) -> Any:
        if request.question == "rating":
            raise CallFailed("network", "gone")
        return {"text": "Fine.", "person": False}

    found = decided(at_work(cards, failing))
    assert (found.outcome, found.reason) == (outcome, reason)


WRITE = {
    "questions/write": "calls: store.write\nreads: [marks.change.kind]\nfields: {result: [done, refused]}\nladder: store\n",
    "ladders/store": "for: store\nerrors: {lost_reply: [{wait: 1 s}, {give_up: hold}], conflict: [{give_up: hold}]}\n",
    "marks/change": "scope: sender\ncarries: {kind: text}\nlasts: 15 min\n",
    "gates/change": "at: arrive\nwhen: {message.text: {empty: false}}\nalso: {set: change, with: {kind: cancel}}\n",
    "gates/yes": "at: fast\nwhen: {message.text: {matches: ['^yes$']}, waves.w1: open}\nthen: [{ask: write, say: done}, hold]\nalso: {clear: change}\n",
    "texts/done": "words: 'It is {write.result}.'\n",
    "gates/reads": "at: topic\nwhen: {write.result: done}\nthen: hold\nreason: read\n",
}  # fmt: skip


def _store(*said: Any) -> tuple[Any, list[tuple[str, dict[str, Any], str]]]:
    calls, left = list[tuple[str, dict[str, Any], str]](), list(said)

    async def store(operation: str, given: Mapping[str, Any], key: str, seconds: float) -> Mapping[str, Any]:
        calls.append((operation, dict(given), key))
        one = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(one, Exception):
            raise one
        return one  # type: ignore[no-any-return]

    return store, calls


def test_a_card_asks_a_port_and_what_it_reads_is_gathered_before_the_mark_is_cleared() -> None:
    store, calls = _store({"result": "done"})
    found = decided(at_work(WRITE, ports={"store": store}), "yes", message__id="m7")
    assert (found.text, found.source) == ("It is done.", "text")
    assert calls == [("write", {"marks.change.kind": "cancel"}, "m7:write")]


def test_a_port_is_never_called_by_being_read() -> None:
    store, calls = _store({"result": "done"})
    assert decided(at_work(WRITE, ports={"store": store}), "no").outcome == "send" and not calls


def test_a_lost_reply_is_asked_for_again_under_the_same_key_and_a_conflict_is_not() -> None:
    waits = list[float]()

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    store, calls = _store(CallFailed("lost_reply", "cut"), {"result": "done"})
    found = decided(at_work(WRITE, ports={"store": store}, sleep=sleep), "yes")
    assert found.text == "It is done." and waits == [1.0] and len({key for _, _, key in calls}) == 1
    store, calls = _store(CallFailed("conflict", "other"))
    assert decided(at_work(WRITE, ports={"store": store}), "yes").outcome == "hold" and len(calls) == 1


@pytest.mark.parametrize(
    "ports", [{}, {"store": _store({"result": "maybe"})[0]}, {"store": _store({})[0]}, {"store": _store(7)[0]}]
)
def test_a_port_that_is_missing_or_answers_in_another_form_holds(ports: Any) -> None:
    assert decided(at_work(WRITE, ports=ports), "yes").outcome == "hold"


def test_a_write_waits_for_its_wave() -> None:
    store, calls = _store({"result": "done"})
    line = at_work(WRITE, ports={"store": store})
    line.rooms.switches.set["w1"] = "off"  # type: ignore[attr-defined]
    assert decided(line, "yes").outcome == "draft" and not calls


def test_the_card_behind_an_ask_without_words_goes_on() -> None:
    cards = {
        "questions/again": "calls: model\nreads: [message.text]\nfills: answer\nfields: {text: text, person: yes_no}\n",
        "gates/a_ask": "at: person-needed\nwhen: {answer.person: true, again.state: unasked}\nthen: {ask: again}\n",
        "gates/b_still": "at: person-needed\nwhen: {again.person: true}\nthen: hold\nreason: still\n",
    }
    first = {"text": "A person.", "person": True}
    assert decided(at_work(cards, first, first)).reason == "still"
    assert decided(at_work(cards, first, {"text": "By yourself.", "person": False})).text == "By yourself."


def test_a_port_that_a_card_only_reads_is_not_called() -> None:
    store, calls = _store({"result": "done"})
    cards = {
        "questions/write": "calls: store.write\nreads: [message.text]\nfields: {result: [done, refused]}\n",
        "gates/reads": "at: topic\nwhen: {write.result: done}\nthen: hold\n",
    }
    assert decided(at_work(cards, ports={"store": store})).outcome == "send" and not calls


def test_a_card_that_asked_is_not_looked_at_again() -> None:
    cards = {
        "questions/again": "calls: model\nreads: [message.text]\nfields: {good: yes_no}\n",
        "gates/a_ask": "at: fast\nwhen: {message.text: {empty: false}}\nthen: {ask: again}\nalso: {alert: boss}\n",
        "gates/b_good": "at: fast\nwhen: {again.good: true}\nthen: hold\nreason: good\n",
        "roles/boss": "may: [read]\n",
    }
    found = decided(at_work(cards, {"good": True}))
    assert (found.reason, len(found.effects), len(found.calls)) == ("good", 1, 1)
