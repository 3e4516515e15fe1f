"""What the commands do that work with a compiled line: plain arguments in, an exit status out, printed through `say`."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable
from pathlib import Path

from engine.compiled import CompiledLine
from engine.evidence.messages import BadRow
from engine.loading import Project, load
from runbook.session import Refused

Say = Callable[[str], None]
OFFLINE = {"RULECARD_MODEL": "offline"}
"""The environment of what stays offline whatever keys are set."""

COLLECTED = (50_000, 50, 50)
"""How many new objects the collector waits for: a turn makes thousands and leaves hardly a ring behind."""


def opened(project: Path | None, line: str | None, offline: bool = False, log: bool = True) -> CompiledLine:
    """A line at work. Raises Refused with one sentence for whatever stands in the way."""
    try:
        made = load(project).compile(line, environ=OFFLINE if offline else os.environ, log=log)
        gc.freeze()  # what was compiled lives as long as the process: the collector need not walk it for every message
        gc.set_threshold(*COLLECTED)
        return made
    except ValueError as error:
        raise Refused(str(error)) from None


def ask(
    project: Path | None, line: str | None, text: str | None, file: Path | None, facts: tuple[str, ...], form: str,
    with_trace: bool, say: Say,
) -> int:  # fmt: skip
    """One message, or a file of messages."""
    from engine.evidence.ask import ask as ask_one
    from engine.evidence.ask import ask_file

    if (text is None) == (file is None):
        raise Refused('Give a message, or a file of messages: rulecard ask "Where is my order?" or --file FILE.jsonl.')
    try:
        at_work = opened(project, line)
        if file is not None:
            return ask_file(at_work, file, form == "table", say)
        return ask_one(at_work, text or "", facts, form, with_trace, say)
    except BadRow as bad:
        raise Refused(str(bad)) from None
    except BrokenPipeError:
        raise
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise Refused(f"{file} cannot be read: {reason}.") from None


def chat(project: Path | None, line: str | None, say: Say) -> int:
    """A conversation on the terminal."""
    from engine.evidence.ask import chat as talk

    def read() -> str | None:
        try:
            return input("> ") if sys.stdin.isatty() else input()
        except EOFError:
            return None

    try:
        return talk(opened(project, line), say, read)
    except KeyboardInterrupt:
        return 0


def demo(project: Path | None, line: str | None, say: Say) -> int:
    """The demo, offline, on the project or on the lines that come with Rulecard."""
    from engine.evidence.demo import demo as show

    at_work = opened(project, line or _first(project), offline=True, log=False)
    colour = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    from runbook.session import project_root

    return show(at_work, project_root(project), colour, say)


def _first(project: Path | None) -> str | None:
    """The line that the demo shows where a project has several: the first by name that has a log."""
    from runbook.session import project_root

    logs = sorted((project_root(project) / "reference").glob("*/log.jsonl"))
    return logs[0].parent.name if logs else None


def why(project: Path | None, line: str | None, id: str, other: str | None, form: str, say: Say) -> int:
    """Why a message ended as it did."""
    from engine.evidence.why import why as tell

    found, at_work = _loaded(project, line)
    return tell(at_work, found.log(), id, other, form, say)


def switch(project: Path | None, line: str | None, name: str | None, value: str | None, why: str, say: Say) -> int:
    """Set a switch, or list them."""
    from engine.evidence.switches import switch as turn

    return _stateful(lambda: turn(opened(project, line, offline=True, log=False), name, value, why, say))


def waves(project: Path | None, line: str | None, action: str | None, wave: str | None, why: str, say: Say) -> int:
    """Open or close a wave, or list them."""
    from engine.evidence.switches import waves as turn

    return _stateful(lambda: turn(opened(project, line, offline=True, log=False), action, wave, why, say))


def log(
    project: Path | None, line: str | None, action: str, file: Path | None, since: str | None, outcome: str | None,
    reason: str | None, probes: bool, masked: bool, say: Say,
) -> int:  # fmt: skip
    """One action on the decision log."""
    from engine.evidence.logs import log as act

    found, at_work = _loaded(project, line)
    return act(at_work, found.log(), action, file, since, outcome, reason, probes, masked, say)


def bench(project: Path | None, line: str | None, rows: tuple[int, ...], say: Say) -> int:
    """Measure against the bars."""
    from engine.evidence.bench import bench as measure

    return measure(opened(project, line or _first(project), offline=True, log=False), rows, say)


def bench_detect(folder: Path, as_json: bool, misses: bool, say: Say) -> int:
    """The extractors against labelled cases."""
    from engine.evidence.detect import NoSet, detect

    try:
        return detect(folder, as_json, misses, say)
    except NoSet as error:
        raise Refused(str(error)) from None


def _loaded(project: Path | None, line: str | None) -> tuple[Project, CompiledLine]:
    try:
        found = load(project)
        return found, found.compile(line, environ=OFFLINE, log=False)
    except ValueError as error:
        raise Refused(str(error)) from None


def _stateful(work: Callable[[], int]) -> int:
    from engine.store import StateUnavailable

    try:
        return work()
    except StateUnavailable as error:
        raise Refused(str(error)) from None
