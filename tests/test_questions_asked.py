"""When questions are asked: at a point side by side, on first read once, by a card, never a port by being read."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Mapping
from typing import Any

import pytest
from one_card import compiled
from path_parts import CARDS, LINE, Clock, Scripted, at_work, decided

from engine.language.turn import MarkEntry
from engine.ports import CallFailed, Request
from engine.store.memory import MemoryMarks

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


ANY = "when: {message.text: {empty: false}}\n"
KIND = "calls: model\nreads: [message.text]\nfields: {good: yes_no, kind: text}\n"
ACT = "calls: model\nreads: [message.text]\nfields: {ok: yes_no}\n"


def _by_question(request: Request) -> Mapping[str, Any]:
    said = {"rating": {"good": True, "kind": "blue"}, "answer": {"text": "Fine.", "person": False}}
    return said.get(request.question, {"ok": True, "good": True})


@pytest.mark.parametrize(
    "cards, reason",
    [
        pytest.param({"gates/x": "at: fast\nwhen: {rating.good: true}\nthen: hold\n"}, "x", id="a condition"),
        pytest.param({"gates/x": f"at: fast\n{ANY}unless: {{rating.good: false}}\nthen: hold\n"}, "x", id="an excuse"),
        pytest.param({"gates/x": f"at: fast\n{ANY}then: {{say: kind}}\n", "texts/kind": "words: 'It is {rating.kind}.'\n"}, "x", id="a text"),
        pytest.param({"gates/x": f"at: fast\n{ANY}then: {{say: $rating.kind}}\n"}, "x", id="a fact that is said"),
        pytest.param({"gates/x": f"at: fast\n{ANY}then: [{{ask: act, say: kind}}, hold]\n", "questions/act": ACT, "texts/kind": "words: 'It is {rating.kind}.'\n"}, "x", id="a text after an ask"),
        pytest.param({"gates/x": f"at: fast\n{ANY}then: hold\nalso: {{notice: kind, to: sender}}\n", "texts/kind": "words: 'It is {rating.kind}.'\n"}, "x", id="a notice"),
        pytest.param({"gates/x": f"at: fast\n{ANY}then: hold\nalso: {{set: m, with: {{kind: $rating.kind}}}}\n", "marks/m": "scope: sender\ncarries: {kind: text}\n"}, "x", id="a mark"),
        pytest.param({"questions/act": f"{ACT}at: topic\nwhen: {{rating.good: true}}\n", "gates/x": "at: topic\nwhen: {act.ok: true}\nthen: hold\n"}, "x", id="when another is asked"),
        pytest.param({"questions/answer": "calls: model\nreads: [rating.kind]\nfills: answer\nfields: {text: text, person: yes_no}\n"}, "w1", id="what another is given"),
        pytest.param({"questions/answer": "calls: model\nreads: [message.text]\nfills: answer\nlimits: [brief]\nfields: {text: text, person: yes_no}\n",
                      "limits/brief": "cases: [{when: {rating.good: true}, value: 2 s}, {value: 9 s}]\n"}, "w1", id="a limit of another"),
        pytest.param({"guard/x": "when: {answer.text: {empty: false}}\nrepair: It is {rating.kind}.\nthen: hold\n"}, "x", id="a repair text"),
        pytest.param({"waves/w1": "opens: {rating.good: true}\nswitch: w1\n"}, "w1", id="a wave"),
        pytest.param({"gates/x": "at: outcome\nwhen: {rating.good: true}\nthen: draft\n"}, "x", id="a stop"),
    ],
)  # fmt: skip
def test_whatever_reads_a_question_asks_it_once(cards: Mapping[str, str], reason: str) -> None:
    model = Scripted(_by_question)
    found = decided(at_work({"questions/rating": KIND, **cards}, models=model))
    assert found.reason == reason
    assert [one.question for one in model.seen].count("rating") == 1


def test_two_that_are_asked_side_by_side_and_read_a_third_ask_it_once() -> None:
    side = "calls: model\nat: topic\nreads: [rating.good]\nfields: {ok: yes_no}\n"
    model = Scripted(_by_question)
    decided(at_work({"questions/rating": KIND, "questions/one": side, "questions/two": side}, models=model))
    assert sorted(one.question for one in model.seen) == ["answer", "one", "rating", "two"]


def test_questions_that_read_each_other_fail() -> None:
    cards = {
        "questions/a": "calls: model\nreads: [b.good]\nfields: {good: yes_no}\n",
        "questions/b": "calls: model\nreads: [a.good]\nfields: {good: yes_no}\n",
        "gates/x": "at: fast\nwhen: {a.good: true}\nthen: hold\n",
    }
    model = Scripted(_by_question)
    assert decided(at_work(cards, models=model)).reason == "a_unavailable" and not model.seen


@pytest.mark.parametrize("at", ["", "at: fixed\n"])
def test_a_question_that_a_card_left_out_is_not_asked(at: str) -> None:
    cards = {
        "questions/rating": f"{KIND}{at}",
        "gates/a": f"at: fast\n{ANY}then: {{skip: rating}}\n",
        "gates/b": "at: fixed\nwhen: {rating.good: true}\nthen: hold\n",
        "gates/c": "at: live\nwhen: {rating.state: unasked}\nthen: hold\nreason: unasked\n",
    }
    model = Scripted(_by_question)
    assert decided(at_work(cards, models=model)).reason == "unasked" and not model.seen


@pytest.mark.parametrize(
    "rating, otherwise, text, asked",
    [
        ({"good": True, "kind": "blue"}, "hold", "It is blue.", 1),
        ({"good": True, "kind": " "}, "hold", "Nothing to say.", 1),  # its text has an empty slot: the next one
        (CallFailed("network", "gone"), "hold", "Nothing to say.", 1),
        (CallFailed("network", "gone"), "absent", "Nothing to say.", 1),
        (CallFailed("network", "gone"), "{kind: grey}", "It is grey.", 1),
    ],
)
def test_the_first_of_a_list_that_can_be_carried_out(rating: Any, otherwise: str, text: str, asked: int) -> None:
    cards = {
        "questions/rating": f"{KIND}else: {otherwise}\n",
        "texts/kind": "words: 'It is {rating.kind}.'\n",
        "texts/nothing": "words: Nothing to say.\n",
        "gates/x": f"at: fast\n{ANY}then: [{{ask: rating, say: kind}}, {{ask: rating, say: kind}}, {{say: nothing}}]\n",
    }
    model = Scripted(rating)
    found = decided(at_work(cards, models=model))
    assert (found.text, len(model.seen)) == (text, asked)


def test_the_answer_may_be_asked_for_at_another_point_and_is_asked_once() -> None:
    cards = {"questions/answer": "calls: model\nreads: [message.text]\nat: fixed\nfills: answer\nfields: {text: text, person: yes_no}\n"}  # fmt: skip
    model = Scripted("Fine.")
    assert decided(at_work(cards, models=model)).text == "Fine." and len(model.seen) == 1


def test_a_port_gets_the_smaller_of_its_limit_and_the_time_left() -> None:
    clock, given = Clock(), list[float]()

    async def store(operation: str, what: Mapping[str, Any], key: str, seconds: float) -> Mapping[str, Any]:
        given.append(seconds)
        clock.at += 45.0
        return {"result": "done"}

    write = "calls: store.{}\nreads: [message.text]\nlimits: [brief]\nfields: {{result: [done, refused]}}\n"
    cards = {
        "limits/brief": "value: 15 s\n",
        "questions/one": write.format("one"),
        "questions/two": write.format("two"),
        "gates/a": f"at: fast\n{ANY}then: {{ask: one}}\n",
        "gates/b": f"at: fixed\n{ANY}then: {{ask: two}}\n",
    }
    found = decided(at_work(cards, ports={"store": store}, clock=clock))
    assert given == [15.0, 5.0] and found.reason == "budget"


def test_what_is_asked_side_by_side_counts_once_as_time_outside() -> None:
    clock, both = Clock(), asyncio.Event()
    inside = list[str]()

    async def together(request: Request) -> Mapping[str, Any]:
        if request.question != "answer":
            inside.append(request.question)
            if len(inside) == 2:
                clock.at += 3.0
                both.set()
            await both.wait()
        return _by_question(request)

    class Slow(MemoryMarks):
        def live(self, keys: Mapping[str, str], now: dt.datetime) -> list[MarkEntry]:
            clock.at += 1.0
            return []

    cards = {"questions/one": f"{ACT}at: topic\n", "questions/two": f"{ACT}at: topic\n"}
    line = at_work(cards, together, clock=clock)
    found = decided(line.with_rooms(marks=Slow(line.line)))
    assert found.own == found.seconds - 3.0 >= 1.0


@pytest.mark.parametrize("point", ["delivery", "record"])
@pytest.mark.parametrize(
    "cards, place",
    [
        ({"gates/x": f"at: POINT\n{ANY}then: {{ask: rating}}\n"}, "gates/x"),
        ({"gates/x": f"at: POINT\n{ANY}then: [{{ask: rating}}, next]\n"}, "gates/x"),
        ({"questions/other": f"{KIND}at: POINT\n"}, "questions/other"),
    ],
)
def test_nothing_is_asked_where_nobody_waits_for_an_answer(cards: Mapping[str, str], place: str, point: str) -> None:
    made = {name: text.replace("POINT", point) for name, text in cards.items()}
    _, problems = compiled({**CARDS, "questions/rating": KIND, **made}, LINE)
    assert [one.place.file for one in problems] == [f"cards/demo/{place}.yaml"]
    assert f"Nothing is asked at `{point}`" in problems[0].says and problems[0].place.line
