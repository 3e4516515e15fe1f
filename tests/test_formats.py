"""Findings as text, JSON, annotations of GitHub and SARIF; and the exit status."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import jsonschema
import pytest
from small import NO_BASE, Files, at_base, checked, edited, small

from engine.language.problems import Level, Place, Problem
from runbook import formats
from runbook.base import Base
from runbook.check import CODES, Report, cannot_run

MANNER = "rules/shop/manner.yaml"

CODE = re.compile(r"(?:Problem\([^\"]*, |report\([^\"]*, |return |code = )\"([a-z]+_[a-z_]+)\"")

SARIF: dict[str, Any] = {
    "type": "object",
    "required": ["version", "runs"],
    "additionalProperties": False,
    "properties": {
        "$schema": {"type": "string", "format": "uri"},
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array", "minItems": 1, "maxItems": 1,
            "items": {
                "type": "object", "required": ["tool", "results"], "additionalProperties": False,
                "properties": {
                    "tool": {
                        "type": "object", "required": ["driver"], "additionalProperties": False,
                        "properties": {"driver": {
                            "type": "object", "required": ["name", "rules"], "additionalProperties": False,
                            "properties": {
                                "name": {"type": "string", "minLength": 1},
                                "rules": {"type": "array", "uniqueItems": True, "items": {
                                    "type": "object", "required": ["id", "shortDescription"], "additionalProperties": False,
                                    "properties": {"id": {"type": "string"}, "shortDescription": {"$ref": "#/$defs/message"}},
                                }},
                            },
                        }},
                    },
                    "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                    "invocations": {"type": "array", "items": {
                        "type": "object", "required": ["executionSuccessful"], "additionalProperties": False,
                        "properties": {"executionSuccessful": {"type": "boolean"}, "exitCode": {"type": "integer"}},
                    }},
                    "results": {"type": "array", "items": {
                        "type": "object", "required": ["message"], "additionalProperties": False,
                        "properties": {
                            "ruleId": {"type": "string"}, "ruleIndex": {"type": "integer", "minimum": 0},
                            "level": {"enum": ["none", "note", "warning", "error"]},
                            "message": {"$ref": "#/$defs/message"},
                            "partialFingerprints": {"type": "object", "additionalProperties": {"type": "string"}},
                            "locations": {"type": "array", "items": {
                                "type": "object", "additionalProperties": False,
                                "properties": {
                                    "physicalLocation": {
                                        "type": "object", "required": ["artifactLocation"], "additionalProperties": False,
                                        "properties": {
                                            "artifactLocation": {
                                                "type": "object", "additionalProperties": False,
                                                "properties": {"uri": {"type": "string", "pattern": "^[^/\\\\ :][^\\\\ :]*$"},
                                                               "uriBaseId": {"const": "%SRCROOT%"}},
                                            },
                                            "region": {
                                                "type": "object", "additionalProperties": False,
                                                "properties": {"startLine": {"type": "integer", "minimum": 1},
                                                               "startColumn": {"type": "integer", "minimum": 1}},
                                            },
                                        },
                                    },
                                    "logicalLocations": {"type": "array"},
                                },
                            }},
                        },
                    }},
                },
            },
        },
    },
    "$defs": {"message": {"type": "object", "required": ["text"], "properties": {"text": {"type": "string", "minLength": 1}}}},
}  # fmt: skip
"""The part of the SARIF 2.1.0 schema (OASIS, 2020) that concerns what is written here, and nothing beside it."""


def problem(level: Level = "error", **more: Any) -> Problem:
    place = Place(
        more.pop("file", "rules/shop/a b.yaml"), more.pop("line", 3), more.pop("column", 7), more.pop("key", "when.x")
    )
    return Problem(
        place, more.pop("code", "unknown_key"), more.pop("says", "`x` is no key."), more.pop("cure", "Write y."), level
    )


def one_word(base: Base = NO_BASE) -> tuple[Files, Report]:
    files = edited(small(), MANNER, "two sentences", "three sentences")
    return files, checked(files, base)


@pytest.mark.parametrize(
    "report, status",
    [
        (Report(()), 0),
        (Report((problem("note"), problem("warning"))), 0),
        (Report((problem("note"), problem("error"))), 1),
        (Report((problem("error"),), unusable=True), 2),
        (Report((), unusable=True), 2),
        (cannot_run(problem()), 2),
    ],
)
def test_the_exit_status(report: Report, status: int) -> None:
    assert report.status == status
    assert json.loads(formats.as_json(report))["status"] == status
    assert json.loads(formats.sarif(report))["runs"][0]["invocations"][0]["exitCode"] == status


def test_text_says_held_refused_or_that_it_could_not_run() -> None:
    assert formats.text(Report((), says=("Compared with x.",))) == "Compared with x.\nHeld.\n"
    assert formats.text(Report((problem("warning"), problem("note"), problem("note", line=4)))).endswith(
        "Held: 1 warning, 2 notes.\n"
    )
    assert formats.text(cannot_run(problem())).endswith("The check could not run to its end: 1 error.\n")


def test_text_is_one_line_a_finding_whatever_it_says() -> None:
    nasty = problem(file="cards/x\x1b[31m.yaml", says="a\nb\x1b[2J", cure="c\r\nd", key="k\x07")
    first = formats.text(Report((nasty,))).split("\n\n")[0]
    assert first == "cards/x\\u001b[31m.yaml:3:7: error: unknown_key [k\\u0007]: a b\\u001b[2J c d"


def test_json_has_every_finding_and_both_texts() -> None:
    _, report = one_word(at_base(small()))
    text = formats.as_json(report)
    assert text.isascii()
    value = json.loads(text)
    [found] = value["problems"]
    assert (found["file"], found["line"], found["column"], found["code"]) == (MANNER, 6, 11, "instruction_changed")
    assert found["change"]["old"] == "Answer in two sentences."
    assert found["change"]["new"] == "Answer in three sentences."
    assert found["change"]["card"] == "style/brief"
    assert found["change"]["accept"] == 'rulecard accept manner.short --why "…"'
    assert value["says"] == ["Compared with a base made for a test."]


def test_github_annotations_are_placed_in_the_repository_and_escaped() -> None:
    nasty = problem(file="cards/a,b:c%.yaml", says="100 %\n::error::x", cure="")
    report = Report((nasty, problem("note", line=0), problem("warning", line=9)), folder="bots/shop/")
    lines = formats.github(report).splitlines()
    assert lines == [
        "::error file=bots/shop/cards/a%2Cb%3Ac%25.yaml,line=3,col=7,title=rulecard%3A unknown_key::100 %25%0A::error::x",
        "::notice file=bots/shop/rules/shop/a b.yaml,title=rulecard%3A unknown_key::`x` is no key. Write y.",
        "::warning file=bots/shop/rules/shop/a b.yaml,line=9,col=7,title=rulecard%3A unknown_key::`x` is no key. Write y.",
    ]


def test_github_annotations_carry_the_diff_in_one_command() -> None:
    _, report = one_word()
    [line] = [line for line in formats.github(report).splitlines() if line.startswith("::error")]
    assert line.startswith(f"::error file={MANNER},line=6,col=11,")
    message = line.rpartition("::")[2].replace("%0A", "\n")
    assert "\n  | Answer in [-two-] {+three+} sentences.\n" in message
    assert 'rulecard accept manner.short --why "…"' in message


@pytest.mark.parametrize("folder", ["", "bots/my shop/"])
def test_sarif_has_its_shape_and_its_places(folder: str) -> None:
    _, found = one_word(at_base(small()))
    problems = (*found.problems, problem("note", line=0, key="", file="cards/ü #1.yaml"), problem("warning"))
    report = Report(problems, found.shown, folder=folder)
    text = formats.sarif(report)
    assert text.isascii()
    value = json.loads(text)
    jsonschema.Draft202012Validator(SARIF).validate(value)
    [run] = value["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert rules == sorted({one.code for one in problems})
    for result, one in zip(run["results"], problems, strict=True):
        assert rules[result["ruleIndex"]] == result["ruleId"] == one.code
        where = result["locations"][0]["physicalLocation"]
        assert unquote(where["artifactLocation"]["uri"]) == folder + one.place.file
        assert ("region" in where) is bool(one.place.line)
    assert (
        run["tool"]["driver"]["rules"][rules.index("instruction_changed")]["shortDescription"]["text"]
        == CODES["instruction_changed"]
    )


def test_sarif_knows_a_finding_again_when_lines_move() -> None:
    prints = [
        json.loads(formats.sarif(Report((one,))))["runs"][0]["results"][0]["partialFingerprints"]["rulecard/v1"]
        for one in (problem(line=3), problem(line=30), problem(line=3, says="Other."))
    ]
    assert prints[0] == prints[1] != prints[2]


def test_every_format_ends_with_a_line_end_and_takes_an_empty_report() -> None:
    for name, write in formats.FORMATS.items():
        text = write(Report(()))
        assert text == "" if name == "github" else text.endswith("\n")


def test_every_code_of_this_floor_is_described() -> None:
    """Each code that the modules of the lock name is in the table that SARIF's rules are made from."""
    root = Path(__file__).parent.parent
    names = [
        "engine/prompt.py",
        *(f"runbook/{name}.py" for name in ("items", "findings", "judge", "lock", "check", "base")),
    ]
    named = {code for name in names for code in CODE.findall((root / name).read_text("utf-8"))}
    assert len(named) > 20
    assert named <= set(CODES)
