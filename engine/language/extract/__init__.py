"""Typed values read out of a text, each normalised, each with its span in the original. One registry of kinds.

`extract(kind, text, context)` for what may occur many times, `measure(kind, text, context)` for what is said of the
text as a whole, `normalise_value(kind, raw, context)` for the same value written in a card or given as a fact.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable
from typing import Any

from engine.language.extract import cards as _cards
from engine.language.extract import dates as _dates
from engine.language.extract import durations as _durations
from engine.language.extract import emails as _emails
from engine.language.extract import hidden as _hidden
from engine.language.extract import ibans as _ibans
from engine.language.extract import ids as _ids
from engine.language.extract import links as _links
from engine.language.extract import orders as _orders
from engine.language.extract import percentages as _percentages
from engine.language.extract import phones as _phones
from engine.language.extract import prices as _prices
from engine.language.extract import times as _times
from engine.language.extract import whole as _whole
from engine.language.extract.flat import Flat, flat
from engine.language.extract.found import Context, Found
from engine.language.extract.moment import Moment, of_instant
from engine.language.extract.prices import Money
from engine.language.extract.times import parse_moment
from engine.language.extract.whole import sentences
from engine.language.normalise import Normal

__all__ = [
    "EXTRACTORS", "MEASURES", "Context", "Found", "Moment", "Money", "extract", "measure", "normalise_value", "parse_moment",
    "sentences",
]  # fmt: skip

MAX_TEXT = 20_000
"""Code points of a text that are read. A turn does not ask about a longer one: what reads it fails (`long_text`)."""

EXTRACTORS: dict[str, Callable[[Flat, Context], Iterable[Found]]] = {
    "links": _links.links,
    "hosts": _links.hosts,
    "emails": _emails.emails,
    "phones": _phones.phones,
    "order_numbers": _orders.order_numbers,
    "prices": _prices.prices,
    "percentages": _percentages.percentages,
    "cards": _cards.cards,
    "ibans": _ibans.ibans,
    "ids": _ids.ids,
    "times": _times.times,
    "dates": _dates.dates,
    "durations": _durations.durations,
    "markup": _whole.markup,
    "hidden": _hidden.hidden,
}
MEASURES: dict[str, Callable[[str, Context], Any]] = {
    "language": _whole.language,
    "emoji_only": _whole.emoji_only,
    "bare_link": _links.bare_link,
    "question_word": _whole.question_word,
    "length": _whole.length,
}


def extract(kind: str, text: str | Normal, context: Context) -> tuple[Found, ...]:
    """All values of a kind in a text, in order. Raises KeyError for a kind that there is not, nothing else."""
    original = text if isinstance(text, str) else text.original
    found = EXTRACTORS[kind](flat(original[:MAX_TEXT]), context)
    return tuple(sorted(found, key=lambda one: (one.start, one.end)))


def measure(kind: str, text: str, context: Context) -> Any:
    """What is said of a text as a whole; None when it cannot be told. Raises KeyError for a kind that there is not."""
    return MEASURES[kind](text if kind == "length" else text[:MAX_TEXT], context)


def normalise_value(kind: str, raw: Any, context: Context) -> Any:
    """One value as written in a card or given as a fact, in the form of `Found.value`.

    Raises ValueError with one sentence when it cannot be read as that kind.
    """
    if kind == "times" and isinstance(raw, dt.datetime):
        return of_instant(raw, context.zone)
    if isinstance(raw, (Moment, Money)):
        return raw
    if not isinstance(raw, str):
        raise ValueError(f"`{str(raw)[:60]}` is no text.")
    reader = _READERS.get(kind)
    return reader(raw, context) if reader else _only(kind, raw, context)


def _only(kind: str, raw: str, context: Context) -> Any:
    """The value of a text that is one value of the kind and nothing else."""
    for found in extract(kind, raw.strip(), context):
        if (found.start, found.end) == (0, len(raw.strip())):
            return found.value
    raise ValueError(f"`{raw[:60]}` cannot be read as one of {kind}.")


_READERS: dict[str, Callable[[str, Context], Any]] = {
    "links": lambda raw, context: _links.link_value(raw),
    "hosts": lambda raw, context: _links.host_value(raw),
    "emails": lambda raw, context: _emails.email_value(raw),
    "phones": _phones.phone_value,
    "order_numbers": lambda raw, context: _orders.order_value(raw),
    "prices": _prices.money_value,
    "times": _times.parse_moment,
}
