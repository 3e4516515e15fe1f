"""What a line's questions are asked with: the constant system prompt, the schema, the live document."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from engine.files import content_hash
from engine.language.bodies import Question, spell, spelled
from engine.language.line import Line
from engine.language.turn import ABSENT, Failed, Item, Turn
from engine.ports import schema_hash
from engine.prompt import answer_schema, block_switches, render


class Prompts:
    """Prompts and schemas of a compiled line, each rendered once. Nothing of a message ever enters a prompt."""

    def __init__(self, line: Line) -> None:
        self.line = line
        self._rendered: dict[tuple[str, frozenset[str]], tuple[str, str]] = {}

    @cached_property
    def schemas(self) -> Mapping[str, Mapping[str, Any]]:
        """Question → the strict schema of its answer."""
        return {id: answer_schema(question.card) for id, question in self.line.questions.items()}

    @cached_property
    def hashes(self) -> Mapping[str, str]:
        """Question → the hash of its schema."""
        return {id: schema_hash(schema) for id, schema in self.schemas.items()}

    @cached_property
    def _switches(self) -> Mapping[str, tuple[str, ...]]:
        return {id: block_switches(self.line.source, id) for id in self.line.questions}

    def system(self, question: str, turn: Turn) -> tuple[str, str]:
        """The system prompt of a question under the switches of the turn, and its cache key: the hash of its bytes."""
        on = frozenset(name for name in self._switches[question] if turn.get(f"switches.{name}") == "on")
        if (question, on) not in self._rendered:
            text = render(self.line.source, on, question)
            self._rendered[question, on] = (text, content_hash(text)[:32])
        return self._rendered[question, on]


def document(question: Question, given: Mapping[str, Any], turn: Turn) -> str:
    """The live document of a question as one JSON text: what it reads, nested by path, in the card's order.

    `given`: path → value as it was gathered. Whoever wrote a value (a customer, the store, the provider of a page),
    it is a string in a field: data, never an instruction. What is not known is left out.
    """
    nested: dict[str, Any] = {}
    for path in question.reads:
        value = _plain(path, given.get(path, ABSENT), turn)
        if value is None:
            continue
        *heads, last = path.split(".")
        node = nested
        for head in heads:
            inner = node.setdefault(head, {})
            node = inner if isinstance(inner, dict) else node
        node[last] = value
    return json.dumps(nested, ensure_ascii=False)


def gather(question: Question, turn: Turn) -> dict[str, Any]:
    """What a question reads, as the turn knows it now."""
    return {path: turn.get(path) for path in question.reads}


def fields_given(question: Question, given: Mapping[str, Any], turn: Turn) -> dict[str, Any]:
    """What a port is given: path → plain value; what is not known is left out."""
    found = {path: _plain(path, given.get(path, ABSENT), turn) for path in question.reads}
    return {path: value for path, value in found.items() if value is not None}


def _plain(path: str, value: Any, turn: Turn) -> Any:
    """A value as JSON holds it: as its source wrote it where that is known, else spelled out."""
    if value is ABSENT or isinstance(value, Failed) or value == []:
        return None
    raw = turn.as_given(path)
    if raw is not ABSENT and not isinstance(raw, Failed):
        return jsonable(raw)
    kind = turn.line.facts[path].type.name
    if kind == "duration" and isinstance(value, float):
        return spell(float(round(value)), kind)
    if kind == "clock" and isinstance(value, int):
        return f"{value // 60:02d}:{value % 60:02d}"
    return jsonable(value)


def jsonable(value: Any) -> Any:
    """A fact's value as JSON holds it."""
    if isinstance(value, (str, bool)):
        return value
    if isinstance(value, Item):
        return value.found.text if value.found else jsonable(value.value)
    if isinstance(value, Mapping):
        return {str(name): jsonable(one) for name, one in value.items() if one is not None}
    if isinstance(value, (list, tuple)):
        return [jsonable(one) for one in value]
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    if isinstance(value, (dt.datetime, dt.date)):
        return value.isoformat()
    return spelled(value)
