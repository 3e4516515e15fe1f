"""One index over many patterns: which of them may match a text, told by what their matches must contain. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import regex

from engine.language.normalise import Normal
from engine.language.patterns.compile import Pattern

GRAM = 4
"""Strings are looked up by so many of their characters; `in` decides the rest."""

FEW = 40
"""So many bare strings are looked for one by one; more go by grams."""

_WORD = regex.compile(r"\w+")
_APART = "".join(chr(at) if chr(at).isalnum() or chr(at) == "_" else " " for at in range(128))
Table = dict[int, dict[str, list[tuple[str, list[int]]]]]
"""By length of the key: the key, and the strings under it with their patterns."""


class Index:
    """Finds the patterns that may match; never leaves out one that does. Patterns are known by their place."""

    def __init__(self, patterns: Sequence[Pattern]) -> None:
        words: dict[str, set[int]] = defaultdict(set)
        heads: dict[str, set[int]] = defaultdict(set)
        parts: dict[str, set[int]] = defaultdict(set)
        self.slow: list[int] = []
        for at, pattern in enumerate(patterns):
            if not pattern.needs:
                self.slow.append(at)
            for need in pattern.needs:
                {"word": words, "head": heads, "part": parts}[need.kind][need.text].add(at)
        self._words = {word: sorted(found) for word, found in words.items()}
        self._heads = _table((text, text[:GRAM], found) for text, found in heads.items())
        few = len(parts) <= FEW
        self._few = [(text, sorted(found)) for text, found in parts.items()] if few else []
        self._parts = {} if few else _table(_rare_grams(parts))

    def candidates(self, normal: Normal) -> set[int]:
        """The places of the patterns that may match."""
        text = normal.text
        found = set(self.slow)
        words = set(text.translate(_APART).split() if text.isascii() else _WORD.findall(text))
        for word in self._words.keys() & words:
            found.update(self._words[word])
        for size, keys in self._heads.items():
            _add(found, keys, {word[:size] for word in words}, text)
        for part, patterns in self._few:
            if part in text:
                found.update(patterns)
        for size, keys in self._parts.items():
            grams = set(text) if size == 1 else {text[at : at + size] for at in range(len(text) - size + 1)}
            _add(found, keys, grams, text)
        return found


def _add(found: set[int], keys: dict[str, list[tuple[str, list[int]]]], here: set[str], text: str) -> None:
    for key in keys.keys() & here:
        for string, patterns in keys[key]:
            if string in text:
                found.update(patterns)


def _table(entries: Iterable[tuple[str, str, set[int]]]) -> Table:
    table: Table = {}
    for text, key, found in entries:
        table.setdefault(len(key), {}).setdefault(key, []).append((text, sorted(found)))
    return table


def _rare_grams(parts: dict[str, set[int]]) -> Iterable[tuple[str, str, set[int]]]:
    """Each string under that of its grams which the fewest share."""
    shared: dict[str, int] = defaultdict(int)
    grams = {text: {text[at : at + GRAM] for at in range(max(1, len(text) - GRAM + 1))} for text in parts}
    for some in grams.values():
        for gram in some:
            shared[gram] += 1
    for text, found in parts.items():
        yield text, min(grams[text], key=lambda gram: (shared[gram], gram)), found
