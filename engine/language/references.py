"""Which cards a card names: the links of the runbook, and what makes a card used."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from engine.language.project import Card
from engine.language.slots import slots_of

_PATH = re.compile(r"^\$?(limits|terms|marks|texts|waves)\.([a-z][a-z0-9_]*)")
_KEYS = {
    "say": "texts", "notice": "texts", "ask": "questions", "alert": "roles", "set": "marks", "clear": "marks",
    "ladder": "ladders", "start": "questions",
}  # fmt: skip
_OWN_PROSE = ("title", "why", "examples", "changes", "owner", "since")


def references(card: Card) -> frozenset[str]:
    """The cards that `card` names, as `kind/id`; examples and prose do not count, and a question is named by reading
    one of its fields (`audit.stop`), which any card of that name may be: the reader keeps those that exist."""
    body = {key: value for key, value in card.source.value.items() if key not in _OWN_PROSE}
    return frozenset(_names(body)) - {card.name}


def _names(part: Any, key: str = "") -> Iterator[str]:
    if isinstance(part, Mapping):
        for name, value in part.items():
            yield from _of_path(str(name))
            yield from _names(value, str(name))
    elif isinstance(part, list):
        for one in part:
            yield from _names(one, key)
    elif isinstance(part, str):
        if key in _KEYS and re.fullmatch(r"[a-z][a-z0-9_]*", part):
            yield f"{_KEYS[key]}/{part}"
        if key == "limits":
            yield f"limits/{part}"
        if key in ("role", "sender.role", "in", "is", "to"):
            yield f"roles/{part}"
        yield from _of_path(part)
        for slot in slots_of(part):
            yield from _of_path(slot.path)


def _of_path(path: str) -> Iterator[str]:
    match = _PATH.match(path)
    if match:
        yield f"{match[1]}/{match[2]}"
    elif re.fullmatch(r"\$?[a-z][a-z0-9_]*\.[a-z][a-z0-9_.]*", path):
        yield f"questions/{path.lstrip('$').partition('.')[0]}"
