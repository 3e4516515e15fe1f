"""What an edit reaches: the text of its point, at the places where the card found its fault, and nothing by accident."""

from __future__ import annotations

from typing import Any

import pytest
from one_card import line_of

from engine.language.examples import turn_of
from engine.language.kinds import Example
from engine.language.run import Result, run_point

DEDUP = "calls: small\nat: review\nfields: {verdict: [send, rewrite], rewrite: {type: text, optional: true}}\nelse: absent\n"
REWRITE = "at: review\nwhen: {dedup.verdict: rewrite}\nedit: {replace: whole, with: '{dedup.rewrite}'}\n"


def ran(at: str, cards: dict[str, str], **example: Any) -> Result:
    return run_point(at, turn_of(line_of({"questions/dedup": DEDUP, **cards}), Example.model_validate(example)))


def test_a_verdict_about_the_answer_replaces_the_whole_of_it() -> None:
    result = ran("review", {"guard/rewrite": REWRITE}, answer="As I said, she is good.",
                 asked={"dedup": {"verdict": "rewrite", "rewrite": "She is good."}})  # fmt: skip
    assert (result.edited, str(result.ending)) == ("She is good.", "next")


def test_an_answer_that_is_already_the_replacement_stays() -> None:
    result = ran("review", {"guard/rewrite": REWRITE}, answer="She is good.",
                 asked={"dedup": {"verdict": "rewrite", "rewrite": "She is good."}})  # fmt: skip
    assert (result.edited, str(result.ending)) == (None, "next")


def test_the_replacement_is_looked_at_like_any_answer() -> None:
    cards = {
        "guard/rewrite": REWRITE,
        "guard/swears": "at: review\nwhen: {answer.text: {matches: '\\bdamn\\b'}}\nthen: silent\n",
    }
    result = ran("review", cards, answer="As I said.", asked={"dedup": {"verdict": "rewrite", "rewrite": "Damn good."}})
    assert str(result.ending) == "silent"


def test_a_replacement_that_nothing_fills_fails_closed() -> None:
    result = ran("review", {"guard/rewrite": REWRITE}, answer="As I said.", asked={"dedup": {"verdict": "rewrite"}})
    assert str(result.ending) == "hold"


@pytest.mark.parametrize("edit", ["{remove: match}", "{remove: sentence}", "{replace: match, with: '[x]'}"])
def test_an_edit_with_no_place_in_the_answer_fails_closed(edit: str) -> None:
    cards = {"guard/rude": f"at: answer\nwhen: {{message.text: {{matches: '\\brude\\b'}}}}\nedit: {edit}\n"}
    result = ran("answer", cards, message="how rude of you", answer="Good morning to you.")
    assert (result.edited, str(result.ending)) == (None, "hold")


def test_the_places_of_another_text_are_no_places_of_this_one() -> None:
    when = "{message.text: {matches: '\\brude\\b'}, answer.text: {matches: '\\bdear\\b'}}"
    cards = {"guard/rude": f"at: answer\nwhen: {when}\nedit: {{replace: match, with: good}}\n"}
    result = ran("answer", cards, message="how rude of you", answer="Hello my dear friend")
    assert (result.edited, str(result.ending)) == ("Hello my good friend", "next")


@pytest.mark.parametrize("answer, edited", [("One. Two. Three.", "One. Two."), ("One.", None)])
def test_a_cut_is_settled_where_the_text_is_short_enough(answer: str, edited: str | None) -> None:
    cards = {"guard/short": "at: answer\nwhen: {message.kind: text}\nedit: {cut: sentence, at_most: 10}\n"}
    result = ran("answer", cards, message="hello", answer=answer)
    assert (result.edited, str(result.ending)) == (edited, "next")
