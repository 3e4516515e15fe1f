"""A decision as JSON and back. Typed by the dataclasses themselves; nothing is ever unpickled."""

from __future__ import annotations

import dataclasses
import datetime as dt
import types
import typing
from collections.abc import Mapping
from functools import cache
from typing import Any, Union

from engine.decision import Decision
from engine.language.turn import Failed
from engine.store.values import dumped, loaded


def encode(decision: Decision) -> str:
    """The decision as JSON text; a value of a fact's own type is kept as its text."""
    return dumped(_plain(decision))


def decode(text: str) -> Decision:
    """The decision of `encode`. Fields of a later version that this one does not know are left out. Raises ValueError
    for what is no decision."""
    try:
        return typing.cast(Decision, _build(Decision, loaded(text)))
    except TypeError:
        raise ValueError("Something that every decision has is missing.") from None


def _plain(value: Any) -> Any:
    if isinstance(value, Failed):
        return value
    if dataclasses.is_dataclass(value) and not isinstance(value, type) and type(value).__module__ in _OURS:
        return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(name): _plain(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    return value


_OURS = ("engine.decision", "engine.ports", "engine.language.conditions", "engine.language.turn")


@cache
def _hints(kind: type) -> dict[str, Any]:
    return typing.get_type_hints(kind)


def _build(kind: Any, value: Any) -> Any:
    """A value of `kind` out of plain data. Raises ValueError, TypeError where a field is missing."""
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if kind is Any:
        return value
    if origin in (Union, types.UnionType):
        return None if value is None else _build(next(one for one in inner if one is not type(None)), value)
    if origin is tuple:
        _must_be(list, value)
        if len(inner) == 2 and inner[1] is Ellipsis:
            return tuple(_build(inner[0], one) for one in value)
        return tuple(_build(one, item) for one, item in zip(inner, value, strict=True))
    if origin is Mapping:
        _must_be(Mapping, value)
        return {str(name): _build(inner[1], one) for name, one in value.items()}
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        _must_be(Mapping, value)
        hints, known = _hints(kind), {field.name for field in dataclasses.fields(kind)}
        return kind(**{name: _build(hints[name], one) for name, one in value.items() if name in known})
    if kind is dt.datetime:
        read = dt.datetime.fromisoformat(value) if isinstance(value, str) else value
        _must_be(dt.datetime, read)
        if read.tzinfo is None:
            raise ValueError(f"`{read}` has no offset.")
        return read
    if kind is float:
        _must_be((int, float), value)
        return float(value)
    _must_be(kind, value)
    return value


def _must_be(kind: Any, value: Any) -> None:
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise ValueError(f"`{str(value)[:40]}` stands where something else belongs.")
