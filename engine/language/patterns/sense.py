r"""What a pattern could never match, or would match everywhere; and, as hints, what it hardly means. Pure.

Refused: a pattern that matches nothing at all, a word edge where none can be (beside a sign at the end: `\bc\+\+\b`)
or beside a script that is written without spaces, an anchor in the midst, two spaces in a row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import regex

from engine.language.patterns.nodes import (
    Alt,
    Any,
    Char,
    Edge,
    Look,
    Named,
    Node,
    PatternRefused,
    Range,
    Repeat,
    Seq,
    Set,
    bare,
    children,
    is_word,
    walk,
    width,
)

SHORT_WORD = 4
"""A word of so few letters stands within many others (`sue` in `issue`): the hint asks for its edges."""

_UNSPACED = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]")
_UNSPACED_NAMES = frozenset({"han", "hiragana", "katakana", "thai", "lao", "khmer", "myanmar"})

# What may stand beside an edge: a word character, another, one of an unspaced script, or what the text holds there.
APOSTROPHE = "'"
"""The one sign that stands inside words: a word edge before it is where the word goes on (`he'll`)."""
_WORD, _SIGN, _DENSE, _OPEN = "word", "sign", "dense", "open"
Kinds = frozenset[str]
_NOTHING: Kinds = frozenset()
Side = Callable[[Node], Kinds]


@dataclass(frozen=True, slots=True)
class Lint:
    """A hint about a pattern that is taken as it stands: a code, one sentence, the cure, and the span it is about."""

    code: str
    says: str
    cure: str
    start: int
    end: int


def check_sense(tree: Node) -> None:
    """Refuse what never matches or always does. `tree` is folded. Raises PatternRefused."""
    if width(tree)[0] == 0:
        cure = "Make one part of it required."
        raise PatternRefused(
            "The pattern can match nothing at all, so it would match everywhere.", tree.start, cure, tree.end
        )
    opening = frozenset({_OPEN})
    _check(tree, opening, opening, tree, tree)


def _check(node: Node, left: Kinds, right: Kinds, before: Node, after: Node) -> None:
    """`left` and `right` are what may stand around `node`; `before` and `after` the parts to look into there."""
    if isinstance(node, Seq):
        _check_seq(node, left, right)
    elif isinstance(node, Edge):
        _check_edge(node, left, right, before, after)
    elif isinstance(node, Look):
        _check_look(node, left, right)
    elif isinstance(node, Repeat) and (node.high is None or node.high > 1):
        _check(node.body, left | _last(node.body), right | _first(node.body), before, after)
        if width(node.body)[1] == 0:
            raise PatternRefused("What has no width cannot be repeated.", node.start, "Take the count away.", node.end)
        if _is_blank(node.body) and node.low > 1:
            says = "White space is folded to one space, so this never matches."
            raise PatternRefused(says, node.start, "Write `\\s` once.", node.end)
    else:
        for child in children(node):
            _check(child, left, right, before, after)


def _check_seq(node: Seq, left: Kinds, right: Kinds) -> None:
    items = node.items
    if all(isinstance(item, Char) and item.text != " " for item in items):
        return
    for at, item in enumerate(items):
        before = items[at - 1] if at else node
        after = items[at + 1] if at + 1 < len(items) else node
        if isinstance(item, Edge) and item.sign == "^" and any(width(one)[0] for one in items[:at]):
            raise PatternRefused(
                "Something must stand before this `^`, so it never matches.", item.start, "Move it to the beginning."
            )
        if isinstance(item, Edge) and item.sign == "$" and any(width(one)[0] for one in items[at + 1 :]):
            raise PatternRefused(
                "Something must stand behind this `$`, so it never matches.", item.start, "Move it to the end."
            )
        if at and _needs_blank(item) and _needs_blank(before):
            says = "White space is folded to one space, so two in a row never match."
            raise PatternRefused(says, item.start, "Write one.", item.end)
        if not isinstance(item, (Char, Set, Any)):
            outer_left = _sides(reversed(items[:at]), left, _last)
            outer_right = _sides(iter(items[at + 1 :]), right, _first)
            _check(item, outer_left, outer_right, before, after)


def _check_look(node: Look, left: Kinds, right: Kinds) -> None:
    low, high = width(node.body)
    if not node.ahead and low != high:
        cure = "Write one look-behind for each length, or match the words themselves."
        raise PatternRefused("What a look-behind holds must have one length.", node.start, cure, node.end)
    if _always(node.body):
        raise PatternRefused("What this look-around holds can be empty.", node.start, "Take it away.", node.end)
    opening = frozenset({_OPEN})
    if node.ahead:
        _check(node.body, left, opening, node, node)
    else:
        _check(node.body, opening, right, node, node)


def _always(node: Node) -> bool:
    """Whether `node` holds at every place of every text."""
    if isinstance(node, Seq):
        return all(_always(item) for item in node.items)
    if isinstance(node, Repeat) and node.low == 0:
        return True
    return not isinstance(node, Look) and any(_always(child) for child in children(node))


def _check_edge(node: Edge, left: Kinds, right: Kinds, before: Node, after: Node) -> None:
    if node.sign != "\\b":
        return
    if _DENSE in left | right:
        says = "This word edge stands beside a script that is written without spaces, where there is no such edge."
        raise PatternRefused(says, node.start, "Leave the `\\b` away there.", node.end)
    if _OPEN not in left | right and not ((_WORD in left and _SIGN in right) or (_SIGN in left and _WORD in right)):
        says = "No word edge can be here: what stands on both sides is of one kind."
        raise PatternRefused(says, node.start, "Take the `\\b` away.", node.end)
    if right == {_OPEN} and (left == {_SIGN} or _dead_end(before, _last)):
        says = (
            "A word edge behind a sign asks for a letter right after it, so the term is not found at the end of a word."
        )
        raise PatternRefused(says, node.start, "Write `(?!\\w)` in place of the `\\b`.", node.end)
    joined = isinstance(first := bare(after), Char) and first.text == APOSTROPHE
    if left == {_OPEN} and ((right == {_SIGN} and not joined) or _dead_end(after, _first)):
        says = "A word edge before a sign asks for a letter right before it, so the term is not found by itself."
        raise PatternRefused(says, node.start, "Write `(?<!\\w)` in place of the `\\b`.", node.end)


def _dead_end(node: Node, side: Side) -> bool:
    """Whether some alternative ends (or begins) in nothing but signs there."""
    node = bare(node)
    if isinstance(node, Alt):
        return any(_dead_end(branch, side) for branch in node.branches)
    if isinstance(node, Seq):
        ends = node.items[-1] if side is _last else node.items[0]
        if width(ends)[0]:
            return _dead_end(ends, side)
    if isinstance(node, Char) and node.text == APOSTROPHE and side is _first:
        return False  # `'ll` stands right behind a letter
    kinds = _last(node) if side is _last else _first(node)
    return kinds == {_SIGN} and width(node)[0] > 0 and not isinstance(node, Repeat)


def _sides(items: Iterator[Node], outside: Kinds, side: Side) -> Kinds:
    """What may stand next, going through `items` as far as they can be absent."""
    found = _NOTHING
    for item in items:
        found |= _last(item) if side is _last else _first(item)
        if isinstance(item, Edge) and item.sign in "^$":
            return found | {_SIGN}
        if isinstance(item, (Char, Set, Any)) or width(item)[0]:
            return found
    return found | outside


def _first(node: Node) -> Kinds:
    return _kinds(node, _first)


def _last(node: Node) -> Kinds:
    return _kinds(node, _last)


def _kinds(node: Node, side: Side) -> Kinds:
    if isinstance(node, (Char, Set, Any)):
        return _kind(node)
    if isinstance(node, (Edge, Look)):
        return _NOTHING
    if isinstance(node, Seq):
        return _sides(reversed(node.items) if side is _last else iter(node.items), _NOTHING, side)
    if isinstance(node, Alt):
        return frozenset().union(*(_kinds(branch, side) for branch in node.branches))
    return _kinds(node.body, side)


def _kind(atom: Char | Set | Any) -> Kinds:
    if isinstance(atom, Char):
        if _UNSPACED.match(atom.text):
            return frozenset({_DENSE})
        return frozenset({_WORD if is_word(atom.text) else _SIGN})
    if isinstance(atom, Any):
        return _BOTH
    if atom.negated:
        return frozenset({_SIGN}) if atom.items == (Named("w"),) else _BOTH
    return frozenset().union(*(_item_kinds(item) for item in atom.items))


_BOTH: Kinds = frozenset({_WORD, _SIGN})


def _item_kinds(item: Named | Range) -> Kinds:
    if isinstance(item, Range):
        if _UNSPACED.match(item.low) or _UNSPACED.match(item.high):
            return frozenset({_DENSE})
        return frozenset({_WORD if is_word(one) else _SIGN for one in (item.low, item.high)})
    if item.name in ("d", "w"):
        return (
            frozenset({_SIGN}) if item.negated and item.name == "w" else _BOTH if item.negated else frozenset({_WORD})
        )
    if item.name == "s":
        return _BOTH if item.negated else frozenset({_SIGN})
    if item.name[2:-1].lower() in _UNSPACED_NAMES and not item.negated:
        return frozenset({_DENSE})
    return _BOTH


def _is_blank(node: Node) -> bool:
    """Whether `node` matches one white space and nothing else."""
    node = bare(node)
    if isinstance(node, Char):
        return node.text == " "
    return isinstance(node, Set) and not node.negated and node.items == (Named("s"),)


def _needs_blank(node: Node) -> bool:
    node = bare(node)
    return _is_blank(node) or (isinstance(node, Repeat) and node.low > 0 and _is_blank(node.body))


def lint_tree(tree: Node) -> list[Lint]:
    """Hints about a tree that was read from its source, folded: open word ends, a bare dot, letters meant as a class."""
    found: list[Lint] = []
    for run in (*_outer_words(tree, _first), *_outer_words(tree, _last)):
        word = "".join(char.text for char in run)
        lint = Lint(
            "open_word",
            f"`{word}` also matches within longer words.",
            f"Write `\\b{word}\\b`, or an example that shows it is meant.",
            run[0].start,
            run[-1].end,
        )
        if lint not in found:
            found.append(lint)
    for node in walk(tree):
        if isinstance(node, Seq):
            found += _lint_items(node.items)
    return sorted(found, key=lambda lint: (lint.start, lint.code))


def _outer_words(node: Node, side: Side) -> Iterator[tuple[Char, ...]]:
    """The short literal words that `node` begins or ends with and that no edge holds."""
    node = bare(node)
    if isinstance(node, Alt):
        for branch in node.branches:
            yield from _outer_words(branch, side)
        return
    items = node.items if isinstance(node, Seq) else (node,)
    step = 1 if side is _first else -1
    ordered = items[::step]
    if isinstance(bare(ordered[0]), Alt):
        yield from _outer_words(ordered[0], side)
        return
    run: list[Char] = []
    for item in ordered:
        if isinstance(item, Repeat) and item.low == 0:
            return  # the word may go on
        if not isinstance(item, Char) or not is_word(item.text) or _UNSPACED.match(item.text):
            break
        run.append(item)
    if 0 < len(run) <= SHORT_WORD and run[0].text.isalpha():
        yield tuple(run[::step])


def _lint_items(items: tuple[Node, ...]) -> Iterator[Lint]:
    for at, item in enumerate(items):
        if isinstance(item, Any) and 0 < at < len(items) - 1:
            before, after = items[at - 1], items[at + 1]
            if isinstance(before, Char) and isinstance(after, Char) and is_word(before.text) and is_word(after.text):
                yield Lint("bare_dot", "`.` matches any character.", "Write `\\.` for the sign.", item.start, item.end)
    run: list[Char] = []
    for item in (*items, Any(0, 0)):
        if isinstance(item, Char) and is_word(item.text):
            run.append(item)
            continue
        word = "".join(char.text for char in run)
        if len(word) > 1 and set(word) == {"d"}:
            yield Lint(
                "bare_class",
                f"`{word}` is the letter d.",
                f"Write `\\d{{{len(word)}}}` for digits.",
                run[0].start,
                run[-1].end,
            )
        run = []
