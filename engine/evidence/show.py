"""A decision as people read it: its outcome and words, its trace, one JSON object a row."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from engine.decision import Decision, Spoke, Step


def summary(decision: Decision) -> str:
    """What became of a message, in a few lines."""
    wave = f" · wave {decision.wave} ({decision.wave_state})" if decision.wave else ""
    topic = f" · {decision.topic}" if decision.topic else ""
    lines = [f"{decision.outcome} · {decision.reason}{wave}{topic}"]
    if decision.text:
        lines += [f"  {one}" for one in decision.text.splitlines()]
    lines += [f"  ! {one.card}: {one.found or one.reason}" for one in decision.verdicts]
    lines += [f"  {one.question} failed: {one.says}" for one in decision.calls if one.state == "failed" and one.says]
    if not decision.card and not decision.calls:
        lines += [f"  {one}" for step in decision.trace for one in step.says]
    lines += [f"  {one.does} {one.name}{f': {one.text}' if one.text else ''}" for one in decision.effects]
    return "\n".join(lines)


def trace(decision: Decision) -> str:
    """What was looked at on the way, stage by stage: cards, what they found and where, models and times."""
    lines = [line for step in decision.trace for line in _step(step)]
    lines += [
        f"asked {one.question} of {one.model or one.calls}: {one.state}{_errors(one.errors)}, {one.seconds * 1000:.0f} ms, prompt {one.prompt_hash[:12] or '-'}, {one.usage.prompt} tokens in ({one.usage.cached} cached), {one.usage.answer} out"
        for one in decision.calls
    ]
    lines += [f"marks: {', '.join(entry.mark for entry in decision.pending.sets)}"] if decision.pending.sets else []
    lines.append(f"{decision.own * 1e6:.0f} µs of its own, {decision.seconds * 1000:.1f} ms in all")
    return "\n".join(lines)


def _errors(errors: tuple[str, ...]) -> str:
    return f" ({', '.join(errors)})" if errors else ""


def _step(step: Step) -> Iterator[str]:
    yield f"{step.stage:14} {step.looked:3} cards {step.seconds * 1e6:7.0f} µs" + "".join(
        f" · {one}" for one in step.says
    )
    for spoke in step.spoke:
        yield f"  {spoke.card} → {spoke.ending} ({spoke.reason})" + (f", {spoke.failed} failed" if spoke.failed else "")
        yield from _evidence(spoke)


def _evidence(spoke: Spoke) -> Iterator[str]:
    for one in spoke.evidence:
        where = f" at {one.start}–{one.end}" if one.start >= 0 else ""
        yield f"    {one.path}: {one.text or one.value!s}{where}"


def underlined(text: str, decision: Decision, card: str) -> str:
    """The message with what the card found in it underlined."""
    for step in decision.trace:
        for spoke in step.spoke:
            for one in spoke.evidence:
                if spoke.card == card and one.start >= 0:
                    return f"{text}\n{' ' * one.start}{'~' * (one.end - one.start)}"
    return text


def row(decision: Decision) -> dict[str, Any]:
    """One decision as one JSON object: `ms` is the whole turn."""
    return {
        "id": decision.id, "outcome": decision.outcome, "reason": decision.reason, "topic": decision.topic or None,
        "wave": decision.wave or None, "text": decision.text,
        "verdicts": list(dict.fromkeys(one.card for one in decision.verdicts)), "ms": round(decision.seconds * 1000, 3),
    }  # fmt: skip


def as_json(decision: Decision) -> str:
    """Everything about a decision, for one message."""
    whole = {
        **row(decision), "card": decision.card or None, "source": decision.source or None,
        "effects": [{"does": one.does, "name": one.name, "to": one.to, "text": one.text} for one in decision.effects],
        "marks": [entry.mark for entry in decision.pending.sets],
        "trace": [
            {"stage": step.stage, "looked": step.looked, "says": list(step.says),
             "spoke": [{"card": one.card, "ending": one.ending, "reason": one.reason, "failed": one.failed or None,
                        "evidence": [{"path": e.path, "text": e.text, "start": e.start, "end": e.end} for e in one.evidence]}
                       for one in step.spoke]}
            for step in decision.trace
        ],
        "calls": [{"question": one.question, "model": one.model, "state": one.state, "errors": list(one.errors),
                   "prompt": one.prompt_hash} for one in decision.calls],
    }  # fmt: skip
    return json.dumps(whole, ensure_ascii=False, indent=2)
