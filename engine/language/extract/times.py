"""Clock times, ranges of them, dated times, dates and durations, in English and Spanish.

First forms: what a delivery answer promises. Numbers in words are read up to twelve; other languages and vague times
("this evening") are not read.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

import regex

from engine.language.extract.flat import Flat
from engine.language.extract.found import Context, Found
from engine.language.extract.moment import Moment, of_instant

_ISO = regex.compile(r"\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?(?![\d:])")
_HALF = r"(?:\s*(?P<half{n}>[ap])\.?\s?m\b\.?)"
_TIME = (
    r"(?:(?P<hour{n}>[01]?\d|2[0-4])(?:[:h](?P<minute{n}>[0-5]\d)(?::[0-5]\d)?)" + _HALF + r"?"
    r"|(?P<bare{n}>1[0-2]|0?[1-9])(?:\.(?P<dotted{n}>[0-5]\d))?(?:" + _HALF.replace("half", "bhalf") + r"|\s*o'clock\b)"
    r"|(?P<word{n}>noon|midday|midnight|mediod[ií]a|medianoche)\b)"
)
_SPANISH = r"(?P<las>\b(?:a|sobre|para|hasta|desde)\s+las?\s+(?P<lh>[01]?\d|2[0-3])(?:(?::|\.|\s+y\s+)(?P<lm>[0-5]\d|media|cuarto))?\b(?![:.]?\d)(?:\s+de\s+la\s+(?P<lpart>mañana|tarde|noche))?)"
_TO = r"\s*(?:-|to|and|until|till|a|y|hasta|a\s+las|y\s+las)\s*"
_RANGE = regex.compile(
    r"(?<![\d:.])(?:"
    + _TIME.replace("{n}", "1")
    + "|(?P<low>[01]?\\d|2[0-3]))"
    + _TO
    + _TIME.replace("{n}", "2")
    + r"(?![\d:])",
    regex.I,
)
_ONE = regex.compile(r"(?<![\d:.,/-])" + _TIME.replace("{n}", "1") + r"(?![\d:])", regex.I)
_LAS = regex.compile(_SPANISH, regex.I)
_WORDS = {"noon": 720, "midday": 720, "mediodía": 720, "mediodia": 720, "midnight": 1440, "medianoche": 1440}


def times(text: Flat, context: Context) -> Iterator[Found]:
    """Times as Moments. An ISO instant is one time, in the line's zone."""
    low = text.text
    if not any(character.isdigit() for character in low) and not regex.search(r"no+n|mid|medi", low, regex.I):
        return
    taken: list[tuple[int, int]] = []
    for match in _ISO.finditer(low):
        try:
            instant = dt.datetime.fromisoformat(match[0])
        except ValueError:
            continue
        taken.append(match.span())
        yield _found(text, "times", of_instant(instant, context.zone), *match.span())
    for match in _RANGE.finditer(low):
        ends = _ends(match)
        if ends and _free(taken, match.span()):
            taken.append(match.span())
            yield _found(text, "times", Moment(ends[0], ends[1]), *match.span())
    for pattern in (_LAS, _ONE):
        for match in pattern.finditer(low):
            moment = _las(match) if pattern is _LAS else _single(match)
            if moment and _free(taken, match.span()):
                taken.append(match.span())
                start = match.start("lh") if pattern is _LAS else match.start()
                yield _found(text, "times", moment, start, match.end())


def _part(match: regex.Match[str], n: str) -> Moment | None:
    word = match[f"word{n}"]
    if word:
        return Moment(_WORDS[word.lower()])
    if match[f"hour{n}"]:
        hour, minute, half = int(match[f"hour{n}"]), int(match[f"minute{n}"]), match[f"half{n}"]
    elif match[f"bare{n}"]:
        hour, minute, half = int(match[f"bare{n}"]), int(match[f"dotted{n}"] or 0), match[f"bhalf{n}"]
    else:
        return None
    return _moment(hour, minute, half, len(match[f"hour{n}"] or "") == 2)


def _moment(hour: int, minute: int, half: str | None, two_digits: bool = False) -> Moment | None:
    if half and hour > 12:
        return None
    if half:
        hour = hour % 12 + (12 if half.lower() == "p" else 0)
    if hour * 60 + minute > 1440:
        return None
    return Moment(hour * 60 + minute, half=not half and not two_digits and 0 < hour <= 12)


def _single(match: regex.Match[str]) -> Moment | None:
    return _part(match, "1")


def _las(match: regex.Match[str]) -> Moment | None:
    spelled = match["lm"]
    minute = {"media": 30, "cuarto": 15}.get(
        (spelled or "").lower(), int(spelled) if spelled and spelled.isdigit() else 0
    )
    half = {"mañana": "a", "tarde": "p", "noche": "p"}.get((match["lpart"] or "").lower())
    return _moment(int(match["lh"]), minute, half if int(match["lh"]) <= 12 else None, len(match["lh"]) == 2)


def _ends(match: regex.Match[str]) -> tuple[float, float] | None:
    last = _part(match, "2")
    first = _part(match, "1") if not match["low"] else _moment(int(match["low"]), 0, None)
    if first is None or last is None:
        return None
    start, end = first.start, last.start
    if (match["low"] or first.half) and not last.half and end - start > 12 * 60:
        start += 12 * 60
    return start, end


_MONTHS = {
    name: number
    for number, names in enumerate(
        ("january jan enero ene", "february feb febrero", "march mar marzo", "april apr abril abr", "may mayo",
         "june jun junio", "july jul julio", "august aug agosto ago", "september sept sep septiembre setiembre",
         "october oct octubre", "november nov noviembre", "december dec diciembre dic"), 1)
    for name in names.split()
}  # fmt: skip
_WEEKDAYS = {
    name: number
    for number, names in enumerate(("monday lunes", "tuesday martes", "wednesday miércoles miercoles", "thursday jueves",
                                    "friday viernes", "saturday sábado sabado", "sunday domingo"))
    for name in names.split()
}  # fmt: skip
_RELATIVE = {"today": 0, "hoy": 0, "tonight": 0, "tomorrow": 1, "mañana": 1, "yesterday": -1, "ayer": -1}
_NAMED = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DATE = regex.compile(
    rf"\b(?:(?P<iso>\d{{4}}-\d{{2}}-\d{{2}})|(?P<day>\d{{1,2}})[/.](?P<month>\d{{1,2}})[/.](?P<year>\d{{4}}|\d{{2}})"
    rf"|(?P<d1>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+|de\s+)?(?P<m1>{_NAMED})\b\.?(?:,?\s+(?:de\s+|del\s+)?(?P<y1>\d{{4}}))?"
    rf"|(?P<m2>{_NAMED})\.?\s+(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?\b(?!:)(?:,?\s+(?P<y2>\d{{4}}))?"
    rf"|(?P<rel>(?<!la )(?<!por la )\b(?:{'|'.join(_RELATIVE)})\b)|(?P<week>\b(?:{'|'.join(_WEEKDAYS)})\b))",
    regex.I,
)  # fmt: skip


def dates(text: Flat, context: Context) -> Iterator[Found]:
    """Calendar dates; a day without a year and a weekday are the next such day from `now`."""
    for match in _DATE.finditer(text.text):
        day = _day(match, context)
        if day:
            yield _found(text, "dates", day, *match.span())


def _day(match: regex.Match[str], context: Context) -> dt.date | None:
    today = context.now.date() if context.now else None
    try:
        if match["iso"]:
            return dt.date.fromisoformat(match["iso"])
        if match["day"]:
            year = int(match["year"])
            return dt.date(year + 2000 if year < 100 else year, int(match["month"]), int(match["day"]))
        if match["d1"] or match["d2"]:
            month = _MONTHS[(match["m1"] or match["m2"]).lower()]
            day, named = int(match["d1"] or match["d2"]), match["y1"] or match["y2"]
            if named:
                return dt.date(int(named), month, day)
            if today is None:
                return None
            read = dt.date(today.year, month, day)
            return read if read >= today - dt.timedelta(days=180) else dt.date(today.year + 1, month, day)
    except ValueError:
        return None
    if today is None:
        return None
    if match["rel"]:
        return today + dt.timedelta(days=_RELATIVE[match["rel"].lower()])
    ahead = (_WEEKDAYS[match["week"].lower()] - today.weekday()) % 7
    return today + dt.timedelta(days=ahead)


_NUMBERS = {
    word: number
    for number, words in enumerate(("an a one una un", "two dos", "three tres", "four cuatro", "five cinco", "six seis",
                                    "seven siete", "eight ocho", "nine nueve", "ten diez", "eleven once", "twelve doce"), 1)
    for word in words.split()
}  # fmt: skip
_UNITS = {"s": 1, "min": 60, "h": 3600, "d": 86400, "w": 604800}
_DURATION = regex.compile(
    rf"(?<![\w.,])(?:(?:(?P<low>\d+(?:[.,]\d+)?)\s*(?:-|to|or|a|o)\s*)?(?P<n>\d+(?:[.,]\d+)?)\s*|(?P<word>{'|'.join(_NUMBERS)})\s+|(?P<half>half\s+an?|media)\s+)"
    r"(?:(?P<s>sec(?:ond)?s?|segundos?)|(?P<min>min(?:ute)?s?|minutos?)|(?P<h>h(?:ou)?rs?|horas?|h)|(?P<d>days?|d[ií]as?)|(?P<w>weeks?|semanas?))\b",
    regex.I,
)


def durations(text: Flat, context: Context) -> Iterator[Found]:
    """Lengths of time in seconds; of a range (`20-30 minutes`) the longer."""
    for match in _DURATION.finditer(text.text):
        unit = next(name for name in _UNITS if match[name])
        if match["half"]:
            amount = 0.5
        else:
            amount = float(match["n"].replace(",", ".")) if match["n"] else float(_NUMBERS[match["word"].lower()])
        yield _found(text, "durations", amount * _UNITS[unit], *match.span())


def _free(taken: list[tuple[int, int]], span: tuple[int, int]) -> bool:
    return all(span[1] <= start or end <= span[0] for start, end in taken)


def _found(text: Flat, kind: str, value: object, start: int, end: int) -> Found:
    while end > start and text.text[end - 1].isspace():
        end -= 1
    a, b = text.span(start, end)
    return Found(kind, value, a, b, text.original[a:b])
