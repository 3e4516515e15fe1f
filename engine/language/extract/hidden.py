"""What a text holds and nobody sees: a sentence in tag characters, words broken by spaces of no width."""

from __future__ import annotations

from collections.abc import Iterator

from engine.language.extract.flat import UNSPACED, Flat
from engine.language.extract.found import Context, Found
from engine.language.extract.lazy import lazily
from engine.language.normalise import unseen

_NEEDED = lazily(
    # The form of an emoji or of a letter: one selector after a sign.
    r"(?<=[^\s\p{VS}])\p{VS}(?!\p{VS})"
    # Where a word may be broken; a mark of byte order before all else.
    rf"|(?<=\p{{L}})\u00ad(?=\p{{L}})|(?<=[{UNSPACED}]\p{{M}}*)\u200b|^\ufeff"
)
_DIRECTIONS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_RIGHT_TO_LEFT = lazily(r"[\p{Bidi_Class=R}\p{Bidi_Class=AL}]")
_TAGS = {chr(0xE0000 + code): chr(code) for code in range(0x20, 0x7F)}


def hidden(text: Flat, context: Context) -> Iterator[Found]:
    """Runs of what nobody sees, as the letters that its tag characters stand for, else as code points (`U+200B`).

    What writing needs is left out: an emoji's or a letter's form, the joiners of families and of scripts that join,
    flags, soft hyphens, direction marks in a text that has letters from right to left.
    """
    original = text.original
    gone = () if original.isascii() and original.isprintable() else unseen(original)
    if not gone:
        return
    needed = {match.start() for match in _NEEDED.finditer(original)}
    if _RIGHT_TO_LEFT.search(original):
        needed.update(at for at in gone if original[at] in _DIRECTIONS)
    for start, end in _runs([at for at in gone if at not in needed]):
        yield Found("hidden", _spelled(original[start:end]), start, end, original[start:end])


def _runs(places: list[int]) -> Iterator[tuple[int, int]]:
    start = end = -1
    for at in places:
        if at != end:
            if start >= 0:
                yield start, end
            start = at
        end = at + 1
    if start >= 0:
        yield start, end


def _spelled(run: str) -> str:
    words = "".join(_TAGS.get(sign, "") for sign in run)
    return words or " ".join(f"U+{ord(sign):04X}" for sign in run)
