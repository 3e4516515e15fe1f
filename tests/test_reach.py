"""Every instruction reaches the model, and whole."""

from __future__ import annotations

import pytest
from one_card import LINE, files_of

from engine.language.compile import compile_line
from engine.language.project import read_project
from runbook.reach import reach

STYLE = "title: Style\ninstructions:\n  - {id: style.a, text: Be brief and kind.}\n  - {id: style.b, text: 'Use {limits.most} words.'}\n"
LOST = "title: Lost\ninstructions: [{id: lost.a, text: Nobody reads this.}]\n"
CARDS = {"limits/most": "value: 40\n", "limits/size": "value: 60\n"}


def found(prompt: str, blocks: dict[str, str], cards: dict[str, str] | None = None) -> list[tuple[str, str]]:
    files = files_of(CARDS | (cards or {}), LINE + f"    prompt: {prompt}\n")
    files |= {f"rules/demo/{name}.yaml": text for name, text in blocks.items()}
    project = read_project(files)
    line, problems = compile_line(project.lines["demo"])
    assert not project.problems + problems, [str(one) for one in project.problems + problems]
    return [(one.code, one.says) for one in reach(line)]


def test_an_instruction_whose_block_is_in_no_prompt_is_named() -> None:
    assert [
        code for code, says in found("{blocks: [style]}", {"style": STYLE, "lost": LOST}) if "`lost.a`" in says
    ] == ["instruction_unread"]
    assert found("{blocks: [style, lost]}", {"style": STYLE, "lost": LOST}) == []


@pytest.mark.parametrize("key", ["instructions: [lost]", "adds: [lost.a]"])
def test_an_instruction_that_only_a_question_gets_is_read(key: str) -> None:
    cards = {"questions/q": f"calls: model\nfields: {{x: text}}\n{key}\n"}
    assert found("{blocks: [style]}", {"style": STYLE, "lost": LOST}, cards) == []


def test_a_prompt_longer_than_its_limit_names_the_first_instruction_that_is_cut() -> None:
    assert found("{blocks: [style], at_most: size}", {"style": STYLE}) == []
    longer = STYLE + "  - {id: style.c, text: Say nothing that is not known.}\n"
    problems = found("{blocks: [style], at_most: size}", {"style": longer})
    assert [code for code, _ in problems] == ["prompt_cut"]
    assert "`style.c`" in problems[0][1] and "instructions.txt" in problems[0][1]


def test_a_limit_that_is_not_there_is_refused() -> None:
    project = read_project(files_of(CARDS, LINE + "    prompt: {at_most: sise}\n"))
    assert [one.code for one in compile_line(project.lines["demo"])[1]] == ["unknown_limit"]
