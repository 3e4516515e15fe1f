"""Which cards a card names: the links of the runbook, and what makes a card used."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from engine.language.facts import catalogue
from engine.language.project import Card
from engine.language.slots import slots_of

_PATH = re.compile(r"^\$?(limits|terms|marks|texts|waves)\.([a-z][a-z0-9_]*)")
_FIELD = re.compile(r"\$?([a-z][a-z0-9_]*\.[a-z][a-z0-9_.]*)")
_ID = re.compile(r"[a-z][a-z0-9_]*")
_KEYS = {
    "say": ("texts",), "notice": ("texts",), "ask": ("questions",), "alert": ("roles",), "to": ("roles",),
    "set": ("marks",), "clear": ("marks",), "ladder": ("ladders",), "limits": ("limits",), "start": ("questions",),
}  # fmt: skip
"""Keys under which a word is the id of a card, and its kinds."""
ID_FACTS = {
    "sender.role": ("roles",), "decision.card": ("gates", "guard"), "delivered.card": ("gates", "guard"),
    "decision.wave": ("waves",), "delivered.wave": ("waves",),
}  # fmt: skip
"""Facts whose values are ids of cards, and the kinds of those."""
_OWN_PROSE = ("title", "why", "examples", "changes", "owner", "since")


def references(card: Card) -> frozenset[str]:
    """The cards that `card` names, as `kind/id`; examples and prose do not count. A question is named by reading one
    of its fields (`audit.stop`), and a word can be the id of cards of several kinds: the reader keeps those that exist.
    """
    body = {key: value for key, value in card.source.value.items() if key not in _OWN_PROSE}
    return frozenset(_names(body)) - {card.name}


def _names(part: Any, key: str = "", fact: str = "") -> Iterator[str]:
    """The names in a part of a card; `key` is the nearest key above it, `fact` the nearest that is a path."""
    if isinstance(part, Mapping):
        for name, value in part.items():
            yield from _of_path(str(name))
            yield from _names(value, str(name), str(name) if "." in str(name) else fact)
    elif isinstance(part, list):
        for one in part:
            yield from _names(one, key, fact)
    elif isinstance(part, str):
        if _ID.fullmatch(part):
            yield from (f"{kind}/{part}" for kind in (*_KEYS.get(key, ()), *ID_FACTS.get(fact, ())))
        yield from _of_path(part)
        for slot in slots_of(part):
            yield from _of_path(slot.path)


def _of_path(path: str) -> Iterator[str]:
    match = _PATH.match(path)
    if match:
        yield f"{match[1]}/{match[2]}"
    elif (field := _FIELD.fullmatch(path)) and field[1] not in catalogue():
        yield f"questions/{field[1].partition('.')[0]}"
