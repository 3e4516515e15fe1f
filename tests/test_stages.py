"""Every stage of the path: in the one order, reached by a card, and missed when it is emptied."""

from __future__ import annotations

import importlib
from typing import Any

import pytest
from path_parts import GUARD, LINE, NOW, Near, at_work, decided

from engine.language.points import PATH
from engine.stages import path
from engine.stages.path import STAGES

ANSWERED = ("answer", "finish", "review")


def _card(point: str) -> dict[str, str]:
    family = "answer" if point in ANSWERED else "message"
    when = f"{{{family}.text: {{matches: ['\\bgo\\b']}}}}"
    return {"gates/here": f"at: {point}\nwhen: {when}\nthen: hold\nreason: here\n"}


def test_the_stages_are_the_points_of_the_path_in_their_order() -> None:
    assert tuple(STAGES) == PATH
    for name, stage in STAGES.items():
        module = importlib.import_module(f"engine.stages.{name.replace('-', '_')}")
        assert stage is module.run


@pytest.mark.parametrize("point", [name for name in PATH if name not in ("prompt", "model", "delivery", "record")])
def test_a_card_at_a_stage_decides_there_and_not_when_the_stage_is_emptied(
    point: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = at_work(_card(point), "go on")
    found = decided(line, "go")
    assert (found.outcome, found.reason, found.stages[-1]) == ("hold", "here", "outcome")
    assert any(step.stage == point and step.spoke for step in found.trace)

    async def empty(passage: Any) -> None:
        return None

    if point not in ("outcome", "answer"):
        monkeypatch.setattr(path, "STAGES", {**STAGES, point: empty})
        assert decided(at_work(_card(point), "go on"), "go").reason != "here"


@pytest.mark.parametrize("emptied, outcome, text", [(False, "send", "Fine."), (True, "hold", None)])
def test_without_its_stage_the_answer_is_not_repaired_and_all_the_same_it_is_not_let_out(
    emptied: bool, outcome: str, text: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def empty(passage: Any) -> None:
        return None

    if emptied:
        monkeypatch.setattr(path, "STAGES", {**STAGES, "answer": empty})
    found = decided(at_work(GUARD, "I promise: call +44 20 7946 0999.", "Fine."))
    assert (found.outcome, found.text) == (outcome, text)


@pytest.mark.parametrize("point", ["delivery", "record"])
def test_a_stage_behind_the_decision_is_missed_when_it_is_emptied(point: str, monkeypatch: pytest.MonkeyPatch) -> None:
    cards = {
        "gates/late": "at: delivery\nwhen: {send.superseded: true}\nthen: dropped\n",
        "gates/sent": "at: record\nwhen: {delivered.sent: true}\nalso: {set: sent}\n",
        "marks/sent": "scope: sender\nlasts: 1 h\n",
    }

    async def empty(passage: Any) -> None:
        return None

    def happens(line: Any) -> bool:
        found = decided(line)
        if point == "delivery":
            return bool(line.delivery(found, {"send.superseded": True}, NOW).outcome == "dropped")
        return bool(line.commit(found, True, NOW).pending.sets)

    assert happens(at_work(cards))
    monkeypatch.setattr(path, "STAGES", {**STAGES, point: empty})
    assert not happens(at_work(cards))


@pytest.mark.parametrize("point", ["prompt", "model"])
def test_a_stage_that_prepares_the_answer_is_missed_when_it_is_emptied(
    point: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def empty(passage: Any) -> None:
        return None

    monkeypatch.setattr(path, "STAGES", {**STAGES, point: empty})
    found = decided(at_work({}))
    noted = [note for step in found.trace if step.stage == "prompt" for note in step.says]
    assert (found.outcome, bool(noted)) == (("send", False) if point == "prompt" else ("hold", True))


def test_the_stage_of_the_model_asks_it_and_that_of_the_prompt_names_what_it_gets() -> None:
    found = decided(at_work({}), "hello")
    assert found.text == "Fine." and found.calls[0].question == "answer"
    assert any("characters" in note for step in found.trace if step.stage == "prompt" for note in step.says)


@pytest.mark.parametrize("point", ["prompt", "model"])
def test_a_card_that_only_alerts_is_heard(point: str) -> None:
    cards = {
        "gates/bell": f"at: {point}\nwhen: {{message.text: {{empty: false}}}}\nalso: {{alert: boss}}\n",
        "roles/boss": "may: [read]\n",
    }
    assert [(one.does, one.name) for one in decided(at_work(cards), "hi").effects] == [("alert", "boss")]


def test_a_piece_is_looked_at_before_it_is_sent() -> None:
    cards = {"gates/late": "at: delivery\nwhen: {send.superseded: true}\nthen: dropped\nreason: superseded\n"}
    line = at_work(cards)
    found = decided(line)
    assert line.delivery(found, {"send.superseded": True}, NOW).reason == "superseded"
    assert line.delivery(found, {"send.superseded": False}, NOW).outcome == "deliver"


def test_the_nearest_questions_name_a_topic_by_majority_only() -> None:
    cards = {
        "gates/known": "at: verbatim\nwhen: {topic.nearest: a, topic.score: {at_least: 0.8}}\nthen: {say: $topic.answer}\n"
    }
    three = Near(("a", 0.9, "Kept."), ("b", 0.8, "B."), ("a", 0.7, "A."), ("a", 0.6, "A."), ("b", 0.5, "B."))
    two = Near(("a", 0.9, "Kept."), ("b", 0.8, "B."), ("a", 0.7, "A."), ("c", 0.6, "C."), ("b", 0.5, "B."))
    assert decided(at_work(cards, knowledge=three)).text == "Kept."
    assert decided(at_work(cards, knowledge=two)).text == "Fine."


@pytest.mark.parametrize("floor, text", [("0.5", "Kept."), ("0.95", "Fine.")])
def test_questions_that_are_too_far_name_no_topic(floor: str, text: str) -> None:
    cards = {
        "limits/alike": f"value: {floor}\n",
        "gates/known": "at: verbatim\nwhen: {topic.nearest: a}\nthen: {say: $topic.answer}\n",
    }
    line = LINE.replace("majority: most}", "majority: most, topic_floor: alike}")
    assert decided(at_work(cards, line=line, knowledge=Near(*[("a", 0.9, "Kept.")] * 3))).text == text


def test_a_skipped_stage_is_not_run() -> None:
    cards = {"gates/skip": "at: fast\nwhen: {message.text: {matches: ['\\bgo\\b']}}\nthen: {skip: fixed}\n",
             "gates/fix": "at: fixed\nwhen: {message.text: {empty: false}}\nthen: hold\n"}  # fmt: skip
    assert decided(at_work(cards), "go").outcome == "send"
    assert decided(at_work(cards), "stay").reason == "fix"
