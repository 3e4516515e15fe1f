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
    return as_json(_plain(value))


def as_json(value: Any) -> str:
    """JSON as it can be stored and printed: halves of characters that no UTF-8 holds are written as escapes."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, sort_keys=True)
    return text


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
        return {_escaped(str(name)): _plain(one) for name, one in value.items()}
    return str(value)


def _escaped(name: str) -> str:
    """A name of a record that could be taken for the sign of a type."""
    return f"${name}" if name.startswith("$") else name


_READ = {"$instant": dt.datetime.fromisoformat, "$date": dt.date.fromisoformat, "$decimal": Decimal, "$failed": Failed}


def _object(value: dict[str, Any]) -> Any:
    if len(value) == 1:
        (name, text), *_ = value.items()
        if name in _READ and isinstance(text, str):
            return _READ[name](text)  # type: ignore[operator]
    return {name[1:] if name.startswith("$$") else name: one for name, one in value.items()}
