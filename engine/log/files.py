"""Decisions from elsewhere and for elsewhere: JSONL in, JSONL out."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from engine.decision import Call, Decision
from engine.language.points import OUTCOMES
from engine.log.codec import decode, encode
from engine.log.decisions import DecisionLog, Logged
from engine.store.values import as_json

KEYS = "id, text, and perhaps at, facts, answer, repair, outcome, reason, sent"


class BadImport(ValueError):
    """A file that cannot be imported: file:line, what is wrong, and the cure. Nothing of it was imported."""


def import_jsonl(log: DecisionLog, path: Path, line: str) -> tuple[int, int]:
    """Add the rows of a JSONL file to the log: (added, already there).

    A row is what `export` writes, or a message of another system: `id`, `text`, and perhaps `at` (ISO), `facts`,
    `answer` and `repair` (words or fields), `outcome`, `reason`, `sent` (the words that went out). Raises BadImport
    before anything is added, OSError, LogUnavailable.
    """
    decisions = list(_read(path, line))
    added = log.add(decisions, origin=path.name)
    return added, len(decisions) - added


def _read(path: Path, line: str) -> Iterator[Decision]:
    with path.open(encoding="utf-8") as file:
        for number, text in enumerate(file, 1):
            if text.strip():
                at = f"{path}:{number}"
                try:
                    raw = json.loads(text)
                except (ValueError, RecursionError):
                    raise BadImport(f"{at}: This is no JSON object. Write one row a line: {KEYS}.") from None
                yield _decision(raw, at, line)


def _decision(raw: Any, at: str, line: str) -> Decision:
    if not isinstance(raw, Mapping):
        raise BadImport(f"{at}: A row is an object: {KEYS}.")
    if "decision" in raw:
        return _exported(raw["decision"], at, line)
    id, words = raw.get("id"), raw.get("text")
    if not isinstance(id, (str, int)) or isinstance(id, bool) or not isinstance(words, str):
        raise BadImport(f"{at}: A row needs `id` and `text`.")
    facts = raw.get("facts") or {}
    if not isinstance(facts, Mapping):
        raise BadImport(f"{at}: `facts` is a mapping from fact paths to values.")
    outcome = raw.get("outcome", "hold")
    if outcome not in OUTCOMES:
        raise BadImport(f"{at}: `{outcome}` is no outcome. Known: {', '.join(OUTCOMES)}.")
    when = _instant(raw.get("at"), at)
    for key in ("answer", "repair"):
        if not isinstance(raw.get(key), (str, Mapping, type(None))):
            raise BadImport(f"{at}: `{key}` is the words of the answer, or its fields.")
    calls = tuple(_call(key, raw[key]) for key in ("answer", "repair") if raw.get(key) is not None)
    facts = {"message.id": str(id), "message.text": words, **facts}
    sent = raw.get("sent") if isinstance(raw.get("sent"), str) else None
    return Decision(
        str(id), line, outcome, str(raw.get("reason", "imported")), text=sent, facts=facts, calls=calls, at=when
    )


def _exported(raw: Any, at: str, line: str) -> Decision:
    try:
        decision = decode(json.dumps(raw))
    except ValueError as error:
        raise BadImport(f"{at}: The decision cannot be read: {error} Export it anew.") from None
    if decision.line != line:
        raise BadImport(f"{at}: The decision is one of the line `{decision.line}`. Import it with --line.")
    if decision.outcome not in OUTCOMES:
        raise BadImport(f"{at}: `{decision.outcome}` is no outcome. Known: {', '.join(OUTCOMES)}.")
    return decision


def _instant(raw: Any, at: str) -> dt.datetime | None:
    if raw is None:
        return None
    try:
        when = dt.datetime.fromisoformat(str(raw))
    except ValueError:
        raise BadImport(f"{at}: `at` is no time. Write 2026-09-21T14:30:00+02:00.") from None
    if when.tzinfo is None:
        raise BadImport(f"{at}: `at` has no offset. Write 2026-09-21T14:30:00+02:00.")
    return when


def _call(key: str, given: Any) -> Call:
    fields = dict(given) if isinstance(given, Mapping) else {"text": given}
    return Call(key, "imported", "answered", fields, as_json(fields))


def export(rows: list[Logged]) -> Iterator[str]:
    """The decisions as JSONL, oldest first; `import_jsonl` reads it back."""
    for one in reversed(rows):
        whole = {
            "id": one.decision.id, "text": one.decision.facts.get("message.text"), "outcome": one.decision.outcome,
            "reason": one.decision.reason, "delivered": one.delivered, "decision": json.loads(encode(one.decision)),
        }  # fmt: skip
        yield as_json(whole)
