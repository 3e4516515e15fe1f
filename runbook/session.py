"""A project opened for a command: read, compiled, its examples run, every mistake collected."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import engine
from engine.files import Tree, read_tree
from engine.language.analysis import analyse
from engine.language.compile import compile_line
from engine.language.examples import Outcome, check_examples, run_examples
from engine.language.kinds import EXPLAINING
from engine.language.line import Line
from engine.language.problems import Problem, nearest
from engine.language.project import Card, Project, read_project
from runbook import remembered
from runbook.reach import reach


class Refused(Exception):
    """A command that cannot run: one sentence, and what to do."""


@dataclass
class Session:
    """A project as read. `problems`: of files and shape, and of compiling where it is compiled (`lines`); a line that
    could not be read is in neither."""

    root: Path
    tree: Tree
    project: Project
    lines: dict[str, Line] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def line(self, name: str | None) -> Line:
        """The line named, or the only one. Raises Refused."""
        if name is None and len(self.lines) == 1:
            return next(iter(self.lines.values()))
        if name is None:
            raise Refused(
                f"The project has {len(self.lines)} lines; name one with --line: {', '.join(sorted(self.lines))}."
            )
        if name not in self.lines:
            raise Refused(f"There is no line `{name}` that can be read. {nearest(name, self.lines)}".strip())
        return self.lines[name]

    def names(self, name: str | None) -> list[str]:
        """The line named, or all that could be read. Raises Refused."""
        if name is not None and name not in self.project.lines:
            raise Refused(f"There is no line `{name}` that can be read. {nearest(name, self.project.lines)}".strip())
        return [name] if name else sorted(self.project.lines)

    def only(self, name: str | None) -> list[Line]:
        """The line named, or all of them."""
        return [self.line(name)] if name else [self.lines[one] for one in sorted(self.lines)]


def project_root(given: Path | None) -> Path:
    """`--project`, else the current folder if it is a project, else the shipped lines."""
    if given is not None:
        return given
    here = Path.cwd()
    return here if (here / "cards").is_dir() else shipped()


def shipped() -> Path:
    """The lines that come with Rulecard: inside the installed package, or beside it in a checkout."""
    package = Path(engine.__file__).resolve().parent
    packed = package / "_data"
    return packed if packed.is_dir() else package.parent


def read(given: Path | None) -> Session:
    """Read a project and compile nothing. Never raises on what its files hold."""
    root = project_root(given)
    return _read(root, read_tree(root))


def _read(root: Path, tree: Tree) -> Session:
    session = Session(root, tree, read_project(tree.texts("cards", "rules")))
    session.problems = [*tree.problems, *(session.project.problems if not tree.problems or tree.files else [])]
    return session


def open_project(given: Path | None) -> Session:
    """Read and compile a project. Never raises on what its files hold."""
    return _compiled(read(given))


def opened(root: Path, tree: Tree) -> Session:
    """A session over files already read, compiled."""
    return _compiled(_read(root, tree))


def _compiled(session: Session) -> Session:
    for name in session.project.lines:
        line, problems = _compile(session, name)
        session.lines[name] = line
        session.problems += problems
    return session


def _compile(session: Session, name: str) -> tuple[Line, list[Problem]]:
    known = remembered.known_patterns(session.root)
    line, problems = compile_line(session.project.lines[name], known)
    if line.patterns.keys() - known.keys():
        fresh = {source: pattern.prepared for source, pattern in line.patterns.items()}
        remembered.keep_patterns(session.root, {**known, **fresh})
    return line, problems


def key_of(session: Session, name: str) -> str:
    """The hash of everything a line is read from."""
    ours = (f"cards/{name}/", f"rules/{name}/")
    return remembered.key_of({file: text for file, text in session.tree.texts().items() if file.startswith(ours)})


def told(session: Session, name: str) -> list[Problem]:
    """What compiling says of a line that has been read; and, when it says nothing, examples and analysis. Worked out
    once for the same files."""

    def work() -> list[Problem]:
        line, problems = _compile(session, name)
        return problems or judged(line)

    if any(problem.place.file.startswith((f"cards/{name}/", f"rules/{name}/")) for problem in session.problems):
        return _compile(session, name)[1]
    return remembered.judged(session.root, name, key_of(session, name), work)


def judged(line: Line) -> list[Problem]:
    """What examples and analysis say of a compiled line; examples that are themselves wrong do not run."""
    problems = mistakes(line)
    if not runs(line, problems):
        return problems
    problems += [outcome.problem() for outcome in outcomes(line) if not outcome.held]
    return [*problems, *analyse(line), *reach(line)]


def mistakes(line: Line) -> list[Problem]:
    """What is wrong with the examples of a line, before any of them runs."""
    return [problem for card in line.source.cards.values() for problem in check_examples(line, card)]


def runs(line: Line, found: list[Problem]) -> bool:
    """Whether the examples of a line can run: every card has been read and compiled (they name one another), and no
    example is itself wrong. `found`: its `mistakes`."""
    compiled = line.everything()
    behave = (card for card in line.source.cards.values() if card.kind not in EXPLAINING)
    whole = not line.source.broken and all(card.name in compiled for card in behave)
    return whole and all(problem.code == "example_missing" for problem in found)


def outcomes(line: Line, cards: list[Card] | None = None) -> Iterator[Outcome]:
    """The examples of the cards given, or of all cards of a line, in the order of their names."""
    for card in cards if cards is not None else sorted(line.source.cards.values(), key=lambda card: card.name):
        yield from run_examples(line, card)
