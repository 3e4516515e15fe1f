"""The one repair: whether it is worth a call, which question is asked again, and what it is told."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from engine.language.run import Spoken
from engine.language.turn import Turn
from guard.verdicts import verdicts_of


@dataclass(frozen=True)
class Repair:
    """`question`: which one is asked (again); `texts`: every repair text, in the line's order."""

    question: str
    texts: tuple[str, ...]

    @property
    def document(self) -> str:
        """What the model gets back as one JSON document: what it quotes of the answer stays data."""
        return json.dumps({"repair": list(self.texts)}, ensure_ascii=False)


def repair_of(spoken: Sequence[Spoken], turn: Turn, question: str) -> Repair | None:
    """The repair of what these cards found in an answer of `question`.

    None when no card asks for one, and when a card without a repair ends in hold: a repaired answer could not change
    that ending, so the call would be in vain.
    """
    guard = [one for one in spoken if one.rule.card.kind == "guard"]
    if any(one.ending.name == "hold" and not _repairs(one) for one in guard):
        return None
    texts = tuple(verdict.repair for verdict in verdicts_of(guard, turn) if verdict.repair)
    instead = [one.rule.repair_ask for one in guard if one.rule.repair_ask and one.answer.holds]
    return Repair(instead[0] if instead else question, texts) if texts or instead else None


def _repairs(spoken: Spoken) -> bool:
    return spoken.answer.holds and bool(spoken.rule.repair or spoken.rule.repair_ask or spoken.rule.edit)
