"""Reading a source of facts (orders, live data, people on shift) under its time, and what its failure means."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from engine.language.turn import Failed
from engine.ports import CallFailed
from engine.stages.passage import Passage


async def read_source(passage: Passage, name: str) -> None:
    """Read a source that is connected and put its facts into the turn.

    When it fails, every fact of it has failed: what reads one ends as its card or question says, by default in
    `hold`. Only facts of this source are taken.
    """
    source = passage.needs.sources.get(name)
    if source is None:
        return
    seconds = passage.deadline.step(passage.line.used_limit("read_time", passage.turn))
    try:
        with passage.away():
            async with asyncio.timeout(seconds):
                facts = await source(dict(passage.turn.facts), seconds)
        _take(passage, name, facts)
    except TimeoutError:
        _fail(passage, name, "it took too long")
    except CallFailed as failed:
        _fail(passage, name, failed.says)
    except Exception as error:
        _fail(passage, name, type(error).__name__)


def _ours(passage: Passage, name: str, path: str) -> bool:
    fact = passage.line.facts.get(path)
    return fact is not None and (fact.source == name or path.partition(".")[0] == name)


def _take(passage: Passage, name: str, facts: Mapping[str, Any]) -> None:
    for path in facts:
        if not _ours(passage, name, path):
            raise CallFailed("bad_form", f"it gave `{path}`, which is no fact of {name}")
    for path, value in facts.items():
        passage.turn.put(path, value)
    passage.says(f"{name}: {len(facts)} facts read")


def _fail(passage: Passage, name: str, says: str) -> None:
    for path in passage.line.facts:
        if _ours(passage, name, path):
            passage.turn.put(path, Failed(name))
    passage.says(f"{name} failed: {says}")
