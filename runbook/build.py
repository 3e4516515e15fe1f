"""`rulecard build`: from a line to everything that is written of it, or to the reasons why nothing is.

What is built of one line: reference/<line>/lock.yaml, the rendered prompts (reference/<line>/instructions*.txt and
question.*.txt), reference/<line>/sources.yaml (the hash of each card and block that was built from), and the
documents runbook/<line>.md and runbook/<line>.html. The same files give the same bytes everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from engine.files import short_hash, write_atomic
from engine.language.problems import Problem
from engine.language.project import LineSource, Project, read_project
from engine.prompt import goldens
from runbook import base as git
from runbook.findings import Finding
from runbook.items import State, state_of
from runbook.judge import Base, Judgement, judge
from runbook.lock import Lock, lock_file, read_lock, write_lock

SOURCES = """\
# Written by `rulecard build`: the first 16 hex digits of the SHA-256 of each file that the line was built from.
# It tells a file that was edited by hand from one that is no longer up to date.
"""
_SOURCE = re.compile(r"([^\s:#]+): '([0-9a-f]{16})'")
_GOLDEN = re.compile(r"(?:instructions|question\.[a-z][a-z0-9_]*)(?:\.[a-z0-9_+]+)?\.txt")

Render = Callable[[LineSource], str]


@dataclass(frozen=True)
class Documents:
    """How a line becomes its two documents."""

    markdown: Render
    page: Render


@dataclass(frozen=True)
class Prepared:
    """One line, held against its lock and the base. `problems`: of reading the lock on disk."""

    now: State
    disk: Lock | None
    base: Base | None
    judgement: Judgement
    problems: tuple[Problem, ...]
    command: str

    @property
    def line(self) -> LineSource:
        return self.now.line


class Basis:
    """The lines as they stood at the base revision; each is read when it is asked for and differs from today's."""

    def __init__(self, base: git.Base) -> None:
        self.files = base.files
        self.names = {name.split("/")[1] for name in base.files if name.startswith("cards/")}
        self.lines: dict[str, LineSource | None] = {}

    def of(self, now: State, lines: Mapping[str, LineSource], files: Mapping[str, str]) -> Base | None:
        """What a line is compared with; None when the base holds no lock of it."""
        name = self._former(now.line, lines)
        text = self.files.get(lock_file(name))
        lock = read_lock(text, lock_file(name))[0] if text is not None else None
        if lock is None:
            return None
        if name == now.line.name and source_files(name, self.files) == source_files(name, files):
            return Base(lock, now)
        then = self._line(name)
        return Base(lock, state_of(then) if then is not None else None)

    def _line(self, name: str) -> LineSource | None:
        if name not in self.lines:
            self.lines[name] = read_project(source_files(name, self.files)).lines.get(name)
        return self.lines[name]

    def _former(self, line: LineSource, lines: Mapping[str, LineSource]) -> str:
        """The name of the line at the base: one that is new while another with half of its instructions has gone is
        that line under another name."""
        if line.name in self.names:
            return line.name
        ids = {item.id for item in line.instructions()}
        gone = {name: self._line(name) for name in sorted(self.names - set(lines))}
        shared = {name: len(ids & {item.id for item in then.instructions()}) for name, then in gone.items() if then}
        most = max(shared, key=lambda name: shared[name], default=line.name)
        return most if 2 * shared.get(most, 0) >= max(1, len(ids)) else line.name


def prepare(project: Project, files: Mapping[str, str], base: git.Base) -> dict[str, Prepared]:
    """Every readable line of a project, held against its lock on disk and against the base revision."""
    basis, found = Basis(base), {}
    for name, line in sorted(project.lines.items()):
        if line.broken:
            continue
        command = "rulecard accept" if len(project.lines) == 1 else f"rulecard accept --line {name}"
        now = state_of(line)
        text = files.get(lock_file(name))
        disk, problems = read_lock(text, lock_file(name)) if text is not None else (None, [])
        then = basis.of(now, project.lines, files)
        found[name] = Prepared(now, disk, then, judge(now, disk, then, command), tuple(problems), command)
    return found


def source_files(line: str, files: Mapping[str, str]) -> dict[str, str]:
    """The cards and blocks of a line, with LF line ends."""
    ours = (f"cards/{line}/", f"rules/{line}/")
    return {name: text.replace("\r\n", "\n") for name, text in sorted(files.items()) if name.startswith(ours)}


def sources_file(line: str) -> str:
    return f"reference/{line}/sources.yaml"


def write_sources(line: str, files: Mapping[str, str]) -> str:
    """The hash of each card and block of a line, one line a file, sorted."""
    return SOURCES + "".join(f"{name}: '{short_hash(text)}'\n" for name, text in source_files(line, files).items())


def read_sources(text: str) -> dict[str, str]:
    """File → hash of `write_sources`; other lines are passed over."""
    matches = (_SOURCE.fullmatch(line) for line in text.splitlines())
    return {match[1]: match[2] for match in matches if match}


def outputs(prepared: Prepared, files: Mapping[str, str], documents: Documents, page: bool = True) -> dict[str, str]:
    """Everything that is built of a line: project file → text. `page`: with the HTML page."""
    name = prepared.line.name
    built = {lock_file(name): write_lock(prepared.judgement.lock), sources_file(name): write_sources(name, files)}
    built |= {f"reference/{name}/{golden}": text for golden, text in goldens(prepared.line).items()}
    built[f"runbook/{name}.md"] = documents.markdown(prepared.line)
    if page:
        built[f"runbook/{name}.html"] = documents.page(prepared.line)
    return built


def leftovers(line: str, files: Mapping[str, str], built: Mapping[str, str]) -> list[str]:
    """Rendered prompts on disk that the line no longer has."""
    folder = f"reference/{line}/"
    ours = (name for name in files if name.startswith(folder) and _GOLDEN.fullmatch(name.removeprefix(folder)))
    return sorted(name for name in ours if name not in built)


def refusals(prepared: Prepared) -> list[Finding]:
    """Why the line is not built: what is unexplained, and a lock that cannot be read with no base to mend it from."""
    found = list(prepared.judgement.findings)
    if prepared.problems and prepared.base is None:
        cure = "Restore it; or delete it to begin a new one, if every instruction stands as it should."
        first = prepared.problems[0]
        found.append(Finding(Problem(first.place, first.code, first.says, cure)))
    return found


def write(root: Path, built: Mapping[str, str], gone: Iterable[str] = ()) -> list[str]:
    """Write what was built and remove what is left over; the names that changed. Raises engine.files.FileRefused."""
    changed = [name for name, text in sorted(built.items()) if write_atomic(root / name, text, root=root)]
    for name in gone:
        (root / name).unlink(missing_ok=True)
        changed.append(name)
    return changed
