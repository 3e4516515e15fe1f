"""What an extractor returns, and what it needs to know of the line."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Found:
    """One value read out of a text. `text == original[start:end]` (code points); `value` in its comparable form."""

    kind: str
    value: Any
    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Context:
    """What the extractors know of the line: default region of telephone numbers (ISO 3166), the languages it speaks
    (ISO 639), its time zone (IANA), the pattern of its order numbers, and when the turn is decided."""

    region: str
    languages: tuple[str, ...]
    zone: str
    order_number: str | None
    now: dt.datetime | None
