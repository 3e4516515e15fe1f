"""The chain of an item: from its first text, entry by entry, to what it must be today. Pure.

A node is what the lock holds of an item. Two nodes of an `order` are the same when the instructions that both name
stand in the same order: adding and removing an instruction is explained by the instruction's own entry. All other
nodes are the same when they are equal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from runbook.items import NONE, ORDER, Entry, kind_of


@dataclass(frozen=True)
class Ran:
    """Where a chain leads: its last node; or the entry that breaks it and, in words, how."""

    end: str
    broken: Entry | None = None
    how: str = ""


def same(item: str, one: str, other: str) -> bool:
    """Whether two nodes of an item are the same."""
    if kind_of(item) != ORDER:
        return one == other
    return _common(one, other) == _common(other, one)


def run(item: str, start: str, entries: Sequence[Entry]) -> Ran:
    """Follow `entries` from `start`."""
    at = start
    for index, entry in enumerate(entries):
        if entry.before is None or entry.after is None:
            return Ran(at, entry, f"lacks `{'from' if entry.before is None else 'to'}`")
        earlier = entries[:index]
        if earlier and entry.change.date < earlier[-1].change.date:
            return Ran(at, entry, f"is dated before {earlier[-1]}")
        if not same(item, at, entry.before):
            repeated = next((e for e in earlier if (e.before, e.after) == (entry.before, entry.after)), None)
            if repeated:
                return Ran(at, entry, f"repeats {repeated}: an old entry excuses nothing")
            return Ran(at, entry, f"begins at `{entry.before}`, and the text before it was `{at}`")
        if kind_of(item) == ORDER and sorted(entry.before.split()) != sorted(entry.after.split()):
            return Ran(at, entry, "names other instructions after than before")
        at = _reordered(at, entry.after) if kind_of(item) == ORDER else entry.after
    return Ran(at)


def merged(item: str, start: str, by_card: Mapping[str, Sequence[Entry]]) -> list[Entry]:
    """The entries about an item, from all cards, as one chain: by date, and on one day as they follow each other."""
    waiting = {card: list(entries) for card, entries in by_card.items() if entries}
    at, last, chain = start, "", list[Entry]()
    while waiting:
        first = min(waiting, key=lambda card: _rank(item, at, last, waiting[card][0]))
        entry = waiting[first].pop(0)
        if not waiting[first]:
            del waiting[first]
        chain.append(entry)
        last = entry.card
        if entry.after is not None:
            at = _reordered(at, entry.after) if kind_of(item) == ORDER else entry.after
    return chain


def _rank(item: str, at: str, last: str, entry: Entry) -> tuple[object, ...]:
    follows = entry.before is not None and same(item, at, entry.before)
    return entry.change.date, not follows, entry.card != last, entry.card


def reaches(item: str, old: str, entries: Sequence[Entry], today: str) -> bool:
    """Whether some of the newest entries lead from `old` to `today`: it was the text of one time or another."""
    return any(_leads(item, old, entries[skip:], today) for skip in range(len(entries) + 1))


def _leads(item: str, old: str, entries: Sequence[Entry], today: str) -> bool:
    ran = run(item, old, entries)
    return ran.broken is None and same(item, ran.end, today)


def renamed(item: str, node: str, renames: Mapping[str, str]) -> str:
    """A node of an `order` with former names of instructions replaced by those they have today."""
    if kind_of(item) != ORDER or not renames or node == NONE:
        return node
    block = item.partition(" ")[2]
    words = []
    for word in node.split():
        seen = {word}
        while (later := renames.get(f"{block}.{word}", "").removeprefix(f"{block}.")) and later not in seen:
            seen.add(word := later)
        words.append(word)
    return " ".join(words)


def window(before: str, after: str) -> tuple[str, str]:
    """Two orders of the same words without what they have in common at both ends."""
    one, other = _common(before, after), _common(after, before)
    start = 0
    while start < len(one) and one[start] == other[start]:
        start += 1
    end = len(one)
    while end > start and one[end - 1] == other[end - 1]:
        end -= 1
    return " ".join(one[start:end]), " ".join(other[start:end])


def _common(one: str, other: str) -> list[str]:
    names = set(other.split())
    return [word for word in one.split() if word in names]


def _reordered(node: str, after: str) -> str:
    """The node with the words that `after` names put in the order of `after`, in the places that they have."""
    here = node.split()
    moved = iter([word for word in after.split() if word in here])
    names = set(after.split())
    return " ".join(next(moved) if word in names else word for word in here)
