"""What leaves: waves open and closed, stops that only make it stricter, switches that act at once; what a commit writes."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any

import pytest
from path_parts import NOW, at_work, decided

TEXT = {
    "gates/hi": "at: fast\nwhen: {message.text: {matches: ['\\bhi\\b']}}\nthen: {say: hi}\n",
    "texts/hi": "words: Hi.\n",
}


@pytest.mark.parametrize(
    "wave, switch, outcome, text",
    [
        ("opens: {decision.source: text}\nswitch: w1\n", "on", "send", "Hi."),
        ("opens: {decision.source: text}\nswitch: w1\n", "off", "draft", "Hi."),
        ("opens: {decision.source: text}\nswitch: w1\nclosed: hold\n", "off", "hold", None),
        ("opens: {decision.source: text}\nswitch: always\n", "off", "send", "Hi."),
        ("opens: {decision.source: model}\nswitch: w1\n", "on", "draft", "Hi."),
        ("opens: {decision.source: text}\nswitch: w1\n", "maybe", "draft", "Hi."),
    ],
)
def test_a_wave_lets_a_decision_out_or_not(wave: str, switch: str, outcome: str, text: str | None) -> None:
    line = at_work({**TEXT, "waves/w1": wave})
    line.rooms.switches.set["w1"] = switch  # type: ignore[attr-defined]
    found = decided(line, "hi")
    assert (found.outcome, found.text, found.reason) == (outcome, text, "hi")


@pytest.mark.parametrize(
    "then, outcome", [("send", "send"), ("draft", "draft"), ("silent", "silent"), ("hold", "hold")]
)
def test_a_stop_only_makes_it_stricter(then: str, outcome: str) -> None:
    stop = {"gates/stop": f"at: outcome\nwhen: {{decision.text: {{empty: false}}}}\nthen: {then}\n"}
    assert decided(at_work({**TEXT, **stop}), "hi").outcome == outcome
    closed = at_work({**TEXT, **stop, "waves/w1": "opens: {decision.source: text}\nswitch: w1\nclosed: hold\n"})
    closed.rooms.switches.set["w1"] = "off"  # type: ignore[attr-defined]
    assert decided(closed, "hi").outcome == "hold"


def test_a_switch_acts_on_the_next_turn_of_a_line_that_runs() -> None:
    stop = {"gates/send_off": "at: outcome\nwhen: {switches.send: off}\nthen: draft\n"}
    line = at_work({**TEXT, **stop})
    assert decided(line, "hi").outcome == "send"
    line.rooms.switches.set["send"] = "off"  # type: ignore[attr-defined]
    assert (decided(line, "hi").outcome, decided(line, "hi").reason) == ("draft", "send_off")


def test_people_are_looked_for_again_before_the_outcome() -> None:
    seen = [{}, {"staff.replied_ago": "1 min"}]

    async def staff(facts: Mapping[str, Any], seconds: float) -> Mapping[str, Any]:
        return seen.pop(0)

    stop = {"gates/person": "at: outcome\nwhen: {staff.replied_ago: {at_most: 15 min}}\nthen: draft\n"}
    assert decided(at_work({**TEXT, **stop}, sources={"staff": staff}), "hi").reason == "person"


def test_an_empty_answer_is_never_sent() -> None:
    assert (decided(at_work({}, "  ")).outcome, decided(at_work({}, "")).text) == ("hold", None)


MARKS = {
    "marks/asked": "scope: sender\nlasts: 1 h\n",
    "marks/sent": "scope: sender\nlasts: 1 h\n",
    "marks/came": "scope: sender\nlasts: 1 h\n",
    "gates/came": "at: arrive\nwhen: {message.text: {empty: false}}\nalso: {set: came}\n",
    "gates/ask": "at: fast\nwhen: {message.text: {empty: false}}\nalso: {set: asked}\n",
    "gates/sent": "at: record\nwhen: {delivered.sent: true, delivered.source: model}\nalso: {set: sent}\n",
}


@pytest.mark.parametrize("delivered, marks", [(True, ["asked", "came", "sent"]), (False, ["asked", "came"])])
def test_a_commit_writes_the_marks_and_what_follows_a_real_send(delivered: bool, marks: list[str]) -> None:
    line = at_work(MARKS)
    found = decided(line)
    assert [one.mark for one in line.rooms.marks.entries] == ["came"]  # type: ignore[attr-defined]
    line.commit(found, delivered, NOW + dt.timedelta(seconds=30))
    line.commit(found, delivered, NOW + dt.timedelta(seconds=40))
    assert sorted(one.mark for one in line.rooms.marks.entries) == marks  # type: ignore[attr-defined]


def test_marks_of_an_order_are_found_once_its_number_is_known() -> None:
    cards = {
        "marks/known": "scope: order\nlasts: 1 h\n",
        "gates/bind": "at: fast\nwhen: {message.order_numbers: {empty: false}}\nalso: [{bind: {order.number: $message.order_numbers}}, {set: known}]\n",
        "gates/again": "at: topic\nwhen: {marks.known: {at_least: 2}}\nthen: hold\n",
    }
    line = at_work(cards)
    line.commit(decided(line, "AB-1234"), True, NOW)
    assert decided(line, "AB-1234 again").reason == "again"
    assert decided(line, "AB-9999 other").outcome == "send"


@pytest.mark.parametrize(
    "card, outcome, reason",
    [
        ({"gates/weak": "at: review\nwhen: {message.text: {empty: false}}\nthen: draft\n"}, "draft", "weak"),
        ({"guard/weak": "when: {answer.text: {empty: false}}\nthen: draft\n"}, "draft", "weak"),
        ({"gates/weak": "at: review\nwhen: {message.text: {empty: false}}\nthen: send\n"}, "send", "weak"),
        ({}, "send", "w1"),
    ],
)
def test_the_reason_is_the_card_that_spoke_and_else_the_wave(
    card: Mapping[str, str], outcome: str, reason: str
) -> None:
    found = decided(at_work(card))
    assert (found.outcome, found.reason, found.text, found.wave) == (outcome, reason, "Fine.", "w1")


def test_a_stop_looks_at_every_outcome_and_can_make_each_stricter() -> None:
    cards = {
        "gates/quiet": "at: fast\nwhen: {message.text: {matches: ['\\bhush\\b']}}\nthen: silent\n",
        "gates/heard": "at: outcome\nwhen: {decision.outcome: silent}\nthen: hold\nalso: {alert: boss}\n",
        "gates/text": "at: outcome\nwhen: {decision.source: text}\nthen: draft\n",
        "roles/boss": "may: [read]\n",
    }
    found = decided(at_work(cards), "hush")
    assert (found.outcome, found.reason, [one.name for one in found.effects]) == ("hold", "heard", ["boss"])
    assert decided(at_work({**cards, **TEXT}), "hi").reason == "text"
