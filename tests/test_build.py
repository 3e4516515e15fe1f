"""`build`: what is written of a line, all or nothing, to the byte."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from small import DOCUMENTS, GOLDEN, LOCK, RUNBOOK, SMALL, at_base, built, codes, edited, prepared, small

from engine.files import FileRefused, read_tree
from runbook.build import leftovers, outputs, read_sources, refusals, write

LINE, LOOKUP = "cards/shop/line.yaml", "rules/shop/lookup.yaml"


def test_everything_that_is_written() -> None:
    made = outputs(prepared(SMALL), SMALL, DOCUMENTS)
    assert sorted(made) == [
        "reference/shop/instructions.lookup.txt", GOLDEN, LOCK, "reference/shop/question.rating.txt",
        "reference/shop/sources.yaml", "runbook/shop.html", RUNBOOK,
    ]  # fmt: skip
    assert "runbook/shop.html" not in outputs(prepared(SMALL), SMALL, DOCUMENTS, page=False)
    assert all(text.endswith("\n") and "\r" not in text for text in made.values())


def test_what_was_built_from_is_every_card_and_block_of_the_line_and_no_other() -> None:
    files = {**SMALL, "cards/store/line.yaml": "x", "README.md": "x"}
    text = outputs(prepared(SMALL), files, DOCUMENTS)["reference/shop/sources.yaml"]
    assert sorted(read_sources(text)) == sorted(SMALL)


@pytest.mark.parametrize(
    "name, old, new",
    [
        ("rules/shop/manner.yaml", "two", "three"),
        ("cards/shop/style/brief.yaml", ", manner.kind]", "]"),
        ("rules/shop/rules.yaml", "{limits.wait}", "{limits.wate}"),
        (LINE, "  blocks:", "  item: '-'\n  blocks:"),
    ],
)
def test_what_is_unexplained_or_cannot_be_filled_is_refused(name: str, old: str, new: str) -> None:
    assert refusals(prepared(edited(small(), name, old, new)))


def test_a_lock_that_cannot_be_read_is_refused_unless_the_base_has_it() -> None:
    files = small()
    spoilt = {**files, LOCK: "garbage\n"}
    [refused] = refusals(prepared(spoilt))
    assert refused.problem.code == "lock_edited_by_hand"
    assert "Restore it" in refused.problem.cure
    assert refusals(prepared(spoilt, at_base(files))) == []
    assert built(spoilt, at_base(files)) == files


def test_prompts_of_switches_that_are_no_more_are_left_over() -> None:
    files = edited(small(), LOOKUP, "switch: lookup", "switch: photos")
    made = outputs(prepared(files), files, DOCUMENTS)
    assert leftovers("shop", files, made) == ["reference/shop/instructions.lookup.txt"]
    kept = {**files, "reference/shop/notes.txt": "ours", "reference/shop/instructions.md": "ours"}
    assert leftovers("shop", kept, made) == ["reference/shop/instructions.lookup.txt"]


def test_writing_changes_only_what_differs(tmp_path: Path) -> None:
    for name, text in SMALL.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    made = outputs(prepared(SMALL), SMALL, DOCUMENTS)
    assert write(tmp_path, made) == sorted(made)
    assert write(tmp_path, made) == []
    on_disk = read_tree(tmp_path).texts()
    assert codes(on_disk) == []
    stat = (tmp_path / GOLDEN).stat()
    again = edited({**SMALL, **made}, "rules/shop/manner.yaml", "title: Manner", "title: Manner ")
    assert write(tmp_path, outputs(prepared(again), again, DOCUMENTS), [LOCK]) != []
    assert not (tmp_path / LOCK).exists()
    assert (tmp_path / GOLDEN).stat().st_mtime_ns == stat.st_mtime_ns


@pytest.mark.skipif(os.name != "posix", reason="links need no right here only on POSIX")
def test_nothing_is_written_through_a_link_that_leads_out(tmp_path: Path) -> None:
    root, outside = tmp_path / "project", tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    (root / "reference").symlink_to(outside)
    with pytest.raises(FileRefused, match="leads out of the project"):
        write(root, {LOCK: "x"})
    assert list(outside.iterdir()) == []
