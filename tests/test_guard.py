"""The guard: all verdicts, one repair with every text, the repaired answer whole, then the strictest ending."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from one_card import compiled
from path_parts import CARDS, GUARD, LINE, NOW, Clock, Near, Scripted, at_work, decided, facts_of

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


# no way round: whatever brings the words, the guard has seen them as they leave

LEAVES = "Call +44 20 7946 0999."
KNOWN = Near(*[("a", 0.9, LEAVES)] * 3)
SHORT = {"questions/short": "calls: model\nreads: [message.text]\nfields: {line: text}\n"}
ANY = "when: {message.text: {empty: false}}\n"


@pytest.mark.parametrize(
    "cards, said, message",
    [
        pytest.param({"gates/k": f"at: review\n{ANY}then: {{say: $topic.answer}}\n"}, "Fine.", "hi", id="kept answer behind the guard"),
        pytest.param({"gates/k": f"at: finish\n{ANY}then: {{say: $short.line}}\n", **SHORT}, "Fine.", "hi", id="words of another question"),
        pytest.param({"gates/k": f"at: fast\n{ANY}then: [{{ask: short, say: $short.line}}, hold]\n", **SHORT}, "Fine.", "hi", id="words asked for by a card"),
        pytest.param({"gates/k": f"at: fast\n{ANY}then: {{say: line}}\n", "texts/line": "words: 'So: {short.line}'\n", **SHORT}, "Fine.", "hi", id="a model's words in a text"),
        pytest.param({"gates/k": f"at: fast\n{ANY}then: {{say: outer}}\n", "texts/line": "words: '{short.line}'\n", "texts/outer": "words: 'So: {texts.line}'\n", **SHORT}, "Fine.", "hi", id="a model's words in a text in a text"),
        pytest.param({"gates/k": f"at: fast\n{ANY}then: {{say: $message.text}}\n"}, "Fine.", LEAVES, id="a fact that is said"),
        pytest.param({"gates/k": "at: person-needed\nwhen: {answer.text: {empty: false}}\nthen: send\n"}, LEAVES, "hi", id="sent before the guard"),
        pytest.param({"gates/k": "at: person-needed\nwhen: {answer.text: {empty: false}}\nthen: {say: $answer.text}\n"}, LEAVES, "hi", id="said before the guard"),
        pytest.param({"gates/k": f"at: fixed\n{ANY}then: {{ask: answer}}\n", "gates/l": f"at: live\n{ANY}then: send\n"}, LEAVES, "hi", id="asked and sent early"),
        pytest.param({"gates/k": f"at: answer\n{ANY}then: send\n"}, LEAVES, "hi", id="a gate beside the guard sends"),
        pytest.param({"guard/f": "at: finish\nwhen: {answer.text: {matches: ['\\bone\\b']}}\nedit: {replace: match, with: two}\n",
                      "guard/r": "at: review\nwhen: {answer.text: {matches: ['\\btwo\\b']}}\nedit: {replace: match, with: '+44 20 7946 0999'}\n"}, "Call one.", "hi", id="edited twice behind the guard"),
        pytest.param({"guard/r": "at: review\nwhen: {answer.text: {matches: ['\\bours\\b']}}\nedit: {replace: match, with: '+44 20 7946 0999'}\n",
                      "guard/rr": "at: review\nwhen: {answer.text: {matches: ['\\bbad\\b']}}\nrepair: Not bad.\nthen: hold\n"}, ("Call bad.", "Call ours."), "hi", id="edited after the repair"),
    ],
)  # fmt: skip
def test_no_words_leave_that_the_guard_has_not_seen(cards: dict[str, str], said: Any, message: str) -> None:
    left = [said] if isinstance(said, str) else list(said)

    def model(request: Request) -> dict[str, Any]:
        if request.question == "short":
            return {"line": LEAVES}
        return {"text": left.pop(0) if len(left) > 1 else left[0], "person": False}

    found = decided(at_work({**GUARD, **cards}, model, knowledge=KNOWN), message)
    assert (found.outcome, found.reason, found.text) == ("hold", "phone", None)


@pytest.mark.parametrize(
    "guard, outcome, reason, text",
    [
        ("then: draft\n", "draft", "kept", "Kept here."),
        ("then: send\n", "send", "kept", "Kept here."),
        ("then: {say: sorry}\n", "send", "kept", "A person will look at it."),
        ("edit: {replace: match, with: Held}\n", "send", "known", "Held here."),
        ("then: hold\n", "hold", "kept", None),
    ],
)
def test_what_the_guard_makes_of_a_kept_answer(guard: str, outcome: str, reason: str, text: str | None) -> None:
    cards = {
        "guard/kept": f"when: {{answer.text: {{matches: ['\\bkept\\b']}}}}\n{guard}",
        "gates/known": "at: verbatim\nwhen: {topic.nearest: a}\nthen: {say: $topic.answer}\n",
        "texts/sorry": GUARD["texts/sorry"],
    }
    if "sorry" not in guard:
        del cards["texts/sorry"]
    found = decided(at_work(cards, knowledge=Near(*[("a", 0.9, "Kept here.")] * 3)))
    assert (found.outcome, found.reason, found.text) == (outcome, reason, text)


def test_a_gate_that_asks_beside_the_guard_does_not_make_it_speak_twice() -> None:
    cards = {
        "questions/act": "calls: model\nreads: [message.text]\nfields: {ok: yes_no}\n",
        "marks/noted": "scope: sender\nlasts: 1 h\n",
        "guard/note": "when: {answer.text: {matches: ['\\bfine\\b']}}\nalso: {set: noted}\n",
        "gates/act": f"at: answer\n{ANY}then: {{ask: act}}\n",
    }
    model = Scripted(lambda request: {"ok": True} if request.question == "act" else {"text": "Fine.", "person": False})
    found = decided(at_work(cards, models=model))
    assert [one.card for one in found.verdicts] == ["note"] and len(found.pending.sets) == 1


def test_a_verdict_that_holds_beats_a_gate_that_asks() -> None:
    cards = {
        "questions/act": "calls: model\nreads: [message.text]\nfields: {ok: yes_no}\n",
        "guard/never": "when: {answer.text: {matches: ['\\bfine\\b']}}\nthen: hold\nalso: {alert: boss}\n",
        "gates/act": f"at: answer\n{ANY}then: {{ask: act}}\n",
        "roles/boss": "may: [read]\n",
    }
    model = Scripted({"text": "Fine.", "person": False})
    found = decided(at_work(cards, models=model))
    assert (found.reason, len(found.effects), len(model.seen)) == ("never", 1, 1)


def test_a_repair_text_may_name_what_another_question_finds() -> None:
    cards = {
        "questions/tone": "calls: model\nreads: [message.text]\nfields: {word: text}\n",
        "guard/rude": "when: {answer.text: {matches: ['\\brude\\b']}}\nrepair: Be {tone.word}.\nthen: hold\n",
    }
    said = iter(["rude", "Kind."])
    model = Scripted(
        lambda request: {"word": "kind"} if request.question == "tone" else {"text": next(said), "person": False}
    )
    found = decided(at_work(cards, models=model))
    assert found.text == "Kind." and json.loads(model.seen[-1].turns[2][1]) == {"repair": ["Be kind."]}


@pytest.mark.parametrize("point", ["finish", "review"])
def test_there_is_one_repair_in_a_turn_wherever_the_second_fault_is_found(point: str) -> None:
    late = f"at: {point}\nwhen: {{answer.text: {{matches: ['\\bsoon\\b']}}}}\nrepair: Not soon.\nthen: hold\n"
    model = Scripted("I promise.", "It comes soon.", "Fine.")
    found = decided(at_work({**GUARD, "guard/soon": late}, models=model))
    assert (found.outcome, found.reason, len(model.seen)) == ("hold", "soon", 2)
    model = Scripted("It comes soon.", "Fine.")
    assert decided(at_work({**GUARD, "guard/soon": late}, models=model)).text == "Fine."
    model = Scripted("It comes soon.", "I promise.", "Fine.")
    found = decided(at_work({**GUARD, "guard/soon": late}, models=model))
    assert (found.text, len(model.seen)) == ("A person will look at it.", 2)


@pytest.mark.parametrize(
    "answer, outcome", [("I promise it.", "send"), ("Call +44 20 7946 0999.", "hold"), ("Fine.", "send")]
)
def test_a_gate_that_passes_beside_the_guard_does_not_silence_it(answer: str, outcome: str) -> None:
    cards = {**GUARD, "gates/owner": "at: answer\nwhen: {sender.id: s1}\nthen: pass\n"}
    found = decided(at_work(cards, answer, answer))
    assert found.outcome == outcome and found.text != "I promise it."


def test_a_question_that_brings_no_answer_cannot_repair_one() -> None:
    cards = {
        "guard/x": "when: {answer.text: x}\nrepair: {ask: rate}\nthen: hold\n",
        "questions/rate": "calls: model\nfields: {good: yes_no}\n",
    }
    assert [one.code for one in compiled({**CARDS, **cards}, LINE)[1]] == ["bad_form"]
