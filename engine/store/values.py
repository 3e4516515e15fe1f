"""Typed values as JSON and back: what marks carry and logs keep comes back as it was."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from typing import Any

from engine.language.turn import Failed, Item


def dumped(value: Any) -> str:
    """A value as JSON text. Dates, times and decimals are kept as {"$type": …}; a value of a fact's own type (a link,
    an amount) as its text, which is read back by the fact's type."""
    return json.dumps(_plain(value), ensure_ascii=False, sort_keys=True)


def loaded(text: str) -> Any:
    """The value of `dumped`. Raises ValueError."""
    return json.loads(text, object_hook=_object)


def _plain(value: Any) -> Any:
    if isinstance(value, Item):
        return _plain(value.value)
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, dt.datetime):
        return {"$instant": value.isoformat()}
    if isinstance(value, dt.date):
        return {"$date": value.isoformat()}
    if isinstance(value, Decimal):
        return {"$decimal": str(value)}
    if isinstance(value, Failed):
        return {"$failed": value.source}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    if isinstance(value, dict):
        return {str(name): _plain(one) for name, one in value.items()}
    return str(value)


_READ = {"$instant": dt.datetime.fromisoformat, "$date": dt.date.fromisoformat, "$decimal": Decimal, "$failed": Failed}


def _object(value: dict[str, Any]) -> Any:
    if len(value) == 1:
        (name, text), *_ = value.items()
        if name in _READ and isinstance(text, str):
            return _READ[name](text)  # type: ignore[operator]
    return value
