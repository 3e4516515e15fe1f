"""What every match of a pattern must contain, for the index: words, beginnings of words, or bare strings. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engine.language.patterns.nodes import (
    Alt,
    Char,
    Edge,
    Group,
    Look,
    Named,
    Node,
    Range,
    Repeat,
    Seq,
    Set,
    bare,
    is_word,
)

MOST = 48
"""The most strings that a part is written out as, and that a pattern needs one of."""

SMALL_SET = 16
"""A set of so many characters is written out as each of them."""

# Marks within the strings below; no normalised text holds them.
_EDGE = "\x08"  # a word edge, or an end of the text
_SIGN = "\x02"  # some character that is no part of a word
Strings = frozenset[str]


@dataclass(frozen=True, slots=True, order=True)
class Need:
    """A string that a match contains: a whole word of the text, the beginning of one (`head`), or any part of it."""

    text: str
    kind: str

    def worth(self) -> float:
        """How much looking for it spares: longer strings are rarer, and words are found faster than parts."""
        size = len(self.text)
        if size < 3:
            return size / 2
        return min(size, 4) if self.kind == "part" else size + (self.kind == "word")


def needs(tree: Node) -> frozenset[Need]:
    """Needs of which every match of a folded tree contains at least one; empty when none are known."""
    return _Finder().best(tree)


class _Finder:
    def best(self, node: Node) -> frozenset[Need]:
        """The needs of `node` that spare the most."""
        candidates = list(self._candidates(node))
        return max(candidates, key=_worth, default=frozenset())

    def _candidates(self, node: Node) -> Iterator[frozenset[Need]]:
        whole = _strings(node)
        if whole is not None:
            yield from _needs_of(whole)
            return
        if isinstance(node, Seq):
            yield from self._in_turn(node.items)
        elif isinstance(node, Alt):
            branches = [self.best(branch) for branch in node.branches]
            if all(branches):
                union = frozenset().union(*branches)
                if len(union) <= len(branches) * MOST:
                    yield union
        elif (
            isinstance(node, Group)
            or (isinstance(node, Repeat) and node.low > 0)
            or (isinstance(node, Look) and node.ahead and not node.negative)
        ):
            yield self.best(node.body)

    def _in_turn(self, items: tuple[Node, ...]) -> Iterator[frozenset[Need]]:
        run: Strings = frozenset({""})
        for item in items:
            strings = _strings(item)
            if strings is None:
                apart = _SIGN if _always_sign(item) else ""
                yield from _needs_of(frozenset(one + apart for one in run))
                yield self.best(item)
                run = frozenset({apart})
            elif len(run) * len(strings) > MOST:
                yield from _needs_of(run)
                run = strings
            else:
                run = frozenset(left + right for left in run for right in strings)
        yield from _needs_of(run)


def _strings(node: Node) -> Strings | None:
    """All that `node` can match, with marks, if that is a few strings."""
    if isinstance(node, Char):
        return frozenset({node.text})
    if isinstance(node, Set):
        return _set_strings(node)
    if isinstance(node, Edge):
        return frozenset({"" if node.sign == "\\B" else _EDGE})
    if isinstance(node, Look):
        body = bare(node.body)
        beside_word = node.negative and isinstance(body, Set) and body.items == (Named("w"),) and not body.negated
        if node.ahead and not node.negative:
            return None
        return frozenset({_EDGE if beside_word else ""})
    if isinstance(node, Group):
        return _strings(node.body)
    if isinstance(node, Alt):
        return _few(_strings(branch) for branch in node.branches)
    if isinstance(node, Seq):
        return _product([_strings(item) for item in node.items])
    if isinstance(node, Repeat) and node.high is not None and node.high <= 4:
        once = _strings(node.body)
        return _few(_product([once] * count) for count in range(node.low, node.high + 1))
    return None


def _set_strings(node: Set) -> Strings | None:
    if node.items == (Named("s"),) and not node.negated:
        return frozenset({" "})
    if _always_sign(node) and any(isinstance(item, Named) for item in node.items):
        return frozenset({_SIGN})
    if node.negated:
        return None
    found: set[str] = set()
    for item in node.items:
        if not isinstance(item, Range) or len(found) + ord(item.high) - ord(item.low) >= SMALL_SET:
            return frozenset({_SIGN}) if _always_sign(node) else None
        found.update(map(chr, range(ord(item.low), ord(item.high) + 1)))
    return frozenset(found)


def _always_sign(node: Node) -> bool:
    r"""Whether `node` begins and ends in a character that is no part of a word: `\s`, `\W+`, `[,;]*` not."""
    node = bare(node)
    if isinstance(node, Repeat):
        return node.low > 0 and _always_sign(node.body)
    if isinstance(node, Char):
        return not is_word(node.text)
    if not isinstance(node, Set) or node.negated:
        return isinstance(node, Set) and node.items == (Named("w"),)
    return all(
        item in (Named("s"), Named("w", True))
        or (isinstance(item, Range) and ord(item.high) - ord(item.low) < 64 and not _any_word(item))
        for item in node.items
    )


def _any_word(item: Range) -> bool:
    return any(is_word(chr(point)) for point in range(ord(item.low), ord(item.high) + 1))


def _few(parts: Iterator[Strings | None]) -> Strings | None:
    found: set[str] = set()
    for part in parts:
        if part is None:
            return None
        found |= part
        if len(found) > MOST:
            return None
    return frozenset(found)


def _product(parts: list[Strings | None]) -> Strings | None:
    found: Strings = frozenset({""})
    for part in parts:
        if part is None or len(found) * len(part) > MOST:
            return None
        found = frozenset(left + right for left in found for right in part)
    return found


def _needs_of(strings: Strings) -> Iterator[frozenset[Need]]:
    """One need for each string, if each holds something to look for."""
    found: set[Need] = set()
    for string in strings:
        pieces = list(_pieces(string))
        if not pieces:
            return
        found.add(max(pieces, key=lambda need: (need.worth(), need)))
    yield frozenset(found)


def _pieces(string: str) -> Iterator[Need]:
    """The words of a marked string, with what is known of their ends, and its longest bare part."""
    padded = f"\n{string}\n"  # unknown on both sides
    begin = None
    for at, character in enumerate(padded):
        if character not in "\n\x08\x02" and is_word(character):
            begin = at if begin is None else begin
        elif begin is not None:
            kind = "part" if padded[begin - 1] == "\n" else "head" if character == "\n" else "word"
            yield Need(padded[begin:at], kind)
            begin = None
    for part in string.replace(_SIGN, _EDGE).split(_EDGE):
        if part:
            yield Need(part, "part")


def _worth(found: frozenset[Need]) -> float:
    """What a set of needs spares: as much as its most frequent member, less for each to look for."""
    return min((need.worth() for need in found), default=-1.0) - len(found) / 100
