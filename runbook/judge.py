"""The rules of the lock: what has changed and is not explained, or is explained falsely. Pure.

Two things are held against each other: the chain (from an item's first text, entry by entry, to its text today),
which needs no git; and the base revision, whose entries must all still stand, in their order, before any new one.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from engine.language.kinds import Change
from engine.language.problems import Place, Problem
from runbook.chain import merged, reaches, renamed, run, same
from runbook.findings import OTHERS, Finding
from runbook.items import (
    INSTRUCTION,
    LINE,
    NONE,
    ORDER,
    UNEXPLAINED,
    Entry,
    Item,
    State,
    id_of,
    kind_of,
    speakable,
)  # fmt: skip
from runbook.lock import Lock, Locked


@dataclass(frozen=True)
class Base:
    """The lock of the line at the base revision, and the line itself as it stood there.

    `state` is None when its cards cannot be read by this version: then the lock alone is compared.
    """

    lock: Lock
    state: State | None


@dataclass
class Judgement:
    """The lock as `build` would write it, and every finding; with a finding nothing is built.

    `expected`: item → what its chain leads to, for items whose chain is unbroken.
    """

    lock: Lock
    findings: list[Finding] = field(default_factory=list)
    expected: dict[str, str] = field(default_factory=dict)


def judge(now: State, disk: Lock | None, base: Base | None, command: str = "rulecard accept") -> Judgement:
    """Hold a line against the lock on disk and against the base revision, where there is one.

    `command`: how `accept` is called here, for the cures.
    """
    judging = _Judging(now, disk, base, command)
    judging.rewritten()
    for name in judging.names():
        judging.item(name)
    judging.pair()
    judging.ratchet()
    findings = [Finding(problem) for problem in now.problems] + judging.findings
    return Judgement(judging.lock(), sorted(findings, key=lambda f: f.problem), judging.expected)


class _Judging:
    def __init__(self, now: State, disk: Lock | None, base: Base | None, command: str) -> None:
        self.now, self.base, self.command = now, base, command
        self.old = base.lock if base else disk
        self.findings: list[Finding] = []
        self.expected: dict[str, str] = {}
        self.chains: dict[str, list[Entry]] = {}
        self.added: list[Item] = []
        self.removed: dict[str, str] = {}
        self.spoilt: set[str] = set()

    def names(self) -> list[str]:
        """All items there are, and the instructions there were."""
        gone = {
            name for name in [*(self.old.items if self.old else ()), *self.now.entries] if kind_of(name) == INSTRUCTION
        }
        return sorted({*self.now.items, *gone})

    def report(
        self, place: Place, code: str, says: str, cure: str, name: str = "", before: str = "", after: str = ""
    ) -> None:
        self.findings.append(Finding(Problem(place, code, says, cure), name, before, after))

    def accept(self, name: str) -> str:
        return f'Say why: `{self.command} {shlex.quote(speakable(name))} --why "…"`.'

    # the lock

    def lock(self) -> Lock:
        items = {}
        for name, item in self.now.items.items():
            items[name] = Locked(item.text, item.card or NONE, self.now.explanation(item), self.first(name))
        return Lock(items)

    def first(self, name: str) -> str:
        """What the item was when it was first built; `none` for an instruction that came later."""
        locked = self.old.items.get(name) if self.old else None
        if locked is not None:
            return locked.first
        entries = merged(name, NONE, self.now.entries.get(name, {}))
        if entries and entries[0].before is not None:
            return entries[0].before
        item = self.now.items.get(name)
        return NONE if item is None or (self.old and item.kind == INSTRUCTION) else item.text

    # the entries of the base

    def rewritten(self) -> None:
        """Entries of the base that no longer stand at the head of their card's `changes`."""
        if self.base is None or self.base.state is None:
            return
        line, then = self.now.line, self.base.state.line
        pairs = [(LINE, then.config.changes, line.config.changes)]
        pairs += [
            (n, c.body.changes, line.cards[n].body.changes) for n, c in sorted(then.cards.items()) if n in line.cards
        ]
        for name, old, new in pairs:
            if new[: len(old)] == old:
                continue
            index = next(i for i, one in enumerate([*old, None]) if i >= len(new) or new[i] != one)
            source = line.source if name == LINE else line.cards[name].source
            place = source.place_of(("changes", index) if index < len(new) else ("changes",))
            says = f"An old entry under `changes` has been changed or taken away: {_entry(old[index])}."
            self.report(place, "changes_rewritten", says, "Put it back as it was; a new change is a new entry below.")
            self.spoilt |= {item for change in old[index:] for item in _named(change)}

    def chain(self, name: str) -> list[Entry] | None:
        """Today's entries about an item; None (and reported) when those of the base are not at their head."""
        chain = merged(name, self.first(name), self.now.entries.get(name, {}))
        if self.base is not None and self.base.state is not None:
            locked = self.base.lock.items.get(name)
            entries = self.base.state.entries.get(name, {})
            old = merged(name, locked.first if locked else NONE, entries)
            if [entry.change for entry in chain[: len(old)]] != [entry.change for entry in old]:
                if name not in self.spoilt:
                    says = f"The entries about {_spoken(name)} in {old[0].card} are gone: {_entry(old[0].change)}."
                    cure = "Put them back, or copy them to the card that explains it now."
                    self.report(self.place(name), "changes_rewritten", says, cure, name)
                return None
        return chain

    # one item

    def place(self, name: str) -> Place:
        """Where the item stands; for a removed instruction the block, or what is left of it."""
        item = self.now.items.get(name)
        if item is not None:
            return item.place
        block = self.now.line.blocks.get(id_of(name).partition(".")[0])
        return block.source.place_of(("instructions",)) if block else self.now.line.source.place_of(("prompt",))

    def gone(self, name: str) -> None:
        """An instruction that is no more: its newest entries must lead from its last known text to `none`; the older
        ones may have gone with the card that held them."""
        entries = merged(name, self.first(name), self.now.entries.get(name, {}))
        old = self.old.items.get(name) if self.old else None
        last = old.text if old else self.first(name)
        explained = reaches(name, last, entries, NONE)
        self.chains[name], self.expected[name] = entries, NONE if explained else last
        if not explained:
            self.removed[name] = last

    def item(self, name: str) -> None:
        item = self.now.items.get(name)
        if item is None:
            self.gone(name)
            return
        chain = self.chain(name)
        if chain is None:
            return
        today = item.text
        nodes = [self.renamed(name, entry) for entry in chain]
        ran = run(name, renamed(name, self.first(name), self.now.renames), nodes)
        if ran.broken is not None:
            cure = (
                "Take the entry out if it is new and wrong, then accept the change again; an old entry stays as it was."
            )
            says = f"The chain of {_spoken(name)} is broken: the entry of {ran.broken.change.date} {ran.how}."
            self.report(ran.broken.place, "chain_broken", says, cure, name)
            return
        self.chains[name] = chain
        self.expected[name] = end = self.fullest(name, nodes, ran.end)
        if not (same(name, ran.end, today) and same(name, end, today)):
            self.unexplained(name, item, end, today)
        elif item.kind == INSTRUCTION:
            self.moved_explanation(item, chain)

    def renamed(self, name: str, entry: Entry) -> Entry:
        if kind_of(name) != ORDER or entry.before is None or entry.after is None:
            return entry
        before, after = (renamed(name, node, self.now.renames) for node in (entry.before, entry.after))
        return Entry(entry.card, entry.change, entry.place, before, after)

    def fullest(self, name: str, chain: Sequence[Entry], end: str) -> str:
        """Where the chain of an order leads, with the instructions that came after its beginning: the last lock knows
        them, and their place among the others."""
        locked = self.old.items.get(name) if self.old else None
        if kind_of(name) != ORDER or locked is None:
            return end
        then = renamed(name, locked.text, self.now.renames)
        ends = (run(name, then, chain[skip:]) for skip in range(len(chain) + 1))
        return next((ran.end for ran in ends if ran.broken is None and same(name, ran.end, end)), end)

    def unexplained(self, name: str, item: Item, before: str, today: str) -> None:
        if item.kind == INSTRUCTION and before == NONE:
            self.added.append(item)
        elif item.kind == INSTRUCTION:
            owner = item.card or "no card explains it, and so none"
            slots = ", ".join(f"{{{path}}}" for path in self.now.texts[item.id].slots)
            said = f"The text of `{item.id}` has changed{f' (it takes in {slots})' if slots else ''}"
            says = f"{said}, and {owner} does not say why: `changes` has no entry from {before} to {today}."
            earlier = next((e for e in self.chains[name] if today in (e.before, e.after)), None)
            if earlier:
                says += f" It has been this text before, but {earlier} excuses nothing."
            self.report(item.place, "instruction_changed", says, self.accept(name), name, before, today)
        else:
            code, place, says = OTHERS[item.kind](item, before, self.now)
            self.report(place, code, says, self.accept(name), name, before, today)

    def moved_explanation(self, item: Item, chain: Sequence[Entry]) -> None:
        """Another card explains the instruction now: its entry in the new card must say so."""
        locked = self.old.items.get(item.name) if self.old else None
        former = chain[-1].card if chain else locked.card if locked else item.card
        if former == item.card or former is None or item.card is None:
            return
        if former not in self.now.line.cards and locked and locked.explained == self.now.explanation(item):
            return  # the card itself has another name
        says = (
            f"`{item.id}` was explained by {former}; now {item.card} explains it, and its `changes` does not say why."
        )
        self.report(
            self.explains(item), "explanation_moved", says, self.accept(item.name), item.name, item.text, item.text
        )

    def explains(self, item: Item) -> Place:
        card = self.now.line.cards[item.card or ""]
        return card.place("explains", card.body.explains.index(item.id))

    # all items together

    def pair(self) -> None:
        """Removed and added instructions: those with one text are one instruction under another id."""
        for item in self.added:
            was = next((name for name, text in self.removed.items() if text == item.text), None)
            if was is None:
                owner = item.card or "no card"
                says = f"The instruction `{item.id}` is new, and `changes` of {owner} does not say why it came."
                self.report(item.place, "instruction_added", says, self.accept(item.name), item.name, NONE, item.text)
                continue
            del self.removed[was]
            old, new = (id_of(name).partition(".")[0] for name in (was, item.name))
            code = "instruction_renamed" if old == new else "instruction_moved"
            what = "has another id" if old == new else f"has moved from the block `{old}` to the block `{new}`"
            says = f"The instruction `{id_of(was)}` {what}: `{item.id}`, and `changes` of {item.card} does not say why."
            problem = Problem(item.place, code, says, self.accept(item.name))
            self.findings.append(Finding(problem, item.name, item.text, item.text, id_of(was)))
        for name, text in self.removed.items():
            says = f"The instruction `{id_of(name)}` is gone, and no entry under `changes` says why."
            self.report(self.place(name), "instruction_removed", says, self.accept(name), name, text, NONE)

    def ratchet(self) -> None:
        """The number of instructions that no reason has been given for may only fall."""
        if self.old is None:
            return
        now = [i for i in self.now.items.values() if i.kind == INSTRUCTION and self.now.explanation(i) == UNEXPLAINED]
        then = {name for name, locked in self.old.items.items() if locked.explained == UNEXPLAINED}
        if len(now) <= len(then):
            return
        item = next(item for item in now if item.name not in then)
        card = self.now.line.cards[item.card or ""]
        says = f"{len(now)} instructions are not explained, and there were {len(then)}; `{item.id}` is a new one."
        self.report(
            card.place("why"), "more_unexplained", says, "Write its reason: the number may only fall.", item.name
        )


def _named(change: Change) -> Iterator[str]:
    if change.instruction:
        yield f"{INSTRUCTION} {change.instruction}"
        if change.was:
            yield f"{INSTRUCTION} {change.was}"
    elif change.item:
        yield change.item


def _entry(change: Change) -> str:
    about = change.instruction or change.item
    steps = f", {about} from {change.from_} to {change.to}" if about else ""
    return f"{change.date}{steps}, “{change.why}”"


def _spoken(name: str) -> str:
    return f"`{speakable(name)}`"
