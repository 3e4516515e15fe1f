"""Telephone numbers, order numbers, prices, percentages, card and account numbers, other long numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import lru_cache

import regex

from engine.language.extract.flat import Flat
from engine.language.extract.found import Context, Found


@dataclass(frozen=True)
class Money:
    """An amount and its currency (ISO 4217), None when it is not told."""

    amount: Decimal
    currency: str | None

    def same(self, other: Money) -> bool:
        """The same amount, and the same currency where both name one."""
        return self.amount == other.amount and (
            None in (self.currency, other.currency) or self.currency == other.currency
        )

    def __str__(self) -> str:
        amount = f"{self.amount:f}"
        return f"{amount} {self.currency}" if self.currency else amount


_PHONE = regex.compile(r"(?<![\d.,:/])(?:\+|00)?\(?\d(?:[\s().\-/]{0,2}\d){6,16}(?![\d:]|[.,]\d)")
_NOT_PHONE = regex.compile(
    r"\d{4}-\d{2}-\d{2}|\d{1,2}[/.]\d{1,2}[/.]\d{2,4}|\d{1,2}:\d{2}|^(?:19|20)\d\d\s*-\s*(?:19|20)\d\d$"
)


def phones(text: Flat, context: Context) -> Iterator[Found]:
    """Telephone numbers in E.164 where they can be read in the line's region, else their digits.

    Differs from phonenumbers' own matcher: numbers glued to words and numbers of ranges reserved for fiction are
    found; order numbers by the line's own pattern, card numbers and parts of identifiers are not.
    """
    if sum(character.isdigit() for character in text.text) < 7:
        return
    others = [match.span() for match in _orders(text.text, context)]
    others += [match.span() for match in _CARD.finditer(text.text) if _luhn(match[0])]
    for match in _PHONE.finditer(text.text):
        start, end = match.span()
        if (
            any(start < b and a < end for a, b in others)
            or _NOT_PHONE.search(match[0])
            or _in_identifier(text.text, start, end)
        ):
            continue
        value = _phone(match[0], context.region)
        if value is None:
            continue
        a, b = text.span(start, end)
        yield Found("phones", value, a, b, text.original[a:b])


def _in_identifier(text: str, start: int, end: int) -> bool:
    """Whether the digits are part of `AB-1234567`, `id_1234567`, a hash or a longer token with digits and capitals."""
    before = regex.search(r"[\w#-]+$", text[max(0, start - 20) : start])
    after = regex.match(r"[\w-]+", text[end : end + 20])
    glued = (before[0] if before else "") + (after[0] if after else "")
    return bool(regex.search(r"[A-Z\d_#]|[a-z]-$", glued)) or (before is not None and before[0].endswith("-"))


def _phone(spelled: str, region: str) -> str | None:
    import phonenumbers

    digits = regex.sub(r"\D", "", spelled)
    spelled = f"+{digits[2:]}" if spelled.startswith("00") else spelled
    try:
        number = phonenumbers.parse(spelled, region)
    except phonenumbers.NumberParseException:
        return None
    marked = spelled.startswith(("+", "0", "(")) or regex.search(r"\d[\s().\-/]+\d", spelled) is not None
    if phonenumbers.is_valid_number(number) or (
        marked and phonenumbers.is_possible_number(number) and len(digits) >= 9
    ):
        return str(phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164))
    return digits if spelled.startswith("+") and 8 <= len(digits) <= 15 else None


def phone_value(raw: str, context: Context) -> str:
    """A telephone number in the form in which they are compared. Raises ValueError when it is none."""
    from engine.language.extract.flat import flat

    digits = regex.sub(r"\D", "", flat(raw).text)
    if not 3 <= len(digits) <= 15 or regex.search(r"[^\W\d_]{2,}", raw):
        raise ValueError(f"`{raw[:60]}` is no telephone number.")
    return _phone(flat(raw).text.strip(), context.region) or digits


@lru_cache(maxsize=32)
def _pattern(source: str) -> regex.Pattern[str]:
    return regex.compile(source, regex.I)


def _orders(text: str, context: Context) -> Iterator[regex.Match[str]]:
    if context.order_number:
        yield from _pattern(context.order_number).finditer(text, timeout=0.25)


def order_numbers(text: Flat, context: Context) -> Iterator[Found]:
    """Order numbers by the line's own pattern, in upper case without spaces."""
    for match in _orders(text.text, context):
        a, b = text.span(*match.span())
        yield Found("order_numbers", order_value(match[0]), a, b, text.original[a:b])


def order_value(raw: str) -> str:
    """An order number in the form in which they are compared. Raises ValueError when it is blank."""
    value = regex.sub(r"\s+", "", raw).upper()
    if not value:
        raise ValueError("An order number is not blank.")
    return value


_SIGNS = {"$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR", "₽": "RUB", "₺": "TRY", "₴": "UAH", "zł": "PLN"}
_CODES = "USD EUR GBP JPY INR RUB TRY UAH PLN CHF CAD AUD NZD SEK NOK DKK MXN ARS BRL CLP COP PEN CNY"
_NAMES = {
    "dollars": "USD", "dollar": "USD", "bucks": "USD", "euros": "EUR", "euro": "EUR", "pounds": "GBP", "pound": "GBP", "quid": "GBP",
    "rupees": "INR", "yen": "JPY", "pesos": "MXN", "dólares": "USD", "dolares": "USD", "libras": "GBP",
}  # fmt: skip
_AMOUNT = r"\d{1,3}(?:[,. ']\d{3})+(?:[.,]\d{1,2})?|\d+(?:[.,]\d{1,2})?"
_UNIT = "|".join([*(regex.escape(sign) for sign in _SIGNS), *_CODES.split()])
_PRICE = regex.compile(
    rf"(?<![\w.,])(?:(?P<before>{_UNIT})\s?(?P<a1>{_AMOUNT})|(?P<a2>{_AMOUNT})\s?(?P<after>{_UNIT}|{'|'.join(_NAMES)}))(?![\w%]|[.,]\d)",
    regex.I,
)


def prices(text: Flat, context: Context) -> Iterator[Found]:
    """Amounts with a currency sign, code or name."""
    if not any(character.isdigit() for character in text.text):
        return
    for match in _PRICE.finditer(text.text):
        spelled = (match["before"] or match["after"]).lower()
        currency = _SIGNS.get(spelled) or _NAMES.get(spelled) or spelled.upper()
        a, b = text.span(*match.span())
        yield Found("prices", Money(_amount(match["a1"] or match["a2"]), currency), a, b, text.original[a:b])


def _amount(spelled: str) -> Decimal:
    digits = regex.sub(r"[ ']", "", spelled)
    tail = regex.search(r"[.,](\d{1,2})$", digits)
    whole = regex.sub(r"[.,]", "", digits[: tail.start()] if tail else digits)
    return Decimal(f"{whole}.{tail[1]}" if tail else whole).normalize()


def money_value(raw: str, context: Context) -> Money:
    """An amount as money; a bare number has no currency. Raises ValueError when it is none."""
    from engine.language.extract.flat import flat

    for found in prices(flat(raw.strip()), context):
        if found.text == raw.strip():
            return Money(found.value.amount, found.value.currency)
    try:
        return Money(Decimal(raw.strip()).normalize(), None)
    except InvalidOperation:
        raise ValueError(f"`{raw[:60]}` is no amount of money: write £12.50.") from None


_PERCENT = regex.compile(r"(?<![\w.,])(\d+(?:[.,]\d+)?)\s?(?:%|percent\b|per cent\b|por ciento\b)", regex.I)


def percentages(text: Flat, context: Context) -> Iterator[Found]:
    """Percentages as numbers."""
    for match in _PERCENT.finditer(text.text):
        a, b = text.span(*match.span())
        yield Found("percentages", float(match[1].replace(",", ".")), a, b, text.original[a:b])


_CARD = regex.compile(r"(?<![\d.,-])\d(?:[ -]?\d){12,18}(?![\d]|[.,-]\d)")


def cards(text: Flat, context: Context) -> Iterator[Found]:
    """Payment card numbers of 13 to 19 digits whose check digit is right (Luhn, ISO/IEC 7812-1)."""
    for match in _CARD.finditer(text.text):
        if _luhn(match[0]):
            a, b = text.span(*match.span())
            yield Found("cards", regex.sub(r"\D", "", match[0]), a, b, text.original[a:b])


def _luhn(spelled: str) -> bool:
    digits = [int(character) for character in spelled if character.isdigit()]
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[-2::-2]]
    return len(set(digits)) > 1 and (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


_IBAN = regex.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}\b", regex.I)


def ibans(text: Flat, context: Context) -> Iterator[Found]:
    """International bank account numbers whose check digits are right (ISO 13616, remainder 1 modulo 97)."""
    for match in _IBAN.finditer(text.text):
        value = regex.sub(r"\s", "", match[0]).upper()
        while len(value) >= 15:
            if int("".join(str(int(c, 36)) for c in value[4:] + value[:4])) % 97 == 1:
                end = (
                    match.start() + len(match[0])
                    if len(value) == len(regex.sub(r"\s", "", match[0]))
                    else _end(match, len(value))
                )
                a, b = text.span(match.start(), end)
                yield Found("ibans", value, a, b, text.original[a:b])
                break
            value = value[:-1]


def _end(match: regex.Match[str], length: int) -> int:
    seen = 0
    for index, character in enumerate(match[0]):
        seen += not character.isspace()
        if seen == length:
            return match.start() + index + 1
    return match.end()


_DIGITS = regex.compile(r"(?<![\w.,+-])\d(?:[ -]?\d){6,}(?![\w]|[.,-]\d)")


def ids(text: Flat, context: Context) -> Iterator[Found]:
    """Numbers of seven digits or more that are no telephone, order or card number: they could name a person."""
    known = [
        span for kind in (phones, order_numbers, cards) for span in ((f.start, f.end) for f in kind(text, context))
    ]
    for match in _DIGITS.finditer(text.text):
        a, b = text.span(*match.span())
        if all(b <= start or end <= a for start, end in known):
            yield Found("ids", regex.sub(r"\D", "", match[0]), a, b, text.original[a:b])
