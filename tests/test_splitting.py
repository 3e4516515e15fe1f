"""How a prompt is split: into which sections and instructions, and that no word of it is lost or moved."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runbook.naming import BLOCK, INSTRUCTION, block_ids, instruction_ids, kind_of, read_words, title_of
from runbook.splitting import Section, split

WORDS = read_words()


def shape(prompt: str) -> list[tuple[str, int, list[str]]]:
    return [(section.title, section.level, section.texts) for section in split(prompt)]


def told(sections: list[Section]) -> str:
    """The sections as the prompt tells them."""
    rows = []
    for section in sections:
        rows += [f"{'#' * section.level} {section.title}"] * bool(section.level) + section.texts
    return "\n".join(rows)


def words(text: str) -> list[str]:
    return [word for word in text.split() if any(map(str.isalnum, word))]


CASES: dict[str, tuple[str, list[tuple[str, int, list[str]]]]] = {
    "a heading and its paragraphs": (
        "# Refunds\n\nAsk for the number.\n\nNever promise a day.\n",
        [("Refunds", 1, ["Ask for the number.", "Never promise a day."])],
    ),
    "words before any heading": ("You are a clerk.\n\n## Rules\nBe kind.", [
        ("Opening", 0, ["You are a clerk."]), ("Rules", 2, ["Be kind."])]),
    "a paragraph with a sentence a line": ("# A\nOpen it.\nLook inside!\nThen close it.", [
        ("A", 1, ["Open it.", "Look inside!", "Then close it."])]),
    "a paragraph that is wrapped": ("# A\nOpen it and\nlook inside.", [("A", 1, ["Open it and\nlook inside."])]),
    "a sentence and the list it introduces": ("# A\nEach order has the following:\n- a number\n- a day\n", [
        ("A", 1, ["Each order has the following:\n- a number\n- a day"])]),
    "a label before a list of rules": ("# A\nPayment:\n- One card at most.\n- No cash.\n\nDone.", [
        ("A", 1, ["Payment:\n- One card at most.", "- No cash.", "Done."])]),
    "a list of its own": ("# A\n- One card at most.\n- No cash.", [("A", 1, ["- One card at most.", "- No cash."])]),
    "a nested list stays with its item": ("# A\n- Gold:\n  - two bags\n    - of any weight\n- Silver:\n  - one bag", [
        ("A", 1, ["- Gold:\n  - two bags\n    - of any weight", "- Silver:\n  - one bag"])]),
    "numbered steps keep their numbers": ("# A\n1. Ask.\n2. Look.\n10. Answer.", [
        ("A", 1, ["1. Ask.", "2. Look.", "10. Answer."])]),
    "a line after a list that is no part of it": ("# A\n- Change the plan.\n- Add data.\nRefer to the policy.", [
        ("A", 1, ["- Change the plan.", "- Add data.", "Refer to the policy."])]),
    "a table with what introduces it": ("# A\nPrices:\n\n| bag | price |\n|---|---|\n| one | 5 |", [
        ("A", 1, ["Prices:\n| bag | price |\n|---|---|\n| one | 5 |"])]),
    "a fence with what looks like a heading": ("# A\nAnswer so:\n```\n# no heading\n\n</a>\n- no list\n```\nEnd.", [
        ("A", 1, ["Answer so:\n```\n# no heading\n\n</a>\n- no list\n```", "End."])]),
    "a quotation": ("# A\n> first\n> second", [("A", 1, ["> first\n> second"])]),
    "wrappers around headings": ("<main_policy>\n# A\nBe kind.\n</main_policy>\n<more>\n# B\nBe quick.\n</more>", [
        ("Main policy", 0, ["<main_policy>"]), ("A", 1, ["Be kind.", "</main_policy>"]),
        ("More", 0, ["<more>"]), ("B", 1, ["Be quick.", "</more>"])]),
    "wrappers in place of headings": ("<tone>\nBe kind.\n</tone>\n\nAlways.\n<rules>\n  - One.\n  - Two.\n</rules>", [
        ("Tone", 0, ["<tone>", "Be kind.", "</tone>"]), ("Always", 0, ["Always."]),
        ("Rules", 0, ["<rules>", "- One.", "- Two.", "</rules>"])]),
    "a wrapper within a wrapper is one": ("<examples>\n <example>\n Hi\n Hello\n </example>\n</examples>", [
        ("Examples", 0, ["<examples>", "<example>\nHi\nHello\n</example>", "</examples>"])]),
    "a tag that is never closed": ("# A\n<thinking>\nThink.", [("A", 1, ["<thinking>\nThink."])]),
    "a heading with nothing under it": ("# A\n## B\nBe kind.", [("A", 0, ["# A"]), ("B", 2, ["Be kind."])]),
    "underlined headings": ("Title\n=====\nBe kind.\n\nMore\n----\nBe quick.", [
        ("Title", 1, ["Be kind."]), ("More", 2, ["Be quick."])]),
    "a link definition": ("# A\n[shop]: https://shop.example\n", [("A", 1, ["[shop]: https://shop.example"])]),
    "Windows line ends, a mark at the front, tabs": ("\ufeff# A\r\n\r\n-\tOne.\r\n", [("A", 1, ["-   One."])]),
    "nothing": (" \n\n\t\n", []),
    "a line of hard spaces": ("\u00a0\n\nBe kind.", [("Opening", 0, ["Be kind."])]),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_what_becomes_of(case: str) -> None:
    prompt, wanted = CASES[case]
    assert shape(prompt) == wanted
    assert words(told(split(prompt))) == words(prompt.removeprefix("\ufeff"))


def test_tags_and_bare_headings_are_marked_as_layout() -> None:
    sections = split("<a>\n# One\n## Two\nBe kind.\n</a>")
    marked = [text for section in sections for index, text in enumerate(section.texts) if index in section.layout]
    assert marked == ["<a>", "# One", "</a>"]


def test_a_long_list_is_split_and_a_short_one_is_not() -> None:
    item = "- " + "word " * 30 + "end"
    assert len(split("# A\nThe steps are as follows below:\n" + f"{item}\n" * 3)[0].texts) == 1
    assert len(split("# A\nThe steps are as follows below:\n" + f"{item}\n" * 9)[0].texts) == 10


LINE = st.sampled_from([
    "", "# Head", "### Deep head ##", "Head", "====", "---", "- item one.", "- item two", "  - below", "    more",
    "1. step", "2) other", "* star:", "Text that ends.", "text that goes on", "Label:", "**Bold**", "> quoted", "```",
    "~~~", "<a>", "</a>", "<b x='1'>", "</b>", "| x | y |", "|---|---|", "[r]: http://r.example", "\ttabbed",
    "&amp; \\* `code`", "<!-- note -->", "é 日本",
])  # fmt: skip


@given(st.lists(LINE, max_size=25))
def test_no_word_is_lost_moved_or_added(rows: list[str]) -> None:
    """Whatever the lines: all words of the prompt, in their order, and no instruction is empty."""
    prompt = "\n".join(rows)
    sections = split(prompt)
    assert words(told(sections)) == words(re.sub(r"(?m)^#+[ ]*$", "", prompt))
    assert all(text.strip() for section in sections for text in section.texts)
    assert all(section.texts for section in sections)


@given(st.text(max_size=200))
def test_any_text_at_all_is_split(prompt: str) -> None:
    assert words(told(split(prompt))) == words(prompt.removeprefix("\ufeff"))


@given(st.lists(st.text(max_size=60), min_size=1, max_size=12))
def test_ids_are_short_unique_and_well_formed(titles: list[str]) -> None:
    blocks = block_ids(titles, WORDS)
    assert len(set(blocks)) == len(titles)
    for block in blocks:
        assert re.fullmatch(r"[a-z][a-z0-9_]*", block)
        assert len(block) <= BLOCK
        ids = instruction_ids(block, Section("A", 1, titles, set()), WORDS)
        assert len(set(ids)) == len(titles)
        assert all(re.fullmatch(r"[a-z][a-z0-9_]*\.[a-z][a-z0-9_-]*", id) and len(id) <= INSTRUCTION for id in ids)


@pytest.mark.parametrize(("titles", "ids"), [
    (["Cancel pending order", "Modify pending order"], ["cancel_pending", "modify_pending"]),
    (["Understanding Your Phone's Cellular Service", "Understanding Your Phone's Mobile Data"],
     ["cellular_service", "phones_mobile_data"]),
    (["Refunds", "Refunds"], ["refunds", "refunds_2"]),
    (["Возврат", "7 days"], ["part", "days"]),
    (["Antidisestablishmentarianism"], ["antidisestablishme"]),
])  # fmt: skip
def test_blocks_are_named_by_their_headings(titles: list[str], ids: list[str]) -> None:
    assert block_ids(titles, WORDS) == ids


@pytest.mark.parametrize(("text", "id"), [
    ("You should deny user requests that are against this policy.", "refunds.deny-user-requests-against"),
    ("1. **check_status_bar** - Shows icons.", "refunds.check-status-bar-shows-icons"),
    ("Don't promise a day.", "refunds.dont-promise-day"),
    ("¡Hola!", "refunds.hola"),
    ("42", "refunds.rule"),
])  # fmt: skip
def test_instructions_are_named_by_their_words(text: str, id: str) -> None:
    assert instruction_ids("refunds", Section("Refunds", 1, [text], set()), WORDS) == [id]


@pytest.mark.parametrize(("text", "kind"), [
    ("If the order is late, ask for its number.", "situations"),
    ("Each product has a number.", "background"),
    ("Write short sentences in a friendly tone.", "style"),
])  # fmt: skip
def test_which_kind_of_card_explains(text: str, kind: str) -> None:
    assert kind_of(text, WORDS) == kind


@pytest.mark.parametrize(("text", "title"), [
    ("Ask first. Then look.", "Ask first."),
    ("Payment:\n- **One** card at most.", "Payment: One card at most."),
    ("1. **check_status_bar** - Shows `icons`.", "check_status_bar - Shows icons."),
    ("word " * 40, ("word " * 17).strip() + "…"),
])  # fmt: skip
def test_drafted_titles(text: str, title: str) -> None:
    assert title_of(text) == title
