"""Percentages."""

from __future__ import annotations

from collections.abc import Iterator

import regex

from engine.language.extract.flat import Flat
from engine.language.extract.found import Context, Found
from engine.language.extract.lazy import lazily

_PERCENT = lazily(
    r"(?<![\p{L}\p{N}_.,])(\d{1,15}(?:[.,]\d{1,9})?)[ ]?(?:%|percent\b|per cent\b|pct\b|por ciento\b)", regex.I
)


def percentages(text: Flat, context: Context) -> Iterator[Found]:
    """Percentages as numbers: `12,5 %` is 12.5."""
    for match in _PERCENT.finditer(text.text):
        a, b = text.span(*match.span())
        yield Found("percentages", float(match[1].replace(",", ".")), a, b, text.original[a:b])
