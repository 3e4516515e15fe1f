"""The page of the language is itself a project: it loads, its examples hold, and no form is missing from it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine.language.actions import EFFECTS
from engine.language.analysis import analyse
from engine.language.compile import compile_line
from engine.language.examples import check_examples, run_examples
from engine.language.facts import SCALARS
from engine.language.kinds import KINDS, Example, LineFile, PromptSetting
from engine.language.ladders import RUNGS
from engine.language.line import Line
from engine.language.points import POINTS
from engine.language.project import read_project
from engine.language.reading import MODIFIERS, OPERATORS

PAGE = Path(__file__).parent.parent / "docs" / "language.md"


def files_of_page() -> dict[str, str]:
    """The files shown on the page: path → text."""
    files = {}
    for block in re.findall(r"^```yaml\n(.*?)^```$", PAGE.read_text("utf-8"), re.M | re.S):
        for part in re.split(r"^---\n", block, flags=re.M):
            head, _, text = part.partition("\n")
            assert head.startswith("# "), f"a block on the page names no file: {head}"
            files[head[2:].strip()] = text
    return files


@pytest.fixture(scope="module")
def line() -> Line:
    project = read_project(files_of_page())
    assert not project.problems, "\n".join(map(str, project.problems))
    made, problems = compile_line(project.lines["shop"])
    assert not problems, "\n".join(map(str, problems))
    return made


def test_the_page_is_a_project_without_a_mistake(line: Line) -> None:
    wrong = [problem for card in line.source.cards.values() for problem in check_examples(line, card)]
    assert not wrong, "\n".join(map(str, wrong))


def test_every_example_on_the_page_holds(line: Line) -> None:
    outcomes = [outcome for card in line.source.cards.values() for outcome in run_examples(line, card)]
    assert len(outcomes) > 60
    assert not [str(outcome.problem()) for outcome in outcomes if not outcome.held]


def test_the_analysis_finds_only_what_the_page_leaves_out(line: Line) -> None:
    """Cards on the page that show a form and are used by nothing are the only findings."""
    found = {(problem.code, Path(problem.place.file).stem) for problem in analyse(line) if problem.level != "note"}
    assert {code for code, _ in found} <= {"unused"}, found


KEYS = {
    "keys of every kind": {info.alias or name for model in KINDS.values() for name, info in model.model_fields.items()},
    "keys of line.yaml": {info.alias or name for name, info in LineFile.model_fields.items()},
    "keys of prompt": set(PromptSetting.model_fields),
    "keys of examples": {info.alias or name for name, info in Example.model_fields.items()},
    "kinds": set(KINDS),
    "operators": {*OPERATORS, *MODIFIERS},
    "points": set(POINTS),
    "endings": {ending for point in POINTS.values() for ending in point.endings} | {"pass", "next"},
    "effects": set(EFFECTS),
    "rungs": set(RUNGS),
    "types": set(SCALARS) - {"choice"},
    "scopes": {"sender", "chat", "sender_in_chat", "line", "order", "bot", "round", "chain", "lane"},
    "marks": {"within", "share_of", "distinct"},
}


@pytest.mark.parametrize("what", KEYS)
def test_every_form_stands_on_the_page(what: str) -> None:
    page = PAGE.read_text("utf-8")
    missing = sorted(name for name in KEYS[what] if not re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", page))
    assert not missing
