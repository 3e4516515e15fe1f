"""The outcome: a wave lets a decision out or not, and stops can only make it stricter."""

from __future__ import annotations

from dataclasses import replace

from engine.language.points import OUTCOMES, stricter
from engine.stages.asking import known
from engine.stages.cards import run_cards
from engine.stages.guarding import words
from engine.stages.passage import Ended, Passage
from engine.stages.sources import read_source
from waves.outcome import label


async def run(passage: Passage) -> Ended | None:
    """What the turn comes to: the words that were proposed, or the model's answer, by their wave; then the stops, which
    look at every decision, whatever its outcome."""
    proposed = await words(passage, _attached(passage, passage.proposed or _answered(passage)))
    if proposed.outcome in ("send", "draft") and not (proposed.text or "").strip():
        proposed = passage.hold("answer", proposed.card)
    _facts(passage, proposed)
    ended = await _labelled(passage, proposed) if proposed.outcome in ("send", "draft") else proposed
    passage.turn.put("decision.outcome", ended.outcome)
    await read_source(passage, "staff")
    stopped, _ = await run_cards(passage, "outcome")
    if stopped is not None and stricter(ended.outcome, stopped.outcome) != ended.outcome:
        return _as(ended, stopped.outcome, stopped.reason, stopped.card)
    return ended


async def _labelled(passage: Passage, proposed: Ended) -> Ended:
    """What has words is labelled by the first wave that matches, and comes to what that wave makes of it."""
    found = await known(passage, lambda: label(passage.line, passage.turn))
    passage.wave, passage.wave_state = found.wave, found.state
    passage.turn.put("decision.wave", found.wave)
    by_wave = bool(found.wave) and _of_question(proposed)
    card, reason = (f"waves/{found.wave}", found.wave) if by_wave else (proposed.card, proposed.reason)
    return _as(proposed, stricter(proposed.outcome, found.outcome), reason, card)


def _answered(passage: Passage) -> Ended:
    """The model's answer as it stands after its guard."""
    if not passage.answered_by:
        return passage.hold("answer")
    text = passage.turn.get("answer.text")
    card = f"questions/{passage.answered_by}"
    return Ended("send", passage.answered_by, card, text if isinstance(text, str) else None, "model")


def _of_question(proposed: Ended) -> bool:
    """Whether the words are a model's answer as it is: no card spoke for them, so the wave is their reason."""
    return proposed.source == "model" and proposed.card.startswith("questions/")


def _attached(passage: Passage, proposed: Ended) -> Ended:
    """A bare `send` or `draft` is about the answer there is: its words are attached."""
    if proposed.outcome not in ("send", "draft") or proposed.text is not None or not passage.answered_by:
        return proposed
    text = passage.turn.get("answer.text")
    return replace(proposed, text=text, source="model") if isinstance(text, str) else proposed


def _facts(passage: Passage, proposed: Ended) -> None:
    turn = passage.turn
    topics = (turn.get("answer.topic") if "answer.topic" in passage.line.facts else None, turn.get("topic.nearest"))
    topic = next((one for one in topics if isinstance(one, str) and one), None)
    values = {
        "card": None if _of_question(proposed) else proposed.card.partition("/")[2], "source": proposed.source,
        "text": proposed.text, "reason": proposed.reason, "topic": topic, "outcome": proposed.outcome,
        "verdicts": list(dict.fromkeys(one.card for one in passage.verdicts)),
    }  # fmt: skip
    for name, value in values.items():
        if value not in (None, ""):
            turn.put(f"decision.{name}", value)


def _as(ended: Ended, outcome: str, reason: str, card: str) -> Ended:
    """The same words under another outcome; only what is sent or drafted keeps its words."""
    assert outcome in OUTCOMES
    kept = outcome in ("send", "draft")
    return Ended(outcome, reason, card, ended.text if kept else None, ended.source if kept else "")
