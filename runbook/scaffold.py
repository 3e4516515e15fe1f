"""`rulecard new`: a line of one's own, a card of each kind, green at once; and single new cards."""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from engine.files import FileRefused, write_atomic
from engine.language.kinds import ID, KINDS
from engine.language.line import Line
from engine.language.problems import nearest
from engine.language.slots import fill
from engine.language.splice import SpliceRefused, append_item, insert_key
from runbook.remembered import FOLDER
from runbook.session import Refused, open_project

Say = Callable[[str], None]


def new(name: str, folder: Path, today: dt.date, say: Say) -> None:
    """Begin the line `name` in `folder`, a new project or one that has other lines, and build its documents.

    Nothing that exists is overwritten. Raises Refused.
    """
    refuse_taken(name, folder)
    files = dict(line_files(name, today))
    begin(name, folder, files, say)
    say(f"Next: {there(folder)}edit cards/{name}/, run `rulecard test`, open runbook/{name}.html.")


def there(folder: Path) -> str:
    """The step that leads to the project, where it is not the current folder."""
    return "" if folder.resolve() == Path.cwd() else f"go to {folder}, "


def begin(name: str, folder: Path, files: Mapping[str, str], say: Say) -> Line:
    """Write a new line, its schemas and its documents; what was written is taken away if it cannot be built.

    Raises Refused.
    """
    with _undone_on_failure(folder) as written:
        write_new(folder, files, written)
        line = _read(folder, name)
        write_new(folder, schema_files(line), written)
        write_new(folder, _built(folder, name), written)
    keep_out_of_git(folder, say)
    told = sum(1 for _ in line.source.instructions())
    say(f"Wrote the line `{name}`: {len(line.source.cards)} cards, {told} instructions, locked.")
    return line


def refuse_taken(name: str, folder: Path) -> None:
    """Raise Refused when `name` is no id, or when anything of that name stands in the folder."""
    if not re.fullmatch(ID, name):
        says = f"`{name}` is no id: a line is named with small letters, digits and `_`, a letter first."
        raise Refused(f"{says} For instance: {id_from(name)}.")
    if folder.exists() and not folder.is_dir():
        raise Refused(f"{folder} is a file, not a folder. Name another with --dir.")
    for place in (f"cards/{name}", f"rules/{name}", f"reference/{name}", f"runbook/{name}.md"):
        if (folder / place).exists() or (folder / place).is_symlink():
            raise Refused(f"{folder / place} exists, and nothing is overwritten. Take another name, or another --dir.")


def id_from(name: str, otherwise: str = "my_line") -> str:
    """The id nearest to a name: `Two Bridges` becomes `two_bridges`."""
    made = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_").lstrip("0123456789_")
    return made or otherwise


def _read(folder: Path, name: str) -> Line:
    """The line as it was written. Raises Refused with its first mistake, which would be one of Rulecard's own."""
    session = open_project(folder)
    mine = [problem for problem in session.problems if f"/{name}/" in f"/{problem.place.file}"]
    if mine:
        raise Refused(f"The new line cannot be read. {mine[0]}")
    return session.line(name)


def _built(folder: Path, name: str) -> dict[str, str]:
    """The lock, the rendered prompts and the documents of a line that has none yet. Raises Refused."""
    from runbook.base import read_base
    from runbook.build import outputs, prepare, refusals
    from runbook.render import documents

    session = open_project(folder)
    files = session.tree.texts()
    prepared = prepare(session.project, files, read_base(folder, "none"))[name]
    for finding in refusals(prepared):
        raise Refused(f"The new line cannot be built. {finding.problem}")
    return outputs(prepared, files, documents())


# files


def template(*path: str) -> Traversable:
    """A template that comes with Rulecard, in a checkout and in an installed wheel alike."""
    found = resources.files("runbook") / "templates"
    for part in path:
        found = found / part
    return found


def filled(text: str, values: Mapping[str, str]) -> str:
    """A template with its `{new.…}` slots filled; other slots belong to the cards and stay."""
    return str(fill(text, lambda path: values.get(path.removeprefix("new."), f"{{{path}}}") if path.startswith("new.")
                    else f"{{{path}}}"))  # fmt: skip


def line_files(name: str, today: dt.date) -> Iterator[tuple[str, str]]:
    values = {"line": name, "date": today.isoformat()}
    for top in ("cards", "rules"):
        for path, file in _files(template("new", top), f"{top}/{name}"):
            yield path, filled(file.read_text(encoding="utf-8"), values)


def _files(folder: Traversable, path: str) -> Iterator[tuple[str, Traversable]]:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            yield from _files(entry, f"{path}/{entry.name}")
        elif entry.name.endswith(".yaml"):
            yield f"{path}/{entry.name}", entry


def schema_files(line: Line) -> dict[str, str]:
    """The schemas of a line for editors: `reference/<line>/schema/<kind>.json` → its text."""
    from engine.language.schema import schemas

    return {
        f"reference/{line.name}/schema/{name}": json.dumps(schema, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
        for name, schema in sorted(schemas(line).items())
    }


def write_new(folder: Path, files: Mapping[str, str], written: list[Path]) -> None:
    """Write files that do not exist yet, each noted in `written`. Raises Refused."""
    for name, text in files.items():
        path = folder / name
        if path.exists() or path.is_symlink():
            raise Refused(f"{path} exists, and nothing is overwritten.")
        _write(folder, name, text)
        written.append(path)


def _write(folder: Path, name: str, text: str) -> None:
    try:
        write_atomic(folder / name, text, root=folder)
    except FileRefused as refused:
        problem = refused.problem
        raise Refused(f"{folder / problem.place.file}: {problem.says} {problem.cure}".rstrip()) from None


@contextlib.contextmanager
def _undone_on_failure(folder: Path) -> Iterator[list[Path]]:
    """Collects what is written, and takes it away again, with the folders that are then empty, if the rest fails."""
    stood = folder.exists()
    written: list[Path] = []
    remembers = (folder / FOLDER).exists()
    try:
        yield written
    except BaseException:
        if not remembers:
            shutil.rmtree(folder / FOLDER, ignore_errors=True)
        for path in reversed(written):
            path.unlink(missing_ok=True)
            for parent in path.parents:
                if parent == folder and stood:
                    break
                try:
                    parent.rmdir()
                except OSError:
                    break
                if parent == folder:
                    break
        raise


def keep_out_of_git(folder: Path, say: Say) -> None:
    """Write .gitignore for live state and rendered pages; of one that exists, say what it lacks."""
    wanted = template("new", "gitignore").read_text(encoding="utf-8")
    path = folder / ".gitignore"
    try:
        if not path.exists():
            write_atomic(path, wanted, root=folder)
            return
        present = path.read_text(encoding="utf-8").split("\n")
    except (FileRefused, OSError, UnicodeDecodeError):
        present = []
    lacking = [row for row in wanted.split("\n") if row and row not in present]
    if lacking:
        say(f"Add to {path}: {' '.join(lacking)}")


# one card


def new_card(kind: str, id: str, folder: Path, line: str | None, today: dt.date, say: Say) -> None:
    """Write one new card of a kind, with the keys it needs and examples to replace; its `why` is unexplained.

    Raises Refused.
    """
    if kind not in KINDS:
        raise Refused(f"`{kind}` is no kind of card. {nearest(kind, KINDS)}")
    if not re.fullmatch(ID, id):
        says = f"`{id}` is no id: a card is named with small letters, digits and `_`, a letter first."
        raise Refused(f"{says} For instance: {id_from(id, 'my_card')}.")
    found = open_project(folder).line(line)
    text = template("card", f"{kind}.yaml").read_text(encoding="utf-8")
    file = f"cards/{found.name}/{kind}/{id}.yaml"
    values = {"line": found.name, "date": today.isoformat(), "id": id}
    config = _listed(found, kind, id)
    with _undone_on_failure(folder) as written:
        write_new(folder, {file: filled(text, values)}, written)
        _write(folder, f"cards/{found.name}/line.yaml", config)
    say(f"Wrote {folder / file}. Write its title, its why, its examples; `rulecard test {kind}/{id}` runs them.")
    if config != found.source.source.text:
        what = f"its switch (off) and its place under `{kind}`" if kind == "waves" else f"its place under `{kind}`"
        say(f"Added {what} to cards/{found.name}/line.yaml: look whether it is the right one.")


def _listed(line: Line, kind: str, id: str) -> str:
    """line.yaml with a new wave or role in the last place of its order, and a wave's switch, off. Raises Refused."""
    source = line.source.source
    try:
        text = append_item(source.text, (kind,), id) if kind in ("waves", "roles") else source.text
        if kind == "waves" and id not in line.config.switches:
            off = {"value": "off", "why": "New: nothing of it has been measured yet."}
            names = list(line.config.switches)
            after = ("switches", names[-1]) if names else ("title",)
            text = insert_key(text, after, id if names else "switches", off if names else {id: off})
    except SpliceRefused as refused:
        raise Refused(f"{source.file}: {refused}") from None
    return text
