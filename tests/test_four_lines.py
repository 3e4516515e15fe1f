"""The hardest decisions of four message lines, as cards: every example holds, and each decision shows both its sides."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from card_projects import PROJECTS, built_and_checked, examples_of, failure_of, lines_of

from engine.files import read_tree
from engine.language.compile import compile_line
from engine.language.examples import run_examples, turn_of
from engine.language.kinds import Example
from engine.language.project import Card, read_project
from engine.language.run import run_point
from engine.language.turn import Turn

PROJECT = "four_lines"
DECISIONS = {  # decision: its line, and the cards that state it
    "S3-05": ("group", "private_admission"),
    "S3-24": ("group", "owner_bypass blocked not_allowlisted exempt active_hours level_low"),
    "S3-33": ("group", "rating"),
    "S3-35": ("group", "not_wanted"),
    "S3-37": ("group", "level_not_met cooldown_starts"),
    "S3-38": ("group", "talks_too_much"),
    "S3-76": ("group", "dedup"),
    "S3-77": ("group", "said_already_unprompted dedup_rewrite"),
    "S3-79": ("group", "audit_failed_unprompted"),
    "S3-82": ("group", "loop_hit loop_pause paused_sender"),
    "S1-18": ("office", "mention_group"),
    "S1-36": ("office", "greeting"),
    "S1-37": ("office", "yes_ok"),
    "S1-51": ("office", "owner admin member guest row_out_of_scope"),
    "S1-60": ("office", "model"),
    "S1-61": ("office", "model"),
    "S1-64": ("office", "claims_saved"),
    "S2-12": ("team", "main_bot member_bot peer_tool_not_allowed interrupt"),
    "S2-14": ("team", "count_hop hops"),
    "S2-29": ("team", "lifecycle"),
    "S2-30": ("team", "work_under_way"),
    "S2-40": ("team", "no_secrets"),
    "S2-48": ("team", "secret_in_item secret_values_log secret_values_request"),
    "S4-17": (
        "support",
        """order_number_given change_proposed proposal_overtaken proposal_overtaken_by_person change_yes
        change_yes_not_open change_no thanks_after_unanswered change_wave_open w12 w12_reschedule declined""",
    ),
    "S4-35": (
        "support",
        "send_switch open_handover person_wrote_15 person_wrote_60 burst same_text_twice narrow_class",
    ),
    "S4-54": ("support", "summary_private"),
}
NUMBERS = {  # of the decisions, each in a limit card of its own
    "group": "loop_hits cooldown talk_window talk_lines talk_share dedup_lately dedup_sure",
    "team": "hops check_line secret_long secret_short",
    "support": "person_wide person_narrow burst",
}
MUTATIONS = [  # a card, and the examples of a card that must notice the change
    ("group/gates/private_admission", "{chat.group: true}, ", "", "private_admission"),
    (
        "group/gates/private_admission",
        "unless: {any: [{chat.group: true}, {sender.role: owner}]}",
        "",
        "private_admission",
    ),
    ("group/line", "staff: [owner_bypass, blocked,", "staff: [blocked, owner_bypass,", "owner_bypass"),
    ("group/line", "not_allowlisted, exempt, active", "exempt, not_allowlisted, active", "not_allowlisted"),
    ("group/gates/active_hours", "on_error: next", "on_error: hold", "active_hours"),
    ("group/gates/not_wanted", "rating.directed: false, ", "", "not_wanted"),
    ("group/limits/cooldown", "value: 30 s", "value: 31 s", "level_not_met"),
    ("group/gates/cooldown_starts", "when: {delivered.sent: true, ", "when: {", "cooldown_starts"),
    ("group/gates/talks_too_much", "unless: {line.chat_level: no_limit}", "", "talks_too_much"),
    ("group/limits/talk_share", "value: 25 %", "value: 24 %", "talks_too_much"),
    ("group/limits/talk_lines", "value: 3", "value: 2", "talks_too_much"),
    ("group/gates/talks_too_much", "over: 1}", "at_least: 1}", "talks_too_much"),
    ("group/limits/dedup_lately", "value: 2 min", "value: 122 s", "dedup"),
    ("group/limits/dedup_sure", "value: 0.9", "value: 0.89", "said_already_unprompted"),
    ("group/guard/said_already_unprompted", "unless: {message.direct: true}", "", "said_already_unprompted"),
    ("group/gates/audit_failed_unprompted", "unless: {message.direct: true}", "", "audit_failed_unprompted"),
    ("group/gates/loop_hit", "unless: {sender.role: owner}", "", "loop_hit"),
    ("group/gates/loop_hit", "audit.dense: true, ", "", "loop_hit"),
    ("group/limits/loop_hits", "within: 30 min", "within: 32 min", "loop_pause"),
    ("group/limits/loop_hits", "value: 3", "value: 4", "loop_pause"),
    ("office/gates/mention_group", ", {message.quotes_bot: true}", "", "mention_group"),
    ("office/line", "fast: [yes_ok, greeting]", "fast: [greeting, yes_ok]", "yes_ok"),
    ("office/gates/greeting", "  chat.group: false\n", "", "greeting"),
    ("office/gates/row_out_of_scope", ", {item.scope: {in: $sender.reads}}", "", "row_out_of_scope"),
    ("office/ladders/model", "{wait: 4 s}, {key: second}", "{wait: 4 s}", "model"),
    ("office/guard/claims_saved", "it.family: memory", "it.family: {in: [memory, calendar]}", "claims_saved"),
    ("team/roles/member_bot", "may: [message_bot]", "may: [message_bot, interrupt_bot]", "peer_tool_not_allowed"),
    ("team/gates/interrupt", ", sender.role: main_bot", "", "interrupt"),
    ("team/limits/hops", "value: 6", "value: 5", "hops"),
    ("team/limits/check_line", "value: 80 %", "value: 81 %", "lifecycle"),
    ("team/guard/no_secrets", "{14,}", "{15,}", "no_secrets"),
    ("team/limits/secret_long", "value: 8", "value: 9", "secret_in_item"),
    ("team/terms/secret_in_item", ", alone: true", "", "secret_in_item"),
    ("support/gates/change_yes", "  terms.change_wave_open: true\n", "", "change_yes"),
    ("support/gates/change_yes", "  switches.send: on\n", "", "change_yes"),
    ("support/gates/change_yes", "  marks.handover: false\n", "", "change_yes"),
    ("support/terms/change_wave_open", ", waves.w12_reschedule: open", "", "change_wave_open"),
    ("support/terms/yes_words", "[.!, 👍]*$", "\\W*$", "change_yes"),
    ("support/marks/pending_change", "lasts: 30 min", "lasts: 32 min", "change_yes"),
    ("support/gates/proposal_overtaken", "unless: {answer.proposes: {empty: false}}", "", "proposal_overtaken"),
    ("support/limits/person_wide", "value: 15 min", "value: 16 min", "person_wrote_15"),
    ("support/limits/person_narrow", "value: 60 min", "value: 61 min", "person_wrote_60"),
    ("support/gates/person_wrote_60", "unless: {terms.narrow_class: true}", "", "person_wrote_60"),
    ("support/limits/burst", "value: 4", "value: 3", "burst"),
    ("support/limits/burst", "within: 60 s", "within: 62 s", "burst"),
    ("support/gates/same_text_twice", "when: {decision.source: text, ", "when: {", "same_text_twice"),
    ("support/guard/summary_private", "    - {item.cards: {empty: false}}\n", "", "summary_private"),
]


@pytest.mark.parametrize("line, card, index", examples_of(PROJECT))
def test_an_example(line: str, card: str, index: int) -> None:
    assert not failure_of(PROJECT, line, card, index)


@pytest.mark.parametrize("decision", DECISIONS)
def test_a_decision_has_its_cards_and_they_show_both_its_sides(decision: str) -> None:
    line, cards = DECISIONS[decision]
    found = {card.id: card for card in lines_of(PROJECT)[line].source.cards.values() if names(card, decision)}
    assert set(cards.split()) <= set(found), f"cards of {line} that do not name {decision} in their why, or are missing"
    for id in cards.split():
        fires = [example.fires for example in found[id].body.examples]
        assert min(fires.count(True), fires.count(False)) >= 2, f"{found[id].name} shows too little: {fires}"


def names(card: Card, decision: str) -> bool:
    return decision in re.findall(r"S\d-\d+", card.body.why) and bool(card.body.examples)


@pytest.mark.parametrize("line", NUMBERS)
def test_the_numbers_of_the_decisions_stand_in_limit_cards(line: str) -> None:
    assert set(NUMBERS[line].split()) <= set(lines_of(PROJECT)[line].limits)


@pytest.mark.parametrize("where, old, new, watched", MUTATIONS, ids=[f"{m[0]}: {m[1].strip()}" for m in MUTATIONS])
def test_a_card_that_says_something_else_fails_its_examples(where: str, old: str, new: str, watched: str) -> None:
    """One condition, limit, excuse or place in the order is changed, and an example of the named card notices."""
    path, name = f"cards/{where}.yaml", where.partition("/")[0]
    assert texts()[path].count(old) == 1, f"{path} does not say {old!r} once"
    read = read_project({**texts(), path: texts()[path].replace(old, new)})
    line, problems = compile_line(read.lines[name])
    assert not [*read.problems, *problems], "the changed card must still be read, or its examples prove nothing"
    cards = [card for card in line.source.cards.values() if card.id == watched]
    assert [one for card in cards for one in run_examples(line, card) if not one.held], f"{watched} does not notice"


@cache
def texts() -> dict[str, str]:
    return dict(read_tree(PROJECTS / PROJECT).texts("cards", "rules"))


def test_the_lines_build_and_check_without_a_finding(tmp_path: Path) -> None:
    built, checked, said = built_and_checked(PROJECT, tmp_path)
    assert (built, checked) == (0, 0), said
    for line in lines_of(PROJECT):
        reference = tmp_path / PROJECT / "reference" / line
        assert (reference / "lock.yaml").is_file() and (reference / "instructions.txt").read_text("utf-8").strip()
        assert (tmp_path / PROJECT / "runbook" / f"{line}.md").is_file()


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
    said: dict[str, Any] = {"message": "yes", "facts": {"message.from": "user"}}
    yes = turn("support", **said, history=[{"mark": "pending_change", "with": {"kind": "cancel"}}])
    assert run_point("fast", yes).ending.kind == "ask"
    assert not run_point("fast", turn("support", yes, **said)).ended


def test_a_change_that_failed_is_not_tried_again_by_a_second_yes() -> None:
    """S4-17: nobody knows whether the shop has written it, so only a person may go on."""
    said: dict[str, Any] = {"message": "yes", "facts": {"message.from": "user"}}
    yes = turn("support", **said, history=[{"mark": "pending_change", "with": {"kind": "cancel"}}],
               asked={"apply_change": "failed"})  # fmt: skip
    assert run_point("fast", yes).ending.name == "hold"
    assert not run_point("fast", turn("support", yes, **said)).ended


@pytest.mark.parametrize(
    "between, ending",
    [
        (None, "ask"),
        (
            {"point": "record", "facts": {"decision.outcome": "send"}, "asked": {"answer": {"text": "On Friday."}}},
            "next",
        ),
        ({"point": "record", "facts": {"decision.outcome": "hold"}}, "next"),
        ({"point": "arrive", "message": "Today, is that fine?", "facts": {"message.from": "staff"}}, "next"),
        ({"point": "record", "facts": {"decision.outcome": "silent"}}, "ask"),
    ],
    ids=["at once", "after an answer", "after a held message", "after a person's line", "after silence"],
)
def test_an_ok_confirms_what_was_said_last(between: dict[str, object] | None, ending: str) -> None:
    """S4-17: an ok to something else confirms nothing; the proposal is set by what really went out."""
    before = turn("support", facts={"delivered.sent": True, "delivered.source": "model", "decision.outcome": "send"},
                  asked={"answer": {"text": "Shall I cancel AB-1234?", "proposes": "cancel"}})  # fmt: skip
    run_point("record", before)
    if between:
        point = str(between["point"])
        before = turn("support", before, **{key: value for key, value in between.items() if key != "point"})
        run_point(point, before)
    ok = turn("support", before, message="ok", facts={"message.from": "user"})
    assert run_point("fast", ok).ending.kind == ending
