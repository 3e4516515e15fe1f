"""`rulecard new`: a line of one's own, green at once; and new cards of every kind that say what is still missing."""

from __future__ import annotations

import datetime as dt
import os
import re
import shutil
from pathlib import Path

import pytest

from engine.language.compile import compile_line
from engine.language.examples import check_examples, run_examples
from engine.language.kinds import KINDS
from engine.language.line import Line
from engine.language.project import read_project
from runbook.scaffold import id_from, line_files, new, new_card, template
from runbook.session import Refused, judged, open_project

TODAY = dt.date(2026, 9, 21)


def begun(folder: Path, name: str = "shop") -> list[str]:
    said: list[str] = []
    new(name, folder, TODAY, said.append)
    return said


def files_in(folder: Path) -> dict[str, bytes]:
    """The files of a project, live state (caches) apart."""
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file() and ".rulecard" not in path.parts]
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


@pytest.fixture(scope="module")
def line() -> Line:
    project = read_project(dict(line_files("shop", TODAY)))
    assert not project.problems, "\n".join(map(str, project.problems))
    made, problems = compile_line(project.lines["shop"])
    assert not problems, "\n".join(map(str, problems))
    return made


def test_it_holds_one_card_of_each_kind(line: Line) -> None:
    assert {card.kind for card in line.source.cards.values()} == set(KINDS)


def test_every_instruction_is_explained_once(line: Line) -> None:
    told = [instruction.id for instruction in line.source.instructions()]
    assert sorted(id for card in line.source.cards.values() for id in card.body.explains) == sorted(told)
    assert len(line.source.blocks) == 2


def test_its_examples_hold_and_can_fail(line: Line) -> None:
    outcomes = [outcome for card in line.source.cards.values() for outcome in run_examples(line, card)]
    assert len(outcomes) > 15
    assert not [str(outcome.problem()) for outcome in outcomes if not outcome.held]
    assert not [str(one) for card in line.source.cards.values() for one in check_examples(line, card)]


def test_every_file_names_the_schema_that_checks_it(tmp_path: Path) -> None:
    begun(tmp_path)
    for name, data in files_in(tmp_path).items():
        if name.startswith(("cards/", "rules/")):
            first = data.decode().split("\n")[0]
            schema = first.removeprefix("# yaml-language-server: $schema=")
            named = Path(os.path.normpath(tmp_path / Path(name).parent / schema))
            kind = {"line.yaml": "line"}.get(
                Path(name).name, Path(name).parts[2] if name.startswith("cards/") else "block"
            )
            assert named == tmp_path / "reference" / "shop" / "schema" / f"{kind}.json"
            assert named.is_file()


def test_a_new_line_is_green_at_once(tmp_path: Path) -> None:
    said = begun(tmp_path / "new")
    session = open_project(tmp_path / "new")
    assert not session.problems
    assert not [str(one) for one in judged(session.line("shop")) if one.level == "error"]
    names = set(files_in(tmp_path / "new"))
    assert {".gitignore", "runbook/shop.md", "runbook/shop.html", "reference/shop/lock.yaml"} <= names
    assert "reference/shop/instructions.txt" in names
    assert "15 cards, 7 instructions" in said[0]


def test_it_is_the_same_on_every_machine(tmp_path: Path) -> None:
    begun(tmp_path / "one")
    begun(tmp_path / "two")
    assert files_in(tmp_path / "one") == files_in(tmp_path / "two")


def test_a_second_line_leaves_the_first_as_it_is(tmp_path: Path) -> None:
    begun(tmp_path)
    before = files_in(tmp_path)
    said = begun(tmp_path, "clinic")
    after = files_in(tmp_path)
    assert {name: after[name] for name in before} == before
    assert sorted(open_project(tmp_path).lines) == ["clinic", "shop"]
    assert not any(".gitignore" in one for one in said)


@pytest.mark.parametrize("taken", ["cards/shop/x", "rules/shop/x", "reference/shop/x", "runbook/shop.md"])
def test_nothing_is_overwritten(tmp_path: Path, taken: str) -> None:
    (tmp_path / taken).parent.mkdir(parents=True)
    (tmp_path / taken).write_text("mine")
    before = files_in(tmp_path)
    with pytest.raises(Refused, match="nothing is overwritten"):
        begun(tmp_path)
    assert files_in(tmp_path) == before


def test_a_gitignore_of_ones_own_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("*.log\n.rulecard/\n")
    said = begun(tmp_path)
    assert (tmp_path / ".gitignore").read_text() == "*.log\n.rulecard/\n"
    assert [one for one in said if ".gitignore" in one] == [f"Add to {tmp_path / '.gitignore'}: runbook/*.html"]


@pytest.mark.parametrize(
    ("name", "offered"),
    [
        ("My Shop", "my_shop"),
        ("7eleven", "eleven"),
        ("../up", "up"),
        ("", "my_line"),
        ("shop-1", "shop_1"),
        ("Ünder", "nder"),
    ],
)
def test_a_name_that_is_no_id(tmp_path: Path, name: str, offered: str) -> None:
    with pytest.raises(Refused, match=rf"is no id: .*For instance: {offered}\."):
        begun(tmp_path / "new", name)
    assert not (tmp_path / "new").exists()
    assert id_from(name) == offered


def test_a_file_in_the_place_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "new").write_text("mine")
    with pytest.raises(Refused, match="is a file, not a folder"):
        begun(tmp_path / "new")


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    """A file where a folder must be: unwritable for root too."""
    (tmp_path / "cards").write_text("mine")
    with pytest.raises(Refused, match="cannot be written"):
        begun(tmp_path)
    assert files_in(tmp_path) == {"cards": b"mine"}


def test_what_cannot_be_finished_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise Refused("It cannot be built.")

    monkeypatch.setattr("runbook.scaffold._built", fails)
    (tmp_path / "kept").write_text("mine")
    with pytest.raises(Refused):
        begun(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]


# single cards


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project to copy: what `new` writes, without what is built."""
    folder = tmp_path_factory.mktemp("made")
    for name, text in line_files("shop", TODAY):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    return folder


@pytest.fixture
def project(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "project"))


@pytest.mark.parametrize("kind", KINDS)
def test_a_new_card_reads_and_its_examples_hold(project: Path, kind: str) -> None:
    new_card(kind, "fresh", project, None, TODAY, lambda _: None)
    session = open_project(project)
    assert not [str(one) for one in session.problems]
    line = session.line("shop")
    card = line.source.cards[f"{kind}/fresh"]
    assert card.source.text.startswith(f"# yaml-language-server: $schema=../../../reference/shop/schema/{kind}.json\n")
    assert card.body.why == "unexplained"
    assert not [str(one) for one in check_examples(line, card)]
    assert [outcome.failure for outcome in run_examples(line, card)] == [""] * len(card.body.examples)


def test_a_new_wave_is_closed(project: Path) -> None:
    new_card("waves", "fresh", project, "shop", TODAY, lambda _: None)
    line = open_project(project).line("shop")
    assert line.config.waves == ["plain_answers", "fresh"]
    assert line.switches["fresh"] == "off"


@pytest.mark.parametrize(
    ("kind", "id", "says"),
    [
        ("gate", "fresh", r"`gate` is no kind of card\. Did you mean `gates`\?"),
        ("gates", "Fresh one", r"`Fresh one` is no id.*fresh_one"),
        ("gates", "person_wanted", "exists, and nothing is overwritten"),
    ],
)
def test_a_card_that_cannot_be_begun(project: Path, kind: str, id: str, says: str) -> None:
    before = files_in(project)
    with pytest.raises(Refused, match=says):
        new_card(kind, id, project, None, TODAY, lambda _: None)
    assert files_in(project) == before


def test_templates_are_yaml_as_they_stand() -> None:
    """They are read by people and editors before anything is filled in."""
    from engine.language.yaml_source import parse

    def all_in(folder: object) -> list[object]:
        return [one for entry in folder.iterdir() for one in (all_in(entry) if entry.is_dir() else [entry])]  # type: ignore[attr-defined]

    for file in all_in(template()):
        if file.name.endswith(".yaml"):  # type: ignore[attr-defined]
            text = file.read_text(encoding="utf-8")  # type: ignore[attr-defined]
            source, problems = parse(text, file.name)  # type: ignore[attr-defined]
            assert source is not None, problems
            assert not re.search(r"\+44(?! 20 7946 0)|\+1(?! 415 555 01)", text)
