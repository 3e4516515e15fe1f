"""A project of `tests/projects` for a test: its lines compiled, its examples as pytest items, the command run on a copy."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from engine.files import read_tree
from engine.language.compile import compile_line
from engine.language.examples import run_example
from engine.language.line import Line
from engine.language.problems import Problem
from engine.language.project import Card, read_project
from runbook import commands

PROJECTS = Path(__file__).parent / "projects"


@cache
def lines_of(project: str) -> Mapping[str, Line]:
    """The compiled lines of a project; an AssertionError with every mistake when there is one."""
    tree = read_tree(PROJECTS / project)
    read = read_project(tree.texts("cards", "rules"))
    lines: dict[str, Line] = {}
    problems: list[Problem] = [*tree.problems, *read.problems]
    for name, source in read.lines.items():
        lines[name], found = compile_line(source)
        problems += found
    assert not problems, "\n".join(str(problem) for problem in problems)
    return lines


def examples_of(project: str) -> list[Any]:
    """Every example of every card as a pytest parameter (line, card's name, number), with the card's name in its id."""
    return [
        pytest.param(line.name, card.name, index, id=f"{line.name}/{card.name}[{index + 1}]")
        for line in lines_of(project).values()
        for card in line.source.cards.values()
        for index in range(len(card.body.examples))
    ]


def failure_of(project: str, line: str, card: str, index: int) -> str:
    """Why an example does not hold, with the condition as it answered; empty when it holds."""
    compiled = lines_of(project)[line]
    outcome = run_example(compiled, compiled.source.cards[card], compiled.everything().get(card), index)
    return "\n".join((outcome.failure, *outcome.tree))


def shows_both(card: Card) -> bool:
    """Whether the examples of a card show that it fires and that it does not."""
    return {True, False} <= {example.fires for example in card.body.examples}


def built_and_checked(project: str, folder: Path) -> tuple[int, int, str]:
    """The exit status of `rulecard build` and then of `rulecard check` on a copy of the project, and what they print."""
    copy = folder / project
    shutil.copytree(PROJECTS / project, copy, ignore=shutil.ignore_patterns(".*", "reference", "runbook"))
    said: list[str] = []
    built = commands.build(copy, None, "none", said.append)
    checked = commands.check(copy, None, "none", "text", False, said.append)
    return built, checked, "\n".join(said)
