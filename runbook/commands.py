"""What each command does, for cli.py: plain arguments in, an exit status out, everything printed through `say`."""

from __future__ import annotations

import datetime as dt
import json
import os
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from engine.files import FileRefused, Tree, write_atomic
from engine.language.problems import Place, Problem, nearest
from engine.language.project import Card, LineSource
from runbook import base as git
from runbook import knowledge, remembered
from runbook.build import Documents, Prepared, leftovers, outputs, prepare, refusals, write
from runbook.check import Report, cannot_run
from runbook.check import check as checked
from runbook.formats import FORMATS
from runbook.session import Refused, Session, key_of, mistakes, open_project, outcomes, read, runs, told

Say = Callable[[str], None]
HELD, FOUND, UNUSABLE = 0, 1, 2
WATCH_SECONDS = 0.3
"""How often `check --watch` looks for changed files."""

__all__ = ["Refused", "accept", "adopt", "build", "check", "explain", "new", "new_card", "schema", "test", "watch"]


def new(name: str, folder: Path, say: Say) -> int:
    """Begin a line of one's own."""
    from runbook.scaffold import new as begin

    begin(name, folder, dt.date.today(), say)
    return HELD


def new_card(kind: str, id: str, folder: Path, line: str | None, say: Say) -> int:
    """Begin a card of a kind."""
    from runbook.scaffold import new_card as begin

    begin(kind, id, folder, line, dt.date.today(), say)
    return HELD


def adopt(prompt: Path, line: str | None, folder: Path, say: Say) -> int:
    """Split an existing prompt into locked instructions."""
    from runbook.adopt import adopt as begin

    begin(prompt, line, folder, dt.date.today(), say)
    return HELD


def check(project: Path | None, line: str | None, base: str | None, form: str, notes: bool, say: Say) -> int:
    """Check cards, examples, lock and documents."""
    report = _report(read(project), line, base)
    if not notes:
        report = replace(report, problems=tuple(one for one in report.problems if one.level != "note"))
    say(_printed(report, form))
    return report.status


def watch(project: Path | None, line: str | None, base: str | None, form: str, notes: bool, say: Say) -> int:
    """Check now and after every change, until interrupted."""
    seen: Tree | None = None
    try:
        while True:
            session = read(project)
            if seen is None or session.tree != seen:
                seen = session.tree
                if sys.stdout.isatty():
                    say("\x1b[2J\x1b[H")
                check(project, line, base, form, notes, say)
                say("Watching for changes; stop with Ctrl-C.")
            time.sleep(WATCH_SECONDS)
    except KeyboardInterrupt:
        return HELD


def _report(session: Session, line: str | None, base: str | None) -> Report:
    problems = list(session.problems)
    if not session.project.lines:
        return cannot_run(problems[0], problems[1:]) if problems else cannot_run(_nothing(session))
    for name in session.names(line):
        problems += told(session, name)
        problems += knowledge.problems(session, session.project.lines[name])
    try:
        found = git.read_base(session.root, base)
    except git.BaseMissing as missing:
        return cannot_run(missing.problem, problems)
    report = checked(
        session.project, session.tree.texts(), found, _documents(session), problems, bool(session.tree.problems)
    )
    return _of_line(report, line) if line else report


def _of_line(report: Report, line: str) -> Report:
    mine = (f"cards/{line}/", f"rules/{line}/", f"reference/{line}/", f"runbook/{line}.", f"knowledge/{line}")
    kept = tuple(one for one in report.problems if one.place.file.startswith(mine))
    return replace(report, problems=kept)


def _nothing(session: Session) -> Problem:
    says = f"{session.root} holds no line that can be read."
    return Problem(Place("cards"), "empty_project", says, "Run `rulecard new NAME` to begin one.")


def _printed(report: Report, form: str) -> str:
    if form == "text" and sys.stdout.isatty() and "NO_COLOR" not in os.environ:
        from runbook.formats import text

        return text(report, colour=True).rstrip("\n")
    return FORMATS[form](report).rstrip("\n")


def _documents(session: Session) -> Documents:
    """How lines are rendered; a document of unchanged cards is rendered once."""

    def markdown(line: LineSource) -> str:
        def work() -> str:
            from runbook.render import documents

            return documents().markdown(line)

        return remembered.document(session.root, line.name, key_of(session, line.name), work)

    def page(line: LineSource) -> str:
        from runbook.render import documents

        return documents().page(line)

    return Documents(markdown, page)


def build(project: Path | None, line: str | None, base: str | None, say: Say) -> int:
    """Render everything of every line, or say what stands in the way."""
    session = _usable(open_project(project), say)
    if session is None:
        return FOUND
    ready = _prepared(session, line, base)
    refused: list[object] = [finding for one in ready.values() for finding in refusals(one)]
    for name in ready:
        topics = [one for one in knowledge.problems(session, session.project.lines[name]) if one.code != "stale"]
        refused += [one for one in topics if not one.place.file.endswith(".npz")]
    if refused:
        report = _report(session, line, base)
        say(_printed(report, "text"))
        say("Nothing was built.")
        return FOUND if report.status != UNUSABLE else UNUSABLE
    _write(session, ready, say)
    return HELD


def _usable(session: Session, say: Say) -> Session | None:
    """The session if its cards can be read; else every mistake is said."""
    if session.problems:
        status = cannot_run if not session.lines else None
        report = (
            status(session.problems[0], session.problems[1:]) if status else Report(tuple(sorted(session.problems)))
        )
        say(_printed(report, "text"))
        if not session.lines:
            raise Refused("There is nothing to work on.")
        return None
    return session


def _prepared(session: Session, line: str | None, base: str | None) -> dict[str, Prepared]:
    try:
        found = git.read_base(session.root, base)
    except git.BaseMissing as missing:
        raise Refused(str(missing)) from None
    names = {one.name for one in session.only(line)}
    return {name: one for name, one in prepare(session.project, session.tree.texts(), found).items() if name in names}


def _write(session: Session, ready: dict[str, Prepared], say: Say) -> None:
    from runbook.scaffold import schema_files

    files = session.tree.texts()
    for name, one in ready.items():
        built = outputs(one, files, _documents(session)) | schema_files(session.lines[name])
        try:
            changed = write(session.root, built, leftovers(name, files, built))
            vectors = knowledge.write(session, session.project.lines[name])
        except FileRefused as refused:
            raise Refused(str(refused.problem)) from None
        more = " Its vectors are new." if vectors else ""
        say(f"{name}: {len(built)} files built, {len(changed)} of them changed.{more} Open runbook/{name}.html.")


def accept(id: str, why: str, project: Path | None, line: str | None, base: str | None, say: Say) -> int:
    """Write why an instruction changed into its card, and rebuild when nothing else is unexplained."""
    from runbook.accept import AcceptRefused
    from runbook.accept import accept as accepted

    session = _usable(open_project(project), say)
    if session is None:
        return FOUND
    ready = _prepared(session, line, base)
    if len(ready) > 1:
        raise Refused(f"The project has {len(ready)} lines; name one with --line: {', '.join(sorted(ready))}.")
    (name, one), files = next(iter(ready.items())), session.tree.texts()
    try:
        written = accepted(one, files, id, why, dt.date.today())
    except AcceptRefused as refused:
        raise Refused(str(refused)) from None
    for file, text in written.items():
        try:
            write_atomic(session.root / file, text, root=session.root)
        except FileRefused as refused:
            raise Refused(str(refused.problem)) from None
        say(f"{file}: the change is explained.")
    return _rebuilt(session.root, name, base, say)


def _rebuilt(root: Path, line: str, base: str | None, say: Say) -> int:
    session = open_project(root)
    ready = _prepared(session, line, base)
    left = [finding for one in ready.values() for finding in refusals(one)]
    if left:
        for finding in left:
            say(f"Still unexplained: {finding.problem}")
        return HELD
    _write(session, ready, say)
    return HELD


def test(cards: tuple[str, ...], project: Path | None, line: str | None, form: str, say: Say) -> int:
    """Run the examples of all cards, or of those named."""
    session = open_project(project)
    if not session.lines:
        raise Refused(str(session.problems[0]) if session.problems else f"{session.root} holds no line.")
    problems, ran, unrun = list(session.problems), 0, list[str]()
    for one in session.only(line):
        wrong = mistakes(one)
        if not runs(one, wrong):
            problems += (problem for problem in wrong if problem.code != "example_missing")
            unrun.append(one.name)
            continue
        for outcome in outcomes(one, _named(one.source.cards, cards)):
            ran += 1
            if not outcome.held:
                problems.append(outcome.problem())
    report = Report(tuple(sorted(problems)), says=(f"{ran} examples ran.",))
    if form == "text":
        for problem in report.problems:
            say(str(problem))
        failed = sum(1 for problem in problems if problem.code == "example_failed")
        say(f"{ran - failed} examples held, {failed} failed.")
        if unrun:
            say(f"The examples of {', '.join(unrun)} did not run: mend the mistakes first.")
    else:
        say(_printed(report, form))
    return report.status


def _named(cards: dict[str, Card], wanted: Iterable[str]) -> list[Card] | None:
    chosen = []
    for name in wanted:
        found = [card for card in cards.values() if name in (card.name, card.id)]
        if not found:
            raise Refused(f"There is no card `{name}`. {nearest(name, cards)}".strip())
        chosen += found
    return chosen or None


def explain(name: str, project: Path | None, line: str | None, as_json: bool, say: Say) -> int:
    """Everything about a card or an instruction."""
    from runbook.explain import explain as told
    from runbook.explain import explained

    session = open_project(project)
    if not session.lines:
        raise Refused(str(session.problems[0]) if session.problems else f"{session.root} holds no line.")
    chosen = session.line(line)
    say(json.dumps(explained(chosen, name), indent=2, ensure_ascii=False) if as_json else told(chosen, name))
    return HELD


def schema(kind: str | None, project: Path | None, line: str | None, to_files: bool, say: Say) -> int:
    """Print one schema, or write them all for editors."""
    from engine.language.schema import bundle
    from runbook.scaffold import schema_files

    session = open_project(project)
    if not session.lines:
        raise Refused(str(session.problems[0]) if session.problems else f"{session.root} holds no line.")
    for one in session.only(line):
        if to_files:
            for name, text in schema_files(one).items():
                write_atomic(session.root / name, text, root=session.root)
            say(f"{one.name}: schemas written to reference/{one.name}/schema/.")
    if to_files:
        return HELD
    chosen = session.line(line)
    if kind is None:
        raise Refused("Name a kind of file (gates, guard, texts, line, block, …), or write them all with --write.")
    try:
        say(json.dumps(bundle(chosen, kind), indent=2, ensure_ascii=False))
    except KeyError:
        from engine.language.kinds import KINDS

        raise Refused(f"`{kind}` is no kind of file. {nearest(kind, [*KINDS, 'line', 'block'])}") from None
    return HELD
