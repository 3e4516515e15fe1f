"""Kinds of faults reported against systems of this kind, on the side of the cards: each is refused, or cannot happen.

The name of each test is the fault's id and kind; every kind is tried on more inputs than the one reported.
"""

from __future__ import annotations

import pytest
from one_card import LINE, compiled, files_of, line_of

from engine.language.examples import check_examples, run_examples
from engine.language.problems import Problem
from engine.language.project import read_project

GATE = "when: {message.kind: text}\n"


def problems_of(cards: dict[str, str]) -> list[Problem]:
    line, problems = compiled(cards)
    for card in line.source.cards.values():
        problems += check_examples(line, card)
        problems += [outcome.problem() for outcome in run_examples(line, card) if not outcome.held]
    return [one for one in problems if one.code != "example_missing"]


UNKNOWN = [
    ("gates/a", GATE + "then: {say: refuse_to_asnwer}\n", "`refuse_to_answer`"),
    ("gates/a", GATE + "then: [{say: refuse_to_asnwer}, hold]\n", "`refuse_to_answer`"),
    ("gates/a", GATE + "then: {ask: rate}\n", "questions/rate"),
    ("gates/a", GATE + "then: hold\nalso: {notice: refuse_to_asnwer}\n", "`refuse_to_answer`"),
    ("gates/a", GATE + "then: hold\nalso: {alert: ownr}\n", "`owner`"),
    ("guard/a", "when: {answer.length: {over: $limits.lenght}}\nthen: hold\n", "`length`"),
    (
        "guard/a",
        "when: {answer.length: {over: 3}}\nrepair: 'See {texts.refuse_to_asnwer}'\nthen: hold\n",
        "`refuse_to_answer`",
    ),
    ("texts/b", "words: 'See {order.statsu}'\n", "`order.status`"),
    ("ladders/a", "for: model\nerrors: {x: [{give_up: {say: refuse_to_asnwer}}]}\n", "`refuse_to_answer`"),
]


@pytest.mark.parametrize(("card", "body", "near"), UNKNOWN, ids=[row[1][-36:].strip() for row in UNKNOWN])
def test_rail_f04_and_chat_f40_an_unknown_reference_is_an_error_with_the_nearest_name(
    card: str, body: str, near: str
) -> None:
    others = {"texts/refuse_to_answer": "words: No\n", "roles/owner": "may: [see]\n", "limits/length": "value: 3\n"}
    problems = problems_of(others | {card: body})
    assert len(problems) == 1, [str(one) for one in problems]
    assert problems[0].place.file == f"cards/demo/{card}.yaml"
    assert problems[0].place.line and near in problems[0].says + problems[0].cure


@pytest.mark.parametrize("pattern", ["ddd-343", "d{3}-343", "[0-9}-343"])
def test_rail_f25_a_pattern_that_was_not_escaped_fails_its_own_examples(pattern: str) -> None:
    body = f"when: {{message.text: {{matches: '{pattern}'}}}}\nthen: hold\nexamples: [{{message: 'call 555-343', fires: true}}]\n"
    problems = problems_of({"gates/a": body})
    assert problems and {one.code for one in problems} <= {"example_failed", "pattern"}
    right = body.replace(pattern, r"\d{3}-343")
    assert problems_of({"gates/a": right}) == []


EMPTY = [
    "title:",
    "why: ",
    "title: ~",
    "title: null",
    "since:",
    "owner:",
    "when:",
    "then:",
    "unless:",
    "examples:",
    "explains:",
]


@pytest.mark.parametrize("row", EMPTY)
def test_rail_f55_an_empty_field_is_an_error_that_names_the_card(row: str) -> None:
    key = row.partition(":")[0]
    files = files_of({"gates/a": GATE + "then: hold\n"})
    text = "".join(one for one in files["cards/demo/gates/a.yaml"].splitlines(True) if not one.startswith(f"{key}:"))
    problems = read_project(files | {"cards/demo/gates/a.yaml": text + row + "\n"}).problems
    assert [(one.code, one.place.file, one.place.key) for one in problems] == [
        ("empty_value", "cards/demo/gates/a.yaml", key)
    ]


TYPES = [
    "{topic.score: {over: '0.9'}}", "{topic.score: '0.9'}", "{topic.score: high}", "{sender.known: 'true'}", "{sender.known: 1}",
    "{sender.level: three}", "{staff.replied_ago: {under: 15}}", "{staff.replied_ago: {under: soon}}", "{message.sent_at: {over: noon}}",
    "{now.time: {over: 25:00}}", "{message.kind: 3}", "{now.date: 21.09.2026}",
]  # fmt: skip


@pytest.mark.parametrize("when", TYPES)
def test_rail_f56_a_value_of_the_wrong_type_is_an_error_and_never_the_default(when: str) -> None:
    problems = problems_of({"gates/a": f"at: topic\nwhen: {when}\nthen: hold\n"})
    assert [(one.code, one.place.file) for one in problems] == [("wrong_type", "cards/demo/gates/a.yaml")]


def test_rail_f56_a_fact_of_the_wrong_type_in_an_example_is_an_error() -> None:
    body = "at: topic\nwhen: {topic.score: {over: 0.5}}\nthen: hold\nexamples: [{facts: {topic.score: '0.9'}, fires: true}]\n"
    assert problems_of({"gates/a": body})[0].code == "wrong_type"


def test_rail_f57_the_language_no_stays_a_language() -> None:
    line = line_of({}, LINE.replace("[en, es]", "[en, no]"))
    assert line.config.languages == ["en", "no"]


YAML = [
    ("limits/a", "value: 010\n", "octal"), ("limits/a", "value: -007\n", "octal"), ("terms/a", 'patterns: ["\\bok\\b"]\n', "single quotes"),
    ("gates/a", 'when: {message.text: {matches: "\\bok\\b"}}\nthen: hold\n', "single quotes"),
    ("gates/a", GATE + "then: hold\nthen: silent\n", "twice"), ("gates/a", GATE + "<<: {then: hold}\n", ""), ("gates/a", GATE + "then: !!str hold\n", ""),
    ("gates/a", "when: &w {message.kind: text}\nunless: *w\nthen: hold\n", ""),
]  # fmt: skip


@pytest.mark.parametrize(("card", "body", "part"), YAML, ids=[row[1].strip()[-30:] for row in YAML])
def test_rail_f57_what_yaml_would_eat_is_refused(card: str, body: str, part: str) -> None:
    problems = read_project(files_of({card: body})).problems
    assert problems and all(one.place.file == f"cards/demo/{card}.yaml" and one.place.line for one in problems)
    assert part in " ".join(f"{one.says} {one.cure}" for one in problems), [str(one) for one in problems]


KEPT = [
    ("owner: on", "on"),
    ("owner: 12:30", "12:30"),
    ("owner: 1.10", "1.10"),
    ("owner: 1e3", "1e3"),
    ("owner: No", "No"),
]


@pytest.mark.parametrize(("row", "kept"), KEPT)
def test_rail_f57_a_text_stays_as_it_was_written(row: str, kept: str) -> None:
    line = line_of({"gates/a": GATE + "then: hold\n" + row + "\n"})
    assert line.source.cards["gates/a"].body.owner == kept


UNSEEN = [
    ("texts/b", "words: Hello\nexamples: [{fires: true}]\n", "`becomes`"),
    ("limits/b", "value: 3\nexamples: [{becomes: 3, then: hold}]\n", "`becomes`"),
    (
        "terms/b",
        "patterns: [x]\nexamples: [{message: x, fires: true, sets: []}, {message: y, fires: false}]\n",
        "`fires`",
    ),
    ("situations/b", "examples: [{message: hi, fires: true}]\n", "`then`"),
    ("marks/b", "scope: sender\nexamples: [{fires: true}]\n", "`fires`"),
    ("gates/b", GATE + "then: hold\nexamples: [{message: hi}, {message: ho, fires: true}]\n", "State"),
]


@pytest.mark.parametrize(("card", "body", "part"), UNSEEN, ids=[row[0] for row in UNSEEN])
def test_an_example_states_only_what_is_looked_at(card: str, body: str, part: str) -> None:
    problems = problems_of({card: body})
    assert problems, "an example that nothing looks at passes"
    assert {one.code for one in problems} <= {"not_looked_at", "empty_value"}
    assert part in problems[0].says + problems[0].cure


@pytest.mark.parametrize("then", ["hodl", "{say: nothing}", "[hold, silent]", "allow", "3"])
def test_a_situation_that_expects_what_cannot_be_fails(then: str) -> None:
    cards = {"gates/a": GATE + "then: hold\n", "situations/b": f"examples: [{{message: hi, then: {then}}}]\n"}
    assert problems_of(cards)
    assert not problems_of(cards | {"situations/b": "examples: [{message: hi, then: hold}]\n"})


RECORDS = [
    ("[{numbr: AB-1001}]", "`number`"), ("[AB-1001]", "record"), ("[{number: 7}]", "order_number"), ("{number: AB-1001, status: 3}", "quotes"),
]  # fmt: skip


@pytest.mark.parametrize(("orders", "part"), RECORDS)
def test_a_record_in_an_example_has_the_fields_there_are(orders: str, part: str) -> None:
    body = "at: fixed\nwhen: {customer.orders: {count: 1}}\nthen: hold\nexamples: [{facts: {customer.orders: %s}, fires: true}]\n"
    problems = problems_of({"gates/a": body % orders})
    assert problems
    assert part in problems[0].says + problems[0].cure
    assert problems_of({"gates/a": body % "[{number: AB-1001, status: packed}]"}) == []
