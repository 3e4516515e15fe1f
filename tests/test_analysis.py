"""What the analysis finds, and what it leaves alone."""

from __future__ import annotations

import pytest
from one_card import LINE, line_of

from engine.language.analysis import analyse

ELSEWHERE = ("setting_missing", "unknown_model", "unknown_error")
"""What these short lines leave out on purpose; test_unset looks at it."""
SHOW = "examples:\n  - {message: nothing, fires: false}\n"


def found(cards: dict[str, str], line: str = LINE) -> list[tuple[str, str, str]]:
    """(code, card, proof) of every finding that is not a note."""
    found = (problem for problem in analyse(line_of(cards, line)) if problem.level != "note")
    problems = [problem for problem in found if problem.code not in ELSEWHERE]
    return sorted((one.code, one.place.file.split("/", 2)[2].removesuffix(".yaml"), one.proof) for one in problems)


def gate(when: str, then: str = "hold", at: str = "topic", more: str = "") -> str:
    return f"at: {at}\nwhen: {when}\nthen: {then}\n{more}"


VACUOUS = [
    ("{topic.score: {over: 0.8, under: 0.4}}", True),
    ("{topic.score: {over: 0.8, under: 0.8}}", True),
    ("{topic.score: {at_least: 0.8, at_most: 0.8}}", False),
    ("{all: [{topic.score: {over: 0.8}}, {topic.score: {under: 0.4}}]}", True),
    ("{any: [{topic.score: {over: 0.8}}, {topic.score: {under: 0.4}}]}", False),
    ("{message.kind: {in: [text, photo], not_in: [text, photo]}}", True),
    ("{all: [{message.kind: text}, {message.kind: photo}]}", True),
    ("{message.kind: {not_in: [text, photo, voice, video, file, sticker, location, reaction]}}", True),
    ("{message.kind: {not_in: [text, photo]}}", False),
    ("{all: [{sender.known: true}, {not: {sender.known: true}}]}", True),
    ("{all: [{message.links: 'https://a.example'}, {message.links: 'https://b.example'}]}", False),  # two items
    ("{any: [{sender.known: true}, {sender.known: false}]}", True),
    ("{any: [{sender.known: true}, {not: {sender.known: true}}]}", True),
    ("{staff.replied_ago: {over: 1 h, under: 30 min}}", True),
    ("{topic.nearest: {empty: true}}", False),
    ("{topic.nearest: {empty: false}, topic.score: {over: 0.5}}", False),
    ("{topic.nearest: {empty: true, is: a}}", True),
    ("{all: [{topic.nearest: {empty: true}}, {topic.nearest: {empty: false}}]}", True),
    ("{now.time: {between: ['22:00', '06:00'], over: '07:00'}}", False),
]  # fmt: skip


@pytest.mark.parametrize(("when", "vacuous"), VACUOUS)
def test_a_condition_that_can_never_or_must_always_hold_is_proven_vacuous(when: str, vacuous: bool) -> None:
    assert found({"gates/a": gate(when)}) == ([("vacuous", "gates/a", "proven")] if vacuous else [])


def test_an_unless_that_excuses_everything_is_proven_vacuous() -> None:
    cards = {
        "gates/a": gate("{sender.known: true, topic.score: {over: 0.9}}", more="unless: {topic.score: {over: 0.5}}\n")
    }
    assert found(cards) == [("vacuous", "gates/a", "proven")]
    cards = {"gates/a": gate("{topic.score: {over: 0.5}}", more="unless: {topic.score: {over: 0.9}}\n")}
    assert found(cards) == []


REDUNDANT = [
    ("{message.text: {matches: ['\\bfoo\\b', '\\bfoo\\b']}}", True),
    ("{any: [{topic.score: {over: 0.5}}, {topic.score: {over: 0.9}}]}", True),
    ("{any: [{topic.nearest: a}, {topic.nearest: {in: [a, b]}}]}", True),
    ("{any: [{message.text: {matches: '\\bfoo\\b'}}, {message.text: {matches: ['\\bbar\\b', '\\bfoo\\b']}}]}", True),
    ("{any: [{topic.nearest: a}, {topic.nearest: b}]}", False),
]


@pytest.mark.parametrize(("when", "redundant"), REDUNDANT)
def test_what_is_said_twice_is_redundant(when: str, redundant: bool) -> None:
    assert found({"gates/a": gate(when)}) == ([("redundant", "gates/a", "proven")] if redundant else [])


SHADOWED = [
    ("{topic.score: {over: 0.5}}", "{topic.score: {over: 0.9}}", True),
    ("{topic.score: {over: 0.9}}", "{topic.score: {over: 0.5}}", False),
    ("{sender.known: true}", "{sender.known: true, topic.score: {over: 0.5}}", True),
    ("{topic.nearest: {in: [a, b]}}", "{topic.nearest: b}", True),
    ("{topic.nearest: {in: [a, b]}}", "{topic.nearest: {in: [b, c]}}", False),
    ("{any: [{sender.known: true}, {topic.nearest: a}]}", "{topic.nearest: a}", True),
]


@pytest.mark.parametrize(("first", "second", "shadowed"), SHADOWED)
def test_a_card_that_an_earlier_one_always_ends_before_is_shadowed(first: str, second: str, shadowed: bool) -> None:
    line = LINE + "    order: {topic: [a, b]}\n"
    assert found({"gates/a": gate(first), "gates/b": gate(second)}, line) == (
        [("shadowed", "gates/b", "proven")] if shadowed else [])  # fmt: skip
    if shadowed:  # a card that only has effects ends nothing, and one that is excused lets some through
        assert found({"gates/a": gate(first, "next"), "gates/b": gate(second)}, line) == []
        assert (
            found({"gates/a": gate(first, more="unless: {message.kind: photo}\n"), "gates/b": gate(second)}, line) == []
        )


def test_two_cards_that_fire_together_need_a_declared_order() -> None:
    cards = {
        "gates/a": gate(
            "{topic.nearest: x}", more="examples: [{facts: {topic.nearest: x, topic.score: 0.9}, fires: true}]\n"
        ),
        "gates/b": gate("{topic.score: {over: 0.5}}", "silent"),
    }
    assert found(cards) == [("undeclared_order", "gates/a", "seen")]
    assert found(cards, LINE + "    order: {topic: [a, b]}\n") == []
    assert found(cards | {"gates/b": gate("{topic.score: {over: 0.5}}")}) == []  # the same ending


def test_a_card_that_never_decides_on_its_own_examples_is_overridden() -> None:
    cards = {
        "gates/a": gate("{topic.nearest: x}", "silent"),
        "gates/b": gate(
            "{topic.score: {over: 0.5}}",
            more="examples: [{facts: {topic.nearest: x, topic.score: 0.9}, fires: true}]\n",
        ),
    }
    line = LINE + "    order: {topic: [a, b]}\n"
    assert found(cards, line) == [("overridden", "gates/b", "seen")]


@pytest.mark.parametrize(
    "card",
    ["texts/a", "limits/a", "terms/a", "marks/a", "questions/a", "ladders/a", "roles/a"],
    ids=lambda card: str(card),
)
def test_what_nothing_uses_is_named(card: str) -> None:
    bodies = {
        "texts": "words: Hello\n", "limits": "value: 3\n", "terms": "patterns: ['\\bfoo\\b']\n", "marks": "scope: sender\n",
        "questions": "calls: model\nfields: {a: text}\n", "ladders": "for: model\nerrors: {x: [{give_up: hold}]}\n", "roles": "may: [see]\n",
    }  # fmt: skip
    assert found({card: bodies[card.split("/")[0]]}) == [("unused", card, "proven")]


def test_what_a_card_names_is_used() -> None:
    cards = {
        "gates/a": gate("{terms.t: true, marks.m: {over: $limits.l}, q.x: 'y'}", "{say: hello}", more="also: {alert: shift}\n"),
        "terms/t": "when: {message.kind: text}\n", "marks/m": "scope: sender\n", "limits/l": "value: 3\n",
        "questions/q": "calls: model\nfields: {x: text}\nladder: model\n", "texts/hello": "words: 'Hello {texts.name}'\n",
        "texts/name": "words: you\n", "roles/shift": "may: [see]\n", "ladders/model": "for: model\nerrors: {x: [{give_up: hold}]}\n",
    }  # fmt: skip
    assert found(cards) == []


def test_a_slot_the_point_cannot_know_is_named() -> None:
    cards = {
        "gates/a": gate("{message.kind: text}", "{say: status}", at="fast"),
        "texts/status": "words: '{order.status}'\n",
    }
    assert found(cards) == [("unfillable", "gates/a", "proven")]
    assert found(cards | {"gates/a": gate("{message.kind: text}", "{say: status}", at="fixed")}) == []


def test_a_limit_above_its_own_bound_is_named() -> None:
    cards = {"limits/cut": "value: 110000\nat_most: $limits.refuse\n", "limits/refuse": "value: 96000\n",
             "gates/a": gate("{message.length: {over: $limits.cut}}")}  # fmt: skip
    assert found(cards) == [("limits_contradict", "limits/cut", "proven")]
    assert found(cards | {"limits/cut": "value: 90000\nat_most: $limits.refuse\n"}) == []


EXCLUDED = "    exclusions: [{finding: unused, card: texts/a, why: For the season., date: 2026-10-01}]\n"


def test_an_exclusion_takes_its_finding_away_and_one_of_nothing_is_a_finding() -> None:
    assert found({"texts/a": "words: Hello\n"}, LINE + EXCLUDED) == []
    codes = [problem.code for problem in analyse(line_of({}, LINE + EXCLUDED))]
    assert codes == ["exclusion_unused"]


def test_a_guard_card_that_stays_quiet_for_want_of_a_fact_is_noted() -> None:
    cards = {"guard/a": "when: {answer.length: {over: 5}, order.status: packed}\nthen: hold\n"}
    notes = [problem for problem in analyse(line_of(cards)) if problem.code == "quiet_without"]
    assert [(note.level, note.place.key) for note in notes] == [("note", "when.order.status")]
