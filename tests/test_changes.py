"""What is printed of one change: where, both texts in one, whose card and what it lacks, the examples, the command."""

from __future__ import annotations

import hashlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small import NO_BASE, Files, at_base, built, checked, edited, small

from runbook import formats
from runbook.changes import printed, visible, word_diff

MANNER, RULES, GUARD = "rules/shop/manner.yaml", "rules/shop/rules.yaml", "cards/shop/guard/unknown_phone.yaml"


@pytest.mark.parametrize(
    "old, new, diff",
    [
        ("Answer in two sentences.", "Answer in three sentences.", "Answer in [-two-] {+three+} sentences."),
        ("Answer soon.", "Answer very soon.", "Answer{+ very+} soon."),
        ("Answer very soon.", "Answer soon.", "Answer[- very-] soon."),
        ("at 15 min", "at 20 min", "at [-15-] {+20+} min"),
        ("Be brief.", "Be brief!", "Be brief[-.-] {+!+}"),
        ("one two three four", "five six seven four", "[-one two three-] {+five six seven+} four"),
        ("a\nb", "a\nc", "a\n[-b-] {+c+}"),
        ("a b", "a  b", "a[- -] {+  +}b"),
        ("", "new", "{+new+}"),
        ("old", "", "[-old-]"),
        ("same", "same", "same"),
        ("no", "n\u200bo", "[-no-] {+n\\u200bo+}"),
        ("x", "\x1b[2J", "[-x-] {+\\u001b[2J+}"),
        ("left", "\u202eleft", "{+\\u202e+}left"),
    ],
)
def test_word_diff(old: str, new: str, diff: str) -> None:
    assert word_diff(old, new) == diff


def test_word_diff_in_colour() -> None:
    assert word_diff("in two days", "in three days", colour=True) == "in \x1b[31mtwo\x1b[0m\x1b[32mthree\x1b[0m days"


def test_long_stretches_without_a_change_are_shortened() -> None:
    words = [f"word{number}" for number in range(100)]
    new = [*words[:50], "other", *words[51:]]
    diff = word_diff(" ".join(words), " ".join(new))
    assert diff.startswith("… word38 ")
    assert "word49 [-word50-] {+other+} word51" in diff
    assert diff.endswith(" word62 …")


WORDS = st.lists(st.sampled_from(["a", "b", "cc", "d.", "é", "\n", " ", "-"]), max_size=30).map("".join)


@given(WORDS, WORDS)
def test_both_texts_can_be_read_out_of_the_diff(old: str, new: str) -> None:
    """Without what is green it is the old text, without what is red the new one (too short to be shortened)."""
    diff = word_diff(old, new, colour=True)
    green, red = re.compile("\x1b\\[32m.*?\x1b\\[0m", re.S), re.compile("\x1b\\[31m.*?\x1b\\[0m", re.S)
    assert re.sub("\x1b\\[[0-9]+m", "", green.sub("", diff)) == old
    assert re.sub("\x1b\\[[0-9]+m", "", red.sub("", diff)) == new


@given(st.text())
def test_nothing_printed_can_move_a_terminal(text: str) -> None:
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", visible(text))


def lines_of(before: Files, after: Files, with_base: bool) -> list[str]:
    report = checked(after, at_base(before) if with_base else NO_BASE)
    [problem] = report.problems
    return printed(report.shown[problem])


@pytest.mark.parametrize("with_base", [False, True])
def test_the_block_of_one_changed_instruction(with_base: bool) -> None:
    before = small()
    after = edited(before, RULES, "Give only these numbers", "Give none but these numbers")
    words = "Give {} these numbers:\n+44 20 7946 0100, +44 20 7946 0101\n\nNo others."
    old, new = (hashlib.sha256(words.format(one).encode()).hexdigest()[:16] for one in ("only", "none but"))
    assert lines_of(before, after, with_base) == [
        "  | Give [-only-] {+none but+} these numbers:",
        "  | +44 20 7946 0100, +44 20 7946 0101",
        "  |",
        "  | No others.",
        f"  card:     guard/unknown_phone ({GUARD}); its `changes` has no entry for rules.phones from {old} to {new}",
        "  examples: 2 cover it: guard/unknown_phone: Call +44 20 7946 0999; guard/unknown_phone: Call +44 20 7946 0100",
        '  accept:   rulecard accept rules.phones --why "…"',
    ]


def test_the_old_text_comes_from_the_golden_file_where_there_is_no_base() -> None:
    before = small()
    after = edited(before, MANNER, "Stay kind", "Remain kind")
    assert "  | [-Stay-] {+Remain+} kind." in lines_of(before, after, with_base=False)
    gone = {name: text for name, text in after.items() if not name.endswith(".txt")}
    report = checked(gone)
    shown = next(iter(report.shown.values()))
    assert shown.old is None
    assert "is neither at the base nor in a golden file" in "\n".join(printed(shown))


def test_the_examples_of_cards_that_the_owner_uses_cover_it_too() -> None:
    term = "title: T\nwhy: W\nsince: 2026-09-21\npatterns: ['\\bcall\\b']\nexamples:\n"
    term += "".join(f"  - {{message: Call {number}, fires: true}}\n" for number in range(5))
    files = edited(small(), GUARD, "when: {answer.phones: {not_in: [$line.phones]}}",
                   "when: {answer.phones: {not_in: [$line.phones]}, answer.text: {matches: $terms.call}}")  # fmt: skip
    before = built({**files, "cards/shop/terms/call.yaml": term})
    lines = lines_of(before, edited(before, RULES, "No others", "No other one"), True)
    said = next(line for line in lines if line.startswith("  examples: "))
    assert said.startswith("  examples: 7 cover it: guard/unknown_phone: Call +44 20 7946 0999;")
    assert said.endswith("terms/call: Call 0, and 4 more")


def test_a_card_without_examples_says_so() -> None:
    before = small()
    assert "  examples: none covers it" in lines_of(before, edited(before, MANNER, "Stay", "Be"), True)


def test_where_lines_are_several_the_command_names_the_line() -> None:
    before = small()
    other = {name.replace("/shop/", "/store/"): text for name, text in before.items()}
    after = edited({**before, **other}, MANNER, "Stay kind", "Be kind")
    report = checked(after, at_base({**before, **other}))
    [shown] = report.shown.values()
    assert shown.accept == 'rulecard accept --line shop manner.kind --why "…"'


def test_an_order_is_shown_in_words() -> None:
    before = small()
    [first, second, third] = re.findall(r"  - id: .*\n    text: .*\n", before[MANNER])
    after = edited(before, MANNER, first + second + third, first + third + second)
    lines = lines_of(before, after, True)
    assert lines[0] == "  | greet {+kind +}short[- kind-]"
    assert lines[-1] == "  accept:   rulecard accept 'order manner' --why \"…\""


def test_the_text_format_prints_place_block_and_base() -> None:
    before = small()
    after = edited(before, MANNER, "two sentences", "three sentences")
    said = formats.text(checked(after, at_base(before)))
    assert said.startswith(
        f"{MANNER}:6:11: error: instruction_changed [instructions[1].text]: The text of `manner.short`"
    )
    assert "\n  | Answer in [-two-] {+three+} sentences.\n" in said
    assert said.endswith("\n\nCompared with a base made for a test.\nRefused: 1 error.\n")
    assert "\x1b" not in said
    assert "\x1b[31mtwo" in formats.text(checked(after, at_base(before)), colour=True)
