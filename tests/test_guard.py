"""The guard: all verdicts, one repair with every text, the repaired answer whole, then the strictest ending."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from path_parts import GUARD, NOW, Clock, Near, Scripted, at_work, decided, facts_of

from engine.ports import CallFailed, Request

BAD = "I promise: call +44 20 7946 0999."
GOOD = "Call +44 20 7946 0100."


def test_all_verdicts_go_into_one_repair_in_the_order_of_the_line() -> None:
    model = Scripted(BAD, GOOD)
    found = decided(at_work(GUARD, models=model))
    assert (found.outcome, found.text) == ("send", GOOD)
    assert [one.card for one in found.verdicts] == ["phone", "promise"]
    assert len(model.seen) == 2 and model.seen[1].turns[0] == model.seen[0].turns[0]
    assert json.loads(model.seen[1].turns[2][1]) == {"repair": ["Leave +44 20 7946 0999 out.", "Promise nothing."]}
    assert model.seen[1].system == model.seen[0].system


@pytest.mark.parametrize(
    "second, outcome, reason, text",
    [
        (BAD, "hold", "phone", None),  # hold beats a text
        ("I promise it.", "send", "promise", "A person will look at it."),  # the fall-back
        (GOOD, "send", "w1", GOOD),
        (CallFailed("unavailable", "gone"), "hold", "phone", None),  # the first endings stand
    ],
)
def test_the_repaired_answer_is_guarded_whole_and_the_strictest_ending_wins(
    second: Any, outcome: str, reason: str, text: str | None
) -> None:
    model = Scripted(BAD, second)
    found = decided(at_work(GUARD, models=model))
    assert (found.outcome, found.reason, found.text, len(model.seen)) == (outcome, reason, text, 2)


def test_a_new_fault_in_the_repaired_answer_is_a_verdict_of_the_second_round() -> None:
    found = decided(at_work(GUARD, "I promise it.", "Call +44 20 7946 0999."))
    assert [(one.card, one.round) for one in found.verdicts] == [("promise", 1), ("phone", 2)]
    assert found.outcome == "hold"


def test_no_repair_is_asked_below_its_floor() -> None:
    clock = Clock()

    def slow(request: Request) -> str:
        clock.at += 15.0
        return BAD

    model = Scripted(slow)
    line = at_work({**GUARD, "limits/budget": "value: 22 s\n"}, models=model, clock=clock)
    assert decided(line).outcome == "hold" and len(model.seen) == 1


def test_a_verdict_without_repair_that_holds_asks_for_none() -> None:
    cards = {**GUARD, "guard/never": "when: {answer.text: {matches: ['\\bpromise\\b']}}\nthen: hold\nreason: never\n"}
    model = Scripted(BAD, GOOD)
    assert decided(at_work(cards, models=model)).outcome == "hold" and len(model.seen) == 1


def test_another_question_may_repair() -> None:
    cards = {
        "guard/promise": "when: {answer.text: {matches: ['\\bpromise\\b']}}\nrepair: {ask: again}\nthen: hold\n",
        "questions/again": "calls: model\nreads: [message.text]\nfills: answer\nfields: {text: text}\n",
    }
    model = Scripted("I promise.", {"text": "Better."})
    found = decided(at_work(cards, models=model))
    assert [one.question for one in model.seen] == ["answer", "again"] and found.text == "Better."


def test_a_verdict_may_enter_the_ladder_of_the_question() -> None:
    cards = {
        "guard/blank": "when: {answer.text: {matches: ['^\\s*nothing\\s*$']}}\ncounts_as: empty\nthen: hold\n",
        "ladders/model": "for: model\nerrors: {empty: [{times: 1}, {give_up: hold}]}\n",
        "questions/answer": "calls: model\nreads: [message.text]\nfills: answer\nladder: model\nfields: {text: text, person: yes_no}\n",
    }
    found = decided(at_work(cards, "nothing", "Something."))
    assert (found.outcome, found.text) == ("send", "Something.")
    assert decided(at_work(cards, "nothing", "nothing")).outcome == "hold"


def test_an_edit_is_applied_and_looked_at_again() -> None:
    cards = {"guard/link": "when: {answer.links: {empty: false}}\nedit: {remove: match}\n"}
    found = decided(at_work(cards, "Look at https://evil.example now."))
    assert found.outcome == "send" and "evil" not in (found.text or "") and found.text


def test_an_answer_edited_at_review_passes_its_guard_again() -> None:
    cards = {
        **GUARD,
        "guard/swap": "at: review\nwhen: {answer.text: {matches: ['\\bours\\b']}}\nedit: {replace: match, with: '+44 20 7946 0999'}\n",
    }
    found = decided(at_work(cards, "Call ours."))
    assert found.outcome == "hold" and found.reason == "phone"


def test_a_kept_answer_passes_the_guard_too() -> None:
    cards = {**GUARD, "gates/known": "at: verbatim\nwhen: {topic.nearest: a}\nthen: {say: $topic.answer}\n"}
    bad, good = Near(*[("a", 0.9, "Call +44 20 7946 0999.")] * 3), Near(*[("a", 0.9, GOOD)] * 3)
    model = Scripted("never asked")
    assert decided(at_work(cards, models=model, knowledge=bad)).reason == "phone"
    assert decided(at_work(cards, models=model, knowledge=good)).text == GOOD
    assert not model.seen


def test_what_a_function_of_the_caller_says_passes_the_guard_too() -> None:
    asked = list[Request]()

    def call(request: Request) -> str:
        asked.append(request)
        return BAD if len(asked) == 1 else GOOD

    answer = at_work(GUARD).wrap(call)
    found = asyncio.run(answer(facts_of("hi"), now=NOW))
    assert (found.text, len(asked)) == (GOOD, 2)


@pytest.mark.parametrize(
    "broken", [lambda request: 7, lambda request: {"text": 7}, lambda request: {}, lambda request: 1 / 0]
)
def test_a_function_that_gives_no_answer_ends_as_hold(broken: Any) -> None:
    found = asyncio.run(at_work(GUARD).wrap(broken)(facts_of("hi"), now=NOW))
    assert (found.outcome, found.reason) == ("hold", "answer_unavailable")


def test_a_check_that_fails_holds() -> None:
    found = decided(at_work(GUARD, "x" * 30_000))
    assert found.outcome == "hold" and found.reason == "long_text_unavailable"
