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
ROWS = [
    [cell.strip() for cell in row.strip("|").split("|")] for row in re.findall(r"^\| (?:S\d|P5|w\d).*$", README, re.M)
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


def test_the_table_holds_every_decision_once_and_counts_right() -> None:
    assert len(ROWS) == len({row[0] for row in ROWS}) == 124
    assert all(cards != "—" or sayable == "the engine's" for _, _, cards, sayable, _ in ROWS)
    assert all(remark for _, _, _, sayable, remark in ROWS if sayable != "at once")
    counted = Counter(row[3] for row in ROWS)
    assert counted == {"at once": 117, "with an extension, made": 4, "the engine's": 3}
    said = "117 decisions could be said at once, four needed an extension that was made, three belong"
    assert said in README


def test_the_lines_build_and_check_without_a_finding(tmp_path: Path) -> None:
    built, checked, said = built_and_checked(PROJECT, tmp_path)
    assert (built, checked) == (0, 0), said
