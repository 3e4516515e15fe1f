"""Calendar dates, in English and Spanish, told from `now`.

All-digit dates are read in the order of the line's region: month first in the United States and where it is followed,
else day first; when that gives no date, the other way. "Next week" and other spans of days are not read.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from zoneinfo import ZoneInfo

import regex

from engine.language.extract.flat import Flat
from engine.language.extract.found import Context, Found
from engine.language.extract.lazy import lazily
from engine.language.extract.words_numbers import MONTHS, WEEKDAYS, either

_RELATIVE = {
    "today": 0, "hoy": 0, "tonight": 0, "tomorrow": 1, "mañana": 1, "yesterday": -1, "ayer": -1, "anteayer": -2,
    "day after tomorrow": 2, "pasado mañana": 2, "day before yesterday": -2,
}  # fmt: skip
_MONTH_FIRST = frozenset(("US", "PH", "BZ", "FM", "MH", "PW"))
_TH = r"(?:st|nd|rd|th|º|°)?"
_DATE = lazily(
    rf"(?<![\w/.\-])(?:(?P<iso>\d{{4}})(?P<sep>[\-/.])(?P<imonth>\d{{1,2}})(?P=sep)(?P<iday>\d{{1,2}})(?![\d/\-])"
    rf"|(?P<a>\d{{1,2}})(?P<sep2>[/.\-])(?P<b>\d{{1,2}})(?P=sep2)(?P<year>\d{{4}}|\d{{2}})(?![\d/\-]|\.\d)"
    rf"|(?P<d1>\d{{1,2}}){_TH}[ \-]?(?:of[ ]|de[ ])?(?P<m1>{either(MONTHS)})\b\.?(?:[,\-]?[ ]?(?:del?[ ])?(?P<y1>\d{{4}}))?"
    rf"|(?P<m2>{either(MONTHS)})\.?[ \-](?:the[ ])?(?P<d2>\d{{1,2}}){_TH}\b(?!:|[ ]?[ap]\.?m)(?:,?[ ](?P<y2>\d{{4}})\b)?"
    rf"|(?P<rel>(?<!la[ ])(?:{either(_RELATIVE)})\b)"
    rf"|(?P<which>(?:next|this|last|este|próximo|proximo|pasado)[ ])?(?P<week>{either(WEEKDAYS)})\b(?P<later>[ ](?:que[ ]viene|próximo|proximo|pasado)\b)?)",
    regex.I,
)  # fmt: skip


def dates(text: Flat, context: Context) -> Iterator[Found]:
    """Calendar dates; a day without a year and a weekday are the next such day from `now`, in the line's zone."""
    for match in _DATE.finditer(text.text):
        day = _day(match, context)
        if day:
            a, b = text.span(*match.span())
            yield Found("dates", day, a, b, text.original[a:b])


def _day(match: regex.Match[str], context: Context) -> dt.date | None:
    now = context.now
    today = (now.astimezone(ZoneInfo(context.zone)) if now.tzinfo else now).date() if now else None
    if match["iso"]:
        return _date(int(match["iso"]), int(match["imonth"]), int(match["iday"]))
    if match["a"]:
        first, second, year = int(match["a"]), int(match["b"]), int(match["year"])
        year = year + 2000 if year < 100 else year
        by_day, by_month = _date(year, second, first), _date(year, first, second)
        return by_month or by_day if context.region in _MONTH_FIRST else by_day or by_month
    if match["d1"] or match["d2"]:
        month, named = MONTHS[(match["m1"] or match["m2"]).lower()], match["y1"] or match["y2"]
        return _yearless(month, int(match["d1"] or match["d2"]), int(named) if named else None, today)
    if today is None:
        return None
    if match["rel"]:
        return today + dt.timedelta(days=_RELATIVE[match["rel"].lower()])
    spelled = match["week"]
    if (
        spelled.lower() in ("mon", "sun", "sat", "wed", "fri", "tue", "thu", "thur", "tues", "thurs")
        and not spelled.istitle()
    ):
        return None
    ahead = (WEEKDAYS[spelled.lower()] - today.weekday()) % 7
    which = f"{match['which'] or ''} {match['later'] or ''}".lower()
    if "last" in which or "pasado" in which:
        return today - dt.timedelta(days=(7 - ahead) or 7)
    return today + dt.timedelta(days=ahead or (7 if which.strip() else 0))


def _yearless(month: int, day: int, year: int | None, today: dt.date | None) -> dt.date | None:
    if year is not None or today is None:
        return _date(year, month, day) if year is not None else None
    read = _date(today.year, month, day)
    return read if read is None or read >= today - dt.timedelta(days=180) else _date(today.year + 1, month, day)


def _date(year: int, month: int, day: int) -> dt.date | None:
    try:
        return dt.date(year, month, day)
    except ValueError:
        return None
