"""The offline model: it takes its answers from the knowledge it is given, in the same typed fields as any other.

It reads the live document, not the customer's words, so nothing of these ever reaches an answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.ports import CallFailed, Reply, Request

NAME = "offline"
_SENTENCE = re.compile(r"(?<=[.!?])\s+")


@dataclass(frozen=True)
class Offline:
    """Extractive. `sure` and `fair`: similarities (0 to 1) of the nearest sample question from which it is sure of its
    answer, or thinks it fair; below, it asks for a person. Deterministic. Raises CallFailed (`empty`) when there is
    nothing to answer from and the schema has no field by which it could ask for a person."""

    sure: float
    fair: float
    name: str = NAME

    async def ask(self, request: Request) -> Reply:
        """Answer from the document's `topic.*`; a repair drops what the guard objected to, sentence by sentence."""
        known = _document(request.turns[0][1])
        topic = known.get("topic")
        topic = topic if isinstance(topic, dict) else {}
        kept, score = str(topic.get("answer") or ""), _number(topic.get("score"))
        text = _shorter(kept, request.turns) if len(request.turns) > 1 else kept
        sure = bool(text) and score >= self.sure
        fair = bool(text) and score >= self.fair
        properties: Mapping[str, Any] = request.schema["properties"]
        if not text and "person" not in properties:
            raise CallFailed("empty", "The offline model knows no answer to this.")
        special = {
            "text": text, "person": not fair, "reason": NAME,
            "confidence": "high" if sure else "medium" if fair else "low", "topic": topic.get("nearest"),
        }  # fmt: skip
        fields = {name: _value(special.get(name), schema) for name, schema in properties.items()}
        return Reply(fields, json.dumps(fields, ensure_ascii=False), NAME)


def _document(text: str) -> Mapping[str, Any]:
    try:
        read = json.loads(text)
    except ValueError:
        return {}
    return read if isinstance(read, dict) else {}


def _number(value: Any) -> float:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else 0.0


def _shorter(text: str, turns: tuple[tuple[str, str], ...]) -> str:
    """The answer without the sentences that a repair quotes from."""
    said = _document(turns[-1][1]).get("repair")
    objections = " ".join(map(str, said)) if isinstance(said, list) else ""
    words = set(re.findall(r"[\w:/@.+-]*\d[\w:/@.+-]*|https?://\S+", objections))
    kept = [one for one in _SENTENCE.split(text) if not any(word in one for word in words)]
    return " ".join(kept) if len(kept) < len(_SENTENCE.split(text)) else " ".join(kept[:1])


def _value(wanted: Any, schema: Mapping[str, Any]) -> Any:
    """The wanted value where the schema takes it, else its neutral one: null, `none`, no, 0, nothing."""
    kinds = schema.get("type", "string")
    kinds = kinds if isinstance(kinds, list) else [kinds]
    if "enum" in schema:
        choices = schema["enum"]
        neutral = None if None in choices else "none" if "none" in choices else choices[-1]
        return wanted if wanted in choices else neutral
    if wanted is not None and {bool: "boolean", str: "string"}.get(type(wanted)) in kinds:
        return wanted
    if "null" in kinds:
        return None
    return {"boolean": False, "number": schema.get("minimum", 0), "array": [], "object": {}}.get(kinds[0], "")
