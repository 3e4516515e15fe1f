"""Conditions, endings, effects and examples of a card as plain text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from engine.language.line import Line
from engine.language.yaml_write import inline
from runbook import phrases
from runbook.phrases import Names, Phrase

Lines = Iterator[tuple[int, str]]


def condition(raw: Any, line: Line) -> Lines:
    """A condition as lines of a tree: how deep, and the sentence. Entries of one mapping hold together."""
    names = Names(line.facts, {name: card.body.title for name, card in line.source.cards.items()})
    for depth, phrase in phrases.condition(raw, names):
        yield depth, plain(phrase)


def ending(raw: Any) -> str:
    """What follows: an outcome, a text said, a question asked; of several, the first that can be carried out."""
    return plain(phrases.ending(raw))


def example(raw: Mapping[str, Any]) -> str:
    """An example as `what is given → what must come of it`."""
    subjects = [raw[key] for key in ("message", "answer", "item") if key in raw]
    given = [f"“{one}”" if isinstance(one, str) else inline(one) for one in subjects]
    given += [
        f"{key} {inline(raw[key])}" for key in ("error", "rung", "now", "facts", "asked", "history") if key in raw
    ]
    come = ["fires" if raw["fires"] is True else "does not fire"] if "fires" in raw else []
    come += [ending(raw["then"])] if "then" in raw else []
    come += [f"becomes “{raw['becomes']}”"] if "becomes" in raw else []
    come += [f"{key} {inline(raw[key])}" for key in ("reason", "sets", "alerts") if key in raw]
    note = f" ({raw['note']})" if "note" in raw else ""
    return f"{', '.join(given) or 'always'} → {', '.join(come)}{note}"


def effects(raw: Any) -> list[str]:
    """What happens beside the ending, one sentence each."""
    return [plain(phrase) for phrase in phrases.effects(raw)]


def plain(phrase: Phrase) -> str:
    """A phrase as text: literals between backticks, what a fact or a term means in parentheses."""
    said = (f"`{piece.text}`" if piece.kind == "code" else piece.text for piece in phrase)
    return "".join(text + (f" ({piece.note})" if piece.note else "") for text, piece in zip(said, phrase, strict=True))
