"""Lengths of time, in English and Spanish. A month counts thirty days and a year 365.

Not read: lengths without a measure ("a while", "a few minutes", "all day").
"""

from __future__ import annotations

from collections.abc import Iterator

import regex

from engine.language.extract.flat import Flat
from engine.language.extract.found import Context, Found
from engine.language.extract.lazy import lazily
from engine.language.extract.words_numbers import NUMBERS, either

_SECONDS = {"s": 1, "min": 60, "h": 3600, "d": 86400, "w": 604800, "m": 2592000, "y": 31536000}
_UNIT = (
    r"(?:(?P<s>sec(?:ond)?s?|segundos?)|(?P<min>min(?:ute)?s?|minutos?)|(?P<h>h(?:ou)?rs?|horas?|h)"
    r"|(?P<d>(?:(?:business|working|calendar)[ ])?(?:days?|nights?)|d[ií]as?(?:[ ](?:hábiles|habiles|laborables))?|noches?)"
    r"|(?P<w>weeks?|wks?|semanas?)|(?P<m>months?|mes(?:es)?)|(?P<y>years?|yrs?|años?))"
)
_HALVES = r"(?P<and_half>[ ](?:and[ ]a[ ]half|y[ ]media))?"
_NUMBER = r"\d+(?:[.,]\d+)?"
_WORDS = f"an?|{either(NUMBERS)}"
_DURATION = lazily(
    rf"(?<![\w.,:])(?:(?:(?P<low>{_NUMBER}|{_WORDS})[ ]?(?:-|[ ]to[ ]|to[ ]|or[ ]|a[ ]|o[ ])[ ]?)?"
    rf"(?:(?P<n>{_NUMBER})[ \-]?|(?P<word>{_WORDS})(?:[ ]more|[ ]full)?[ \-])|(?P<couple>(?:a[ ]couple[ ]of|un[ ]par[ ]de)[ ])"
    rf"|(?P<half>(?:a[ ])?half(?:[ ](?:an?|the))?|media)[ \-])"
    rf"{_UNIT}(?![\p{{L}}\p{{N}}]){_HALVES}"
    rf"|(?<![\w])(?P<fortnight>(?:a[ ])?fortnight|quincena)\b|(?<![\w.,:])(?P<both>\d{{1,3}})[ ]?h[ ]?(?P<rest>[0-5]\d)(?:[ ]?m(?:in)?)\b",
    regex.I,
)
_JOIN = lazily(r"[ ]?(?:,[ ]?|[ ]and[ ]|and[ ]|[ ]y[ ]|y[ ])?", regex.I)
_RATE = lazily(r"\b(?:once|twice|times|veces|vez|per|al?|\d)\s+\Z", regex.I)


def durations(text: Flat, context: Context) -> Iterator[Found]:
    """Lengths of time in seconds; of a range (`20-30 minutes`) the longer; `3 hours 30 minutes` is one."""
    spans: list[tuple[int, int, float, float]] = []
    for match in _DURATION.finditer(text.text):
        if match["word"] in ("a", "an") and _RATE.search(text.text, max(0, match.start() - 8), match.start()):
            continue  # twice a day
        seconds, unit = _seconds(match)
        if spans and spans[-1][3] > unit and _JOIN.fullmatch(text.text, spans[-1][1], match.start()):
            start, _, before, _ = spans.pop()
            spans.append((start, match.end(), before + seconds, unit))
        else:
            spans.append((*match.span(), seconds, unit))
    for start, end, seconds, _ in spans:
        a, b = text.span(start, end)
        yield Found("durations", seconds, a, b, text.original[a:b])


def _seconds(match: regex.Match[str]) -> tuple[float, float]:
    """The length, and the length of its unit."""
    if match["fortnight"]:
        return 14.0 * 86400, 604800.0
    if match["both"]:
        return int(match["both"]) * 3600.0 + int(match["rest"]) * 60.0, 60.0
    unit = float(next(size for name, size in _SECONDS.items() if match[name]))
    if match["half"]:
        amount = 0.5
    elif match["couple"]:
        amount = 2.0
    else:
        amount = float(match["n"].replace(",", ".")) if match["n"] else float(NUMBERS.get(match["word"].lower(), 1))
    return (amount + (0.5 if match["and_half"] else 0.0)) * unit, unit
