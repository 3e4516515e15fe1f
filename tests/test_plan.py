"""A plan leaves out cards that cannot fire, and nothing else: with and without it a point comes to the same."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from one_card import line_of
from path_parts import CARDS, LINE, NOW, ROOT

from engine.evidence.messages import read_rows
from engine.language.examples import turn_of
from engine.language.line import Line
from engine.language.points import POINTS
from engine.language.run import Result, run_point
from engine.language.turn import Failed, Turn, Unasked
from runbook.session import open_project

PROJECTS = (ROOT, ROOT / "tests" / "projects" / "four_lines", ROOT / "tests" / "projects" / "trial")


@cache
def _lines() -> dict[str, Line]:
    return {f"{folder.name}/{name}": line for folder in PROJECTS for name, line in open_project(folder).lines.items()}


def _all(line: Line, point: str, kind: str, turn: Turn) -> list[Any]:
    return [rule for rule in line.ordered(point) if rule.card.kind == kind]


def _came_to(point: str, turn: Turn) -> Any:
    try:
        result: Result = run_point(point, turn)
    except Unasked as unasked:
        return unasked.question
    spoken = [(one.rule.name, one.answer, one.ending, one.gathered) for one in result.spoken]
    return (result.ending, result.by and result.by.rule.name, spoken, result.text, result.edited, result.sets,
            result.clears, result.effects, turn.facts, turn.marks)  # fmt: skip


def _same(make: Any, point: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    planned = _came_to(point, make())
    with monkeypatch.context() as patch:
        patch.setattr(Line, "likely", _all)
        assert _came_to(point, make()) == planned
    return planned


@pytest.mark.parametrize("name", sorted(_lines()))
def test_every_example_comes_to_the_same_at_every_point(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    line = _lines()[name]
    for card in line.source.cards.values():
        point = getattr(card.body, "at", None) or "pre-gate"
        for example in card.body.examples:
            if point in POINTS:
                _same(lambda example=example: turn_of(line, example), point, monkeypatch)


def test_every_message_of_the_log_comes_to_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    line = _lines()[f"{ROOT.name}/support"]
    for row in list(read_rows(ROOT / "reference" / "support" / "log.jsonl"))[::3]:
        said = row.answer.get("text", "") if isinstance(row.answer, dict) else row.answer or ""
        facts = {"message.text": row.text, "answer.text": said, "message.kind": "text", **row.facts}
        for point in ("fast", "pre-gate", "fixed", "answer"):
            _same(lambda facts=facts: Turn(line, facts, NOW), point, monkeypatch)


MIXED = {
    "gates/one": "at: fixed\nwhen: {message.text: {matches: ['\\bcat\\b', '\\bdog\\b']}}\nthen: hold\n",
    "gates/both": "at: fixed\nwhen: {message.text: {matches: ['\\bcow\\b']}, order.status: late}\nthen: silent\n",
    "gates/either": "at: fixed\nwhen: {any: [{message.text: {matches: ['\\bpig\\b']}}, {sender.known: true}]}\nthen: draft\n",
    "gates/named": "at: fixed\nwhen: {message.text: {matches: $terms.birds}}\nthen: store_only\n",
    "gates/not_one": "at: fixed\nwhen: {not: {message.text: {matches: ['\\b\\w']}}}\nthen: dropped\n",
    "terms/birds": "patterns: ['\\bowl\\b']\n",
}


@cache
def _mixed() -> Line:
    return line_of({**CARDS, **MIXED}, LINE)


WORDS = st.lists(
    st.sampled_from(["cat", "dog", "cow", "pig", "owl", "CAT", "ｃａｔ", "ca\u200bt", "x", "", "d0g"]), max_size=4
)


@given(WORDS, st.sampled_from([None, "late", "sent", Failed("orders")]), st.booleans(), st.booleans())
def test_whatever_the_words_and_facts_a_point_comes_to_the_same(
    words: list[str], status: Any, known: bool, long: bool
) -> None:
    text = " ".join(words) + ("x" * 30_000 if long else "")
    facts = {"message.text": text, "sender.known": known, **({} if status is None else {"order.status": status})}
    planned = _came_to("fixed", Turn(_mixed(), facts, NOW))
    whole, Line.likely = Line.likely, _all  # type: ignore[method-assign]
    try:
        assert _came_to("fixed", Turn(_mixed(), facts, NOW)) == planned
    finally:
        Line.likely = whole  # type: ignore[method-assign]


def test_a_card_whose_pattern_cannot_match_is_left_out_and_one_that_may_is_not() -> None:
    line = _mixed()

    def left(text: str, **facts: Any) -> set[str]:
        turn = Turn(line, {"message.text": text, **facts}, NOW)
        return {rule.card.id for rule in line.likely("fixed", "gates", turn)}

    assert left("a cat") == {"one", "not_one"} and left("an owl") == {"named", "not_one"}
    assert left("a pig") == {"either", "not_one"} and left("a cow") == {"not_one"}
    assert left("a cow", **{"order.status": "late"}) == {"both", "not_one"}
    assert left("a hen", **{"sender.known": True}) == {"either", "not_one"}


def test_a_text_that_only_a_question_brings_is_not_read_ahead() -> None:
    cards = {
        "questions/rating": "calls: model\nreads: [message.text]\nfields: {text: text}\n",
        "gates/first": "at: fast\nwhen: {message.text: {matches: ['\\bgo\\b']}}\nthen: hold\n",
        "gates/second": "at: fast\nwhen: {rating.text: {matches: ['\\bbad\\b']}}\nthen: silent\n",
    }
    line = line_of({**CARDS, **cards}, LINE)
    turn = Turn(line, {"message.text": "go"}, NOW, on_read=frozenset({"rating"}))
    assert run_point("fast", turn).reason == "first"
