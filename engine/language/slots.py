"""Slots in texts: `{order.number}` is a slot; `{{x}}`, `{% x %}`, `{ x }` and a lone brace are literal text.

Filled by this function alone, never by a template engine or `str.format`: text from outside is data.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

_SLOT = re.compile(r"(?<!\{)\{([a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)*)\}(?!\})")


@dataclass(frozen=True)
class Slot:
    """One slot: its path and its span in the text, braces included."""

    path: str
    start: int
    end: int


def slots_of(text: str) -> list[Slot]:
    """The slots of a text in order."""
    return [Slot(match[1], match.start(), match.end()) for match in _SLOT.finditer(text)]


def fill(text: str, lookup: Callable[[str], str | None]) -> str | None:
    """The text with every slot filled once (what is filled in is not read again); None when one cannot be."""
    parts, at = [], 0
    for slot in slots_of(text):
        value = lookup(slot.path)
        if value is None:
            return None
        parts += [text[at : slot.start], value]
        at = slot.end
    return "".join([*parts, text[at:]])
