"""What has been worked out before and is kept in .rulecard/, so that a check of unchanged cards is quick.

Three things are kept: patterns that held (their check is slow), what examples and analysis said of a line, and a
line's rendered document. Each belongs to the exact bytes it was worked out from and to the exact code that did it;
whatever does not match is worked out anew, and without a memory everything is.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import astuple
from functools import cache
from pathlib import Path
from typing import Any

import engine
import runbook
from engine.files import FileRefused, content_hash, write_atomic
from engine.language import patterns
from engine.language.patterns import Prepared
from engine.language.patterns.literals import Need
from engine.language.problems import Place, Problem

FOLDER = ".rulecard"
PATTERNS, JUDGED, DOCUMENT = "patterns", "judged", "document"
MOST = 100_000


@cache
def _pattern_code() -> str:
    """The hash of the code that checks patterns."""
    folder = Path(patterns.__file__).parent
    return content_hash("".join(path.read_text("utf-8") for path in sorted(folder.glob("*.py"))))


@cache
def _all_code() -> str:
    """What tells one state of Rulecard's code and templates from another: every file's name, size and time."""
    found = []
    for package in (engine, runbook):
        folder = Path(package.__path__[0])
        for path in sorted(folder.rglob("*")):
            if path.suffix in (".py", ".j2", ".css", ".js"):
                kept = path.stat()
                found.append(f"{path.relative_to(folder)} {kept.st_size} {kept.st_mtime_ns}")
    return content_hash("\n".join(found))


def key_of(files: Mapping[str, str]) -> str:
    """The hash of files (name → text) and of the code that reads them."""
    return content_hash("\0".join([_all_code(), *(f"{name}\0{text}" for name, text in sorted(files.items()))]))


def known_patterns(root: Path) -> dict[str, Prepared]:
    """The sources found good before in this project, with what was worked out of them; empty when there is no memory
    that can be trusted."""
    kept = _read(root, PATTERNS, _pattern_code())
    found = ((source, _prepared(value)) for source, value in kept.items()) if isinstance(kept, dict) else ()
    return {source: value for source, value in found if value is not None}


def _prepared(value: Any) -> Prepared | None:
    try:
        runs, sure, needs = value
        if not isinstance(runs, str) or not isinstance(sure, bool):
            return None
        return Prepared(runs, sure, frozenset(Need(str(text), str(kind)) for text, kind in needs))
    except (TypeError, ValueError):
        return None


def keep_patterns(root: Path, known: Mapping[str, Prepared]) -> None:
    """Keep what held for the next run."""
    kept = {
        source: [one.runs, one.sure, sorted([need.text, need.kind] for need in one.needs)]
        for source, one in sorted(known.items())[:MOST]
    }
    _write(root, PATTERNS, _pattern_code(), kept)


def judged(root: Path, line: str, key: str, work: Callable[[], list[Problem]]) -> list[Problem]:
    """What examples and analysis say of a line: as remembered under `key`, else worked out and kept."""
    kept = _read(root, f"{JUDGED}.{line}", key)
    try:
        return [Problem(Place(*place), *rest) for place, *rest in kept]
    except TypeError:
        found = work()
        _write(root, f"{JUDGED}.{line}", key, [astuple(problem) for problem in found])
        return found


def document(root: Path, line: str, key: str, work: Callable[[], str]) -> str:
    """A line's rendered document: as remembered under `key`, else rendered and kept."""
    kept = _read(root, f"{DOCUMENT}.{line}", key)
    if isinstance(kept, str):
        return kept
    text = work()
    _write(root, f"{DOCUMENT}.{line}", key, text)
    return text


def _read(root: Path, name: str, key: str) -> Any:
    try:
        kept = json.loads((root / FOLDER / f"{name}.json").read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return kept.get("value") if isinstance(kept, dict) and kept.get("key") == key else None


def _write(root: Path, name: str, key: str, value: Any) -> None:
    """Keep a value; a folder that cannot be written is left alone."""
    text = json.dumps({"key": key, "value": value}, ensure_ascii=True) + "\n"
    try:
        (root / FOLDER).mkdir(mode=0o700, exist_ok=True)
        write_atomic(root / FOLDER / f"{name}.json", text, root=root, mode=0o600)
    except (OSError, FileRefused):
        return
