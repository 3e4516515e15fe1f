"""Patterns checked before are not checked again, and nothing else is ever believed of the memory."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest
from one_card import files_of

from engine.language.normalise import normalise
from engine.language.patterns import compile_pattern
from engine.language.problems import Place, Problem
from runbook.remembered import FOLDER, PATTERNS, document, judged, keep_patterns, key_of, known_patterns
from runbook.session import open_project

FILE = f"{FOLDER}/{PATTERNS}.json"


def project(folder: Path, pattern: str) -> Path:
    cards = {"gates/a": f"when: {{message.text: {{matches: '{pattern}'}}}}\nthen: hold\n"}
    for name, text in files_of(cards).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    return folder


def test_what_held_is_remembered_and_only_the_owner_reads_it(tmp_path: Path) -> None:
    root = project(tmp_path, r"\bgood words\b")
    assert not open_project(root).problems
    assert set(known_patterns(root)) == {r"\bgood words\b"}
    assert stat.S_IMODE((root / ".rulecard").stat().st_mode) == 0o700
    assert stat.S_IMODE((root / FILE).stat().st_mode) == 0o600


def test_a_pattern_that_was_refused_is_refused_again(tmp_path: Path) -> None:
    root = project(tmp_path, r"(?:a|aa)+$")
    assert [one.code for one in open_project(root).problems] == ["pattern"]
    assert [one.code for one in open_project(root).problems] == ["pattern"]
    assert known_patterns(root) == {}


@pytest.mark.parametrize(
    "kept",
    ["", "[]", "{}", "{", '{"key": "other", "value": ["(?:a|aa)+$"]}', '{"key": null, "value": null}', "[" * 100_000],
    ids=["empty", "list", "nothing", "cut off", "another version", "null", "deep"],
)
def test_a_memory_that_is_not_of_this_version_is_no_memory(tmp_path: Path, kept: str) -> None:
    root = project(tmp_path, r"(?:a|aa)+$")
    (root / ".rulecard").mkdir()
    (root / FILE).write_text(kept, "utf-8")
    assert [one.code for one in open_project(root).problems] == ["pattern"]


def test_entries_that_are_no_pattern_are_passed_over(tmp_path: Path) -> None:
    keep_patterns(tmp_path, {"a": compile_pattern("a").prepared})
    kept = json.loads((tmp_path / FILE).read_text("utf-8"))
    broken = {"b": 3, "c": None, "d": ["x"], "e": ["x", 1, []], "f": ["x", True, [["y"]]], "g": [1, True, []]}
    (tmp_path / FILE).write_text(json.dumps(kept | {"value": kept["value"] | broken}), "utf-8")
    assert known_patterns(tmp_path) == {"a": compile_pattern("a").prepared}


@pytest.mark.parametrize("source", [r"\bgood words?\b", r"(?:a|b)c{2,4}", r"\w+", "café", r"^no$"])
def test_a_remembered_pattern_does_what_a_fresh_one_does(source: str, tmp_path: Path) -> None:
    fresh = compile_pattern(source)
    keep_patterns(tmp_path, {source: fresh.prepared})
    again = compile_pattern(source, known_patterns(tmp_path)[source])
    assert again == fresh and again.needs == fresh.needs and again.prepared == fresh.prepared
    for text in ("Good  words", "bccc ac", "CAFÉ café", "no", "", "x" * 99):
        assert again.search(normalise(text)) == fresh.search(normalise(text))


def test_a_folder_that_cannot_be_written_changes_nothing(tmp_path: Path) -> None:
    root = project(tmp_path, r"\bgood\b")
    (root / ".rulecard").write_text("in the way", "utf-8")
    assert not open_project(root).problems


PROBLEM = Problem(
    Place("cards/demo/gates/a.yaml", 4, 2, "when"), "vacuous", "It can never fire.", "Mend it.", "error", "proven"
)


def test_what_was_judged_is_told_again_for_the_same_key_only(tmp_path: Path) -> None:
    calls = []

    def work() -> list[Problem]:
        calls.append(1)
        return [PROBLEM]

    assert [judged(tmp_path, "demo", key, work) for key in ("a", "a", "b", "b")] == [[PROBLEM]] * 4
    assert len(calls) == 2
    assert judged(tmp_path, "other", "b", list) == []


@pytest.mark.parametrize("value", ["null", "3", '"text"', "[3]", "[[1]]", '[[["f", 1, 1, "k", "more"], "c", "s"]]'])
def test_a_judgement_that_cannot_be_read_is_made_anew(tmp_path: Path, value: str) -> None:
    (tmp_path / FOLDER).mkdir()
    (tmp_path / FOLDER / "judged.demo.json").write_text(f'{{"key": "a", "value": {value}}}', "utf-8")
    assert judged(tmp_path, "demo", "a", lambda: [PROBLEM]) == [PROBLEM]


def test_a_document_is_rendered_once_for_the_same_key(tmp_path: Path) -> None:
    texts = iter(["one", "two"])
    assert [document(tmp_path, "demo", key, lambda: next(texts)) for key in ("a", "a", "b", "b")] == [
        "one",
        "one",
        "two",
        "two",
    ]


def test_the_key_knows_every_byte_and_every_name() -> None:
    keys = {key_of(files) for files in ({}, {"a": ""}, {"a": "b"}, {"ab": ""}, {"a": "b", "c": ""}, {"b": "a"})}
    assert len(keys) == 6
    assert key_of({"a": "1", "b": "2"}) == key_of({"b": "2", "a": "1"})
