"""124 decisions rewritten as cards: every example holds, and the table of the trial tells of cards that exist."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from card_projects import PROJECTS, built_and_checked, examples_of, failure_of, lines_of, shows_both

from engine.language.kinds import FIRING

PROJECT = "trial"
README = (PROJECTS / PROJECT / "README.md").read_text(encoding="utf-8")
DECISIONS = {
    "support": """
        S4-13a S4-13b S4-13c S4-13d S4-15 S4-16a S4-16b S4-17a S4-17b1 S4-17b2 S4-17c S4-18a S4-18b S4-18c S4-18d/21
        S4-19 S4-20 S4-23 S4-25a S4-25b S4-25c S4-27 S4-30a S4-30b S4-30c S4-30d S4-30e S4-32 S4-33 S4-34 S4-35a
        S4-35b S4-35c S4-35d S4-35e S4-35f P5_invented_time P5_other_order P5_done_claim P5_same_answer
        P5_unasked_cancel S4-40 w5 w2c w12 S4-44 S4-50 S4-53 S4-54 S4-55""",
    "group": """
        S3-07 S3-09 S3-13 S3-24a S3-24b S3-24c S3-24d S3-25 S3-30 S3-33 S3-34 S3-35 S3-36 S3-37 S3-38 S3-40 S3-41
        S3-51a S3-51b S3-51c S3-72 S3-76 S3-77a S3-77b S3-79 S3-80a S3-80b S3-81 S3-82a S3-82b S3-83 S3-84 S3-85a
        S3-85b S3-94 S3-101""",
    "office": """
        S1-08 S1-10 S1-36 S1-37 S1-49 S1-51 S1-54/55 S1-56 S1-59a S1-59b S1-60 S1-61 S1-62 S1-63 S1-64 S1-65""",
    "team": """
        S2-06 S2-07 S2-08 S2-09 S2-10 S2-11 S2-12 S2-13 S2-14 S2-20 S2-21 S2-22 S2-23 S2-29 S2-30 S2-31 S2-32 S2-40
        S2-48 S2-53 S2-54 S2-55""",
}
"""Line → its decisions as the trial was given them (a space inside an id is written `_`)."""

TABLE = README.split("\n## ")[0]
ROWS = [
    [cell.strip() for cell in row.strip("|").split("|")] for row in re.findall(r"^\| (?:S\d|P5|w\d).*$", TABLE, re.M)
]
NAMED = [
    pytest.param(line, card, id=f"{decision}: {card}")
    for decision, line, cards, _, _ in ROWS
    for card in re.findall(r"`([^`]+)`", cards)
]


@pytest.mark.parametrize("line, card, index", examples_of(PROJECT))
def test_an_example(line: str, card: str, index: int) -> None:
    assert not failure_of(PROJECT, line, card, index)


@pytest.mark.parametrize("line, card", NAMED)
def test_a_decision_s_card_exists_and_shows_both_its_sides(line: str, card: str) -> None:
    found = lines_of(PROJECT)[line].source.cards[card]
    asks_when = found.kind == "questions" and getattr(found.body, "when", None) is not None
    if found.kind in FIRING or asks_when:
        assert shows_both(found)


def test_the_table_holds_every_decision_once_at_its_line() -> None:
    given = [(line, name.replace("_", " ", 1)) for line, names in DECISIONS.items() for name in names.split()]
    assert len(given) == 124
    assert Counter((row[1], row[0]) for row in ROWS) == Counter(given)


def test_the_table_says_why_and_counts_right() -> None:
    assert all(cards != "—" or sayable == "the engine's" for _, _, cards, sayable, _ in ROWS)
    assert all(remark for _, _, _, sayable, remark in ROWS if sayable != "at once")
    counted = Counter(row[3] for row in ROWS)
    assert counted == {"at once": 117, "with an extension, made": 4, "the engine's": 3}
    said = "117 decisions could be said at once, four needed an extension that was made, three belong"
    assert said in README


def test_the_cards_that_the_readme_says_were_wrong_exist() -> None:
    wrong = README.split("## What green examples did not show")[1]
    names = re.findall(r"`(\w+)/((?:gates|guard|terms)/\w+)`", wrong)
    assert len(names) == 14
    assert all(card in lines_of(PROJECT)[line].source.cards for line, card in names)


def test_the_lines_build_and_check_without_a_finding(tmp_path: Path) -> None:
    built, checked, said = built_and_checked(PROJECT, tmp_path)
    assert (built, checked) == (0, 0), said
