"""Clock times, ranges of them and dated times, in English and Spanish.

Parts of the day without a clock time ("in the evening"), and a bare hour (`at 7`) are not read: as facts they are too
vague to be right or wrong.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass

import regex

from engine.language.extract.flat import Flat, flat
from engine.language.extract.found import Context, Found
from engine.language.extract.lazy import lazily
from engine.language.extract.moment import Moment, of_instant
from engine.language.extract.words_numbers import NUMBERS, PARTS, either

_HOURS = {name: number for name, number in NUMBERS.items() if number <= 12}
_NAMED = {
    "noon": 720, "midday": 720, "mid-day": 720, "mediodía": 720, "mediodia": 720,
    "midnight": 1440, "mid-night": 1440, "medianoche": 1440,
}  # fmt: skip
_ISO = lazily(r"\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?(?![\d:])")
_HALF = r"(?:[ ]?(?P<half>[ap])[ ]?\.?[ ]?m\b\.?)"
_PART = rf"(?:[ ](?:in[ ]the|at|de[ ]la|por[ ]la|del)[ ](?P<part>{'|'.join(PARTS)})\b)"
_ENDS = rf"(?:[ ]?o'?[ ]?clock\b)?(?:{_HALF}|{_PART})?"
_WORD = either(_HOURS)
_ONE = lazily(
    rf"(?<![\w:.,/]|\p{{L}}-)(?:"
    rf"(?P<past>(?:(?:a[ ])?(?:half|quarter)|three[ ]quarters|(?:\d{{1,2}}|{either(NUMBERS)})(?:[ ]min(?:ute)?s?)?)[ ](?:past|to|after|till|before)[ ])"
    rf"(?P<ph>1[0-2]|0?[1-9]|{_WORD})\b(?![:.]\d){_ENDS}"
    rf"|(?P<h>[01]?\d|2[0-4])(?::|h(?=\d))(?P<m>[0-5]\d)(?::[0-5]\d)?(?!\d)(?:[ ]?h(?:rs?)?\b)?{_ENDS}"
    rf"|(?P<h2>1[0-2]|0?[1-9])(?:[.:]?(?P<m2>[0-5]\d))?(?={_HALF}){_ENDS}"
    rf"|(?P<h3>1[0-2]|0?[1-9]|{_WORD})(?=[ ]?o'?[ ]?clock\b){_ENDS}"
    rf"|(?P<h4>{_WORD})(?:[ ](?P<m4>{either(NUMBERS)}))?(?={_HALF}){_ENDS}"
    rf"|(?P<h5>1[0-2]|0?[1-9]|{_WORD})(?={_PART}){_ENDS}"
    rf"|(?:12[ ])?(?P<named>{'|'.join(_NAMED)})\b"
    rf"|(?P<las>las?)[ ](?P<lh>2[0-3]|1\d|0?[1-9]|{_WORD})\b(?:(?::|\.)(?P<lm>[0-5]\d)|[ ](?P<ls>y|menos)[ ](?P<lw>media|cuarto|\d{{1,2}}|{either(NUMBERS)}))?"
    rf"(?![:.]?\d)(?:[ ]en[ ]punto)?{_ENDS}"
    r")(?![\d:])",
    regex.I,
)  # fmt: skip
_TO = lazily(r"\s*(?:-|~|to|until|till?|hasta|a)\s*(?:las?\s)?", regex.I)
_AND = lazily(r"\s*(?:and|&|y)\s*(?:las?\s)?", regex.I)
_OPENS = lazily(r"\b(?:between|entre|from|de|desde)\s+(?:las?\s+)?\Z", regex.I)
_LOW = lazily(
    rf"(?<![\w:.,/]|\p{{L}}-)(?P<low>2[0-3]|1\d|0?[1-9]|{_WORD})\s*(?:-|~|to|until|till?|hasta|a|(?P<and>and|y))\s*\Z",
    regex.I,
)
_HIGH = lazily(
    rf"\s*(?:-|to|until|till?|hasta|a|and|y)\s*(?P<high>2[0-3]|1\d|0?[1-9]|{_WORD})\b(?![:.,]?\d|[ ]?[%€$£])", regex.I
)
_MEASURE = lazily(
    r"[ \-](?:hours?|hrs?|min|sec|days?|weeks?|months?|years?|horas?|d[ií]as?|semanas?|mes(?:es)?\b|años?)", regex.I
)
_HINT = lazily(
    rf"\d|no{{2}}n|mid-?(?:day|night)|medi[aod]|clock|\blas?\b|[ap]\.?[ ]?m\b|past|quarter|{'|'.join(PARTS)}", regex.I
)


@dataclass
class _Piece:
    start: int
    end: int
    moment: Moment
    weak: bool = False
    """Read from words that are a time only as an end of a range: `las dos`."""


def times(text: Flat, context: Context) -> Iterator[Found]:
    """Times as Moments. An ISO instant is one time, in the line's zone."""
    low = text.text
    if _HINT.search(low) is None:
        return
    instants = list(_instants(low, context))
    blank = list(low)
    for piece in instants:
        blank[piece.start : piece.end] = "\0" * (piece.end - piece.start)
    for piece in [*instants, *_joined("".join(blank))]:
        a, b = text.span(piece.start, piece.end)
        yield Found("times", piece.moment, a, b, text.original[a:b])


def parse_moment(text: str, context: Context) -> Moment:
    """A time written in a card or given as a fact: `14:30`, `10:00-14:00`, `2026-12-01T14:30:00+02:00`.

    Raises ValueError with one sentence when the text is not one time and nothing else.
    """
    spelled = text.strip()
    for found in times(flat(spelled), context):
        if found.text == spelled and isinstance(found.value, Moment):
            return found.value
    raise ValueError(f"`{text[:60]}` is no time: write 14:30, 10:00-14:00 or 2026-12-01T14:30:00+02:00.")


def _instants(text: str, context: Context) -> Iterator[_Piece]:
    for match in _ISO.finditer(text):
        try:
            moment = of_instant(dt.datetime.fromisoformat(match[0]), context.zone)
        except (ValueError, OverflowError):
            continue
        yield _Piece(*match.span(), moment)


def _joined(text: str) -> Iterator[_Piece]:
    """Single times, and two that stand as the ends of a range made one."""
    singles = [piece for match in _ONE.finditer(text) if (piece := _piece(text, match))]
    at = 0
    while at < len(singles):
        one = singles[at]
        opens = _OPENS.search(text, max(0, one.start - 16), one.start) is not None
        if at + 1 < len(singles):
            other = singles[at + 1]
            if _TO.fullmatch(text, one.end, other.start) or (opens and _AND.fullmatch(text, one.end, other.start)):
                yield _Piece(one.start, other.end, _range(one.moment, other.moment))
                at += 2
                continue
        at += 1
        before = _LOW.search(text, max(0, one.start - 24), one.start)
        if before and (not before["and"] or _OPENS.search(text, max(0, before.start() - 16), before.start())):
            low = _hour(before["low"])
            if low <= 24 and (
                not before["low"].isalpha() or _OPENS.search(text, max(0, before.start() - 16), before.start())
            ):
                yield _Piece(before.start(), one.end, _range(Moment(low * 60, half=low <= 12), one.moment))
                continue
        after = _HIGH.match(text, one.end) if opens else None
        if after:
            high = _hour(after["high"])
            yield _Piece(one.start, after.end(), _range(one.moment, Moment(high * 60, half=high <= 12)))
        elif not one.weak:
            yield one


def _piece(text: str, match: regex.Match[str]) -> _Piece | None:
    moment = _moment_of(match)
    if moment is None or ((match["past"] or match["las"]) and _MEASURE.match(text, match.end())):
        return None
    end = match.end()
    while text[end - 1].isspace():
        end -= 1
    if match["las"]:
        told = match["half"] or match["part"] or match["lm"] or match["ls"] or match["lh"].isdigit()
        before = regex.search(
            r"\b(a|sobre|para|hasta|desde|entre|de|son|es|antes de|después de)\s+\Z",
            text[max(0, match.start() - 16) : match.start()],
            regex.I,
        )
        if match["lh"].isdigit() and not match["lm"] and not (before or match["half"] or match["part"] or match["ls"]):
            return _Piece(match.start("lh"), end, moment, weak=True)
        return _Piece(match.start("lh"), end, moment, weak=not told)
    return _Piece(match.start(), end, moment)


def _moment_of(match: regex.Match[str]) -> Moment | None:
    if match["named"]:
        return Moment(_NAMED[match["named"].lower()])
    half = (match["half"] or "").lower() or PARTS.get((match["part"] or "").lower())
    if match["past"]:
        amount, _, word = match["past"].strip().lower().rpartition(" ")
        amount = regex.sub(r"^a | min(?:ute)?s?$", "", amount)
        if (
            word not in ("past",)
            and not regex.search(r"half|quarter|min", match["past"], regex.I)
            and not (half or "clock" in match[0])
        ):
            return None  # `4 to 5 days`
        minutes = {"half": 30, "quarter": 15, "three quarters": 45}.get(amount) or _hour(amount)
        sign = 1 if word in ("past", "after") else -1
        return _at(_hour(match["ph"]), sign * minutes, half)
    if match["las"]:
        extra = {"media": 30, "cuarto": 15}.get((match["lw"] or "").lower()) or _hour(match["lw"] or match["lm"] or "0")
        return _at(
            _hour(match["lh"]), -extra if (match["ls"] or "").lower() == "menos" else extra, half, len(match["lh"]) == 2
        )
    spelled = match["h"] or match["h2"] or match["h3"] or match["h4"] or match["h5"]
    minutes = _hour(match["m"] or match["m2"] or match["m4"] or "0")
    if minutes > 59:
        return None
    return _at(_hour(spelled), minutes, half, len(spelled) == 2 and spelled.isdigit())


def _at(hour: int, minutes: int, half: str | None, two_digits: bool = False) -> Moment | None:
    """The moment of an hour and minutes after it; `half`: a or p, where it is told."""
    if half and hour <= 12:
        hour = hour % 12 + (12 if half == "p" else 0)
    elif half and half == "a":
        return None
    whole = hour * 60 + minutes
    if not 0 <= whole <= 1440:
        return Moment(whole % 1440) if whole < 0 else None
    return Moment(whole, half=not half and not two_digits and 0 < hour <= 12)


def _range(first: Moment, last: Moment) -> Moment:
    """A range; an end that does not say its half of the day takes that of the other, as `2 to 4 pm`."""
    start, end = first.start, last.start
    if first.half and not last.half and end - start > 720:
        start += 720
    if last.half and not first.half and end < start:
        end += 720
    return Moment(start, end % 1440 if end > 1440 else end, half=first.half and last.half)


def _hour(spelled: str) -> int:
    return int(spelled) if spelled.isdigit() else NUMBERS[spelled.lower()]
