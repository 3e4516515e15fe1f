"""Why a message ended as it did: the card that decided, what it found, what was looked at; and what would have changed it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

from engine.compiled import CompiledLine
from engine.evidence.counterfactual import Change, Search, search
from engine.evidence.show import as_json, summary, trace, underlined
from engine.language.points import OUTCOMES
from engine.language.project import Card
from engine.log import DecisionLog, Logged, LogUnavailable
from runbook.session import Refused

Say = Callable[[str], None]
WIDTH = 90
"""Most characters of a condition, or of what it saw."""


def why(line: CompiledLine, log: DecisionLog, id: str, other: str | None, form: str, say: Say) -> int:
    """Tell why; with `other` (an outcome) also which conditions would have changed it. Raises Refused."""
    if other is not None and other not in OUTCOMES:
        raise Refused(f"`{other}` is no outcome. Known: {', '.join(OUTCOMES)}.")
    try:
        logged = log.get(id)
    except KeyError as missing:
        raise Refused(str(missing.args[0])) from None
    except LogUnavailable as error:
        raise Refused(str(error)) from None
    if logged.decision.line != line.name:
        raise Refused(f"{id} is a decision of the line `{logged.decision.line}`: add --line {logged.decision.line}.")
    found = search(line, logged.decision, other) if other is not None else None
    if form == "json":
        say(_json(logged, found))
        return 0
    for one in told(line, logged):
        say(one)
    if found is not None and other is not None:
        for one in changes(found, logged.decision.outcome, other):
            say(one)
    return 0


def told(line: CompiledLine, logged: Logged) -> Iterator[str]:
    """The decision on one screen."""
    decision = logged.decision
    yield underlined(" ".join(str(decision.facts.get("message.text", "")).split()), decision, decision.card)
    yield ""
    yield summary(decision)
    card = line.line.source.cards.get(decision.card)
    if card is not None:
        yield from _card(card)
    if decision.revision and decision.revision != line.revision:
        yield f"\nDecided under revision {decision.revision}; the cards have changed since (now {line.revision})."
    if logged.delivered is not None:
        yield f"\nDelivered: {'yes' if logged.delivered else 'no'}, {logged.delivered_at:%Y-%m-%d %H:%M}."
    yield ""
    yield trace(decision)
    off = [name for name, value in decision.switches.items() if value == "off"]
    if off:
        yield f"switched off: {', '.join(off)}"


def _card(card: Card) -> Iterator[str]:
    yield f"\n{card.name}: {card.body.title}"
    yield f"  {card.body.why}"
    yield f"  {card.file}"


def changes(found: Search, was: str, other: str) -> Iterator[str]:
    """What would have changed the outcome, in words."""
    wanted = f"anything but {other}" if was == other else other
    if found.says:
        yield f"\nWhat would have made it {wanted}: {found.says}"
        return
    size = len(found.changes[0].flips)
    yield f"\nThe smallest changes that would have made it {wanted} ({size} condition{'s' * (size != 1)}):"
    for change in found.changes:
        yield from _change(change)


def _change(change: Change) -> Iterator[str]:
    for index, flip in enumerate(change.flips):
        lead = "- " if index == 0 else "  and "
        saw = f" (it was {_short(flip.saw)})" if flip.saw else ""
        yield f"{lead}{flip.card}: `{_short(flip.says)}` {'would have to hold' if flip.wanted else 'would have to fail'}{saw}"
    if change.asks:
        yield f"  then {', '.join(change.asks)} would have been asked, and nobody knows what would have come"
    else:
        yield f"  then {change.outcome} ({change.reason})"


def _short(text: str) -> str:
    return text if len(text) <= WIDTH else text[: WIDTH - 1] + "…"


def _json(logged: Logged, found: Search | None) -> str:
    whole = json.loads(as_json(logged.decision))
    whole["text_of_message"] = logged.decision.facts.get("message.text")
    whole["delivered"] = logged.delivered
    whole["revision"] = logged.decision.revision
    if found is not None:
        whole["says"] = found.says or None
        whole["changes"] = [
            {"conditions": [{"card": flip.card, "condition": flip.says, "saw": flip.saw, "holds": flip.wanted} for flip in one.flips],
             "outcome": one.outcome, "reason": one.reason, "asks": list(one.asks)}
            for one in found.changes
        ]  # fmt: skip
    return json.dumps(whole, ensure_ascii=False, indent=2)
