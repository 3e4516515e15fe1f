"""Patterns checked before are not checked again, and nothing else is ever believed of the memory."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest
from one_card import files_of

from runbook.remembered import FILE, remember, remembered
from runbook.session import open_project


def project(folder: Path, pattern: str) -> Path:
    cards = {"gates/a": f"when: {{message.text: {{matches: '{pattern}'}}}}\nthen: hold\n"}
    for name, text in files_of(cards).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    return folder


def test_what_held_is_remembered_and_only_the_owner_reads_it(tmp_path: Path) -> None:
    root = project(tmp_path, r"\bgood words\b")
    assert not open_project(root).problems
    assert remembered(root) == {r"\bgood words\b"}
    assert stat.S_IMODE((root / ".rulecard").stat().st_mode) == 0o700
    assert stat.S_IMODE((root / FILE).stat().st_mode) == 0o600


def test_a_pattern_that_was_refused_is_refused_again(tmp_path: Path) -> None:
    root = project(tmp_path, r"(?:a|aa)+$")
    assert [one.code for one in open_project(root).problems] == ["pattern"]
    assert [one.code for one in open_project(root).problems] == ["pattern"]
    assert remembered(root) == frozenset()


@pytest.mark.parametrize(
    "kept",
    ["", "[]", "{}", "{", '{"version": "other", "patterns": ["x"]}', '{"version": null, "patterns": null}', "[" * 100_000],
    ids=["empty", "list", "nothing", "cut off", "another version", "null", "deep"],
)
def test_a_memory_that_is_not_of_this_version_is_no_memory(tmp_path: Path, kept: str) -> None:
    root = project(tmp_path, r"(?:a|aa)+$")
    (root / ".rulecard").mkdir()
    (root / FILE).write_text(kept, "utf-8")
    assert [one.code for one in open_project(root).problems] == ["pattern"]


def test_entries_that_are_no_text_are_passed_over(tmp_path: Path) -> None:
    remember(tmp_path, frozenset({"a"}))
    kept = json.loads((tmp_path / FILE).read_text("utf-8"))
    (tmp_path / FILE).write_text(json.dumps(kept | {"patterns": ["a", 3, None]}), "utf-8")
    assert remembered(tmp_path) == {"a"}


def test_a_folder_that_cannot_be_written_changes_nothing(tmp_path: Path) -> None:
    root = project(tmp_path, r"\bgood\b")
    (root / ".rulecard").write_text("in the way", "utf-8")
    assert not open_project(root).problems
