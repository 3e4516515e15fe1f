"""Strict reading of what a model or a port gave: one JSON object of exactly the fields that were asked for."""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Mapping
from typing import Any

from engine.ports import CallFailed

MOST = 200_000
"""Most characters of an answer that are read."""
DEEPEST = 40
_FENCE = re.compile(r"\s*```")
_CALL = re.compile(r"<\|?tool_call|\"?(?:tool_calls?|function_call)\"?\s*[:=]|<function=|\bfunctions\.\w+\(")
_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,), "boolean": (bool,), "number": (int, float), "integer": (int,), "array": (list,),
    "object": (dict,), "null": (type(None),),
}  # fmt: skip


def fields(text: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of an answer's text. Raises CallFailed: `empty`, `tool_call` for a call written as prose, else
    `bad_form`. What it says holds none of the text's words."""
    if not text.strip():
        raise CallFailed("empty", "The answer has no words.", text)
    if len(text) > MOST:
        raise CallFailed("bad_form", f"The answer has {len(text):,} characters; the most is {MOST:,}.", text[:1000])
    if text.count("{") + text.count("[") > 5 * DEEPEST and _depth(text) > DEEPEST:
        raise CallFailed("bad_form", f"The answer is nested deeper than {DEEPEST} levels.", text[:1000])
    if _CALL.search(text) and not _only_words(text, schema):
        raise CallFailed("tool_call", "The answer is a tool call written as prose.", text)
    if _FENCE.match(text):
        raise CallFailed("bad_form", "The answer stands in a code fence.", text)
    try:
        read = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
    except _Refused as refused:
        raise CallFailed("bad_form", str(refused), text) from None
    except (ValueError, RecursionError) as error:
        says = "more than one JSON value" if "Extra data" in str(error) else "no whole JSON"
        raise CallFailed("bad_form", f"The answer is {says}.", text) from None
    try:
        return check(read, schema)
    except CallFailed as failed:
        raise CallFailed(failed.error, failed.says, text) from None


def check(value: Any, schema: Mapping[str, Any]) -> dict[str, Any]:
    """The object, if it has every required field, no other than the schema's, and each of its type. Raises CallFailed
    (`bad_form`) naming the field and what is wrong, never its value."""
    if not isinstance(value, dict):
        raise CallFailed("bad_form", "The answer is no JSON object.")
    for name in schema["required"]:
        if name not in value:
            raise CallFailed("bad_form", f"The field `{name}` is missing.")
    for name, one in value.items():
        if name not in schema["properties"]:
            raise CallFailed("bad_form", "The answer has a field that was not asked for.")
        _one(name, one, schema["properties"][name])
    return value


def _one(name: str, value: Any, schema: Mapping[str, Any]) -> None:
    kinds = schema.get("type", "string")
    kinds = kinds if isinstance(kinds, list) else [kinds]
    fits = [
        kind
        for kind in kinds
        if isinstance(value, _TYPES[kind]) and not (isinstance(value, bool) and kind != "boolean")
    ]
    if not fits:
        raise CallFailed("bad_form", f"The field `{name}` is no {' or '.join(kinds)}.")
    if value is None:
        return
    if "enum" in schema and value not in schema["enum"]:
        raise CallFailed("bad_form", f"The field `{name}` is none of its choices.")
    if ("minimum" in schema and value < schema["minimum"]) or ("maximum" in schema and value > schema["maximum"]):
        raise CallFailed("bad_form", f"The field `{name}` is out of its bounds.")
    if "pattern" in schema and not re.search(schema["pattern"], value):
        raise CallFailed("bad_form", f"The field `{name}` has not the form it should have.")
    if schema.get("format") in ("date", "date-time"):
        _date(name, value, schema["format"])
    if isinstance(value, list) and "items" in schema:
        for item in value:
            _one(name, item, schema["items"])


def _date(name: str, value: str, form: str) -> None:
    read = dt.date.fromisoformat if form == "date" else dt.datetime.fromisoformat
    try:
        read(value)
    except ValueError:
        raise CallFailed("bad_form", f"The field `{name}` is no {form}.") from None


class _Refused(ValueError):
    pass


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read = dict(pairs)
    if len(read) < len(pairs):
        raise _Refused("The answer has the same key twice.")
    return read


def _no_constant(name: str) -> Any:
    raise _Refused(f"The answer holds {name}, which is no JSON.")


def _depth(text: str) -> int:
    """How deep brackets are nested, those within strings counted too (they only make it stricter)."""
    deepest = depth = 0
    for char in text:
        if char in "{[":
            depth += 1
            deepest = max(deepest, depth)
        elif char in "}]":
            depth -= 1
    return deepest


def _only_words(text: str, schema: Mapping[str, Any]) -> bool:
    """Whether the text is the object asked for, in whose words a call is only mentioned."""
    try:
        read = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(read, dict) and set(read) <= set(schema["properties"])
