"""Answers: what they claim to be, and details that the data behind them holds. Files `guard_claims_human_replies` and
`dialog_sgd`."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import Any

from engine.evidence.detect.score import Score, context, rows
from engine.language.extract import Moment, Money, extract
from engine.language.line import Line
from engine.language.turn import Turn

KINDS = ("times", "phones", "prices")


def claims_to_be_a_person(folder: Path) -> Score:
    """The shipped line's card `guard/claims_person` speaks about an answer exactly when it claims to be a person.

    An answer that also says it is a machine claims nothing.
    """
    score = Score("claims to be a person", {"recall": 0.97, "precision": 0.97})
    line = _shipped()
    card = next(rule for rules in line.rules.values() for rule in rules if rule.card.name == "guard/claims_person")
    for row in rows(folder, "guard_claims_human_replies"):
        turn = Turn(line, {"answer.text": row["text"]}, dt.datetime(2026, 1, 1, tzinfo=dt.UTC))
        speaks = card.when is not None and card.when.answer(turn).holds
        silenced = card.unless is not None and card.unless.answer(turn).holds
        score.case(
            row["id"], row["text"], ["claims"] * bool(row["claims_human"]), ["claims"] * (speaks and not silenced)
        )
    return score


def grounded_details(folder: Path) -> Score:
    """Times, telephone numbers and prices of answers that people worded from the data of a service: one that is not in
    the data or in what was said before is a false alarm. `false alarms`: their share of all that were found."""
    score = Score("details in the data", {"false alarms at most": 0.03})
    for row in rows(folder, "dialog_sgd"):
        known: list[Any] = []
        for at, message in enumerate(row["messages"]):
            known += _known(message)
            if message["role"] == "assistant":
                found = [(kind, one) for kind in KINDS for one in extract(kind, message["text"], context())]
                alarms = [f"{kind} {one.text}" for kind, one in found if not _is_known(one.value, known)]
                held = [f"{kind} {one.text}" for kind, one in found if _is_known(one.value, known)]
                score.case(f"{row['id']}:{at}", message["text"], held, held + alarms)
            known += _values(message["text"])
    score.more["false alarms"] = (score.found - score.hits) / max(1, score.found)
    return score


def _known(message: Mapping[str, Any]) -> list[Any]:
    """The values of a message's results and of what was asked for; a bare number may be a price."""
    found: list[Any] = []
    asked = message.get("call") or {}
    for data in (*(message.get("results") or ()), asked.get("parameters") or {}):
        for value in data.values():
            text = str(value)
            found += _values(text)
            if _NUMBER.fullmatch(text):
                found.append(Decimal(text))
    return found


_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def _values(text: str) -> list[Any]:
    return [one.value for kind in KINDS for one in extract(kind, text, context())]


def _is_known(value: Any, known: Iterable[Any]) -> bool:
    return any(_same(value, one) for one in known)


def _same(value: Any, other: Any) -> bool:
    if isinstance(value, Moment):
        return isinstance(other, Moment) and other.contains(value)
    if isinstance(value, Money):
        amount = other.amount if isinstance(other, Money) else other
        return isinstance(amount, (Decimal, float, int)) and Decimal(str(value.amount)) == Decimal(str(amount))
    return bool(value == other)


@lru_cache(1)
def _shipped() -> Line:
    from engine.loading import load

    return load().compile("support", environ={}, log=False).line
