"""`check` names what a line depends on and line.yaml does not say: limits of the engine, models, classes of errors."""

from __future__ import annotations

import pytest
from one_card import line_of
from path_parts import CARDS, GUARD, LINE

from engine.language.analysis import FINDERS
from engine.language.unset import unknown_errors, unknown_models, unset

EVERY = {**CARDS, **GUARD}
WHOLE = LINE + "    knowledge: {embedding: ngram}\n"


@pytest.mark.parametrize(
    "setting, said",
    [
        ("budget: budget, ", "questions/answer"),
        ("repair_floor: floor, ", "guard/phone has a repair"),
        ("neighbours: near, ", "has `knowledge`"),
        (", majority: most", "has `knowledge`"),
    ],
)
def test_a_setting_that_the_cards_need_must_be_given(setting: str, said: str) -> None:
    assert not list(unset(line_of(EVERY, WHOLE)))
    found = list(unset(line_of(EVERY, WHOLE.replace(setting, ""))))
    assert [one.code for one in found] == ["setting_missing"] and said in found[0].says and "limits/" in found[0].cure


def test_a_line_that_asks_nobody_needs_none() -> None:
    cards = {"gates/hold": "when: {message.text: hi}\nthen: hold\n"}
    assert not list(unset(line_of(cards)))


def test_a_model_that_is_called_must_be_declared() -> None:
    cards = {**CARDS, "questions/rate": "calls: modle\nfields: {good: yes_no}\n",
             "ladders/model": "for: model\nerrors: {empty: [{model: backup}, {give_up: hold}]}\n"}  # fmt: skip
    found = list(unknown_models(line_of(cards, LINE)))
    assert [(one.place.file.rpartition("/")[2], one.code) for one in found] == [
        ("rate.yaml", "unknown_model"),
        ("model.yaml", "unknown_model"),
    ]
    assert "`model`" in found[0].cure


@pytest.mark.parametrize("error, cure", [("emtpy", "`empty`"), ("made_up", "counts_as")])
def test_a_class_that_nothing_brings_is_refused(error: str, cure: str) -> None:
    ladder = f"for: model\nerrors: {{{error}: [{{give_up: hold}}]}}\n"
    found = list(unknown_errors(line_of({**CARDS, "ladders/model": ladder}, LINE)))
    assert [one.code for one in found] == ["unknown_error"] and cure in found[0].cure
    verdict = {"guard/blank": f"when: {{answer.text: x}}\ncounts_as: {error}\nthen: hold\n"}
    assert not list(unknown_errors(line_of({**CARDS, **verdict, "ladders/model": ladder}, LINE)))


def test_check_runs_them() -> None:
    assert {unset, unknown_models, unknown_errors} <= set(FINDERS)
