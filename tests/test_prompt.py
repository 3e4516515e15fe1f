"""The prompt: what the model is told, to the byte; slots filled from cards; every text found again in what was told."""

from __future__ import annotations

import itertools
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small import MANNER, SMALL, edited, line_of

from engine.language.kinds import PromptSetting
from engine.language.project import LineSource
from engine.language.yaml_write import document
from engine.prompt import answer_schema, golden_name, goldens, render, resolved, split, switch_sets

TOLD = """\
You answer for Corner shop.

# Manner
- Greet the customer once.
- Answer in two sentences.
- Stay kind.

# Rules
- Answer within 15 min.
- Give only these numbers:
  +44 20 7946 0100, +44 20 7946 0101

  No others.
"""
LOOKUP = "\n# Looking up\n- Ask for a look-up when you do not know.\n"


def test_the_prompt_to_the_byte() -> None:
    line = line_of(SMALL)
    assert render(line) == TOLD
    assert render(line, {"lookup"}) == TOLD + LOOKUP
    assert render(line, {"photos"}) == TOLD  # no block is included by it


def test_a_question_gets_its_own_blocks_and_no_opening() -> None:
    line = line_of(SMALL)
    assert render(line, question="rating") == "\n".join(TOLD.split("\n")[2:6]) + "\n"
    added = edited(SMALL, "cards/shop/questions/rating.yaml", "instructions: [manner]", "adds: [rules.wait]")
    assert render(line_of(added), question="rating") == "- Answer within 15 min.\n"
    whole = edited(added, "cards/shop/questions/rating.yaml", "fields:\n", "fills: answer\nfields:\n  text: text\n")
    assert render(line_of(whole), question="rating") == TOLD + "\n- Answer within 15 min.\n"


def test_golden_names_and_sets() -> None:
    line = line_of(SMALL)
    assert switch_sets(line) == (frozenset(), frozenset({"lookup"}))
    assert {name: text for name, text in goldens(line).items() if name.startswith("instructions")} == {
        "instructions.txt": TOLD,
        "instructions.lookup.txt": TOLD + LOOKUP,
    }
    assert golden_name({"b", "a"}) == "instructions.a+b.txt"
    assert golden_name({"a"}, "rating") == "question.rating.a.txt"
    off = edited(SMALL, "cards/shop/line.yaml", "lookup: {value: on}", "lookup: {value: off}")
    assert goldens(line_of(off)) == goldens(line)  # what line.yaml sets today renames nothing


def _many_switches(count: int) -> LineSource:
    names = [f"s{number}" for number in range(count)]
    files = dict(SMALL)
    for name in names:
        files[f"rules/shop/{name}.yaml"] = (
            f"title: T\nswitch: {name}\ninstructions: [{{id: {name}.a, text: A {name}.}}]\n"
        )
    return line_of(edited(files, "cards/shop/line.yaml", "[manner, rules, lookup]", f"[{', '.join(names)}]"))


def test_more_than_six_switches_are_refused() -> None:
    assert len(switch_sets(_many_switches(6))) == 64
    line = _many_switches(7)
    with pytest.raises(ValueError, match="7 switches include blocks of one prompt; the most is 6"):
        switch_sets(line)
    [problem] = resolved(line)[1]
    assert problem.code == "too_many_switches"
    assert problem.place.file == "cards/shop/line.yaml"


SLOTS = [
    ("{limits.wait}", "15 min"),
    ("{line.phones}", "+44 20 7946 0100, +44 20 7946 0101"),
    ("{line.name}", "Corner shop"),
    ("{line.languages}", "en, es"),
    ("{texts.hello}", "Hello from Corner shop"),
    ("{texts.bye}", "Goodbye"),
    ("{{limits.wait}}", "{{limits.wait}}"),
    ("{% if limits.wait %}", "{% if limits.wait %}"),
    ("{ limits.wait }", "{ limits.wait }"),
    ("{Limits.wait}", "{Limits.wait}"),
    ("{}", "{}"),
    ("a { b", "a { b"),
]
"""What an instruction holds → what the model reads."""


def _with_text(text: str) -> LineSource:
    common = "title: T\nwhy: W\nsince: 2026-09-21\n"
    files = {
        **SMALL,
        "cards/shop/texts/hello.yaml": common + "words: Hello from {line.name}\n",
        "cards/shop/texts/bye.yaml": common + "words: {es: Adiós, en: Goodbye}\n",
        "cards/shop/texts/order.yaml": common + "words: 'Order {order.number}'\n",
        "cards/shop/texts/ring.yaml": common + "words: 'A {texts.ring}'\n",
        "cards/shop/texts/spoken.yaml": common + "words: {es: x, en: 'say {limits.wait} aloud'}\n",
        "cards/shop/texts/open.yaml": common + "words: '{limits'\n",
        "cards/shop/texts/cases.yaml": common + "cases: [{when: {chat.group: true}, words: A}, {words: B}]\n",
        "cards/shop/limits/share.yaml": common + "value: 80 %\nof: $context.usable\n",
        "cards/shop/limits/decimal.yaml": common + "value: 0.80\n",
        "rules/shop/manner.yaml": document({"title": "M", "instructions": [{"id": "manner.greet", "text": text}]}),
    }
    return line_of(files)


@pytest.mark.parametrize("written, told", SLOTS)
def test_slots_are_filled_and_all_other_braces_stay(written: str, told: str) -> None:
    texts, problems = resolved(_with_text(f"Say {written} now."))
    assert problems == []
    assert texts["manner.greet"].text == f"Say {told} now."


def test_a_number_is_told_as_it_is_written_and_what_is_filled_in_is_not_read_again() -> None:
    assert resolved(_with_text("{limits.decimal}"))[0]["manner.greet"].text == "0.80"
    texts, problems = resolved(_with_text("Please {texts.spoken} and {texts.open}.wait}"))
    assert problems == []
    assert texts["manner.greet"].text == "Please say 15 min aloud and {limits.wait}"


@pytest.mark.parametrize(
    "slot, says, cure",
    [
        ("{limits.wate}", "there is no card limits/wate", "Did you mean `limits.wait`?"),
        ("{limits.share}", "its value depends on the turn", "name a card without cases"),
        ("{texts.cases}", "its words depend on the turn", "name a card without cases"),
        ("{texts.order}", "its words depend on the turn", "name a card without cases"),
        ("{texts.ring}", "its words depend on the turn", "name a card without cases"),
        ("{order.number}", "it is no constant value of the line", ""),
        ("{line.phone}", "it is no constant value of the line", "Did you mean `line.phones`?"),
    ],
)  # fmt: skip
def test_a_slot_that_cannot_be_filled_is_a_problem_at_its_place(slot: str, says: str, cure: str) -> None:
    texts, [problem] = resolved(_with_text(f"Say {slot} now."))
    assert (problem.code, problem.place.file, problem.place.key) == (
        "unfilled_slot", "rules/shop/manner.yaml", "instructions[0].text",
    )  # fmt: skip
    line = "    text: Say {"
    assert problem.place.column == len(line) or problem.place.column == len(line) + 1  # quoted or not
    assert says in problem.says
    assert cure in problem.cure
    assert texts["manner.greet"].text == f"Say {slot} now."


@pytest.mark.parametrize(
    "old, new, code",
    [
        ("  opening: You answer for {line.name}.\n", "  opening: '{order.number}'\n", "unfilled_slot"),
        ("  opening: You", "  item: '- '\n  opening: You", "bad_template"),
        ("  opening: You", "  item: '{text} {text}'\n  opening: You", "bad_template"),
        ("  opening: You", "  heading: Heading\n  opening: You", "bad_template"),
        ("  opening: You", "  heading: '{title} {staff.x}'\n  opening: You", "unfilled_slot"),
    ],
)
def test_a_template_that_loses_words_is_refused(old: str, new: str, code: str) -> None:
    problems = resolved(line_of(edited(SMALL, "cards/shop/line.yaml", old, new)))[1]
    assert [problem.code for problem in problems] == [code]


def test_an_id_that_stands_twice_is_refused() -> None:
    twice = edited(SMALL, "rules/shop/manner.yaml", "manner.short", "manner.greet")
    [problem] = resolved(line_of(twice))[1]
    assert (problem.code, problem.place.line) == ("duplicate_instruction", 5)


def test_windows_line_ends_are_told_as_others() -> None:
    windows = {name: text.replace("\n", "\r\n") for name, text in SMALL.items()}
    assert goldens(line_of(windows)) == goldens(line_of(SMALL))


TEXT = st.lists(st.text("abc -#:{}\t•é", min_size=0, max_size=12), min_size=1, max_size=5).map("\n".join)
ITEMS = ["- {text}", "{text}", "{id}: {text}", "* {text} (end)", "<rule>\n  {text}\n</rule>", "- {line.name}: {text}."]


@given(
    texts=st.lists(TEXT.filter(lambda text: text.strip() != ""), min_size=1, max_size=6),
    item=st.sampled_from(ITEMS),
    opening=st.sampled_from(["", "- Hello", "One\n\nTwo"]),
)
def test_every_text_is_found_again_in_what_was_told(texts: list[str], item: str, opening: str) -> None:
    """`split` gives back every text of a rendered prompt, so that an old text is found by its hash without git."""
    instructions = [{"id": f"manner.i{number}", "text": text} for number, text in enumerate(texts)]
    files = {
        "cards/shop/line.yaml": document(
            {
                "rulecard": 1, "title": "Shop", "languages": ["en"], "zone": "UTC", "region": "GB",
                "prompt": {"opening": opening, "item": item, "blocks": ["manner"]},
            }
        ),
        "rules/shop/manner.yaml": document({"title": "M", "instructions": instructions}),
    }  # fmt: skip
    line = line_of(files)
    told = render(line)
    assert told == render(line)
    assert "\r" not in told
    found = set(split(told, line.config.prompt))
    assert {text.text for text in resolved(line)[0].values()} <= found


def test_a_template_that_indents_nothing_still_gives_long_texts() -> None:
    text = "\n".join(f"line {number}" for number in range(30))
    assert text in set(split(f"# T\n{text}\n", PromptSetting(item="{text}")))


ANSWERS: list[tuple[Any, bool]] = [
    ({"good": True, "kind": "new", "score": 0.5, "note": None}, True),
    ({"good": True, "kind": "new", "score": 1, "note": "x"}, True),
    ({"good": True, "kind": "new", "score": 1.5, "note": None}, False),
    ({"good": True, "kind": "old", "score": 0.5, "note": None}, False),
    ({"good": "yes", "kind": "new", "score": 0.5, "note": None}, False),
    ({"good": True, "kind": "new", "score": 0.5}, False),
    ({"good": True, "kind": "new", "score": 0.5, "note": None, "more": 1}, False),
]


@pytest.mark.parametrize("answer, holds", ANSWERS)
def test_the_schema_takes_what_the_fields_say_and_nothing_else(answer: Any, holds: bool) -> None:
    schema = answer_schema(line_of(SMALL).cards["questions/rating"])
    assert list(schema["properties"]) == ["good", "kind", "score", "note"]  # the card's order
    assert jsonschema.Draft202012Validator(schema).is_valid(answer) is holds


def test_the_schema_of_every_type() -> None:
    fields = """\
fields:
  a: list of text
  b: {type: [x, y], optional: true}
  c: date
  d: clock
  e: duration
  f: percent
  g: money
"""
    card = line_of(
        {
            **SMALL,
            "cards/shop/questions/rating.yaml": SMALL["cards/shop/questions/rating.yaml"].partition("fields:")[0]
            + fields,
        }
    )
    schema = answer_schema(card.cards["questions/rating"])
    jsonschema.Draft202012Validator.check_schema(schema)
    valid = jsonschema.Draft202012Validator(schema).is_valid
    good = {"a": ["x"], "b": None, "c": "2026-01-01", "d": "09:30", "e": "15 min", "f": 80, "g": "£5"}
    assert valid(good)
    bad = {"a": "x", "b": "z", "d": "25:00", "e": "soon", "f": "80 %", "g": 5}
    for name, value in bad.items():
        assert not valid({**good, name: value}), name


def test_blocks_that_the_line_does_not_list_are_not_told_but_their_texts_are_known() -> None:
    line = line_of(edited(SMALL, "cards/shop/line.yaml", "[manner, rules, lookup]", "[rules]"))
    assert "Stay kind" not in render(line)
    assert [*resolved(line)[0]][:2] == ["rules.wait", "rules.phones"]
    assert "manner.kind" in resolved(line)[0]


def test_the_order_of_files_changes_nothing() -> None:
    for order in itertools.islice(itertools.permutations(SMALL.items()), 0, 2000, 371):
        assert goldens(line_of(dict(order))) == goldens(line_of(SMALL))
    assert MANNER in SMALL.values()
