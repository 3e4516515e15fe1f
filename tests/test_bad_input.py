"""Bad input through the command: one clear sentence, exit status 1 or 2, never a traceback, and the next run works."""

from __future__ import annotations

import datetime as dt
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

import cli
from engine.language.splice import SpliceRefused, set_scalar
from engine.language.yaml_source import parse
from runbook.scaffold import begin, line_files, new

ROOT = Path(cli.__file__).parent
TODAY = dt.date(2026, 9, 21)
GATE = "cards/shop/gates/person_wanted.yaml"
CARD = "title: A title\nwhy: A reason\nsince: 2026-09-21\n"


def rulecard(*arguments: str, cwd: Path) -> tuple[int, str]:
    """The command's exit status and all it prints; whatever it raises is raised here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(cwd)
        done = CliRunner(env={"NO_COLOR": "1"}).invoke(cli.main, list(arguments), catch_exceptions=False)
    return done.exit_code, done.output


def process(*arguments: str, cwd: Path) -> tuple[int, str]:
    """The command as a user runs it, in a process of its own."""
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "PYTHONPATH": path, "NO_COLOR": "1"}
    command = [sys.executable, "-m", "cli", *arguments]
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, done.stdout + done.stderr


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project that is green."""
    folder = tmp_path_factory.mktemp("made") / "shop"
    new("shop", folder, TODAY, lambda _: None)
    return folder


@pytest.fixture
def project(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "project", symlinks=True))


def put(name: str, content: str | bytes) -> Callable[[Path], None]:
    def spoil(project: Path) -> None:
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)

    return spoil


def link(name: str, to: str) -> Callable[[Path], None]:
    def spoil(project: Path) -> None:
        outside = project.parent / "outside.yaml"
        outside.write_text(CARD)
        (project / name).unlink(missing_ok=True)
        (project / name).symlink_to(project.parent / to if to == "outside.yaml" else to)

    return spoil


def emptied(project: Path) -> None:
    for name in ("cards", "rules", "reference", "runbook"):
        shutil.rmtree(project / name)
    (project / "cards").mkdir()


BOMB = "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\n" + CARD
SPOILT: dict[str, tuple[Callable[[Path], None], str]] = {
    "an empty project": (emptied, r"The project holds no line.* Run `rulecard new NAME`"),
    "a card that is a list": (put(GATE, "- one\n- two\n"), rf"{GATE}:1:1: .*holds a list, not a mapping"),
    "a card that is a word": (put(GATE, "hello\n"), rf"{GATE}:1:1: .*holds a single value, not a mapping"),
    "an empty card": (put(GATE, ""), rf"{GATE}: .*The file is empty"),
    "a card of 2 MB": (put(GATE, "# x\n" * 500_000), rf"{GATE}: .*The file has 2,000,000 bytes; the most is"),
    "invalid UTF-8": (put(GATE, b"title: caf\xe9\n"), rf"{GATE}:1:11: .*is not UTF-8"),
    "a symlink out of the project": (link(GATE, "outside.yaml"), rf"{GATE}: .*leads out of the project"),
    "a symlink to nothing": (link(GATE, "nowhere"), rf"{GATE}: .*leads to nothing"),
    "an alias bomb": (put(GATE, BOMB), rf"{GATE}:1:4: .*[Aa]nchor"),
    "a nest without end": (put(GATE, CARD + "when: " + "[" * 5000), rf"{GATE}:4:\d+: .*deep"),
    "a YAML tag": (put(GATE, "title: !!python/object:os.system x\n"), rf"{GATE}:1:8: .*[Tt]ag"),
    "a broken line.yaml": (put("cards/shop/line.yaml", "rulecard: 1\ntitle: [\n"), r"cards/shop/line\.yaml:\d+:\d+: "),
    "a card in another's place": (
        put("cards/shop/gate/x.yaml", CARD),
        r"cards/shop/gate/x\.yaml: .*Did you mean `gates`",
    ),
    "a lock that is a picture": (put("reference/shop/lock.yaml", b"\x89PNG\r\n\x1a\n"), r"reference/shop/lock\.yaml"),
    "a NUL": (put(GATE, CARD + "owner: a\0b\n"), rf"{GATE}:4:9: "),
}


@pytest.mark.parametrize("case", SPOILT)
def test_a_spoilt_project_is_told_and_the_mended_one_holds(case: str, project: Path, made: Path) -> None:
    spoil, says = SPOILT[case]
    spoil(project)
    status, said = rulecard("check", "--base", "none", cwd=project)
    assert re.search(says, said), said
    assert status in (1, 2), said
    shutil.rmtree(project)
    shutil.copytree(made, project)
    assert rulecard("check", "--base", "none", cwd=project)[0] == 0


def test_a_process_of_its_own_ends_the_same(project: Path) -> None:
    (project / GATE).write_bytes(b"title: caf\xe9\n")
    status, said = process("check", "--base", "none", cwd=project)
    assert status == 2, said
    assert f"{GATE}:1:11: " in said
    assert "Traceback" not in said
    status, said = process("check", "--project", "missing", cwd=project)
    assert (status, "Traceback" in said) == (2, False), said


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["check", "--project", "missing"], "does not exist"),
        (["check", "--project", "file"], "is no folder"),
        (["build", "--project", "missing"], "does not exist"),
        (["check", "--line", "shpo"], "Did you mean `shop`?"),
        (["explain", "gates/person_wantd"], "Did you mean `gates/person_wanted`?"),
        (["adopt", "missing.md"], "missing.md cannot be read"),
        (["new", "Shop"], "is no id"),
        (["new", "shop"], "nothing is overwritten"),
        (["test", "gates/nothing"], "gates/nothing"),
    ],
)
def test_a_wrong_argument_is_exit_2(project: Path, arguments: list[str], says: str) -> None:
    (project / "file").write_text("")
    status, said = rulecard(*arguments, cwd=project)
    assert says in said
    assert status == 2, said


# every field of every file of a line


def fields(text: str, file: str) -> list[tuple[str | int, ...]]:
    """The places of all single values of a file."""
    source, problems = parse(text, file)
    assert source is not None, problems
    return [path for path, span in source.spans.items() if path and span.style not in "{[:-"]


FIELDS = [(name, path, text) for name, text in line_files("shop", TODAY) for path in fields(text, name)]
KINDS_OF_FIELDS = {
    (name.rpartition("/")[0], *(part for part in path if isinstance(part, str))): (name, path, text)
    for name, path, text in FIELDS
}
"""One field of each key, whichever card has it."""


def check_files(files: dict[str, str], folder: Path) -> list[str]:
    """What `rulecard check` finds in files, without a process of its own; raises what it would raise."""
    from engine.files import tree_of
    from runbook.session import judged, opened

    session = opened(folder, tree_of({name: text.encode() for name, text in files.items()}))
    found = [*session.problems, *(one for line in session.lines.values() for one in judged(line))]
    return [str(one) for one in found if one.level == "error"]


VALUES = {
    "space": "   ",
    "words of a template language, a hidden turn, a slot": "{{ 7*7 }} {% for x in y %} { \u202e{found}",
    "100,000 characters": "word " * 20_000,
    "a reference": "$limits.none",
}


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_whatever_stands_in_a_field(value: str, tmp_path: Path) -> None:
    """Each field in its turn: the line is read, or every mistake has its place; nothing is raised."""
    files = dict(line_files("shop", TODAY))
    refused = 0
    for name, path, text in KINDS_OF_FIELDS.values():
        try:
            spoilt = set_scalar(text, path, value)
        except SpliceRefused:
            continue
        for said in check_files({**files, name: spoilt}, tmp_path):
            refused += 1
            assert re.match(r"(cards|rules)/shop/[\w/]+\.yaml(:\d+:\d+)?: error: \w+", said), said
            assert len(said) < 2_000, said[:200]
    assert refused > 20


def test_words_of_a_template_language_are_words(tmp_path: Path) -> None:
    """`{{ 1111*1111 }}` and `{% raw %}` in every sentence of a line: nothing runs them, in the prompt or the documents."""
    code = "{{ 1111*1111 }} {% raw %} {# note #} <b>"
    files = dict(line_files("shop", TODAY))
    for name, path, _ in FIELDS:
        if path[-1] in ("title", "why", "repair", "note", "says") or (name.startswith("rules/") and path[-1] == "text"):
            old = parse(files[name], name)[0]
            assert old is not None
            value = old.value
            for part in path:
                value = value[part]  # type: ignore[index]
            files[name] = set_scalar(files[name], path, f"{value} {code}")
    begin("shop", tmp_path, files, lambda _: None)
    prompt = (tmp_path / "reference/shop/instructions.txt").read_text()
    assert prompt.count(code) == 7 + 2
    for document in ("runbook/shop.md", "runbook/shop.html"):
        text = (tmp_path / document).read_text()
        assert "1234321" not in text
        assert "1111*1111" in text.replace("\\", "").replace("&#42;", "*")
        assert f"{code[:-3]}<b>" not in text


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("terms/person_words", "title: ", "titel: "),
        ("marks/waits_for_person", "scope: sender", "scope: nobody"),
        ("waves/plain_answers", "ago: 1 h", "ago: soon"),
    ],
)
def test_with_a_mistake_in_one_card_no_example_runs_and_it_is_said(
    project: Path, name: str, old: str, new: str
) -> None:
    """Cards name one another, so a broken one must not make the examples of the others fail, or worse, hold."""
    file = project / f"cards/shop/{name}.yaml"
    file.write_text(file.read_text().replace(old, new, 1))
    status, said = rulecard("test", cwd=project)
    assert status == 1
    assert f"cards/shop/{name}.yaml:" in said
    assert "The examples of shop did not run" in said
    status, said = rulecard("explain", "gates/person_wanted", cwd=project)
    assert status == 0
    assert "1. not run: " in said
    assert "The line has mistakes" in said


def test_a_card_that_cannot_be_read_is_not_explained(project: Path) -> None:
    (project / GATE).write_text("titel: x\n")
    for name in ("gates/person_wanted", "person_wanted", GATE):
        status, said = rulecard("explain", name, cwd=project)
        assert status == 2
        assert "gates/person_wanted cannot be read: `rulecard check` says why." in said
