"""Typed values: how a literal is read as its left side's type, and how two values of a type compare."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass, field
from typing import Any
from zoneinfo import ZoneInfo

from engine.language.extract import Context, Moment, Money, normalise_value
from engine.language.facts import Type
from engine.language.normalise import normalise
from engine.language.problems import nearest

SECONDS = {"ms": 0.001, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
_QUANTITY = re.compile(r"^\s*([-+]?\d+(?:\.\d+)?)\s*(ms|s|min|h|d|%)?\s*$")
_CLOCK = re.compile(r"^([01]?\d|2[0-3]):([0-5]\d)$|^(24):(00)$")
EXTRACTOR = {
    "link": "links", "host": "hosts", "phone": "phones", "email": "emails", "moment": "times",
    "money": "prices", "order_number": "order_numbers",
}  # fmt: skip
ORDERED = ("number", "percent", "duration", "instant", "clock", "date", "money")


@dataclass(frozen=True)
class Quantity:
    """A number with what it measures: `number`, `duration` (seconds) or `percent`; and how it was written."""

    kind: str
    amount: float
    written: str = field(default="", compare=False)


def read_quantity(raw: Any) -> Quantity:
    """`20`, `0.8`, `15 min`, `80 %`. Raises ValueError with one sentence."""
    if isinstance(raw, bool) or not isinstance(raw, (int, float, str)):
        raise ValueError(f"`{_shown(raw)}` is no number.")
    if not isinstance(raw, str):
        return Quantity("number", float(raw), str(raw))
    match = _QUANTITY.match(raw)
    if not match:
        raise ValueError(f"`{_shown(raw)}` is no number with a unit (ms, s, min, h, d, %).")
    amount, unit = float(match[1]), match[2]
    if unit == "%":
        return Quantity("percent", amount, raw.strip())
    if unit:
        return Quantity("duration", amount * SECONDS[unit], raw.strip())
    raise ValueError(f"`{_shown(raw)}` is text: write the number without quotes, or with its unit.")


def read_duration(raw: Any) -> float:
    """Seconds of `15 min`, `48 h`. Raises ValueError with one sentence."""
    try:
        quantity = read_quantity(raw)
    except ValueError:
        quantity = None
    if quantity is None or quantity.kind != "duration":
        raise ValueError(f"`{_shown(raw)}` is no length of time: write for instance `15 min` (ms, s, min, h, d).")
    return quantity.amount


def read_literal(raw: Any, kind: Type, context: Context) -> Any:
    """`raw` as one value of `kind`, in the form in which facts of that kind are compared.

    Raises ValueError with one sentence (a cure may follow after a line break).
    """
    if kind.name == "choice":
        return _choice(raw, kind.choices)
    if kind.name in EXTRACTOR:
        if not isinstance(raw, str):
            raise ValueError(f"`{_shown(raw)}` is no {kind.name}: write it as text, in quotes.")
        return normalise_value(EXTRACTOR[kind.name], raw, context)
    reader = _READERS.get(kind.name)
    if reader is None:
        raise ValueError(f"A {kind.name} cannot be written as a value.\nAsk for one of its fields, or `empty`.")
    return reader(raw, context)


def _choice(raw: Any, choices: tuple[str, ...]) -> str:
    if isinstance(raw, str) and raw in choices:
        return raw
    raise ValueError(f"`{_shown(raw)}` is not one of {', '.join(choices)}.\n{nearest(str(raw), choices)}")


def _text(raw: Any, context: Context) -> str:
    if not isinstance(raw, str):
        raise ValueError(f"`{_shown(raw)}` is no text: put it in quotes.")
    return raw


def _yes_no(raw: Any, context: Context) -> bool:
    if not isinstance(raw, bool):
        raise ValueError(f"`{_shown(raw)}` is neither true nor false.\nWrite `true` or `false`.")
    return raw


def _number(raw: Any, context: Context) -> float:
    if isinstance(raw, bool) or not isinstance(raw, (int, float)):
        hint = "\nTake the quotes away." if isinstance(raw, str) and _QUANTITY.match(raw) else ""
        raise ValueError(f"`{_shown(raw)}` is no number.{hint}")
    return float(raw)


def _percent(raw: Any, context: Context) -> float:
    if isinstance(raw, str):
        quantity = read_quantity(raw)
        if quantity.kind == "percent":
            return quantity.amount
    return _number(raw, context)


def _instant(raw: Any, context: Context) -> dt.datetime:
    if isinstance(raw, dt.datetime):
        read = raw
    else:
        try:
            read = dt.datetime.fromisoformat(_text(raw, context))
        except ValueError:
            raise ValueError(f"`{_shown(raw)}` is no instant: write 2026-09-21T14:30.") from None
    return read if read.tzinfo else read.replace(tzinfo=ZoneInfo(context.zone))


def _clock(raw: Any, context: Context) -> int:
    match = _CLOCK.match(raw) if isinstance(raw, str) else None
    if not match:
        raise ValueError(f"`{_shown(raw)}` is no time of day: write 08:00.")
    hour, minute = (match[1], match[2]) if match[1] else (match[3], match[4])
    return int(hour) * 60 + int(minute)


def _date(raw: Any, context: Context) -> dt.date:
    if isinstance(raw, dt.date):
        return raw
    try:
        return dt.date.fromisoformat(_text(raw, context))
    except ValueError:
        raise ValueError(f"`{_shown(raw)}` is no date: write 2026-09-21.") from None


def _duration(raw: Any, context: Context) -> float:
    return float(raw) if isinstance(raw, float) else read_duration(raw)


_READERS = {
    "text": _text, "yes_no": _yes_no, "number": _number, "percent": _percent, "instant": _instant,
    "clock": _clock, "date": _date, "duration": _duration,
}  # fmt: skip


def same(kind: str, a: Any, b: Any, tolerance: float = 0.0) -> bool:
    """Whether two values of a type are the same; texts after normalisation, times within `tolerance` seconds."""
    if kind == "moment":
        return isinstance(b, Moment) and isinstance(a, Moment) and b.contains(a, tolerance)
    if kind == "money" and isinstance(a, Money) and isinstance(b, Money):
        return a.same(b)
    if kind == "text" and isinstance(a, str) and isinstance(b, str):
        return a == b or normalise(a).text.strip() == normalise(b).text.strip()
    if kind == "instant" and tolerance:
        return bool(abs((a - b).total_seconds()) <= tolerance)
    return bool(a == b)


def likeness(a: str, b: str) -> float:
    """How alike two texts are, 0 to 1: Dice coefficient of their character trigrams after normalisation.

    Linear in the length of the texts. Source: L. R. Dice, Ecology 26 (1945).
    """
    left, right = _trigrams(a), _trigrams(b)
    if not left or not right:
        return 1.0 if left == right else 0.0
    return 2 * len(left & right) / (len(left) + len(right))


def _trigrams(text: str) -> frozenset[str]:
    padded = f"  {normalise(text).text.strip()} " if text.strip() else ""
    return frozenset(padded[at : at + 3] for at in range(len(padded) - 2))


def _shown(raw: Any) -> str:
    spelled = str(raw).lower() if isinstance(raw, bool) else str(raw)
    return spelled if len(spelled) <= 60 else spelled[:57] + "…"
