"""Text as patterns read it, with every span mapped back to the text as it was written. Pure.

In order: what cannot be seen is removed, typographic signs become plain ones, look-alike letters become Latin
(`lookalikes`), then Unicode NFKC and full case folding, digits of any script as ASCII, and white space (line breaks
too) as one space between words and none at the ends. Joiners stay where a script or an emoji family needs them, and
the tags of a flag; selectors between emoji and text form go, so that `❤️` equals `❤`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from unicodedata import combining, normalize

import regex

from engine.language.lookalikes import LATIN_FORMS, as_latin, decompose, has_lookalikes

_UNSEEN = regex.compile(
    # A flag of a nation within a state is a black flag, three to six tags and an end: kept whole.
    "(\U0001f3f4[\U000e0030-\U000e007a]{3,6}\U000e007f)"
    # Controls but white space, and all that Unicode calls ignorable by default, less the two joiners.
    r"|[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ufff9-\ufffb[\p{Default_Ignorable_Code_Point}--[\u200c\u200d]]]+"
    # Past thirty marks on a letter (as many as UAX 15 calls safe) there is no text, only cost: NFKC is quadratic.
    r"|(?<=[\p{M}--\p{ccc=0}]{30})[\p{M}--\p{ccc=0}]+",
    regex.V1,
)
# Less the vowel signs that NFKC sets on other signs.
_JOINING = (
    r"[\p{L}\p{M}&&[\p{Arabic}\p{Syriac}\p{Nko}\p{Mandaic}\p{Mongolian}\p{Phags_Pa}\p{Adlam}\p{Devanagari}\p{Bengali}"
    r"\p{Gurmukhi}\p{Gujarati}\p{Oriya}\p{Tamil}\p{Telugu}\p{Kannada}\p{Malayalam}\p{Sinhala}\p{Myanmar}"
    r"\p{Khmer}\p{Javanese}\p{Balinese}]--[\ufc5e-\ufc63\ufcf2-\ufcf4\ufe70-\ufe7f]]"
)
_EMOJI = (
    # Pictures, less those that NFKC turns into letters and signs (™ becomes tm).
    r"[\p{Extended_Pictographic}--[\u203c\u2049\u2122\u2139\u24c2\u3297\u3299\U0001f16a-\U0001f16c\U0001f190"
    r"\U0001f200-\U0001f251]]"
)
_ATTACHED = r"[\p{M}--[\p{ccc=0}\u0345]]"  # the Greek iota below becomes a letter
_LETTER = rf"[{_JOINING}&&\p{{ccc=0}}]"
_IDLE_JOINERS = regex.compile(
    rf"(?<!{_LETTER}{_ATTACHED}*\p{{ccc=9}}{_ATTACHED}*)"
    rf"(?<!{_LETTER}{_ATTACHED}*(?=[\u200c\u200d]{_ATTACHED}*(?:\p{{ccc=9}}|{_LETTER})))"
    rf"(?<!(?:{_EMOJI}|\p{{Emoji_Modifier}})(?=\u200d{_EMOJI}))[\u200c\u200d]",
    regex.V1,
)
"""Joiners that join nothing: between letters of a joining script, after a virama or between emoji they stay."""

_SIGNS = dict.fromkeys("‘’‛′ʹʻʼʽ´", "'") | dict.fromkeys("“”„‟", '"') | dict.fromkeys("‐‑‒–—―−", "-")
_SIGNS |= {"\u2800": " "}  # the empty braille pattern: a blank
_TO_PLAIN = _SIGNS | LATIN_FORMS

_ACUTE = "\u00b4"
_ODD = re.compile(rf"[{re.escape(''.join(_TO_PLAIN))}]|[^\D0-9]|(?<=i)\u0307+")
_FAR = re.compile("[^\t-\r -~\xa0-\xac\xae-\xb4\xb6-\u02af‘-‟–—…€\u2600-\u27bf\U0001f300-\U0001faff]")
"""What none of the western languages and no single emoji needs: only here can there be anything unseen or alike."""
_BLANK_ASCII = regex.compile(r"[\x00-\x08\x0e-\x1b\x7f]+")


@dataclass(frozen=True)
class Normal:
    """A text and its normalised form."""

    original: str
    text: str

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The smallest span of `original` that `text[start:end]` came from, in code points.

        Both ends grow with `start` and `end`. An empty span lies where its character begins.
        Raises IndexError when the span is not within the text.
        """
        if not 0 <= start <= end <= len(self.text):
            raise IndexError(f"span {start}:{end} of a text of {len(self.text)}")
        if self._same:
            return start, end
        starts, ends = self._spans
        if start < end:
            return starts[start], ends[end - 1]
        at = starts[start] if start < len(starts) else (ends[-1] if ends else 0)
        return at, at

    @cached_property
    def _same(self) -> bool:
        """Whether every character became one by itself, and stands where it stood."""
        if len(self.text) != len(self.original):
            return False
        return self.original.isascii() or self.text == "".join(map(_fold_one, self.original))

    @cached_property
    def _spans(self) -> tuple[list[int], list[int]]:
        return _spans(self.original)


def normalise(text: str) -> Normal:
    """The normalised form of `text`; `normalise(normalise(x).text).text == normalise(x).text`."""
    if text.isascii():
        if not text.isprintable():
            folded = " ".join(_BLANK_ASCII.sub("", text).lower().split())
        elif "  " in text or text[:1] == " " or text[-1:] == " ":
            folded = " ".join(text.lower().split())
        else:
            folded = text.lower()
        return Normal(text, folded)
    if _FAR.search(text) is None:
        folded = fold(text.replace(_ACUTE, "'"))
    else:
        seen = _IDLE_JOINERS.sub("", _UNSEEN.sub(r"\1", text)).replace(_ACUTE, "'")
        folded = fold(seen)
        if has_lookalikes(folded):
            folded = fold(as_latin(decompose(seen)))
    return Normal(text, " ".join(folded.split()))


def fold(text: str) -> str:
    """NFKC, case folding, plain signs and ASCII digits: the part of the work that looks at characters alone."""
    folded = normalize("NFKC", normalize("NFKC", text).casefold())
    if _ODD.search(folded):
        folded = _ODD.sub(_plain, folded)
        folded = normalize("NFKC", _ODD.sub(_plain, folded))
    return folded


_fold_one = lru_cache(1 << 14)(fold)


def _plain(found: re.Match[str]) -> str:
    sign = found[0]
    return _TO_PLAIN.get(sign) or ("" if sign[0] == "\u0307" else str(int(sign)))


def unseen(text: str) -> list[int]:
    """The places of the characters that `normalise` removes because they cannot be seen."""
    gone = [at for found in _UNSEEN.finditer(text) if not found[1] for at in range(*found.span())]
    left = sorted(set(range(len(text))).difference(gone))
    visible = "".join(text[at] for at in left)
    return sorted([*gone, *(left[found.start()] for found in _IDLE_JOINERS.finditer(visible))])


def _spans(original: str) -> tuple[list[int], list[int]]:
    """Where each character of the normalised text begins and ends in `original`.

    The same steps as `normalise`, piece by piece: a piece is the least that folds by itself.
    """
    gone = set(unseen(original))
    places = [at for at in range(len(original)) if at not in gone]
    seen = "".join(original[at] for at in places).replace(_ACUTE, "'")
    starts: list[int] = []
    ends: list[int] = []
    blank = True  # nothing, or a space, stands before
    for first, last, piece in _pieces(seen):
        single = piece == "".join(map(_fold_one, seen[first : last + 1])) and len(piece) == last + 1 - first
        for offset, character in enumerate(piece):
            begin, end = (first + offset, first + offset) if single else (first, last)
            if not character.isspace():
                starts.append(places[begin])
                ends.append(places[end] + 1)
                blank = False
            elif not blank:
                starts.append(places[begin])
                ends.append(places[end] + 1)
                blank = True
            elif starts:
                ends[-1] = places[end] + 1
    if blank and starts:
        del starts[-1], ends[-1]
    return starts, ends


def _pieces(seen: str) -> Iterator[tuple[int, int, str]]:
    """The first and last place of each piece, and what it folds to."""
    plain = decompose(seen)
    latin = as_latin(plain) if has_lookalikes(fold(seen)) else plain
    done = 0
    for first, end in _cuts(seen):
        piece = seen[first:end]
        if latin is not plain:
            size = len(decompose(piece))
            piece = latin[done : done + size]
            done += size
        yield first, end - 1, fold(piece)


def _cuts(seen: str) -> Iterator[tuple[int, int]]:
    """The pieces of `seen`: cut before each character that folds the same with and without what precedes it."""
    first = 0
    for at in range(1, len(seen)):
        character = seen[at]
        if not character.isascii():
            before = seen[first:at]
            if combining(normalize("NFKD", character)[0]) or fold(before + character) != fold(before) + fold(character):
                continue
        yield first, at
        first = at
    if seen:
        yield first, len(seen)
