"""A text with digits, full-width forms and spaces of every script as ASCII, each character still at its place.

Unlike normalisation it keeps case and look-alike letters, so that spellings (hosts, IBAN, order numbers) survive.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import lru_cache

_DROPPED = frozenset(
    "\u00ad\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff\ufe0e\ufe0f"
)
_ALIKE = dict.fromkeys("‐‑‒–—―−﹣－", "-") | dict.fromkeys("‘’ʼ", "'") | {"〜": "~", "～": "~"}
_STOPS = "。｡"
UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}ー々"
"""Letters of scripts whose words stand without spaces between them, for a set of `regex`."""
_UNSPACED = (("\u3005", "\u30ff"), ("\u3400", "\u9fff"), ("\uac00", "\ud7af"), ("\U00020000", "\U0003ffff"))


@dataclass(frozen=True)
class Flat:
    """`text` and, for each of its characters, the index of the original character it came from."""

    original: str
    text: str
    places: tuple[int, ...] | None

    def span(self, start: int, end: int) -> tuple[int, int]:
        """A span of `text` as a span of the original."""
        if self.places is None or start >= end:
            return start, end
        return self.places[start], self.places[end - 1] + 1


@lru_cache(maxsize=64)
def flat(original: str) -> Flat:
    """The flat form of a text; ASCII text is its own."""
    if original.isascii():
        return Flat(original, original, None)
    characters: list[str] = []
    places: list[int] = []
    for index, character in enumerate(original):
        if character in _DROPPED:
            continue
        if character in _STOPS:
            # Between Latin letters it is the dot of a host; after an ideograph it ends a sentence.
            characters.append(character if not characters or _unspaced(characters[-1]) else ".")
        else:
            characters.append(character if character.isascii() else _one(character))
        places.append(index)
    return Flat(original, "".join(characters), tuple(places))


@lru_cache(maxsize=4096)
def _one(character: str) -> str:
    if character in _ALIKE:
        return _ALIKE[character]
    digit = unicodedata.decimal(character, None)
    if digit is not None:
        return str(digit)
    if character.isspace():
        return "\n" if character in "\u2028\u2029\x85" else " "
    folded = unicodedata.normalize("NFKC", character)
    return folded if len(folded) == 1 else character


def _unspaced(character: str) -> bool:
    return any(low <= character <= high for low, high in _UNSPACED)
