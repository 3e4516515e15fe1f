"""Order numbers, by the line's own pattern."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import regex

from engine.language.extract.flat import Flat
from engine.language.extract.found import Context, Found

SECONDS = 0.25
"""The last net under a pattern that could be slow."""


def order_numbers(text: Flat, context: Context) -> Iterator[Found]:
    """Order numbers by the line's own pattern, in upper case without spaces."""
    for start, end in order_spans(text.text, context):
        a, b = text.span(start, end)
        yield Found("order_numbers", order_value(text.text[start:end]), a, b, text.original[a:b])


def order_spans(text: str, context: Context) -> Iterator[tuple[int, int]]:
    """Where the line's order numbers stand."""
    if context.order_number:
        pattern, bounded = _pattern(context.order_number)
        for match in pattern.finditer(text, timeout=None if bounded else SECONDS):
            if match[0].strip():
                yield match.span()


@lru_cache(maxsize=32)
def _pattern(source: str) -> tuple[regex.Pattern[str], bool]:
    """The pattern, and whether nothing in it repeats without a bound: then it runs without a clock, which costs more
    than the match."""
    return regex.compile(source, regex.I), regex.search(r"[*+]|,\}", source) is None


def order_value(raw: str) -> str:
    """An order number in the form in which they are compared. Raises ValueError when it is blank."""
    value = regex.sub(r"\s+", "", raw).upper()
    if not value:
        raise ValueError("An order number is not blank.")
    return value
