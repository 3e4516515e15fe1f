"""`rulecard bench detect`: how cases by others are counted, and what is hidden in a text."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.evidence.detect import shapes
from engine.evidence.detect.score import NoSet, Score, context, rows
from engine.language.extract import extract
from engine.language.normalise import normalise


def test_a_case_is_right_when_exactly_what_it_expects_is_found() -> None:
    score = Score("some", {"right": 0.5, "precision": 0.5})
    assert score.case("a", "x", ["1", "1"], ["1", "1"])
    assert not score.case("b", "y", ["1", "1"], ["1"])
    assert not score.case("c", "z", [], ["2"])
    assert (score.n, score.right, score.expected, score.found, score.hits) == (3, 1, 4, 4, 3)
    assert [(miss.missed, miss.extra) for miss in score.misses] == [(("1",), ()), ((), ("2",))]
    assert not score.held


@pytest.mark.parametrize("bars, held", [
    ({"right": 1.0}, True), ({"late at most": 0.1}, True), ({"late at most": 0.04}, False), ({"late": 0.06}, False),
])  # fmt: skip
def test_a_bar_is_reached_from_its_own_side(bars: dict[str, float], held: bool) -> None:
    score = Score("some", bars, more={"late": 0.05})
    score.case("a", "x", ["1"], ["1"])
    assert score.held is held


def test_a_set_without_a_case_holds_nothing() -> None:
    assert not Score("none", {"right": 0.0}).held


@pytest.mark.parametrize("content, words", [(None, "No such file"), ("{", "some.jsonl:1"), ("\n{}\n[", "some.jsonl:3")])
def test_a_set_that_cannot_be_read_is_named(tmp_path: Path, content: str | None, words: str) -> None:
    if content is not None:
        (tmp_path / "some.jsonl").write_text(content, encoding="utf-8")
    with pytest.raises(NoSet, match=words):
        list(rows(tmp_path, "some"))


def _write(folder: Path, name: str, some: list[dict[str, str]]) -> None:
    (folder / f"{name}.jsonl").write_text("\n".join(json.dumps(one) for one in some), encoding="utf-8")


def test_emoji_that_are_whole_are_right_and_words_are_not(tmp_path: Path) -> None:
    _write(
        tmp_path, "detect_emoji", [{"id": "a", "text": "👩‍🌾"}, {"id": "b", "text": "🇳🇿"}, {"id": "c", "text": "hm"}]
    )
    score = shapes.emoji(tmp_path)
    assert (score.n, score.right, [miss.id for miss in score.misses]) == (3, 2, ["c"])


def test_lookalikes_are_read_as_what_they_look_like_but_for_the_conventions(tmp_path: Path) -> None:
    some = [("а", "a"), ("Ꭰ", "d"), ("Ⅰ", "l"), ("𝟎", "O"), ("ю", "a"), ("٤", "E"), ("Ɛ", "E"), ("ʒ", "3")]
    _write(
        tmp_path, "detect_confusables", [{"id": str(at), "text": a, "looks_like": b} for at, (a, b) in enumerate(some)]
    )
    score = shapes.lookalikes(tmp_path)
    assert [miss.id for miss in score.misses] == ["4"]
    assert score.apart == {"a_digit_is_that_digit": 2, "a_letter_is_no_digit": 1, "a_latin_letter_is_itself": 1}


@pytest.mark.parametrize("word", ["re∪nd", "a⍺b", "paهpal", "c℮ll", "paംpal", "m\u05d8n"])
def test_what_looks_like_a_letter_amid_latin_letters_is_that_letter(word: str) -> None:
    assert normalise(word).text.isascii()


@pytest.mark.parametrize("text", ["سلام paypal", "A ∪ B", "price ⊤", "הוא paypal", "₪ו"])
def test_the_same_signs_elsewhere_stay(text: str) -> None:
    assert not normalise(text).text.isascii()


@pytest.mark.parametrize("text, found", [
    ("hello\u200bworld", ["U+200B"]),
    ("ok \U000e0073\U000e0061\U000e0079 fine", ["say"]),
    ("pay\u202elap\u202c", ["U+202E", "U+202C"]),
    ("a\ufe0f\ufe0f\ufe0fb", ["U+FE0F U+FE0F U+FE0F"]),
    ("a\u2060\u2060b\x07", ["U+2060 U+2060", "U+0007"]),
    ("me\u200dnow", ["U+200D"]),
    ("👨‍👩‍👧 ❤️ 🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", []),
    ("می‌خواهم", []), ("क्‍ष", []), ("שלום\u200f!", []), ("co\u00adoperate", []), ("\ufeffhello", []),
    ("ภาษา\u200bไทย", []), ("plain\ntext\twith blanks", []),
])  # fmt: skip
def test_what_nobody_sees_is_told_from_what_writing_needs(text: str, found: list[str]) -> None:
    """rail-F38"""
    got = extract("hidden", text, context())
    assert [one.value for one in got] == found
    assert all(text[one.start : one.end] == one.text for one in got)
