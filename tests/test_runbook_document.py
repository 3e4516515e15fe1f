"""The two documents of a line: total, linked both ways, the same everywhere; text of cards is data in them."""

from __future__ import annotations

import ast
import base64
import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from runbook_lines import (
    HOSTILE,
    hostile_line,
    language_line,
    plain,
    read_html,
    read_markdown,
    small_line,
)  # fmt: skip

from engine.language.kinds import KINDS
from engine.language.project import LineSource, read_project
from engine.language.yaml_write import CannotWrite, document
from engine.prompt import render as prompt
from engine.prompt import switch_sets
from runbook import markdown as md
from runbook.render import documents, markdown, page
from runbook.view import View
from runbook.viewing import KIND_TITLES, view

ROOT = Path(__file__).parent.parent
LINES = {"language": language_line, "small": small_line, "hostile": lambda: hostile_line("<i>x</i>")}


@pytest.fixture(scope="module", params=LINES)
def line(request: pytest.FixtureRequest) -> LineSource:
    made = LINES[request.param]()
    assert isinstance(made, LineSource)
    return made


@pytest.fixture(scope="module")
def shown(line: LineSource) -> View:
    return view(line)


# total


def test_every_card_stands_exactly_once(line: LineSource, shown: View) -> None:
    names = sorted(line.cards)
    assert sorted(card.name for card in shown.cards()) == names
    assert sorted(read_html(page(shown)).articles) == names
    headings = re.findall(r'^### <a id="([a-z]+)-([a-z0-9_]+)" name="\1-\2"></a>', markdown(shown), re.M)
    assert sorted(f"{kind}/{id}" for kind, id in headings if kind != "blocks") == names


def test_every_instruction_stands_exactly_once(line: LineSource, shown: View) -> None:
    ids = sorted(item.id for item in line.instructions())
    assert sorted(one.id for block in shown.blocks for one in block.instructions) == ids
    pages = read_html(page(shown)).ids
    assert sorted(id for id in pages if "." in id) == ids
    assert sorted(re.findall(r'^- <a id="([a-z0-9_]+\.[a-z0-9_-]+)"', markdown(shown), re.M)) == ids


def test_every_kind_has_a_chapter() -> None:
    assert {"gates", "guard", *KIND_TITLES} == set(KINDS)


def test_every_key_of_a_card_is_shown(line: LineSource) -> None:
    """What a card says is in its rows: each literal, number and path of its YAML stands in the page's text."""
    texts = {card.name: plain_of(card) for card in view(line).cards()}
    for name, card in line.cards.items():
        left_out = ("since", "examples", "changes", "explains", "owner", "at")
        for leaf in leaves({key: one for key, one in card.source.value.items() if key not in left_out}):
            assert plain(leaf) in texts[name], f"{name} does not show {leaf!r}"


def plain_of(card: Any) -> str:
    pieces = [piece for row in card.rows for _, phrase in row.lines for piece in phrase]
    said = " ".join(
        [card.title, card.why, *(row.label for row in card.rows), *(one for p in pieces for one in (p.text, p.to))]
    )
    # a state is shown in words (`is set`), a path of a card by its name (`marks/x`)
    return plain(f"{said} {said.replace('/', '.')} {''.join(piece.text for piece in pieces)}")


SAID = {
    "true", "false", "hold", "next", "pass", "always", "model", "answer", "sentence", "match", "whole", "item", "sender_in_chat",
}  # fmt: skip
"""Words that a row says in a word of its own."""


def leaves(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [leaf for one in value.values() for leaf in leaves(one)]
    if isinstance(value, list):
        return [leaf for one in value for leaf in leaves(one)]
    said = str(value).removeprefix("$")
    return [] if said.lower() in SAID or isinstance(value, (bool, float)) else [said]


def test_what_the_line_does_not_do_has_its_chapter(shown: View) -> None:
    assert [heading for heading in ("does-not", "settings", "told") if heading not in read_html(page(shown)).ids] == []
    assert "What the line does not do" in markdown(shown)


def test_cards_of_a_point_stand_in_the_order_in_which_they_run() -> None:
    line = language_line()
    order = line.config.order["fast"]
    [chapter] = [one for one in view(line).chapters if one.id == "stage/fast"]
    assert [card.id for card in chapter.cards] == order
    assert chapter.cards[0].place == f"1 of {len(order)} at fast"


# links


def test_anchors_are_unique_and_every_link_leads_to_one(shown: View) -> None:
    for read in (read_html(page(shown)), read_markdown(markdown(shown))):
        assert len(read.ids) == len(set(read.ids))
        inside = [link.removeprefix("#") for link in read.links if link != "data:,"]
        assert [link for link in read.links if not link.startswith("#") and link != "data:,"] == []
        assert [link for link in inside if link not in read.ids] == []


def test_links_lead_both_ways() -> None:
    cards = {card.name: card for card in view(language_line()).cards()}
    for card in cards.values():
        for used in card.uses:
            assert card.name in [one.name for one in cards[used.name].used_by], f"{used.name} does not know {card.name}"
        for by in card.used_by:
            assert card.name in [one.name for one in cards[by.name].uses]
    assert [one.name for one in cards["waves/changes"].uses] == ["gates/change_yes"]
    assert cards["gates/change_yes"].waves == ("changes",)


def test_instructions_and_cards_are_linked_both_ways() -> None:
    shown = view(small_line())
    told = {one.id: one for block in shown.blocks for one in block.instructions}
    cards = {card.name: card for card in shown.cards()}
    assert [one.name for one in told["rules.wait"].explained_by] == ["limits/wait"]
    assert [one.name for one in told["rules.wait"].quotes] == ["limits/wait"]
    assert [one.name for one in cards["limits/wait"].told_in] == ["rules.wait"]
    assert cards["limits/wait"].explains[0].title == "Answer within 15 min."


# the prompt


def test_the_blocks_are_what_the_model_reads(line: LineSource, shown: View) -> None:
    """Opening, blocks and appended instructions, put together, are the prompt of each question and set of switches."""
    items = {one.id: one.item for block in shown.blocks for one in block.instructions}
    for one in shown.prompts:
        for on in switch_sets(line, one.question or None):
            parts = [shown.opening] if one.opens else []
            told = {block.id: block for block in shown.blocks if one.question in block.told_in}
            for block in (told[id] for id in one.blocks):
                if not block.switch or block.switch in on:
                    parts.append("\n".join([*filter(None, [block.head]), *(each.item for each in block.instructions)]))
            parts.append("\n".join(items[each.name] for each in one.adds))
            assert ("\n\n".join(filter(None, parts)) + "\n" if any(parts) else "") == prompt(
                line, on, one.question or None
            )


# text of cards is data


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_shown_as_it_is(text: str) -> None:
    shown = view(hostile_line(text))
    tame = view(hostile_line("word"))
    for write, read in ((page, read_html), (markdown, read_markdown)):
        found, plainly = read(write(shown)), read(write(tame))
        assert set(found.tags) <= set(plainly.tags), set(found.tags) - set(plainly.tags)
        assert found.ids == plainly.ids
        assert [link for link in found.links if not link.startswith(("#", "data:,"))] == []
        assert {one[:2] for one in found.attributes} - {("code", "class")} <= {one[:2] for one in plainly.attributes}
        assert found.raw == plainly.raw
        wanted = plain(text).rstrip(".")
        assert found.text.count(wanted) >= 20, wanted


@given(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40)
    | st.text("`*_~#>-+.)(1[]!|<&;$\\: ab\n", min_size=1)
)
def test_any_text_is_literal_in_markdown(text: str) -> None:
    assume(plain(text))
    assert read_markdown(f"{md.literal(text)}\n").text == plain(text)
    assert read_markdown(f"- x: {md.literal(text)}\n").text == f"x: {plain(text)}"
    table = read_markdown(f"| a | b |\n| --- | --- |\n| {md.literal(text)} | c |\n")
    assert table.tags.count("td") == 2 and table.text == f"a b {plain(text)} c"
    assert set(read_markdown(f"### {md.literal(text)}\n").tags) == {"h3"}
    quoted = read_markdown(f"- x\n\n  {md.quote(text, '  ')}\n")
    assert quoted.text == f"x {plain(text)}" and set(quoted.tags) <= {"ul", "li", "p", "blockquote", "br"}
    code = read_markdown(f"- {md.code(text)}\n")
    assert code.text == plain(text) and code.tags == ["ul", "li", "code"]


VALUES = st.recursive(
    st.booleans() | st.integers(-9, 9) | st.sampled_from(["hold", "$limits.wait", "say", "5 min", "x", "<b>"]),
    lambda inner: st.lists(inner, min_size=1, max_size=3)
    | st.dictionaries(
        st.sampled_from(["any", "all", "not", "message.text", "marks.mark", "matches", "in", "between", "count", "where", "like", "has", "say", "ask", "mark", "when", "it.x"]),
        inner, min_size=1, max_size=3,
    ),
    max_leaves=8,
)  # fmt: skip
OPEN = {
    "gates": ("when", "unless", "then", "also", "on_error"), "guard": ("when", "then", "repair", "edit"),
    "texts": ("words",), "limits": ("value", "within", "at_most"), "terms": ("when",), "marks": ("lasts",),
    "questions": ("fields", "else", "when"), "ladders": ("errors",), "roles": ("who",), "waves": ("opens",),
}  # fmt: skip
NEEDED: dict[str, dict[str, Any]] = {
    "marks": {"scope": "chat"}, "questions": {"calls": "model"}, "ladders": {"for": "model"},
    "waves": {"switch": "always"},
}  # fmt: skip


@settings(max_examples=60)
@given(st.sampled_from(sorted(OPEN)), st.data())
def test_a_card_that_is_wrong_in_any_way_is_still_shown(kind: str, data: st.DataObject) -> None:
    """Whatever passes the shape of a card can be rendered: what is wrong with it is said by `check`, not by a crash."""
    drawn = {key: data.draw(VALUES, key) for key in OPEN[kind]}
    example = {"facts": {"chat.id": data.draw(VALUES)}, "then": data.draw(VALUES), "history": [data.draw(VALUES)],
               "asked": {"ask": data.draw(VALUES)}, "becomes": data.draw(VALUES), "item": data.draw(VALUES)}  # fmt: skip
    card = {"title": "T", "why": "W", "since": "2026-09-21", **NEEDED.get(kind, {}), **drawn, "examples": [example]}
    line = "rulecard: 1\ntitle: T\nlanguages: [en]\nzone: UTC\nregion: GB\n"
    try:
        files = {f"cards/x/{kind}/c.yaml": document(card), "cards/x/line.yaml": line}
    except CannotWrite:
        assume(False)
    made = read_project(files).lines["x"]
    assume(made.cards)
    shown = view(made)
    assert read_html(page(shown)).articles == [f"{kind}/c"]
    read_markdown(markdown(shown))


# the page keeps to itself


def test_the_page_runs_only_its_own_script_and_loads_nothing() -> None:
    found = read_html(page(view(language_line())))
    [policy] = [value for tag, name, value in found.attributes if tag == "meta" and "default-src" in value]
    assert policy.startswith("default-src 'none'; ")
    for kind in ("script", "style"):
        digest = base64.b64encode(hashlib.sha256(found.raw[kind].encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
        assert found.tags.count(kind) == 1
    assert not {"img", "iframe", "object", "base", "form"} & set(found.tags)
    assert [value for _, name, value in found.attributes if name in ("src", "action", "srcset")] == []
    assert "http" not in found.raw["script"] and "http" not in found.raw["style"]


# the same everywhere

WRITE = """
import hashlib, sys
from runbook_lines import language_line
from runbook.render import documents
made = documents()
line = language_line()
print(hashlib.sha256((made.markdown(line) + made.page(line)).encode()).hexdigest())
"""


def test_the_documents_are_the_same_with_every_hash_seed_zone_and_locale() -> None:
    seen = set()
    for seed, zone, locale in (
        ("0", "UTC", "C"),
        ("1", "Asia/Tokyo", "C.UTF-8"),
        ("4711", "America/Lima", "tr_TR.UTF-8"),
    ):
        env = {**os.environ, "PYTHONHASHSEED": seed, "TZ": zone, "LC_ALL": locale,
               "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tests")])}  # fmt: skip
        done = subprocess.run([sys.executable, "-c", WRITE], env=env, capture_output=True, text=True, check=True)
        seen.add(done.stdout)
    assert len(seen) == 1


def test_the_order_of_files_does_not_matter() -> None:
    from small import SMALL

    there = read_project(dict(sorted(SMALL.items()))).lines["shop"]
    back = read_project(dict(sorted(SMALL.items(), reverse=True))).lines["shop"]
    made = documents()
    assert (made.markdown(there), made.page(there)) == (made.markdown(back), made.page(back))


@pytest.mark.parametrize("room", ["view", "viewing", "card_view", "phrases", "drawing", "markdown", "render"])
def test_no_clock_no_chance_no_environment(room: str) -> None:
    tree = ast.parse((ROOT / "runbook" / f"{room}.py").read_text("utf-8"))
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert not names & {
        "os",
        "time",
        "datetime",
        "random",
        "locale",
        "uuid",
        "secrets",
        "pathlib",
        "subprocess",
        "socket",
    }


def test_lines_end_with_lf_and_no_white_space() -> None:
    text = markdown(view(language_line()))
    assert text.endswith("\n") and "\r" not in text and "\n\n\n" not in text
    assert [row for row in text.split("\n") if row != row.rstrip()] == []
    assert "rulecard build --line shop" in text.split("\n")[0]
