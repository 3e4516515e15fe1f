"""`rulecard adopt`: a prompt becomes a locked line, word for word; its unexplained instructions can only get fewer."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.files import read_tree
from engine.language.project import LineSource, read_project
from engine.language.splice import set_scalar
from engine.prompt import render
from runbook.adopt import adopt, draft
from runbook.base import read_base
from runbook.build import prepare
from runbook.judge import Judgement
from runbook.session import Refused, open_project
from runbook.splitting import split

TODAY = dt.date(2026, 9, 21)
PROMPT = """\
<policy>
# Clinic assistant

You answer for a small clinic.
You never diagnose.

## Appointments

Each appointment has the following:
- a number
- a day

Before you move one:
- Ask for the number.
- Say the new day back.

| visit | minutes |
|-------|---------|
| first | 40      |

### Late

If somebody is late, offer the next free time.
</policy>
"""


def words(text: str) -> list[str]:
    return [word for word in text.split() if any(map(str.isalnum, word))]


def drafted(prompt: str, name: str = "clinic") -> dict[str, str]:
    return draft(prompt, split(prompt), name, "PROMPT.md", TODAY)


def line_of(files: Mapping[str, str], name: str = "clinic") -> LineSource:
    project = read_project(files)
    assert not project.problems, "\n".join(map(str, project.problems))
    return project.lines[name]


def adopted(folder: Path, prompt: str = PROMPT, name: str = "clinic") -> list[str]:
    said: list[str] = []
    file = folder / "PROMPT.md"
    file.write_text(prompt, "utf-8")
    adopt(file, name, folder / "project", TODAY, said.append)
    return said


def judged(root: Path) -> Judgement:
    """What the lock says of the project as it stands on disk."""
    files = read_tree(root).texts()
    return prepare(read_project(files), files, read_base(root, "none"))["clinic"].judgement


def codes(root: Path) -> list[str]:
    return [finding.problem.code for finding in judged(root).findings]


def test_the_rendered_prompt_is_the_prompt_but_for_blank_lines() -> None:
    told = render(line_of(drafted(PROMPT)))
    assert [row for row in told.split("\n") if row] == [row for row in PROMPT.split("\n") if row]


def test_every_instruction_has_a_card_and_waits_for_its_why() -> None:
    line = line_of(drafted(PROMPT))
    told = [one.id for one in line.instructions()]
    assert sorted(id for card in line.cards.values() for id in card.body.explains) == sorted(told)
    waiting = {id for card in line.cards.values() if card.body.why == "unexplained" for id in card.body.explains}
    assert waiting == {
        "clinic_assistant.answer-small-clinic",
        "clinic_assistant.never-diagnose",
        "appointments.each-appointment-number-day",
        "appointments.before-move-one-ask-number",
        "appointments.say-new-day-back",
        "appointments.visit-minutes-first-40",
        "late.somebody-late-offer-next-free-time",
    }
    assert set(told) - waiting == set(line.cards["style/layout"].body.explains) == {"policy.begins", "late.ends"}


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=40), max_size=8))
def test_any_prompt_is_kept_word_for_word_or_refused(rows: list[str]) -> None:
    prompt = "\n".join(rows)
    if not words(prompt):
        return
    files, said = {}, ""
    try:
        files = drafted(prompt)
    except Refused as refused:
        said = str(refused)
    if said:
        assert re.search(r"slot that Rulecard fills|cannot be adopted: The text holds U\+", said)
    else:
        assert words(render(line_of(files))) == words(prompt.removeprefix("\ufeff"))


def test_what_another_program_fills_stays_as_it_is_written() -> None:
    prompt = "# Hello\nGreet {customer_name}, born {born.year}. {{literal}} {% raw %} {} {Name} { x }"
    assert render(line_of(drafted(prompt))).split() == prompt.split()


@pytest.mark.parametrize("slot", ["{line.name}", "{limits.burst}", "{texts.hello}", "{order.number}"])
def test_a_slot_of_rulecards_own_is_refused_with_its_line(slot: str) -> None:
    with pytest.raises(Refused, match=rf"PROMPT\.md:3: `{re.escape(slot)}` is a slot that Rulecard fills itself"):
        drafted(f"# Hello\n\nSay {slot}.")


def test_an_adopted_project_is_locked_and_nothing_is_found(tmp_path: Path) -> None:
    said = adopted(tmp_path)
    root = tmp_path / "project"
    assert codes(root) == []
    assert not open_project(root).problems
    names = set(read_tree(root).files)
    assert {"reference/clinic/lock.yaml", "reference/clinic/instructions.txt", "runbook/clinic.md"} <= names
    assert (root / "reference/clinic/lock.yaml").read_text().count("explained: unexplained") == 7
    assert any(one.startswith("7 instructions are unexplained") for one in said)


def test_the_number_of_unexplained_may_only_fall(tmp_path: Path) -> None:
    """One why written: it holds. Built, and the why taken away again: refused, and said so."""
    adopted(tmp_path)
    root = tmp_path / "project"
    card = next(root.glob("cards/clinic/*/late_*.yaml"))
    draft_text = card.read_text()
    card.write_text(set_scalar(draft_text, ("why",), "The doctor's day is planned to the minute."))
    found = judged(root)
    assert found.findings == []
    from runbook.lock import write_lock

    (root / "reference/clinic/lock.yaml").write_text(write_lock(found.lock))
    assert write_lock(found.lock).count("explained: unexplained") == 6
    card.write_text(draft_text)
    assert codes(root) == ["more_unexplained"]
    assert "7 instructions are not explained, and there were 6" in str(judged(root).findings[0].problem)


def test_one_changed_word_is_refused(tmp_path: Path) -> None:
    adopted(tmp_path)
    root = tmp_path / "project"
    block = root / "rules/clinic/late.yaml"
    block.write_text(block.read_text().replace("next free time", "next day"))
    assert codes(root) == ["instruction_changed"]
    assert "late.somebody-late-offer-next-free-time" in str(judged(root).findings[0].problem)


def test_a_changed_heading_is_refused(tmp_path: Path) -> None:
    adopted(tmp_path)
    root = tmp_path / "project"
    block = root / "rules/clinic/late.yaml"
    block.write_text(block.read_text().replace("### {title}", "#### {title}"))
    assert codes(root) == ["block_title_changed"]


def test_a_second_prompt_becomes_a_second_line(tmp_path: Path) -> None:
    adopted(tmp_path)
    adopted(tmp_path, "# Desk\nBe kind.", "desk")
    assert sorted(open_project(tmp_path / "project").lines) == ["clinic", "desk"]
    with pytest.raises(Refused, match="nothing is overwritten"):
        adopted(tmp_path, "# Desk\nBe kind.", "desk")


BAD: dict[str, tuple[bytes, str]] = {
    "empty": (b" \n\n", "holds no words to adopt"),
    "UTF-16": ("# A\nBe kind.".encode("utf-16"), "is UTF-16, not UTF-8"),
    "not UTF-8": (b"# A\nBe \xff kind.", r"PROMPT\.md:2:4: Byte 7 \(0xFF\) is not UTF-8"),
    "too large": (b"word " * 400_000, "is larger than 1,000,000 bytes"),
    "a control character": (b"# A\nBe \x07 kind.", "cannot be adopted: The text holds U\\+0007"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_prompt_that_cannot_be_adopted_leaves_nothing_behind(tmp_path: Path, case: str) -> None:
    data, says = BAD[case]
    (tmp_path / "PROMPT.md").write_bytes(data)
    with pytest.raises(Refused, match=says):
        adopt(tmp_path / "PROMPT.md", None, tmp_path / "project", TODAY, lambda _: None)
    assert not (tmp_path / "project").exists()


@pytest.mark.parametrize("name", ["missing.md", "."])
def test_a_prompt_that_is_no_file(tmp_path: Path, name: str) -> None:
    with pytest.raises(Refused, match="cannot be read"):
        adopt(tmp_path / name, "clinic", tmp_path / "project", TODAY, lambda _: None)


@pytest.mark.parametrize(
    ("file", "name"), [("PROMPT.md", "prompt"), ("My Policy 2.txt", "my_policy_2"), ("日本.md", "adopted")]
)
def test_the_line_is_named_after_the_file(tmp_path: Path, file: str, name: str) -> None:
    (tmp_path / file).write_text("Be kind.", "utf-8")
    adopt(tmp_path / file, None, tmp_path / "project", TODAY, lambda _: None)
    assert sorted(open_project(tmp_path / "project").lines) == [name]
