"""The hardest decisions of four message lines, as cards: every example holds, and each decision shows both its sides."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from card_projects import built_and_checked, examples_of, failure_of, lines_of, shows_both

from engine.language.examples import turn_of
from engine.language.kinds import Example
from engine.language.run import run_point
from engine.language.turn import Turn

PROJECT = "four_lines"
DECISIONS = [
    "S1-18",
    "S1-36",
    "S1-37",
    "S1-51",
    "S1-60",
    "S1-61",
    "S1-64",
    "S2-12",
    "S2-14",
    "S2-29",
    "S2-30",
    "S2-40",
    "S2-48",
    "S3-05",
    "S3-24",
    "S3-33",
    "S3-35",
    "S3-37",
    "S3-38",
    "S3-76",
    "S3-77",
    "S3-79",
    "S3-82",
    "S4-17",
    "S4-35",
    "S4-54",
]
PARTS = {  # of decisions with several cards, all of them
    "S3-24": "owner_bypass blocked not_allowlisted exempt active_hours level_low",
    "S4-17": "order_number_given change_yes change_yes_not_open change_no thanks_after_unanswered",
    "S4-35": "person_wrote_15 person_wrote_60 burst same_text_twice open_handover send_switch",
}


@pytest.mark.parametrize("line, card, index", examples_of(PROJECT))
def test_an_example(line: str, card: str, index: int) -> None:
    assert not failure_of(PROJECT, line, card, index)


@pytest.mark.parametrize("decision", DECISIONS)
def test_a_decision_has_cards_that_name_it_and_show_both_its_sides(decision: str) -> None:
    named = [
        card
        for line in lines_of(PROJECT).values()
        for card in line.source.cards.values()
        if decision in re.findall(r"S\d-\d+", card.body.why)
    ]
    shown = {card.id for card in named if shows_both(card)}
    assert shown, f"no card names {decision} and shows both its sides"
    assert set(PARTS.get(decision, "").split()) <= shown


def test_the_lines_build_and_check_without_a_finding(tmp_path: Path) -> None:
    built, checked, said = built_and_checked(PROJECT, tmp_path)
    assert (built, checked) == (0, 0), said


# what one example cannot show, because it is one turn


def turn(line: str, before: Turn | None = None, **example: object) -> Turn:
    """A turn of a line, with the marks that the turn before left."""
    made = turn_of(lines_of(PROJECT)[line], Example.model_validate(example))
    if before is not None:
        made.marks = list(before.marks)
    return made


@pytest.mark.parametrize("people, ending", [(("person-1", "person-2"), "silent"), (("person-1", "person-1"), "next")])
def test_the_bot_has_talked_too_much_only_among_several_people(people: tuple[str, ...], ending: str) -> None:
    """S3-38 with marks that cards have set, message by message: it counts who wrote, not only where."""
    before: Turn | None = None
    for person in people * 3:
        before = turn("group", before, message="hello", facts={"message.from": "user", "sender.id": person})
        run_point("arrive", before)
        before = turn("group", before, facts={"delivered.sent": True, "message.direct": True, "sender.id": person})
        run_point("record", before)
    now = turn("group", before, message="hm", facts={"message.direct": False, "sender.id": people[0]},
               asked={"rating": {"directed": False, "chat_in": 0.9}})  # fmt: skip
    result = run_point("fixed", now)
    assert result.ending.kind == ("end" if ending == "silent" else "next")
    assert result.reason == ("ignored_talks_too_much" if ending == "silent" else "")


def test_the_pause_of_the_third_circle_holds_on_the_next_message_and_not_for_others() -> None:
    """S3-82 over four messages of one person: two hits, the pause, and then silence before anything is asked."""
    before: Turn | None = None
    for hit in range(3):
        before = turn("group", before, message="Thank you!", answer="Thanks", facts={"message.direct": True},
                      asked={"audit": {"contentless": True, "purposeless": True}})  # fmt: skip
        ending = run_point("review", before).ending
        assert ending.name == ("silent" if hit == 2 else "")
    assert run_point("limits", turn("group", before, message="hello?")).reason == "ignored_response_suppression"
    for other in ("somebody-else", "owner-1"):
        assert not run_point("limits", turn("group", before, message="hello?", facts={"sender.id": other})).ended


def test_a_hand_over_lasts_until_a_person_of_the_line_has_written() -> None:
    """S4-35: opened by a held message at `record`, closed by the person's own line at `arrive`."""
    held = turn("support", message="this is odd", facts={"decision.outcome": "hold"})
    run_point("record", held)
    facts = {"decision.topic": "order_status", "decision.source": "text"}
    assert run_point("outcome", turn("support", held, message="hello?", facts=facts)).reason == "held_open_handover"
    reply = turn("support", held, message="Solved.", facts={"message.from": "staff", "sender.id": "staff-1"})
    run_point("arrive", reply)
    assert not run_point("outcome", turn("support", reply, message="hello?", facts=facts)).ended


def test_a_confirmed_change_is_asked_for_once() -> None:
    """S4-17: the yes takes the proposal away, so a second yes changes nothing."""
    yes = turn("support", message="yes", history=[{"mark": "pending_change", "with": {"kind": "cancel"}}])
    assert run_point("fast", yes).ending.kind == "ask"
    assert not run_point("fast", turn("support", yes, message="yes")).ended
