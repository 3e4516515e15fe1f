"""Telephone numbers, read with `phonenumbers` and told apart from other digits by their shape and by the words before.

Differs from that library's own matcher: numbers glued to words, numbers of other countries written as at home, and
numbers of ranges reserved for fiction are found; order numbers by the line's own pattern, card numbers, dates, prices,
addresses of machines and parts of identifiers are not. Of a link only `tel:`, `sms:` and `wa.me/` hold a number.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import regex

from engine.language.extract.cards import card_spans
from engine.language.extract.flat import UNSPACED, Flat, flat
from engine.language.extract.found import Context, Found
from engine.language.extract.lazy import lazily
from engine.language.extract.links import read_links
from engine.language.extract.orders import order_spans
from engine.language.extract.words import OTHER_NUMBER_WORDS, PHONE_SIGNS, PHONE_WORDS

_RUN = lazily(r"(?<!\d)(?:\([ \t]?)?+\+{0,2}[ \t]?\(?[ \t]?\d(?:[ \t().\-/+~]{0,4}+\d)*+")
"""Digits with what may stand between those of a telephone number: all of it, to be taken apart afterwards."""
_CHUNK = lazily(r"[^ \t]+")
_EXTENSION = lazily(r"[ \t]?,?[ \t]?(?:extension|extn|ext|int|x|#)[.:]?[ \t]?(\d{1,7})(?![\d\p{L}])", regex.I)
_DATE = lazily(
    r"(?<![\d\-/.])(?:(?:19|20)\d\d[-/.](?:0?[1-9]|1[0-2])[-/.](?:0?[1-9]|[12]\d|3[01])"
    r"|(?:0?[1-9]|[12]\d|3[01])([-/.])(?:0?[1-9]|[12]\d|3[01])\1(?:(?:19|20)\d\d|\d\d)|(?:19|20)\d\d\s?[-/]\s?(?:19|20)\d\d)"
    r"(?![-/.]?\d)"
)
_SECURITY = lazily(r"\d{3}-\d{2}-\d{4}")
_MACHINE = lazily(r"\d{1,3}(?:\.\d{1,3}){3}")
_AMOUNT = lazily(r"\d{1,3}(?:\.\d{3})+|\d+\.\d+")
_MONEY_BEFORE, _UNIT_AFTER = (
    regex.compile(r"\p{Sc}\s?\Z"),
    regex.compile(r"\s?(?:[\p{Sc}%]|(?:EUR|USD|GBP|kg|km|cm|mm|ml)\b)"),
)
_LOOK_BACK = 48
_MOST_CHUNKS = 8
"""Pieces between spaces of one number; they hold two digits each, but for one."""


@dataclass(frozen=True)
class _Words:
    """What the words before a run of digits say of it."""

    phone: bool
    other: bool


def phones(text: Flat, context: Context) -> Iterator[Found]:
    """Telephone numbers in E.164 where they can be read in the line's region, else their digits."""
    low = text.text
    if sum(character.isdigit() for character in low) < 6:
        return
    taken = sorted([*_not_phones(text, context), *_in_links(text, context)])
    starts = [span[0] for span in taken]
    for start, end in _in_app_links(text, context):
        value = phone_of(low[start:end], context.region)
        if value:
            a, b = text.span(start, end)
            yield Found("phones", value, a, b, text.original[a:b])
    for run in _RUN.finditer(low):
        if sum(character.isdigit() for character in run[0]) < 6:
            continue
        for start, end in _numbers(low, *_without_times(low, *run.span()), context.region):
            at = bisect_right(starts, end - 1)
            if any(begin < end and start < stop for begin, stop in taken[max(0, at - 2) : at]):
                continue
            value = phone_of(low[start:end], context.region)
            if value is None:
                continue
            extension = _EXTENSION.match(low, end)
            a, b = text.span(start, extension.end() if extension else end)
            yield Found("phones", value, a, b, text.original[a:b])


def _not_phones(text: Flat, context: Context) -> Iterator[tuple[int, int]]:
    yield from order_spans(text.text, context)
    yield from card_spans(text.text)


def _in_links(text: Flat, context: Context) -> Iterator[tuple[int, int]]:
    for link in read_links(text.original, context.region):
        yield link.start, link.end


def _in_app_links(text: Flat, context: Context) -> Iterator[tuple[int, int]]:
    for link in read_links(text.original, context.region):
        spelled = text.text[link.start : link.end]
        match = regex.match(
            r"(?:tel|sms|smsto|callto|facetime):(\+?[\d().\-]{7,20})|(?:https?://)?(?:www\.)?wa\.me/(\+?\d{7,15})"
            r"|(?:https?://api\.whatsapp\.com/|whatsapp://)send/?\?phone=(\+?\d{7,15})", spelled, regex.I,
        )  # fmt: skip
        if match:
            begin, end = next(match.span(group) for group in (1, 2, 3) if match[group])
            yield link.start + begin, link.start + end


def _without_times(text: str, start: int, end: int) -> tuple[int, int]:
    """A run without the hour of a clock time at either end of it."""
    if text[end : end + 1] == ":" and text[end + 1 : end + 2].isdigit():
        cut = regex.search(r"[ \t\-]*\d{1,2}$", text[start:end])
        end = start + cut.start() if cut else start
    if start and text[start - 1] == ":" and start > 1 and text[start - 2].isdigit():
        minutes = regex.match(r"\d{2}(?!\d)[ \t\-]*", text[start:end])
        start = start + minutes.end() if minutes else end
    return start, end


def _numbers(text: str, start: int, end: int, region: str) -> Iterator[tuple[int, int]]:
    """The telephone numbers in one run of digits: of its pieces between spaces the most that make a number."""
    pieces: list[tuple[int, int]] = []
    at = start
    for date in [*_DATE.finditer(text, start, end), None]:
        stop = date.start() if date else end
        pieces = [match.span() for match in _CHUNK.finditer(text, at, stop)]
        yield from _best(text, pieces, region)
        at = date.end() if date else end


def _best(text: str, pieces: Sequence[tuple[int, int]], region: str) -> Iterator[tuple[int, int]]:
    first = 0
    while first < len(pieces):
        chosen = None
        for wanted in (_is_valid, _looks_like):
            for last in range(min(len(pieces), first + _MOST_CHUNKS), first, -1):
                start, end = _bare(text, pieces[first][0], pieces[last - 1][1])
                digits = sum(character.isdigit() for character in text[start:end])
                if (
                    2 * (last - first) - 1 <= digits
                    and 6 <= digits <= 17
                    and not _is_other(text, start, end)
                    and wanted(text, start, end, region)
                ):
                    chosen = (last, start, end)
                    break
            if chosen:
                break
        if chosen:
            yield chosen[1], chosen[2]
        first = chosen[0] if chosen else first + 1


def _bare(text: str, start: int, end: int) -> tuple[int, int]:
    """A span without a bracket that it opens or closes alone, and without signs at its ends."""
    while (start < end and text[start] in "./-~ \t)") or (
        text[start:end].startswith("(") and ")" not in text[start:end]
    ):
        start += 1
    while end > start and not text[end - 1].isdigit():
        end -= 1
    return start, end


def _is_valid(text: str, start: int, end: int, region: str) -> bool:
    import phonenumbers

    spelled = text[start:end]
    number = _parsed(spelled, region)
    if number is None or not phonenumbers.is_valid_number(number):
        return False
    words = _words_before(text, start)
    plain = spelled.isdigit()
    return (words.phone or (not words.other and (not plain or len(spelled) >= 9))) and not _in_identifier(
        text, start, end
    )


def _looks_like(text: str, start: int, end: int, region: str) -> bool:
    """Whether digits are a telephone number of another country, of a range not in use, or with a slip."""
    spelled = text[start:end]
    digits = regex.sub(r"\D", "", spelled)
    words = _words_before(text, start)
    after = regex.match(r"[ \t]\(?(\p{L}+)", text[end : end + 16])
    if words.phone or (after and after[1].lower() in PHONE_WORDS - {"call", "text", "reach"}):
        return len(set(digits)) > 1 and not _in_identifier(text, start, end)
    if words.other or _in_identifier(text, start, end):
        return False
    if _SECURITY.fullmatch(spelled):
        return False
    if regex.match(r"\(?\s?\+", spelled):
        return 8 <= len(digits) <= 15
    if spelled.isdigit():
        return spelled.startswith("0") and 9 <= len(digits) <= 15 and len(digits.lstrip("0")) > 6
    groups = [len(group) for group in regex.findall(r"\d+", spelled)]
    marked = spelled.startswith(("(", "0"))
    return 9 <= len(digits) <= 15 and (marked or len(groups) >= 3) and len(groups) <= 6 and min(groups[1:]) >= 2


def _is_other(text: str, start: int, end: int) -> bool:
    """Whether the digits are an amount, a machine's address, or a piece of a longer number."""
    spelled = text[start:end]
    before, after = text[max(0, start - 2) : start], text[end : end + 8]
    return bool(
        _MACHINE.fullmatch(spelled)
        or (_AMOUNT.fullmatch(spelled) and not spelled.startswith("0"))
        or regex.match(r"[.,:]?\d|@", after)
        or regex.search(r"\d[.,:]?\Z", before)
        or _MONEY_BEFORE.search(before)
        or _UNIT_AFTER.match(after)
        or regex.search(r"#\s?\Z", before)
    )


def _in_identifier(text: str, start: int, end: int) -> bool:
    """Whether the digits are part of `AB-1234567`, `id_1234567` or a longer token of digits and letters."""
    before = regex.search(rf"[[\w#\-]--[{UNSPACED}]]+$", text[max(0, start - 24) : start], flags=regex.V1)
    after = regex.match(rf"[[\w]--[{UNSPACED}]]+", text[end : end + 24], regex.V1)
    head, tail = before[0] if before else "", after[0] if after else ""
    if regex.search(r"[\d_#\-]|^\p{Lu}+$", head) or len(head) == 1:
        return True
    return _EXTENSION.match(text, end) is None and (len(tail) == 1 or regex.search(r"[\d_]", tail) is not None)


def _words_before(text: str, start: int) -> _Words:
    """What the nearest telling word of the same line before the digits says."""
    before = text[max(0, start - _LOOK_BACK) : start].rpartition("\n")[2].lower()
    if not before.strip() and start:
        before = text[max(0, start - _LOOK_BACK) : start].rstrip().rpartition("\n")[2].lower()
    if any(sign in before for sign in PHONE_SIGNS):
        return _Words(True, False)
    for word in reversed(regex.findall(r"\p{L}[\p{L}\p{M}]*", before)):
        if word in PHONE_WORDS:
            return _Words(True, False)
        if word in OTHER_NUMBER_WORDS:
            return _Words(False, True)
    return _Words(False, False)


@lru_cache(maxsize=1024)
def _parsed(spelled: str, region: str):  # type: ignore[no-untyped-def]
    import phonenumbers

    international = f"+{spelled[2:]}" if spelled.startswith("00") else spelled
    try:
        return phonenumbers.parse(regex.sub(r"^\+\+", "+", international), region)
    except phonenumbers.NumberParseException:
        return None


def phone_of(spelled: str, region: str) -> str | None:
    """E.164 where the digits can be a number of the region or say their country, else the digits; None if too few."""
    import phonenumbers

    digits = regex.sub(r"\D", "", spelled)
    number = _parsed(spelled.strip(), region)
    if number is not None and phonenumbers.is_possible_number(number):
        return str(phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164))
    return digits if 3 <= len(digits) <= 17 else None


def phone_value(raw: str, context: Context) -> str:
    """A telephone number in the form in which they are compared. Raises ValueError when it is none."""
    spelled = regex.sub(r"^tel:", "", flat(raw).text.strip())
    extension = _EXTENSION.search(spelled)
    spelled = spelled[: extension.start()] if extension else spelled
    digits = regex.sub(r"\D", "", spelled)
    if not 3 <= len(digits) <= 17 or regex.search(r"[^\W\d_]{2,}", spelled):
        raise ValueError(f"`{raw[:60]}` is no telephone number.")
    return phone_of(spelled, context.region) or digits
