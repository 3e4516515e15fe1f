"""Patterns that have been checked before, remembered in .rulecard/: their check is the slowest part of loading.

The memory belongs to one version of the checking code and to nothing else; without it everything is checked.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from engine.files import FileRefused, content_hash, write_atomic
from engine.language import patterns

FOLDER = ".rulecard"
FILE = f"{FOLDER}/patterns.json"
MOST = 100_000


@cache
def version() -> str:
    """The hash of the code that checks patterns: what it found good holds for this code alone."""
    folder = Path(patterns.__file__).parent
    return content_hash("".join(path.read_text("utf-8") for path in sorted(folder.glob("*.py"))))


def remembered(root: Path) -> frozenset[str]:
    """The sources found good before in this project; empty when there is no memory that can be trusted."""
    try:
        kept = json.loads((root / FILE).read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return frozenset()
    if not isinstance(kept, dict) or kept.get("version") != version() or not isinstance(kept.get("patterns"), list):
        return frozenset()
    return frozenset(source for source in kept["patterns"] if isinstance(source, str))


def remember(root: Path, sources: frozenset[str]) -> None:
    """Keep the sources for the next run; a folder that cannot be written is left alone."""
    kept = {"version": version(), "patterns": sorted(sources)[:MOST]}
    try:
        (root / FOLDER).mkdir(mode=0o700, exist_ok=True)
        write_atomic(root / FILE, json.dumps(kept, ensure_ascii=True, indent=0) + "\n", root=root, mode=0o600)
    except (OSError, FileRefused):
        return
