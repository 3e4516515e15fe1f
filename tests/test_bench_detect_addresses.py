"""How cases of links, addresses and telephone numbers are counted, and where we differ from them on purpose."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.evidence.detect import addresses, conventions
from engine.evidence.detect.conventions import Difference
from engine.evidence.detect.score import context
from engine.language.extract import extract

FILES = ("detect_twitter_text", "detect_links_linkify", "detect_rt_sequence", "detect_presidio_tests",
         "detect_pii_presidio_synth", "detect_phonenumbers")  # fmt: skip


def _folder(folder: Path, **rows: list[dict[str, Any]]) -> Path:
    for name in FILES:
        lines = [json.dumps({"id": f"{name}-{at}", **row}) for at, row in enumerate(rows.get(name, []))]
        (folder / f"{name}.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return folder


def test_links_of_every_set_are_counted_at_their_place(tmp_path: Path) -> None:
    folder = _folder(
        tmp_path,
        detect_twitter_text=[
            {"kind": "urls", "text": "go to shop.com now", "expected": ["shop.com"]},
            {"kind": "urls_with_indices", "text": "x shop.com", "expected": [{"url": "shop.com", "indices": [2, 10]}]},
            {"kind": "cashtags", "text": "$A", "expected": ["A"]},
        ],
        detect_links_linkify=[{"kind": "link_or_email", "text": "me@shop.com", "expected": ["me@shop.com"]}],
        detect_rt_sequence=[
            {"kind": "url", "text": "See Shop.com", "expected": [{"text": "shop.com"}]},
            {"kind": "email", "text": "no address", "expected": [{"text": "no address"}]},
        ],
        detect_presidio_tests=[{"kind": "url", "text": "'https://shop.com/a'", "expected": [], "spans": [[0, 20]]}],
        detect_pii_presidio_synth=[{"text": "see shop.com", "expected": [["DOMAIN_NAME", "shop.com", 4, 12]]}],
    )
    score = addresses.links_and_emails_written(folder)
    assert (score.n, score.right, [miss.id for miss in score.misses]) == (6, 5, ["detect_rt_sequence-1"])
    assert addresses.links_and_emails(folder).n == 7


def test_a_case_covered_by_a_convention_is_wrong_in_the_figure_of_all(tmp_path: Path) -> None:
    cases = [{"kind": "link", "text": "ftp2://shop", "expected": []}, {"kind": "link", "text": "hm", "expected": []}]
    score = addresses.links_and_emails(_folder(tmp_path, detect_links_linkify=cases))
    assert score.apart == {"told_by_its_scheme": 1}
    assert (score.n, score.right, score.figures["right of all"]) == (1, 1, 0.5)


def test_phones_are_read_in_the_region_of_their_set(tmp_path: Path) -> None:
    cases = [
        {"kind": "phone", "text": "ring 020 7946 0123", "region": "GB", "expected": ["020 7946 0123"]},
        {"kind": "phone", "text": "ring 202-555-0123", "region": "US", "expected": ["202-555-0123"]},
        {"kind": "phone", "text": "the 3rd of May 2024", "region": "US", "expected": ["2024"]},
    ]
    score = addresses.phones(_folder(tmp_path, detect_phonenumbers=cases))
    assert (score.n, score.right, score.found, score.hits) == (3, 2, 2, 2)
    assert not score.held


def _difference(text: str, spelled: str, missed: bool) -> Difference:
    start = text.index(spelled)
    return Difference(text, start, start + len(spelled), missed)


@pytest.mark.parametrize("name, text, spelled, missed, covered", [
    ("told_by_its_scheme", "x git://host y", "git://host", False, True),
    ("told_by_its_scheme", "x git://host y", "host", True, True),
    ("told_by_its_scheme", "x host y", "host", True, False),
    ("opens_an_app", "tel:+12025550123", "tel:+12025550123", False, True),
    ("opens_an_app", "tel:+12025550123", "tel:+12025550123", True, False),
    ("two_slashes_alone", "//localhost", "//localhost", True, True),
    ("two_slashes_alone", "//shop.com", "shop.com", False, True),
    ("two_slashes_alone", "a shop.com", "shop.com", False, False),
    ("path_ends_before_ideograph_or_quote", "shop.com/a路", "shop.com/a路", True, True),
    ("path_ends_before_ideograph_or_quote", "shop.com/a路", "shop.com/a", False, True),
    ("path_ends_before_ideograph_or_quote", "shop.com/a b", "shop.com/a", False, False),
    ("host_of_any_script", "на пример.рф", "пример.рф", False, True),
    ("host_of_any_script", "at shop.com", "shop.com", False, False),
    ("mail_of_any_ending", "me@host.local", "me@host.local", False, True),
    ("mail_of_any_ending", "me@shop.com", "me@shop.com", False, False),
    ("mail_after_a_dot", "a..b@shop.com", "b@shop.com", False, True),
    ("mail_after_a_dot", "a b@shop.com", "b@shop.com", False, False),
    ("no_name_of_a_host", "http://-shop.com", "http://-shop.com", True, True),
    ("no_name_of_a_host", "http://a-shop.com", "http://a-shop.com", True, False),
])  # fmt: skip
def test_a_convention_covers_its_own_difference_only(
    name: str, text: str, spelled: str, missed: bool, covered: bool
) -> None:
    assert getattr(conventions, name)(_difference(text, spelled, missed)) is covered


def test_there_are_eight_conventions_at_most_each_with_its_reason() -> None:
    assert 0 < len(conventions.CONVENTIONS) <= 8
    assert all(one.__doc__ for one in conventions.CONVENTIONS)


@pytest.mark.parametrize("text", ["take the order.page of it", "so.call us", "see it.now please", "ok.so what"])
def test_words_with_a_dot_between_are_no_host(text: str) -> None:
    assert not extract("hosts", text, context())
