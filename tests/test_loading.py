"""Reading a project: every mistake at once, each at file, line and column, with its key and the nearest right name."""

from __future__ import annotations

import pytest
from one_card import LINE, compiled, files_of

from engine.language.project import read_project

GATE = "when: {message.kind: text}\nthen: hold\n"

BROKEN: list[tuple[str, str, str, tuple[int, int], str, str]] = [
    # card, body, code, (line, column), key, part of sentence or cure. The body begins at line 4.
    ("gates/a", GATE + "unles: {message.kind: photo}\n", "unknown_key", (6, 1), "unles", "`unless`"),
    ("gates/a", GATE + "at: pregate\n", "unknown_value", (6, 5), "at", "`pre-gate`"),
    ("gates/a", GATE + "owner: 7\n", "", (0, 0), "", ""),  # a number where text is due keeps its spelling
    ("gates/a", GATE + "owner: [a]\n", "wrong_type", (6, 8), "owner", "must be text"),
    ("gates/a", GATE + "owner:\n", "empty_value", (6, 1), "owner", "is empty"),
    ("gates/a", GATE + "reason: Held For Us\n", "bad_form", (6, 9), "reason", "small letters"),
    ("gates/a", GATE + "explains: [short]\n", "bad_form", (6, 12), "explains[0]", "block.name"),
    ("gates/a", GATE + "examples: [{message: hi, fires: maybe}]\n", "wrong_type", (6, 33), "examples[0].fires", "true or false"),
    ("gates/a", GATE + "examples: [{message: hi, fire: true}]\n", "unknown_key", (6, 26), "examples[0].fire", "`fires`"),
    ("gates/a", GATE + "changes: [{date: 2026-13-01, why: x}]\n", "wrong_type", (6, 18), "changes[0].date", "2026-09-21"),
    ("marks/m", "scope: sendr\n", "unknown_value", (4, 8), "scope", "`sender`"),
    ("marks/m", "lasts: 30 min\n", "missing_key", (1, 1), "", "`scope` is missing"),
    ("waves/w", "opens: {decision.card: x}\nswitch: always\nclosed: hodl\n", "unknown_value", (6, 9), "closed", "`hold`"),
    ("texts/t", "words: '   '\n", "wrong_type", (4, 8), "words", "words of a text"),
    ("texts/t", "words: {fr: Bonjour}\n", "unknown_value", (4, 13), "words.fr", "does not speak"),
    ("texts/t", "words: 'See {order.pag}'\n", "unknown_path", (4, 8), "words", "`order.page`"),
    ("texts/t", "cases: [{words: a}, {words: b}]\n", "bad_form", (4, 9), "cases[0]", "Only the last case"),
    ("limits/l", "value: many\n", "wrong_type", (4, 8), "value", "no number"),
    ("limits/l", "value: '20'\n", "wrong_type", (4, 8), "value", "without quotes"),
    ("limits/l", "unit: s\n", "bad_form", (1, 1), "", "either `value` or `cases`"),
    ("limits/l", "value: 3\nat_least: 5\nat_most: 4\n", "limits_contradict", (5, 11), "at_least", "above"),
    ("terms/t", "when: {message.kind: text}\npatterns: [a]\n", "bad_form", (1, 1), "", "either `when` or `patterns`"),
    ("questions/q", "calls: model\nfields: {a: txt}\n", "unknown_value", (5, 13), "fields.a", "`text`"),
    ("questions/q", "calls: model\nfields: {a: text}\nfills: answer\n", "missing_key", (5, 9), "fields", "field `text`"),
    ("questions/q", "calls: model\nfields: {a: text}\nelse: skip\n", "unknown_value", (6, 7), "else", "hold, absent"),
    ("questions/q", "calls: model\nfields: {a: text}\nelse: {b: x}\n", "unknown_key", (6, 8), "else.b", "no field `b`"),
    ("questions/q", "calls: model\nfields: {a: text}\nladder: up\n", "unknown_ladder", (6, 9), "ladder", "ladders/up"),
    ("ladders/l", "for: model\nerrors: {x: [{wiat: 2 s}]}\n", "unknown_key", (5, 15), "errors.x[0].wiat", "`wait`"),
    ("ladders/l", "for: model\nerrors: {x: [{wait: 2}]}\n", "wrong_type", (5, 21), "errors.x[0].wait", "15 min"),
    ("ladders/l", "for: model\nerrors: {x: [{give_up: hodl}]}\n", "unknown_ending", (5, 24), "errors.x[0].give_up", "`hold`"),
    ("ladders/l", "for: model\nerrors: {x: [{give_up: hold}, {wait: 2 s}]}\n", "unreachable", (5, 24), "errors.x[0].give_up", "never reached"),
    ("roles/r", "reads: [everything]\n", "unknown_value", (4, 9), "reads[0]", "own"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("card", "body", "code", "at", "key", "part"), BROKEN, ids=[f"{r[0]}-{r[1][-40:]}" for r in BROKEN]
)
def test_a_mistake_is_named_at_its_place(
    card: str, body: str, code: str, at: tuple[int, int], key: str, part: str
) -> None:
    _, problems = compiled({card: body})
    assert [one.code for one in problems] == ([code] if code else []), [str(one) for one in problems]
    for one in problems:
        assert (one.place.file, one.place.line, one.place.column) == (f"cards/demo/{card}.yaml", *at)
        assert one.place.key == key
        assert part in one.says + " " + one.cure


def test_a_number_where_text_is_due_keeps_its_spelling() -> None:
    line, problems = compiled({"gates/a": GATE + "owner: 1.10\n"})
    assert not problems
    assert line.source.cards["gates/a"].body.owner == "1.10"


SETTINGS = [
    ("    zone: Europe/Lodnon\n", "unknown_value"), ("    region: gb\n", "bad_form"), ("    languages: []\n", "empty_value"),
    ("    roles: [owner]\n", "unknown_role"), ("    waves: [w9]\n", "unknown_wave"), ("    order: {fast: [nothing]}\n", "unknown_card"),
    ("    order: {fats: []}\n", "unknown_value"), ("    prompt: {blocks: [none]}\n", "unknown_block"), ("    rulecard: 2\n", "unknown_value"),
    ("    switches: {send: {value: maybe}}\n", "unknown_value"), ("    stages: [fats]\n", "unknown_value"), ("    colour: red\n", "unknown_key"),
]  # fmt: skip


@pytest.mark.parametrize(("setting", "code"), SETTINGS, ids=[row[0].strip() for row in SETTINGS])
def test_a_wrong_setting_of_the_line_is_refused(setting: str, code: str) -> None:
    key = setting.split(":")[0].strip()
    kept = "".join(row for row in LINE.splitlines(keepends=True) if not row.strip().startswith(f"{key}:"))
    files = files_of({}, kept.rstrip() + "\n" + setting)
    project = read_project(files)
    problems = list(project.problems)
    if "demo" in project.lines:
        from engine.language.compile import compile_line

        problems += compile_line(project.lines["demo"])[1]
    assert code in [one.code for one in problems], [str(one) for one in problems]
    assert all(one.place.file == "cards/demo/line.yaml" and one.place.line for one in problems)


FACTS = [
    ("{order.colour: {type: text, source: store, from: orders}}", None),
    ("{order.colour: {value: red}}", "unknown_path"), ("{order.status: {type: text}}", "already_declared"),
    ("{order.colour: {type: txet}}", "unknown_value"), ("{line.phones: {value: [none]}}", "wrong_type"),
    ("{line.open: {value: 'yes'}}", "wrong_type"), ("{order.size: {type: small | large, from: orders}}", None),
]  # fmt: skip


@pytest.mark.parametrize(("facts", "code"), FACTS)
def test_a_line_declares_facts_of_its_own(facts: str, code: str | None) -> None:
    kept = LINE[: LINE.index("    facts:")] + f"    facts: {facts}\n"
    _, problems = compiled({}, kept)
    assert [one.code for one in problems] == ([code] if code else []), [str(one) for one in problems]


def test_an_own_fact_is_typed_and_known_from_its_point_on() -> None:
    line = LINE[: LINE.index("    facts:")] + "    facts: {order.size: {type: small | large, from: orders}}\n"
    _, problems = compiled({"gates/a": "at: fixed\nwhen: {order.size: larg}\nthen: hold\n"}, line)
    assert "`large`" in problems[0].cure
    _, problems = compiled({"gates/a": "at: fast\nwhen: {order.size: large}\nthen: hold\n"}, line)
    assert [one.code for one in problems] == ["not_known_here"]


NAMES = [
    ("cards/demo/gate/a.yaml", "unknown_kind", "`gates`"), ("cards/demo/gates/A-b.yaml", "bad_id", "small letters"),
    ("cards/demo/gates/deep/a.yaml", "stray_file", "cards/<line>/<kind>/<id>.yaml"), ("rules/demo/a/b.yaml", "stray_file", "rules/"),
    ("rules/other/style.yaml", "line_missing", "`other`"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "code", "part"), NAMES)
def test_a_file_in_the_wrong_place_is_named(name: str, code: str, part: str) -> None:
    files = files_of({}) | {name: "title: x\nwhy: x\nsince: 2026-09-21\ninstructions: [{id: style.a, text: x}]\n"}
    problems = [one for one in read_project(files).problems if one.code == code]
    assert problems
    assert part in problems[0].says + problems[0].cure


def test_an_instruction_begins_with_its_block_s_name() -> None:
    files = files_of({}) | {"rules/demo/style.yaml": "title: x\ninstructions: [{id: other.a, text: x}]\n"}
    assert [one.code for one in read_project(files).problems] == ["instruction_id"]


def test_an_empty_project_says_what_to_do() -> None:
    assert [(one.code, "rulecard new" in one.cure) for one in read_project({}).problems] == [("empty_project", True)]


def test_a_reference_to_a_broken_card_is_no_second_mistake() -> None:
    cards = {
        "gates/a": "when: {terms.t: true}\nthen: {say: hello}\n",
        "terms/t": "patern: [x]\n",
        "texts/hello": "word: x\n",
    }
    _, problems = compiled(cards)
    assert {one.place.file for one in problems} == {"cards/demo/terms/t.yaml", "cards/demo/texts/hello.yaml"}


@pytest.mark.parametrize("text", ["{{ }}", "{% if x %}", "{{order.number}}", "{ x }", "$5", "%s", "<script>", "{"])
def test_braces_in_every_field_are_text(text: str) -> None:
    body = f'words: "{text}"\nowner: "{text}"\nexamples: [{{becomes: "{text}", note: "{text}"}}]\n'
    line, problems = compiled({"texts/t": body})
    assert not problems
    from engine.language.examples import run_examples

    assert [one.failure for one in run_examples(line, line.source.cards["texts/t"])] == [""]
