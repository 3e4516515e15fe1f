"""Payment card numbers."""

from __future__ import annotations

from collections.abc import Iterator

import regex

from engine.language.extract.flat import Flat
from engine.language.extract.found import Context, Found
from engine.language.extract.lazy import lazily

_CARD = lazily(r"(?<![\d.,\-])\d(?:[ \-]?\d){11,18}(?![\d]|[.,\-]\d)")
_ISSUERS = lazily(
    r"4(?:\d{12}|\d{15}|\d{18})|(?:5[1-5]|2[2-7])\d{14}|3[47]\d{13}|3(?:0[0-5]|[689]\d)\d{11}|35\d{14}"
    r"|6(?:011|4[4-9]\d|5\d\d)\d{12}|62\d{14,17}|(?:50|5[6-9]|6\d)\d{10,17}|1\d{14}|(?:2131|1800)\d{11}"
)
"""Lengths and first digits by issuer (Visa, Mastercard, American Express, Diners, JCB, Discover, UnionPay, Maestro,
UATP), as ISO/IEC 7812 assigns them: without it one telephone number in ten with its country's code passes for a card."""


def cards(text: Flat, context: Context) -> Iterator[Found]:
    """Payment card numbers of 12 to 19 digits of a known issuer whose check digit is right (ISO/IEC 7812-1)."""
    for start, end in card_spans(text.text):
        a, b = text.span(start, end)
        yield Found("cards", regex.sub(r"\D", "", text.text[start:end]), a, b, text.original[a:b])


def card_spans(text: str) -> Iterator[tuple[int, int]]:
    """Where payment card numbers stand."""
    return (match.span() for match in _CARD.finditer(text) if is_card(match[0]))


def is_card(spelled: str) -> bool:
    """Whether digits, with what stands between them, are a card number (Luhn, and the issuer's form)."""
    digits = [int(character) for character in spelled if character.isdigit()]
    if _ISSUERS.fullmatch("".join(map(str, digits))) is None:
        return False
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[-2::-2]]
    return len(set(digits)) > 1 and (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0
