"""The catalogue of facts: every row is usable, and the page shows it as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.language.facts import SCALARS, catalogue, points_from, read_type
from engine.language.points import PATH, POINTS
from runbook.facts_page import facts_page

PAGE = Path(__file__).parent.parent / "docs" / "facts.md"


def test_the_page_of_facts_is_what_the_catalogue_says() -> None:
    assert PAGE.read_text("utf-8") == facts_page(), "run: python -m runbook.facts_page > docs/facts.md"


def test_every_fact_is_known_somewhere_has_a_source_and_is_explained() -> None:
    for fact in catalogue().values():
        assert fact.points and fact.points <= set(POINTS), fact.path
        assert fact.type.name in SCALARS and fact.source and fact.says, fact.path


def test_what_is_known_at_a_point_of_the_path_is_known_at_every_later_one() -> None:
    for fact in catalogue().values():
        known = [point in fact.points for point in PATH]
        if fact.source in ("peer", "send", "delivered"):
            continue  # one point's own subject
        assert known == sorted(known), fact.path


@pytest.mark.parametrize(
    ("spelling", "shown"),
    [("text", "text"), ("list of phone", "list of phone"), ("a | b", "a | b"), ("choice", None), ("phones", None),
     ("list of", None), ("", None)],
)  # fmt: skip
def test_types_are_read(spelling: str, shown: str | None) -> None:
    read = read_type(spelling)
    assert (str(read) if read else None) == shown


def test_a_fact_from_a_point_is_known_from_there_on() -> None:
    assert "orders" in points_from("orders") and "topic" not in points_from("orders")
    assert points_from("memory") == {"memory"}
