"""A tree as texts are read (case, marks, look-alikes: see `normalise`), and back to the syntax. Pure."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import regex

from engine.language.lookalikes import as_latin, decompose
from engine.language.normalise import fold, unseen
from engine.language.patterns.nodes import (
    Alt,
    Any,
    Char,
    Edge,
    Group,
    Look,
    Named,
    Node,
    PatternRefused,
    Range,
    Repeat,
    Seq,
    Set,
)

WIDE_RANGE = 2_048
"""A range of more characters is kept as written, but for its ASCII part: only whole alphabets are so large."""


def fold_tree(node: Node) -> Node:
    """`node` with every character as it stands in normalised text, one code point a Char; spans stay.

    Raises PatternRefused for what no normalised text can hold.
    """
    if isinstance(node, Seq):
        return _fold_all(node.items, node)
    if isinstance(node, Alt):
        return replace(node, branches=tuple(fold_tree(branch) for branch in node.branches))
    if isinstance(node, (Look, Group)):
        return replace(node, body=fold_tree(node.body))
    if isinstance(node, Repeat) and not isinstance(node.body, Char):
        return replace(node, body=fold_tree(node.body))
    if isinstance(node, Set):
        return _fold_set(node)
    return node if isinstance(node, (Any, Edge)) else _fold_all((node,), node)


def _fold_all(items: tuple[Node, ...], whole: Node) -> Node:
    """`items` folded; runs of characters together, since what a look-alike is read as depends on its word."""
    written = [_char(item) for item in items]
    if all(char is None or (char.text.isascii() and char.text.isprintable()) for char in written):
        pieces = [char.text if char else "\n" for char in written]
        joined = "".join(pieces)
    else:
        pieces = [decompose(_seen(char)) if char else "\n" for char in written]
        joined = as_latin("".join(pieces), whole_words=False)
    folded: list[Node] = []
    done = 0
    for item, char, piece in zip(items, written, pieces, strict=True):
        if char is None:
            folded.append(fold_tree(item))
        else:
            read = joined[done : done + len(piece)]
            text = read.lower() if read.isascii() else fold(read)
            chars = tuple(Char(char.start, char.end, one) for one in text)
            if isinstance(item, Repeat):
                inner = Seq(char.start, char.end, chars)
                body = chars[0] if len(chars) == 1 else Group(char.start, char.end, inner)
                folded.append(replace(item, body=body))
            else:
                folded.extend(chars)
        done += len(piece)
    return folded[0] if len(folded) == 1 else Seq(whole.start, whole.end, tuple(folded))


def _char(node: Node) -> Char | None:
    """The character that `node` is or repeats."""
    if isinstance(node, Repeat):
        node = node.body
    return node if isinstance(node, Char) else None


def _seen(char: Char) -> str:
    gone = set(unseen(char.text))
    text = "".join(one for at, one in enumerate(char.text) if at not in gone or one in "\u200c\u200d")
    if not text:
        says = f"U+{ord(char.text[0]):04X} cannot be seen and is removed from texts."
        raise PatternRefused(says, char.start, "Delete it.", char.end)
    return text.replace("\u00b4", "'")


def _fold_set(node: Set) -> Set:
    items: list[Named | Range] = [item for item in node.items if isinstance(item, Named)]
    points: set[tuple[str, str]] = set()
    for item in node.items:
        if isinstance(item, Named):
            continue
        if item.low == item.high:
            seen = _seen(Char(node.start, node.end, item.low))
            text = fold(seen)
            if len(text) != 1:
                cure = f"Write it outside: `(?:{seen}|…)`."
                says = f"`{seen}` is more than one character once folded, so it cannot stand in a set."
                raise PatternRefused(says, node.start, cure, node.end)
            points.add((text, text))
        else:
            points |= _fold_range(item.low, item.high)
    merged: list[list[int]] = []
    for low, high in sorted((ord(low), ord(high)) for low, high in points):
        if merged and low <= merged[-1][1] + 1:
            merged[-1][1] = max(merged[-1][1], high)
        else:
            merged.append([low, high])
    items += [Range(chr(low), chr(high)) for low, high in merged]
    if not items:
        raise PatternRefused("This set holds nothing that a text can hold.", node.start, "Delete it.", node.end)
    return replace(node, items=tuple(items))


@lru_cache(512)
def _fold_range(low: str, high: str) -> frozenset[tuple[str, str]]:
    first, last = ord(low), ord(high)
    found: set[tuple[str, str]] = set()
    if last - first >= WIDE_RANGE:
        found.add((low, high))
        last = min(last, 0x7F)
    for point in range(first, last + 1):
        text = fold(chr(point))
        if len(text) == 1:
            found.add((text, text))
    return frozenset(found)


_SIGNS = frozenset(r"\.^$*+?{}[]|()")
_HIDDEN = regex.compile(r"[\p{M}\p{C}\p{Z}--\ ]", regex.V1)


def render(node: Node) -> str:
    """A pattern in our syntax, and so in that of `regex`, that means what `node` means."""
    if isinstance(node, Char):
        return "".join(_escape(one, _SIGNS) for one in node.text)
    if isinstance(node, Set):
        return _render_set(node)
    if isinstance(node, Any):
        return "."
    if isinstance(node, Edge):
        return node.sign
    if isinstance(node, Seq):
        return "".join(_held(item) if isinstance(item, Alt) else render(item) for item in node.items)
    if isinstance(node, Alt):
        return "|".join(render(branch) for branch in node.branches)
    if isinstance(node, Repeat):
        single = isinstance(node.body, (Char, Set, Any, Group)) and not (
            isinstance(node.body, Char) and len(node.body.text) > 1
        )
        return (render(node.body) if single else _held(node.body)) + _count(node) + node.mode
    if isinstance(node, Group):
        return f"(?>{render(node.body)})" if node.atomic else _held(node.body)
    return f"(?{'' if node.ahead else '<'}{'!' if node.negative else '='}{render(node.body)})"


def _held(node: Node) -> str:
    return f"(?:{render(node)})"


def _count(node: Repeat) -> str:
    known = {(0, None): "*", (1, None): "+", (0, 1): "?"}.get((node.low, node.high))
    if known:
        return known
    if node.low == node.high:
        return f"{{{node.low}}}"
    return f"{{{node.low},{'' if node.high is None else node.high}}}"


def _render_set(node: Set) -> str:
    if len(node.items) == 1 and isinstance(node.items[0], Named):
        return _render_named(node.items[0], node.negated)
    parts = []
    for item in node.items:
        if isinstance(item, Named):
            parts.append(_render_named(item, False))
        else:
            low, high = (_escape(one, frozenset(r"\[]^-&|~")) for one in (item.low, item.high))
            parts.append(low if low == high else f"{low}-{high}")
    return f"[{'^' if node.negated else ''}{''.join(parts)}]"


def _render_named(item: Named, negated: bool) -> str:
    if item.negated is negated:
        return f"\\{item.name}"
    return f"\\{item.name[0].upper()}{item.name[1:]}"


def _escape(character: str, signs: frozenset[str]) -> str:
    if character in signs:
        return f"\\{character}"
    if _HIDDEN.match(character):
        point = ord(character)
        return f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"
    return character
