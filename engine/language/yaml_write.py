"""Plain values to YAML text that `yaml_source` reads back as they were; the same bytes everywhere. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TypeAlias, TypeGuard

from engine.language.yaml_scalars import is_text, resolve

Value: TypeAlias = "str | int | float | bool | Sequence[Value] | Mapping[str, Value] | None"
"""What a card can hold."""

FLOW_WIDTH = 88
"""A list of single values no longer than this is written on one line: `[a, b]`."""

_NEVER = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\xa0\xad\u061c\u180e\u2000-\u200b\u200e\u200f\u2028-\u202f\u205f-\u206f\u3000"
    "\ufeff\ufff0-\ufffb\ufffe\uffff]"
)
"""Characters written as escapes: a reader would not see them (joiners of emoji and scripts stay)."""

_INDICATORS = frozenset("-?:,[]{}#&*!|>'\"%@`=~\\ ")
_NOT_PLAIN = re.compile(r": |:$| #| $")
_NOT_PLAIN_IN_FLOW = re.compile(r"[,\[\]{}:]")
_OTHER_READERS = re.compile(
    r"y|n|yes|no|on|off|true|false|null|<<|[-+.]?[0-9][0-9_.,:]*|[-+]?0[box][0-9a-f_]+|[-+]?\.(?:inf|nan)",
    re.IGNORECASE,
)
"""What a YAML 1.1 reader (many editors) takes for something else than text; dates stay unquoted."""

_ESCAPED = re.compile(_UNSEEN.pattern + r'|[\\"]')
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}


class CannotWrite(ValueError):
    """A value that no card can hold; the message is one sentence."""


def scalar(value: str | int | float | bool | None, *, flow: bool = False, style: str = "") -> str:
    """One value on one line. `style` (`plain`, `'` or `"`) is kept for a text that can be written so.
    Raises CannotWrite."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        said = repr(value)
        try:
            if resolve(said) == value:
                return said
        except ValueError:
            pass
        raise CannotWrite(f"The number {said[:40]} cannot be written in a card.")
    found = _NEVER.search(value)
    if found:
        raise CannotWrite(f"The text holds U+{ord(found[0]):04X}, which no card can hold.")
    if _UNSEEN.search(value) or style == '"':
        return '"' + _ESCAPED.sub(_escape, value) + '"'
    if style != "'" and _plain(value, flow, style == "plain"):
        return value
    return "'" + value.replace("'", "''") + "'"


def _escape(found: re.Match[str]) -> str:
    character = found[0]
    return _ESCAPES.get(character) or f"\\u{ord(character):04x}"


def _plain(text: str, flow: bool, kept: bool) -> bool:
    """Whether `text` can stand without quotes; `kept`: it did, so a backslash is no reason to quote."""
    if not text or (text[0] in _INDICATORS and not (kept and text[0] == "\\")) or _NOT_PLAIN.search(text):
        return False
    if "\\" in text and not kept:
        return False
    if flow and _NOT_PLAIN_IN_FLOW.search(text):
        return False
    return is_text(text) and not _OTHER_READERS.fullmatch(text) and not text.startswith(("---", "..."))


def inline(value: Value, *, flow: bool = True) -> str:
    """A value of any kind on one line; `flow`: as it stands within `[ ]` or `{ }`. Raises CannotWrite."""
    if isinstance(value, (str, int, float)) or value is None:
        return scalar(value, flow=flow)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(key, flow=True)}: {inline(item)}" for key, item in value.items()) + "}"
    return "[" + ", ".join(inline(item) for item in value) + "]"


def entry(key: str, value: Value) -> list[str]:
    """`key: value` in block style, as lines that are indented against its first. Raises CannotWrite."""
    head = f"{_key(key)}:"
    if isinstance(value, Mapping) and value:
        return [head, *_indented(mapping(value))]
    if _is_block(value):
        return [head, *_indented(items(value))]
    if isinstance(value, str) and (block := literal(value)):
        return [f"{head} {block[0]}", *_indented(block[1:])]
    return [f"{head} {inline(value, flow=False)}"]


def mapping(value: Mapping[str, Value]) -> list[str]:
    """The entries of a mapping in block style, as lines. Raises CannotWrite."""
    return [line for key, item in value.items() for line in entry(key, item)]


def items(value: Sequence[Value], gap: int = 1) -> list[str]:
    """The items of a list in block style, as lines; `gap` is the number of spaces after the dash."""
    return [line for one in value for line in item(one, gap)]


def item(value: Value, gap: int = 1) -> list[str]:
    """One item of a list in block style, as lines that are indented against its dash. Raises CannotWrite."""
    by = gap + 1
    if isinstance(value, Mapping) and value:
        lines = mapping(value)
    elif _is_block(value):
        lines = items(value)
    elif isinstance(value, str) and (block := literal(value)):
        lines, by = block, 2
    else:
        lines = [inline(value, flow=False)]
    return [f"-{' ' * gap}{lines[0]}", *_indented(lines[1:], by)]


def literal(text: str) -> list[str]:
    """A text of several lines as a literal block (`|`), header first; empty if it cannot be so written."""
    body = text.removesuffix("\n")
    lines = body.split("\n")
    if "\n" not in text or not lines[0] or not lines[-1] or lines[0][0] == " ":
        return []
    if _UNSEEN.search(text.replace("\n", "")) or any(line.endswith(" ") for line in lines):
        return []
    return ["|" if text.endswith("\n") else "|-", *lines]


def document(value: Mapping[str, Value], newline: str = "\n") -> str:
    """A whole file. Raises CannotWrite."""
    return newline.join([*mapping(value), ""])


def _key(key: str, flow: bool = False) -> str:
    if "\n" in key or len(key) > 200:
        raise CannotWrite("A key is one line of at most 200 characters.")
    return scalar(key, flow=flow)


def _indented(lines: list[str], by: int = 2) -> list[str]:
    return [" " * by + line if line else line for line in lines]


def _is_block(value: Value) -> TypeGuard[Sequence[Value]]:
    """Whether `value` is a list that takes a line an item: it is long, or holds more than single values."""
    if isinstance(value, (str, Mapping)) or not isinstance(value, Sequence) or not value:
        return False
    if not all(isinstance(one, (str, int, float)) for one in value):
        return True
    return any(isinstance(one, str) and "\n" in one for one in value) or len(inline(value)) > FLOW_WIDTH
