"""Long numbers that could name a person or an account."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

import regex

from engine.language.extract.cards import cards
from engine.language.extract.flat import Flat
from engine.language.extract.found import Context, Found
from engine.language.extract.lazy import lazily
from engine.language.extract.orders import order_numbers
from engine.language.extract.phones import phones
from engine.language.extract.prices import prices

_DIGITS = lazily(r"(?<![\w.,+\-])\d(?:[ \-]?\d){6,}+(?![\w]|[.,\-]\d)")


def ids(text: Flat, context: Context) -> Iterator[Found]:
    """Numbers of seven digits or more that are no telephone number, order number, card number or price."""
    if _DIGITS.search(text.text) is None:
        return
    known = sorted(
        (found.start, found.end) for kind in (phones, order_numbers, cards, prices) for found in kind(text, context)
    )
    for match in _DIGITS.finditer(text.text):
        a, b = text.span(*match.span())
        at = bisect_left(known, (b, b))
        if all(end <= a for _, end in known[max(0, at - 4) : at]):
            yield Found("ids", regex.sub(r"\D", "", match[0]), a, b, text.original[a:b])
