"""Why a message ended so, and the smallest conditions by which it would have ended otherwise, proven by deciding again."""

from __future__ import annotations

from typing import Any

import pytest
from path_parts import GUARD, Scripted, at_work, decided

from engine.evidence.again import again
from engine.evidence.counterfactual import Search, search
from engine.evidence.why import changes, told
from engine.log import DecisionLog

GATE = {
    "gates/angry": "at: pre-gate\nwhen:\n  message.text: {matches: ['\\bangry\\b']}\n  any:\n    - {sender.known: true}\n    - {chat.group: false}\nunless: {sender.marked_bot: true}\nthen: hold\n",
}


def _flips(found: Search) -> list[list[str]]:
    return [[f"{flip.card}: {flip.says} → {flip.wanted}" for flip in change.flips] for change in found.changes]


def test_a_turn_decided_again_ends_as_it_did_and_asks_nobody() -> None:
    model = Scripted("I promise: call +44 20 7946 0999.", "Call +44 20 7946 0100.")
    line = at_work(GUARD, models=model)
    found = decided(line)
    then = again(line, found, {}, {})
    assert (then.decision.outcome, then.decision.text, len(then.decision.verdicts)) == (
        "send",
        "Call +44 20 7946 0100.",
        2,
    )
    assert len(model.seen) == 2 and not then.asked


def test_a_gate_that_held_and_what_would_have_let_it_pass() -> None:
    line = at_work(GATE)
    found = search(line, decided(line, "I am angry", sender__known=True), "send")
    ways = _flips(found)
    assert ["gates/angry: message.text matches ['\\\\bangry\\\\b'] → False"] in ways or any(
        "angry" in str(way) for way in ways
    )
    assert all(len(way) == 1 for way in ways)
    assert any(change.asks == ("answer",) for change in found.changes)
    assert any("sender.marked_bot" in str(way) for way in ways)


def test_both_branches_of_an_any_are_needed_to_fail_it() -> None:
    cards = {"gates/two": "at: pre-gate\nwhen: {any: [{sender.known: true}, {chat.group: false}]}\nthen: hold\n"}
    line = at_work(cards)
    found = search(line, decided(line, "hi", sender__known=True, chat__group=False), "send")
    assert [len(way) for way in _flips(found)] == [2]


def test_a_verdict_that_held_an_answer() -> None:
    cards = {"guard/phone": "when: {answer.phones: {not_in: [$line.phones]}}\nthen: hold\n"}
    line = at_work(cards, "Call +44 20 7946 0999.")
    found = search(line, decided(line), "send")
    assert _flips(found)[0][0].startswith("guard/phone: answer.phones") and found.changes[0].outcome == "send"


def test_a_closed_wave_is_opened_by_its_switch() -> None:
    line = at_work({})
    line.rooms.switches.set["w1"] = "off"  # type: ignore[attr-defined]
    found = search(line, decided(line), "send")
    assert _flips(found) == [["line.yaml: switches.w1: on → True"]]


def test_what_would_have_kept_a_sent_answer_back() -> None:
    stop = {"gates/lately": "at: outcome\nwhen: {staff.replied_ago: {at_most: 1 h}}\nthen: draft\n"}
    line = at_work(stop)
    found = search(line, decided(line), "send")
    assert any("switches.w1" in str(way) for way in _flips(found))
    assert any("staff.replied_ago" in str(way) for way in _flips(found))
    assert all(change.outcome != "send" for change in found.changes)


def test_what_no_condition_decided_is_said_so() -> None:
    line = at_work({}, "")
    found = search(line, decided(line), "send")
    assert not found.changes and found.says


def test_cards_that_have_changed_since_are_said_so() -> None:
    found = decided(at_work(GATE), "I am angry", sender__known=True)
    assert "today's cards" in search(at_work({}), found, "send").says


@pytest.mark.parametrize("message, known", [("I am angry", True), ("hello", False)])
def test_every_set_that_is_told_really_changes_the_outcome(message: str, known: bool) -> None:
    line = at_work({**GATE, **GUARD})
    decision = decided(line, message, sender__known=known)
    found = search(line, decision, "send")
    from engine.language.conditions import NO, YES

    for change in found.changes:
        forced = {flip.leaf: YES if flip.wanted else NO for flip in change.flips if flip.leaf}
        switches = {flip.switch: "on" if flip.wanted else "off" for flip in change.flips if flip.switch}
        then = again(line, decision, forced, switches)
        assert then.asked or (then.decision.outcome == "send") is not (decision.outcome == "send")
    assert found.changes


def test_one_screen_tells_card_evidence_and_change(tmp_path: Any) -> None:
    line = at_work(GATE)
    log = DecisionLog(tmp_path / "log.sqlite")
    decision = decided(line, "I am angry", sender__known=True)
    log.write(decision)
    screen = "\n".join(told(line, log.get(decision.id)))
    for part in (
        "I am angry\n     ~~~~~",
        "hold · angry",
        "A title",
        "A reason",
        "cards/demo/gates/angry.yaml",
        "message.text: angry at 5–10",
    ):
        assert part in screen, part
    words = "\n".join(changes(search(line, decision, "send"), "hold", "send"))
    assert "1 condition" in words and "would have to fail" in words
