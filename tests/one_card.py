"""A line with the cards a test needs, and one condition read and asked on it."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Any

from engine.language.compile import compile_line
from engine.language.conditions import Answer
from engine.language.examples import turn_of
from engine.language.kinds import Example
from engine.language.line import Line
from engine.language.problems import Problem
from engine.language.project import read_project

LINE = """
    rulecard: 1
    title: A line made for a test
    languages: [en, es]
    zone: Europe/London
    region: GB
    order_number: '\\bAB-\\d{4}\\b'
    switches: {send: {value: on}, w1: {value: off}}
    facts:
      line.phones: {value: ['+44 20 7946 0100']}
      line.hours: {value: ['08:00-18:00']}
"""
COMMON = {"title": "A title", "why": "A reason", "since": "2026-09-21"}


def files_of(cards: Mapping[str, str], line: str = LINE, name: str = "demo") -> dict[str, str]:
    """Project files: `kind/id` → the card's own keys (title, why and since are added)."""
    head = "".join(f"{key}: {value}\n" for key, value in COMMON.items())
    files = {f"cards/{name}/line.yaml": textwrap.dedent(line).lstrip()}
    for card, text in cards.items():
        files[f"cards/{name}/{card}.yaml"] = head + textwrap.dedent(text).lstrip()
    return files


def compiled(cards: Mapping[str, str], line: str = LINE) -> tuple[Line, list[Problem]]:
    """The compiled line and every problem of reading and compiling."""
    project = read_project(files_of(cards, line))
    if "demo" not in project.lines:
        raise AssertionError([str(problem) for problem in project.problems])
    made, problems = compile_line(project.lines["demo"])
    return made, [*project.problems, *problems]


def line_of(cards: Mapping[str, str], line: str = LINE) -> Line:
    """The compiled line; fails when there is any problem."""
    made, problems = compiled(cards, line)
    assert not problems, "\n".join(str(problem) for problem in problems)
    return made


def asked(when: str, at: str = "outcome", cards: Mapping[str, str] | None = None, **example: Any) -> Answer:
    """What a condition answers at a point, for the turn an example describes."""
    kind = {"outcome": "hold", "memory": "drop", "tool": "deny", "record": ""}.get(at, "hold")
    body = f"at: {at}\nwhen: {when}\n" + (f"then: {kind}\n" if kind else "also: {set: probe}\n")
    more = dict(cards or {})
    if not kind:
        more["marks/probe"] = "scope: line\n"
    line = line_of({"gates/probe": body, **more})
    rule = line.ordered(at)[0]
    assert rule.when is not None
    return rule.when.answer(turn_of(line, Example.model_validate(example)))
