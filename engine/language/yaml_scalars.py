"""Plain (unquoted) YAML scalars under the 1.2 core schema. Pure."""

from __future__ import annotations

import re

_MAX_DIGITS = 18
"""Whole numbers of up to 18 digits fit the 64 bits that every reader of JSON and SQL has."""

_NULL = frozenset(("", "~", "null", "Null", "NULL"))
_BOOL = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
FIRST = frozenset("0123456789-+.~nNtTfF")
"""What a plain scalar that is no text can begin with (if it is not empty)."""

OCTAL = re.compile(r"[-+]?0[0-9]+")
_INT = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NO_NUMBER = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")


def resolve(raw: str) -> str | int | float | bool | None:
    """The value of a plain (unquoted) scalar under YAML 1.2 core. Raises ValueError with a sentence where the
    spelling means different things to different readers, or nothing that a card can hold."""
    if raw in _NULL:
        return None
    if raw[0] not in FIRST:
        return raw
    if raw in _BOOL:
        return _BOOL[raw]
    if OCTAL.fullmatch(raw):
        raise ValueError(f"`{raw[:40]}` begins with a zero: octal to some readers, decimal to others.")
    if _INT.fullmatch(raw):
        if len(raw.lstrip("-+")) > _MAX_DIGITS:
            raise ValueError(f"`{raw[:40]}` is a number of more than {_MAX_DIGITS} digits.")
        return int(raw, 0) if raw[:2] in ("0o", "0x") else int(raw)
    if _FLOAT.fullmatch(raw):
        number = float(raw)
        if number in (float("inf"), float("-inf")):
            raise ValueError(f"`{raw[:40]}` is larger than any number the engine can hold.")
        return number
    if _NO_NUMBER.fullmatch(raw):
        raise ValueError(f"`{raw}` is not a number that can be counted with.")
    return raw


def is_text(raw: str) -> bool:
    """Whether a plain scalar so spelled is text."""
    try:
        return isinstance(resolve(raw), str)
    except ValueError:
        return False
