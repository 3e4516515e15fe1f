"""The JSON Schemas and the loader agree: on what is right, and on what is broken."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from one_card import compiled, line_of
from test_language_page import files_of_page

from engine.language.compile import compile_line
from engine.language.line import Line
from engine.language.project import read_project
from engine.language.schema import FORMS, bundle, schemas
from engine.language.yaml_source import parse

ROOT = Path(__file__).parent.parent


@cache
def page_line() -> Line:
    return compile_line(read_project(files_of_page()).lines["shop"])[0]


@cache
def validator(name: str) -> Draft202012Validator:
    return Draft202012Validator(bundle(page_line(), name))


def kind_of(file: str) -> str:
    return "line" if file.endswith("/line.yaml") else "block" if file.startswith("rules/") else file.split("/")[2]


def wrong(schema: Draft202012Validator, text: str, file: str = "cards/shop/x/y.yaml") -> list[str]:
    source, problems = parse(text, file)
    assert source is not None, problems
    return [f"{list(error.absolute_path)}: {error.message[:200]}" for error in schema.iter_errors(source.value)]


@pytest.mark.parametrize("file", sorted(files_of_page()))
def test_the_schema_accepts_what_the_loader_accepts(file: str) -> None:
    assert not wrong(validator(kind_of(file)), files_of_page()[file], file)


def shipped() -> Iterator[tuple[str, str]]:
    for path in sorted((ROOT / "cards").glob("*/**/*.yaml")) + sorted((ROOT / "rules").glob("*/*.yaml")):
        name = path.relative_to(ROOT).as_posix()
        yield name.split("/")[1], name


@cache
def shipped_validator(line: str, kind: str) -> Draft202012Validator:
    names = [name for owner, name in shipped() if owner == line]
    project = read_project({name: (ROOT / name).read_text("utf-8") for name in names})
    return Draft202012Validator(bundle(compile_line(project.lines[line])[0], kind))


@pytest.mark.parametrize(("line", "file"), list(shipped()), ids=[name for _, name in shipped()])
def test_the_schema_accepts_every_shipped_file(line: str, file: str) -> None:
    assert not wrong(shipped_validator(line, kind_of(file)), (ROOT / file).read_text("utf-8"), file)


HEAD = "title: A title\nwhy: A reason\nsince: 2026-09-21\n"
BROKEN = [
    ("gates", "title: A title\nsince: 2026-09-21\nthen: hold\n"),
    ("gates", HEAD + "then: hold\nunles: {message.kind: text}\n"),
    ("gates", HEAD + "then: hodl\n"),
    ("gates", HEAD + "then: {say: nothing}\n"),
    ("gates", HEAD + "then: {sya: sorry}\n"),
    ("gates", HEAD + "at: pregate\nthen: hold\n"),
    ("gates", HEAD + "when: {message.kid: text}\nthen: hold\n"),
    ("gates", HEAD + "when: {message.kind: txt}\nthen: hold\n"),
    ("gates", HEAD + "when: {sender.known: 'yes'}\nthen: hold\n"),
    ("gates", HEAD + "when: {sender.level: '3'}\nthen: hold\n"),
    ("gates", HEAD + "when: {sender.level: {above: 3}}\nthen: hold\n"),
    ("gates", HEAD + "when: {staff.replied_ago: {under: 15}}\nthen: hold\n"),
    ("gates", HEAD + "when: {terms.none: true}\nthen: hold\n"),
    ("gates", HEAD + "when: {terms.about_an_order: 'on'}\nthen: hold\n"),
    ("gates", HEAD + "when: {marks.message: {abve: 3}}\nthen: hold\n"),
    ("gates", HEAD + "when: {any: {message.kind: text}}\nthen: hold\n"),
    ("gates", HEAD + "when: {}\nthen: hold\n"),
    ("gates", HEAD + "also: {set: nothing}\n"),
    ("gates", HEAD + "also: {shout: loud}\n"),
    ("gates", HEAD + "then: hold\nreason: Not An Id\n"),
    ("gates", HEAD + "then: hold\nexamples: [{message: x, fire: true}]\n"),
    ("gates", HEAD + "then: hold\nexamples: [{message: x, fires: maybe}]\n"),
    ("gates", HEAD + "then: hold\nchanges: [{date: 2026-09-21}]\n"),
    ("guard", HEAD + "when: {answer.length: {over: 3}}\nedit: {remove: word}\n"),
    ("guard", HEAD + "when: {answer.length: {over: 3}}\nedit: {cut: sentence}\n"),
    ("guard", HEAD + "when: {answer.length: {over: 3}}\nrepair: {ask: nobody}\nthen: hold\n"),
    ("texts", HEAD + "words: {fr: Bonjour}\n"),
    ("texts", HEAD + "cases: []\nwordz: x\n"),
    ("limits", HEAD + "value: many\n"),
    ("limits", HEAD + "value: 3\nwithin: 10\n"),
    ("marks", HEAD + "scope: sendr\n"),
    ("marks", HEAD + "scope: sender\nlasts: long\n"),
    ("questions", HEAD + "calls: model\nfields: {}\n"),
    ("questions", HEAD + "calls: model\nfields: {a: txt}\n"),
    ("questions", HEAD + "calls: model\nfields: {a: text}\nelse: skip\n"),
    ("ladders", HEAD + "for: model\nerrors: {x: [{wiat: 2 s}]}\n"),
    ("roles", HEAD + "reads: [everything]\n"),
    ("waves", HEAD + "opens: {decision.card: x}\nswitch: always\nclosed: hodl\n"),
    ("waves", HEAD + "opens: {decision.crad: x}\nswitch: always\n"),
    ("terms", HEAD + "patterns: x\n"),
    ("background", HEAD + "then: hold\n"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "text"), BROKEN, ids=[f"{kind}-{text[-44:].strip()}" for kind, text in BROKEN])
def test_schema_and_loader_both_refuse(kind: str, text: str) -> None:
    assert wrong(validator(kind), text), "the schema accepts it"
    files = files_of_page() | {f"cards/shop/{kind}/broken.yaml": text}
    project = read_project(files)
    problems = list(project.problems)
    if not problems:
        problems = compile_line(project.lines["shop"])[1]
        from engine.language.examples import check_examples

        problems += check_examples(
            compile_line(project.lines["shop"])[0], project.lines["shop"].cards[f"{kind}/broken"]
        )
    assert [
        one for one in problems if one.place.file == f"cards/shop/{kind}/broken.yaml" and one.code != "example_missing"
    ]


def test_every_kind_has_a_schema_and_editors_see_descriptions() -> None:
    made = schemas(page_line())
    assert {"gates.json", "guard.json", "line.json", "block.json", FORMS} <= set(made)
    condition = made[FORMS]["$defs"]["condition"]["properties"]
    assert "telephone numbers" in condition["answer.phones"]["description"]
    assert made["gates.json"]["properties"]["title"]["description"]


def test_schemas_are_the_same_bytes_whatever_the_order_of_files() -> None:
    files = files_of_page()
    turned = dict(reversed(files.items()))
    one, other = (json.dumps(schemas(compile_line(read_project(f).lines["shop"])[0])) for f in (files, turned))
    assert one == other


def test_a_line_s_own_facts_are_completed() -> None:
    condition: dict[str, Any] = schemas(page_line())[FORMS]["$defs"]["condition"]["properties"]
    for path in (
        "appointment.day",
        "audit.stop",
        "marks.pending_change.kind",
        "switches.send",
        "waves.status",
        "terms.about_an_order",
    ):
        assert path in condition


def test_schema_of_a_line_without_cards_is_still_a_schema() -> None:
    Draft202012Validator.check_schema(bundle(line_of({}), "questions"))
    assert compiled({})[1] == []


def test_every_schema_is_one() -> None:
    for made in schemas(page_line()).values():
        Draft202012Validator.check_schema(made)
