"""Conditions on marks: is one set, how many lately, what share, how many different people."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from engine.language.conditions import Answer, Condition, Evidence, Leaf, conjunction, failed, yes_no
from engine.language.operators import Compare
from engine.language.right_side import LimitRef, Operand
from engine.language.turn import Failed, Item, Turn


@dataclass(frozen=True)
class MarkTest(Condition):
    """`marks.m: true`, or operators on the number of live marks within a window.

    A limit that carries `within` brings its window. `share_of` compares the count as a percentage of another
    mark's count in the same window; `distinct` counts different values of a scope path.
    """

    mark: str
    wanted: bool
    within: Operand | None = None
    share_of: str | None = None
    distinct: str | None = None
    counts: tuple[Compare, ...] = ()
    key: tuple[str | int, ...] = field(default=(), compare=False)

    def answer(self, turn: Turn) -> Answer:
        if turn.forced and id(self) in turn.forced:
            return turn.forced[id(self)]  # type: ignore[no-any-return]
        window = self._window(turn)
        if isinstance(window, Failed):
            return failed(window.source)
        entries = turn.live(self.mark, window)
        if not self.counts:
            return yes_no(
                bool(entries) is self.wanted, [Evidence(f"marks.{self.mark}", len(entries))] if entries else []
            )
        counted: float = len({entry.keys.get(self.distinct) for entry in entries}) if self.distinct else len(entries)
        if self.share_of:
            whole = len(turn.live(self.share_of, window))
            counted = 100.0 * counted / whole if whole else 0.0
        got = conjunction([one.answer_item(f"marks.{self.mark}", Item(float(counted)), turn) for one in self.counts])
        return got if not got.holds else yes_no(True, [Evidence(f"marks.{self.mark}", counted)])

    def _window(self, turn: Turn) -> float | Failed | None:
        operands = [self.within] if self.within else []
        for operand in operands:
            values = operand.values(turn)
            if isinstance(values, Failed):
                return values
            return float(values[0]) if values else None
        for one in self.counts:
            if isinstance(one.to, LimitRef):
                window = turn.line.limits[one.to.limit].within
                if window is not None:
                    return window
        return None

    def explain(self, turn: Turn) -> Leaf:
        asked = [f"within {self.within}"] if self.within else []
        if self.share_of:
            asked.append(f"share_of marks.{self.share_of}")
        if self.distinct:
            asked.append(f"distinct {self.distinct}")
        asked += [str(one) for one in self.counts]
        says = f"marks.{self.mark} " + ("; ".join(asked) if asked else str(self.wanted).lower())
        return Leaf(says, self.answer(turn), saw=f"{len(turn.live(self.mark))} live")

    def reads(self) -> Iterator[str]:
        yield f"marks.{self.mark}"
        if self.share_of:
            yield f"marks.{self.share_of}"
        for operand in [self.within] if self.within else []:
            yield from operand.reads()
        for one in self.counts:
            yield from one.reads()
