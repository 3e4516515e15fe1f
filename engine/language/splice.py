"""Edits to YAML text at the marks of its values: every other byte (comments, quotes, line ends) stays. Pure.

Each edit reads the text, changes one stretch of it, reads the result and compares: unless exactly the value
asked for has changed, it is refused. So a form of YAML not foreseen here is refused, never spoilt.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping
from typing import Any

from engine.language.yaml_source import Path, Source, Span, parse, spell
from engine.language.yaml_write import CannotWrite, Value, entry, inline, item, literal, scalar

_HEADER = re.compile(r"[|>][-+0-9]*")
_GAP = re.compile(r"- *")


class SpliceRefused(Exception):
    """An edit that would change more than it should, or cannot be made; the message is one sentence."""


def append_item(text: str, path: Path, value: Value) -> str:
    """`text` with `value` as the last item of the list at `path`.

    A missing list is begun at the end of its mapping, an empty one (`[]`, or a key without a value) in its
    place. Raises SpliceRefused.
    """
    source = _read(text)
    at = source.spans.get(path)
    expected = copy.deepcopy(source.value)
    if at is None:
        parent = _mapping_at(source, path[:-1])
        _at(expected, path[:-1])[path[-1]] = [value]
        return _checked(_insert(source, path, _last(parent), [value]), expected, path)
    found = _at(source.value, path)
    if found is None:
        _at(expected, path[:-1])[path[-1]] = [value]
    elif isinstance(found, list):
        _at(expected, path).append(value)
    else:
        raise SpliceRefused(f"`{spell(path)}` is no list.")
    if at.style == "-":
        return _checked(_append_block(source, path, at, value), expected, path)
    if found:
        end = source.spans[(*path, len(found) - 1)].end
        return _checked(_put(text, end, end, f", {_inline(value)}"), expected, path)
    return _checked(_begin_list(source, path, at, value), expected, path)


def set_scalar(text: str, path: Path, value: str | int | float | bool | None) -> str:
    """`text` with the single value at `path` replaced; its kind of quotes is kept where it can be.

    Raises SpliceRefused.
    """
    source = _read(text)
    at = source.spans.get(path)
    if at is None or not path:
        raise SpliceRefused(f"There is no `{spell(path)}`.")
    if at.style in "{[:-":
        raise SpliceRefused(f"`{spell(path)}` is no single value.")
    expected = copy.deepcopy(source.value)
    _at(expected, path[:-1])[path[-1]] = value
    within_flow = _in_flow(source, path)
    if at.style in ("|", ">"):
        return _checked(_replace_block(source, path, at, value), expected, path)
    plain = at.style == "plain" and "\\" not in text[at.start : at.end]
    said = _said(value, flow=within_flow, style="" if plain else at.style)
    if at.start == at.end:
        said = " " + said
    return _checked(_put(text, at.start, at.end, said), expected, path)


def insert_key(text: str, after: Path, key: str, value: Value) -> str:
    """`text` with `key: value` put after the entry at `after`, in the same mapping. Raises SpliceRefused."""
    source = _read(text)
    if after not in source.keys:
        raise SpliceRefused(f"There is no key `{spell(after)}`.")
    path = (*after[:-1], key)
    if path in source.keys:
        raise SpliceRefused(f"`{spell(path)}` stands there already.")
    expected = copy.deepcopy(source.value)
    parent = _at(expected, after[:-1])
    entries = list(parent.items())
    place = [name for name, _ in entries].index(str(after[-1])) + 1
    parent.clear()
    parent.update([*entries[:place], (key, value), *entries[place:]])
    return _checked(_insert(source, path, after[-1], value), expected, path)


def remove_key(text: str, path: Path) -> str:
    """`text` without the entry at `path`: its lines, or its part of a `{ }`. Raises SpliceRefused."""
    source = _read(text)
    if path not in source.keys:
        raise SpliceRefused(f"There is no key `{spell(path)}`.")
    parent = _mapping_at(source, path[:-1])
    if len(parent) == 1:
        raise SpliceRefused(f"`{spell(path)}` is the only key of its mapping.")
    expected = copy.deepcopy(source.value)
    del _at(expected, path[:-1])[path[-1]]
    names = list(parent)
    index = names.index(str(path[-1]))
    start, end = source.keys[path].start, _end(source, path)
    following = source.keys[(*path[:-1], names[index + 1])].start if index + 1 < len(names) else None
    if source.spans[path[:-1]].style == "{":
        if following is not None:
            end = following
        else:
            start = _end(source, (*path[:-1], names[index - 1]))
    elif not text[_line_start(text, start) : start].strip("\ufeff "):
        start, end = max(_line_start(text, start), int(text.startswith("\ufeff"))), _after(source, path)
    elif following is not None:  # the first key of a list item: `- key: value`
        end = following
    if "#" in _without_values(source, start, end):
        raise SpliceRefused(f"A comment stands within `{spell(path)}` and would be lost.")
    return _checked(_put(text, start, end, ""), expected, path)


def _read(text: str) -> Source:
    source, problems = parse(text, "")
    if source is None or problems:
        first = problems[0]
        where = f"Line {first.place.line}: " if first.place.line else ""
        raise SpliceRefused(f"The file has a mistake. {where}{first.says}")
    return source


def _checked(text: str, expected: Any, path: Path) -> str:
    """`text` if it reads as `expected`."""
    source, problems = parse(text, "")
    if source is None or problems or not _same(source.value, expected):
        raise SpliceRefused(f"`{spell(path)}` cannot be changed here without changing more; edit it by hand.")
    return text


def _same(one: Any, other: Any) -> bool:
    """Equal with equal types and an equal order of keys (`1`, `1.0` and `true` differ)."""
    if isinstance(one, dict) and isinstance(other, Mapping):
        return list(one) == list(other) and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(_same, one, other))
    return type(one) is type(other) and bool(one == other)


def _at(value: Any, path: Path) -> Any:
    for part in path:
        value = value[part]
    return value


def _mapping_at(source: Source, path: Path) -> dict[str, Any]:
    found = _at(source.value, path) if path in source.spans else None
    if not isinstance(found, dict):
        raise SpliceRefused(f"There is no mapping at `{spell(path)}`.")
    return found


def _last(mapping: dict[str, Any]) -> str | None:
    return next(reversed(mapping), None)


def _in_flow(source: Source, path: Path) -> bool:
    """Whether the value at `path` stands within `{ }` or `[ ]`."""
    return any(source.spans[path[:length]].style in "{[" for length in range(len(path)))


def _put(text: str, start: int, end: int, new: str) -> str:
    return text[:start] + new + text[end:]


def _said(value: str | int | float | bool | None, *, flow: bool, style: str = "") -> str:
    try:
        return scalar(value, flow=flow, style=style)
    except CannotWrite as error:
        raise SpliceRefused(str(error)) from None


def _inline(value: Value) -> str:
    try:
        return inline(value)
    except CannotWrite as error:
        raise SpliceRefused(str(error)) from None


def _line_start(text: str, index: int) -> int:
    return text.rfind("\n", 0, index) + 1


def _line_end(text: str, index: int) -> int:
    """The index after the line feed of the line that holds `index`."""
    found = text.find("\n", index)
    return len(text) if found < 0 else found + 1


def _end(source: Source, path: Path) -> int:
    """The end of the value at `path`, or of its key when it has none."""
    span = source.spans[path]
    return max(span.end, source.keys[path].end) if path in source.keys else span.end


def _after(source: Source, path: Path) -> int:
    """The index at which a line can be put after the value at `path`: before blank lines and comments."""
    text, last = source.text, path
    while source.spans[last].style in (":", "-"):
        value = _at(source.value, last)
        last = (*last, list(value)[-1] if isinstance(value, dict) else len(value) - 1)
    span = source.spans[last]
    if span.style not in ("|", ">"):
        return _line_end(text, _end(source, last))
    return _block_end(text, span)


def _block_end(text: str, span: Span) -> int:
    """The index after the last line of a block text; blank lines are part of it if its header keeps them."""
    header = _HEADER.match(text, span.start)
    if header and "+" in header[0]:
        return span.end
    return _line_end(text, span.start + len(text[span.start : span.end].rstrip(" \t\r\n")) - 1)


def _newline(text: str, index: int) -> str:
    """The line end in use just before `index`."""
    found = text.rfind("\n", 0, index)
    if found < 0:
        found = text.find("\n")
    return "\r\n" if found > 0 and text[found - 1] == "\r" else "\n"


def _put_lines(text: str, index: int, lines: list[str], column: int) -> str:
    """`text` with whole lines put at `index`, the begin of a line or the end of the text."""
    newline = _newline(text, index)
    block = "".join(" " * column * bool(line) + line + newline for line in lines)
    if index and text[index - 1] != "\n":
        block = newline + block.removesuffix(newline)
    return _put(text, index, index, block)


def _insert(source: Source, path: Path, after: str | int | None, value: Value) -> str:
    """The text with an entry put in the mapping above `path`, after its key `after` (None: it is empty)."""
    text, parent, key = source.text, path[:-1], str(path[-1])
    span = source.spans[parent]
    if span.style == "{":
        said = f"{_said(key, flow=True)}: {_inline(value)}"
        if after is None:
            return _put(text, span.start + 1, span.start + 1, said)
        end = _end(source, (*parent, after))
        return _put(text, end, end, f", {said}")
    first = source.keys[(*parent, next(iter(_at(source.value, parent))))]
    assert after is not None
    return _put_lines(text, _after(source, (*parent, after)), _entry(key, value, source), first.column - 1)


def _entry(key: str, value: Value, source: Source) -> list[str]:
    """The lines of a block entry; a list of mappings is indented as the file indents its lists."""
    try:
        if isinstance(value, list) and value and isinstance(value[0], Mapping):
            by = " " * _step(source)
            lines = [line for one in value for line in item(one)]
            return [f"{_said(key, flow=False)}:", *(by + line if line else line for line in lines)]
        return entry(key, value)
    except CannotWrite as error:
        raise SpliceRefused(str(error)) from None


def _step(source: Source) -> int:
    """How far the file indents the dashes of a list against its key: as its first list does, else 2."""
    for path, span in source.spans.items():
        if span.style == "-" and path in source.keys:
            return max(0, span.column - source.keys[path].column)
    return 2


def _append_block(source: Source, path: Path, at: Span, value: Value) -> str:
    first = source.spans[(*path, 0)]
    gap = source.text[at.start : first.start]
    width = len(gap) - 1 if _GAP.fullmatch(gap) and len(gap) > 1 else 1
    try:
        lines = item(value, width)
    except CannotWrite as error:
        raise SpliceRefused(str(error)) from None
    return _put_lines(source.text, _after(source, path), lines, at.column - 1)


def _begin_list(source: Source, path: Path, at: Span, value: Value) -> str:
    """The text with `[]`, `null` or nothing at `path` replaced by a list of one item."""
    text = source.text
    key = source.keys.get(path)
    written = text[key.end if key else at.start : at.end]
    single = not isinstance(value, (Mapping, list))
    if key is None or single or _in_flow(source, path) or "\n" in written:
        if at.style == "[":
            return _put(text, at.start + 1, at.start + 1, _inline(value))
        return _put(text, at.start, at.end, f"{' ' * (at.start == at.end)}[{_inline(value)}]")
    colon = text.index(":", key.end)
    kept = text[at.end : _line_end(text, at.end)]
    emptied = text[: colon + 1] + kept + text[at.end + len(kept) :]
    lines = _entry("k", [value], source)[1:]
    return _put_lines(emptied, colon + 1 + len(kept), lines, key.column - 1)


def _replace_block(source: Source, path: Path, at: Span, value: str | int | float | bool | None) -> str:
    """The text with a block text (`|`, `>`) at `path` replaced; a comment behind its header stays."""
    text = source.text
    header = _HEADER.match(text, at.start)
    assert header is not None
    head_end, end = _line_end(text, at.start), _block_end(text, at)
    comment = text[header.end() : head_end]
    lines = literal(value) if isinstance(value, str) else []
    if not lines:
        return text[: at.start] + _said(value, flow=False) + comment + text[end:]
    parent = source.keys.get(path)
    column = parent.column - 1 if parent else at.column - 3
    newline = _newline(text, head_end)
    body = "".join((" " * (column + 2) + line if line else line) + newline for line in lines[1:])
    return text[: at.start] + lines[0] + comment + body + text[end:]


def _without_values(source: Source, start: int, end: int) -> str:
    """What stands between `start` and `end` outside keys and values: punctuation, space, comments."""
    kept = list(source.text[start:end])
    for span in (*source.spans.values(), *source.keys.values()):
        if span.style in "{[:-":
            continue
        first = _line_end(source.text, span.start) if span.style in "|>" else span.start
        for index in range(max(first, start), min(span.end, end)):
            kept[index - start] = " "
    return "".join(kept)
