"""What the cards of the point `log` make of a decision before it is written: every text of it is looked at."""

from __future__ import annotations

import dataclasses
import datetime as dt
import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from engine.decision import Call, Decision
from engine.language.line import Line
from engine.language.run import run_point
from engine.language.turn import Failed, MarkEntry, Turn
from engine.store.values import as_json

DROPPED = ""
"""What stands in the place of a text that a card keeps out of the log."""
_NAMES = frozenset((
    "id", "line", "outcome", "reason", "card", "stage", "mark", "question", "calls", "state", "prompt_hash", "model",
    "topic", "wave", "wave_state", "path", "does", "name", "to", "source", "ending", "failed", "revision", "keys",
    "switches",
))  # fmt: skip
"""Fields that hold ids and names, never words of a message."""


def cleaned(line: Line, decision: Decision) -> Decision:
    """The decision as it may be logged: each text edited or dropped as the line's `log` cards say, the same text the
    same way wherever it stands."""
    if not line.ordered("log"):
        return decision
    known: dict[str, str] = {}
    now = decision.at or dt.datetime.now(dt.UTC)

    def edited(text: str) -> str:
        if text not in known:
            known[text] = _edited(line, text, now)
        return known[text]

    return walked(decision, edited)  # type: ignore[no-any-return]


def _edited(line: Line, text: str, now: dt.datetime) -> str:
    if not text.strip():
        return text
    result = run_point("log", Turn(line, {"item.text": text, "item.kind": "row"}, now))
    if result.ending.kind == "end" and result.ending.name == "drop":
        return DROPPED
    return text if result.edited is None else result.edited


def walked(value: Any, edited: Callable[[str], str]) -> Any:
    """The same value with every text in it edited; ids and names of cards stay."""
    if isinstance(value, str):
        return edited(value)
    if isinstance(value, Failed):
        return value
    if isinstance(value, MarkEntry):
        return dataclasses.replace(value, carries=walked(value.carries, edited))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        changed: dict[str, Any] = {
            field.name: walked(getattr(value, field.name), edited)
            for field in dataclasses.fields(value)
            if not (field.name in _NAMES and isinstance(getattr(value, field.name), (str, Mapping)))
            and field.name not in ("neighbours", "raw")
        }
        if isinstance(value, Call):
            changed["raw"] = _raw(value.raw, edited)
        return dataclasses.replace(value, **changed)
    if isinstance(value, Mapping):
        return {name: one if name in _IDS else walked(one, edited) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(walked(one, edited) for one in value)
    return value


def _raw(raw: str, edited: Callable[[str], str]) -> str:
    """A raw answer with its texts edited as a reader sees them: behind an escape (`\\n07700 …`) nothing is found."""
    try:
        read = json.loads(raw)
    except (ValueError, RecursionError):
        return edited(_ESCAPE.sub(_unescaped, raw))
    changed = walked(read, edited)
    return raw if changed == read else as_json(changed)


def _unescaped(match: re.Match[str]) -> str:
    return str(json.loads(f'"{match[0]}"'))


_ESCAPE = re.compile(r'(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))+')
_IDS = frozenset(("message.id", "sender.id", "chat.id", "bot.id", "channel.name"))
