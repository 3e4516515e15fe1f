"""Messages as rows of a JSONL file, and the facts of a message that somebody only typed."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.language.line import Line

KEYS = ("id", "text", "facts", "answer", "repair")


@dataclass(frozen=True)
class Row:
    """One message of a file: `answer` and `repair` are what the model is taken to have said."""

    id: str
    text: str
    facts: Mapping[str, Any] = field(default_factory=dict)
    answer: str | Mapping[str, Any] | None = None
    repair: str | Mapping[str, Any] | None = None
    expected: Mapping[str, Any] = field(default_factory=dict)


class BadRow(ValueError):
    """A row that cannot be read: file:line, what is wrong, and the cure."""


def read_rows(path: Path) -> Iterator[Row]:
    """The messages of a JSONL file. Keys beside KEYS (and `expected`) are ignored. Raises BadRow, OSError."""
    seen: set[str] = set()
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                row = _row(line, f"{path}:{number}")
                if row.id in seen:
                    raise BadRow(f"{path}:{number}: The id `{row.id}` stands in the file twice.")
                seen.add(row.id)
                yield row


def _row(line: str, at: str) -> Row:
    try:
        raw = json.loads(line)
    except (ValueError, RecursionError):
        raise BadRow(f'{at}: This is no JSON object. Write one message a line: {{"id": …, "text": …}}.') from None
    if not isinstance(raw, dict):
        raise BadRow(f"{at}: A row is an object with `id` and `text`.")
    text, id = raw.get("text"), raw.get("id")
    if not isinstance(text, str):
        raise BadRow(f"{at}: `text` is missing or no text.")
    if not isinstance(id, (str, int)) or isinstance(id, bool) or str(id) == "":
        raise BadRow(f"{at}: `id` is missing: every row has one of its own.")
    facts = {} if raw.get("facts") is None else raw["facts"]
    if not isinstance(facts, dict):
        raise BadRow(f"{at}: `facts` is a mapping from fact paths to values.")
    for key in ("answer", "repair"):
        if not isinstance(raw.get(key), (str, dict, type(None))):
            raise BadRow(f"{at}: `{key}` is the words of the answer, or its fields.")
    expected = raw.get("expected")
    expected = {"outcome": expected} if isinstance(expected, str) else expected if isinstance(expected, dict) else {}
    return Row(str(id), text, facts, raw.get("answer"), raw.get("repair"), expected)


def facts_of(line: Line, text: str, id: str, now: dt.datetime, more: Mapping[str, Any]) -> dict[str, Any]:
    """The facts of a message somebody typed: a customer of their own who writes now, in private, on the line's first
    channel. `more` are further facts, or others in place of these."""
    plain: dict[str, Any] = {
        "message.id": id, "message.text": text, "message.kind": "text", "message.from": "user",
        "message.sent_at": now, "message.direct": True, "sender.id": f"sender-{id}", "chat.id": f"chat-{id}",
        "chat.group": False,
    }  # fmt: skip
    if line.config.channels:
        plain["channel.name"] = line.config.channels[0]
    return {**plain, **more}
