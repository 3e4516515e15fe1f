"""Verdicts: the guard cards that spoke about an answer, each with its evidence and its filled repair text."""

from __future__ import annotations

from collections.abc import Sequence

from engine.decision import Verdict
from engine.language.bodies import slot_lookup
from engine.language.run import Spoken
from engine.language.slots import fill
from engine.language.turn import Turn


def verdicts_of(spoken: Sequence[Spoken], turn: Turn, round: int = 1) -> tuple[Verdict, ...]:
    """All verdicts among the cards that spoke, in the line's order. `round` 2: on the repaired answer."""
    return tuple(_verdict(one, turn, round) for one in spoken if one.rule.card.kind == "guard")


def _verdict(spoken: Spoken, turn: Turn, round: int) -> Verdict:
    return Verdict(
        spoken.rule.card.id, spoken.reason, spoken.found, spoken.answer.evidence, _repair(spoken, turn),
        str(spoken.ending), spoken.answer.source, round,
    )  # fmt: skip


def _repair(spoken: Spoken, turn: Turn) -> str:
    """The repair text with its slots filled; a slot that stays empty is said by the card's title instead."""
    if not spoken.rule.repair or not spoken.answer.holds:
        return ""
    lookup, title = slot_lookup(turn, spoken.found), spoken.rule.card.body.title
    return fill(spoken.rule.repair, lambda path: lookup(path) or f"“{title}”") or ""
