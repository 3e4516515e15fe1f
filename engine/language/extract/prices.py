"""Amounts of money: a sign, a code or a name of a currency before or after the amount.

`$`, dollars and pesos without a country are the line's region's where it has them (else USD and MXN). Codes in small
letters are read for the few that are no words. Amounts in words are not read, nor those without a currency.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

import regex

from engine.language.extract.flat import UNSPACED, Flat, flat
from engine.language.extract.found import Context, Found
from engine.language.extract.lazy import lazily


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


_CODES = (
    "USD EUR GBP JPY CNY RMB INR RUB TRY UAH PLN CHF CAD AUD NZD SEK NOK DKK CZK HUF RON BGN ISK MXN ARS BRL CLP COP PEN "
    "UYU VES CRC DOP GTQ HKD SGD TWD KRW THB IDR MYR PHP VND ILS AED SAR QAR KWD EGP MAD TND ZAR NGN KES GHS PKR BDT LKR"
)
_SMALL = "usd eur gbp jpy cny rmb inr chf cad aud nzd sek nok dkk mxn"
_SIGNS = {
    "$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR", "₽": "RUB", "₺": "TRY", "₴": "UAH", "zł": "PLN",
    "₩": "KRW", "₪": "ILS", "₫": "VND", "₦": "NGN", "฿": "THB", "₱": "PHP", "₡": "CRC", "₲": "PYG", "元": "CNY", "円": "JPY",
    "us$": "USD", "u$s": "USD", "u$d": "USD", "usd$": "USD", "c$": "CAD", "ca$": "CAD", "cad$": "CAD", "a$": "AUD",
    "au$": "AUD", "aud$": "AUD", "nz$": "NZD", "nzd$": "NZD", "hk$": "HKD", "s$": "SGD", "mx$": "MXN", "mxn$": "MXN",
    "mex$": "MXN", "r$": "BRL", "s/": "PEN", "rs.": "INR", "₿": "XBT",
}  # fmt: skip
_NAMED = {
    "USD": "us dollars?|u\\.s\\. dollars?|american dollars?|dollars?|bucks?|d[oó]lares?", "EUR": "euros?",
    "GBP": "pounds? sterling|british pounds?|pounds?|quid|libras? esterlinas?|libras?", "JPY": "japanese yen|yen(?:es)?",
    "CNY": "chinese yuan|yuan(?:es)?|renminbi", "INR": "indian rupees?|rupees?|rupias?", "RUB": "rubles?|roubles?|rublos?",
    "CHF": "swiss francs?|francos suizos|francs?|francos?", "CAD": "canadian dollars?", "AUD": "australian dollars?",
    "MXN": "mexican pesos?|pesos?(?: mexicanos?)?", "BRL": "reais|reales?", "PLN": "zlotys?|złotych", "SEK": "swedish kron(?:or|a)|kronor",
    "TRY": "turkish liras?", "KRW": "won", "ILS": "shekels?",
}  # fmt: skip
_CENTS = {"USD": r"cents?|centavos?|¢", "EUR": r"c[eé]ntimos?", "GBP": r"pence|penn(?:y|ies)|peniques?"}
_DOLLARS = {
    "US": "USD",
    "CA": "CAD",
    "AU": "AUD",
    "NZ": "NZD",
    "HK": "HKD",
    "SG": "SGD",
    "MX": "MXN",
    "AR": "ARS",
    "CL": "CLP",
    "CO": "COP",
    "UY": "UYU",
}
_TIMES = {
    "k": 3,
    "thousand": 3,
    "mil": 3,
    "m": 6,
    "mn": 6,
    "mio": 6,
    "million": 6,
    "millones": 6,
    "millón": 6,
    "bn": 9,
    "billion": 9,
    "mil millones": 9,
    "trillion": 12,
}
_AMOUNT = r"(?:\d{1,3}(?:[,.' ]\d{3})+(?:[.,]\d{1,2})?|\d{1,15}(?:[.,]\d{1,2})?)(?![.,]?\d)"
_MANY = rf"(?:[ ]?(?P<{{n}}>mil millones|{'|'.join(name for name in _TIMES if ' ' not in name)})\b(?:[ ]de\b)?)?"
_SIGN = "|".join(sorted(map(regex.escape, _SIGNS), key=len, reverse=True))
_CODE = rf"(?-i:{'|'.join(_CODES.split())})|{'|'.join(_SMALL.split())}"
_NAME = "|".join(rf"(?P<{code}>{names})" for code, names in _NAMED.items())
_CENT = "|".join(rf"(?P<{code}_C>{names})" for code, names in _CENTS.items())
_BEFORE = rf"(?:(?P<sign>{_SIGN})|(?P<code>{_CODE})(?P<also>[ ]?\$)?)[ ]?(?P<amount>{_AMOUNT})" + _MANY.format(n="many")
_AFTER = (
    rf"(?P<amount2>{_AMOUNT})" + _MANY.format(n="many2") + rf"[ ]?(?:(?P<sign2>{_SIGN})|(?P<code2>{_CODE})\$?"
    rf"|-?(?:{_NAME})(?:[ ](?:and[ ]|con[ ]|y[ ])?(?P<cents>\d{{1,2}})[ ](?:cents?|centavos?|c[eé]ntimos?|pence|peniques?))?|-?(?:{_CENT}))"
)
_EDGE = rf"(?![[\p{{L}}\p{{N}}_%]--[{UNSPACED}]])"
_PRICE = lazily(rf"(?<![[\p{{L}}\p{{N}}_]--[{UNSPACED}]]|\d[.,])(?:{_BEFORE}|{_AFTER}){_EDGE}", regex.I | regex.V1)
_HINT = lazily(r"\d")


def prices(text: Flat, context: Context) -> Iterator[Found]:
    """Amounts with a currency, as Money."""
    if _HINT.search(text.text) is None:
        return
    for match in _PRICE.finditer(text.text):
        a, b = text.span(*match.span())
        yield Found("prices", _money(match, context), a, b, text.original[a:b])


def _money(match: regex.Match[str], context: Context) -> Money:
    amount = _amount(match["amount"] or match["amount2"])
    many = match["many"] or match["many2"]
    if many:
        amount *= Decimal(10) ** _TIMES[many.lower()]
    cents = next((code for code in _CENTS if match[f"{code}_C"]), None)
    if cents:
        return Money((amount / 100).normalize(), cents)
    if match["cents"]:
        amount += Decimal(match["cents"]) / 100
    return Money(amount.normalize(), _currency(match, context))


def _currency(match: regex.Match[str], context: Context) -> str:
    sign, code = match["sign"] or match["sign2"], match["code"] or match["code2"]
    if code:
        return "CNY" if code.upper() == "RMB" else code.upper()
    if sign:
        return _DOLLARS.get(context.region, "USD") if sign == "$" else _SIGNS[sign.lower()]
    named = next(code for code in _NAMED if match[code])
    spelled = match[named].lower()
    if spelled in ("dollar", "dollars", "dólar", "dólares", "dolar", "dolares", "bucks", "buck", "peso", "pesos"):
        own = _DOLLARS.get(context.region)
        return own if own and (named == "MXN") == (own in ("MXN", "ARS", "CLP", "COP", "UYU")) else named
    return named


def _amount(spelled: str) -> Decimal:
    digits = regex.sub(r"[ ']", "", spelled)
    tail = regex.search(r"[.,](\d{1,2})$", digits)
    whole = regex.sub(r"[.,]", "", digits[: tail.start()] if tail else digits)
    return Decimal(f"{whole}.{tail[1]}" if tail else whole).normalize()


def money_value(raw: str, context: Context) -> Money:
    """An amount as money; a bare number has no currency. Raises ValueError when it is none."""
    for found in prices(flat(raw.strip()), context):
        if found.text == raw.strip():
            return Money(found.value.amount, found.value.currency)
    try:
        amount = Decimal(raw.strip())
    except InvalidOperation:
        amount = Decimal("NaN")
    if not amount.is_finite():
        raise ValueError(f"`{raw[:60]}` is no amount of money: write £12.50.")
    return Money(amount.normalize(), None)
