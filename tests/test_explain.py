"""`rulecard explain`: what it tells of a card and of an instruction, and of a name there is not."""

from __future__ import annotations

import datetime as dt
import json

import pytest

from engine.language.compile import compile_line
from engine.language.kinds import KINDS
from engine.language.line import Line
from engine.language.project import read_project
from runbook.explain import WIDTH, explain, explained
from runbook.readable import condition, effects, ending
from runbook.scaffold import line_files
from runbook.session import Refused

FILES = dict(line_files("shop", dt.date(2026, 9, 21)))


def made(changed: dict[str, str] | None = None) -> Line:
    project = read_project({**FILES, **(changed or {})})
    assert not project.problems, "\n".join(map(str, project.problems))
    line, problems = compile_line(project.lines["shop"])
    assert not problems, "\n".join(map(str, problems))
    return line


@pytest.fixture(scope="module")
def line() -> Line:
    return made()


GATE = """\
gates/person_wanted · The customer wants to talk to a person
  cards/shop/gates/person_wanted.yaml:2:1, since 2026-09-21
  Why: Whoever asks for a person has had enough of typing; one more answer from a machine makes it
       worse.
  Stands: 1 of 1 at pre-gate: Reasons why a message cannot be handled as usual.
  When:
    message.text (the words) has words that match terms/person_words
  Unless:
    sender.role (the first role card that matches) is `owner`
  Then: say texts/person_will_call
  Also:
    alert roles/owner
    set the mark marks/waits_for_person
  Reason: person_wanted; when a fact fails: hold
"""


def test_a_gate_is_told_in_words(line: Line) -> None:
    told = explain(line, "gates/person_wanted")
    assert told.startswith(GATE)
    assert "1. holds: “Can I talk to somebody, please?” → fires, say texts/person_will_call, sets" in told
    uses = ["marks/waits_for_person", "roles/owner", "terms/person_words", "texts/person_will_call"]
    assert told.endswith("\n    ".join(["  Uses:", *uses]))


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_told_within_the_width(line: Line, kind: str) -> None:
    card = next(iter(line.source.of(kind).values()))
    told = explain(line, card.name)
    assert card.body.title in " ".join(told.split())
    assert all(len(row) <= WIDTH for row in told.split("\n"))
    json.dumps(explained(line, card.name))


def test_a_card_is_found_by_id_and_by_file(line: Line) -> None:
    whole = explain(line, "guard/unknown_phone")
    assert explain(line, "unknown_phone") == whole
    assert explain(line, "cards/shop/guard/unknown_phone.yaml") == whole


def test_what_uses_a_card(line: Line) -> None:
    assert explained(line, "terms/person_words")["used_by"] == ["gates/person_wanted"]
    assert explained(line, "marks/waits_for_person")["used_by"] == ["gates/person_wanted", "waves/plain_answers"]
    limit = explained(line, "limits/call_back")
    assert limit["used_by"] == ["texts/person_will_call", "the instruction shop.call-back"]


def test_an_instruction_is_told_as_the_model_reads_it(line: Line) -> None:
    told = explained(line, "shop.call-back")
    assert told["text"] == "When a customer wants to talk to somebody, say that the workshop rings back within 2 h."
    assert "{limits.call_back}" in told["written"]
    assert [one["card"] for one in told["explained_by"]] == ["limits/call_back"]
    assert told["stands"] == "5 of 5 in rules/shop/shop.yaml"
    assert told["told_in"] == ["questions/answer"]
    text = explain(line, "shop.call-back")
    assert "Explained by: limits/call_back · How soon the workshop rings back" in text
    assert "Two hours is the longest" in text


def test_an_example_that_fails_says_why() -> None:
    file = "cards/shop/terms/person_words.yaml"
    broken = made({file: FILES[file].replace("I heard a ring when I braked.", "Call me a poet.")})
    told = explained(broken, "terms/person_words")
    assert [one["held"] for one in told["examples"]] == [True, False]
    assert told["examples"][1]["failure"] == "should not fire, and did."
    assert "2. FAILS: " in explain(broken, "terms/person_words")


def test_findings_that_name_a_card_are_told_with_it() -> None:
    gate = FILES["cards/shop/gates/person_wanted.yaml"].replace(
        "then: {say: person_will_call}\nalso", "then: hold\nalso"
    )
    gate = gate.replace("    then: {say: person_will_call}\n", "").replace("pre-gate", "fast", 1)
    wrong = made(
        {
            "cards/shop/gates/other.yaml": gate.replace("then: hold", "then: silent", 1),
            "cards/shop/gates/person_wanted.yaml": gate,
            "cards/shop/line.yaml": FILES["cards/shop/line.yaml"].replace("  pre-gate: [person_wanted]\n", ""),
        }
    )
    for name in ("gates/other", "gates/person_wanted"):
        said = [one["says"] for one in explained(wrong, name)["findings"]]
        assert any("gates/other" in one and "gates/person_wanted" in one for one in said), said


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("gates/person_wantd", "Did you mean `gates/person_wanted`?"),
        ("person_wantd", "Did you mean `person_wanted`?"),
        ("shop.call_back", "Did you mean `shop.call-back`?"),
        ("zzz", "There is no card or instruction `zzz`."),
    ],
)
def test_an_unknown_name(line: Line, name: str, says: str) -> None:
    with pytest.raises(Refused) as refused:
        explain(line, name)
    assert says in str(refused.value)


def test_a_name_that_several_cards_have() -> None:
    mark = FILES["cards/shop/marks/waits_for_person.yaml"]
    both = made({"cards/shop/marks/owner.yaml": mark})
    with pytest.raises(Refused, match="Several cards are called `owner`; name one: marks/owner, roles/owner"):
        explain(both, "owner")


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        ({"message.kind": "photo"}, ["message.kind (what it is) is `photo`"]),
        (
            {"answer.phones": {"not_in": ["$line.phones", "$order.phones"]}},
            ["answer.phones (telephone numbers): one of them is not in line.phones, order.phones"],
        ),
        ({"order.number": {"empty": True}}, ["order.number (its number) is not known"]),
        (
            {"message.links": {"empty": False}},
            ["message.links (links and addresses that open an app, normalised): there is one"],
        ),
        (
            {"now.time": {"between": ["22:00", "06:00"]}},
            ["now.time (the time of day in the line's zone) lies between `22:00` and `06:00`"],
        ),
        (
            {"any": [{"message.kind": "photo"}, {"sender.known": True, "chat.group": False}]},
            [
                "one of:",
                "  message.kind (what it is) is `photo`",
                "  together:",
                "    sender.known (written before, or on record) is true",
                "    chat.group (more than two take part) is false",
            ],
        ),
        ({"not": {"message.kind": "photo"}}, ["not:", "  message.kind (what it is) is `photo`"]),
        ({"marks.waits_for_person": False}, ["marks/waits_for_person is not set"]),
        (
            {"marks.waits_for_person": {"within": "10 min", "over": 20}},
            ["marks/waits_for_person counted over `10 min`, and is over 20"],
        ),
        (
            {"turn.tools_run": {"none": {"it.family": "memory"}}},
            ["turn.tools_run (tool calls that ran in this turn), none of them:", "  it.family is `memory`"],
        ),
        (
            {"customer.orders.status": {"count": {"at_least": 2, "where": {"it": "late"}}}},
            ["customer.orders.status (the statuses), the number of those is at least 2 where:", "  it is `late`"],
        ),
        (
            {"message.text": {"matches": ["\\bcall\\b", "$terms.person_words"]}},
            ["message.text (the words) has words that match `\\bcall\\b`, terms/person_words"],
        ),
    ],
)
def test_conditions_in_words(line: Line, raw: object, says: list[str]) -> None:
    assert [f"{'  ' * depth}{one}" for depth, one in condition(raw, line)] == says


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        ("hold", "hold"),
        ("next", "the next card"),
        ({"say": "thanks"}, "say texts/thanks"),
        ({"ask": "change", "say": "done"}, "ask questions/change, then say texts/done"),
        ({"say": "$topic.answer"}, "say topic.answer"),
        ([{"say": "by_name"}, "hold"], "say texts/by_name, or if that cannot be: hold"),
        ({"skip": "topic"}, "skip topic"),
    ],
)
def test_endings_in_words(raw: object, says: str) -> None:
    assert ending(raw) == says


def test_effects_in_words() -> None:
    raw = [
        {"alert": "owner"},
        {"notice": "paused", "to": "chat"},
        {"set": "hit", "with": {"kind": "$message.kind"}},
        {"clear": "hit"},
        {"discard": "queue"},
        {"bind": {"order.number": "$message.order_numbers"}},
    ]
    assert effects(raw) == [
        "alert roles/owner",
        "send the notice texts/paused to chat",
        "set the mark marks/hit with {kind: $message.kind}",
        "clear the mark marks/hit",
        "discard the queue",
        "take {order.number: $message.order_numbers}",
    ]
