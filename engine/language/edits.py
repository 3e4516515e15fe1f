"""Edits of a text: remove or replace a match or its sentence, cut at a length; every other byte stays."""

from __future__ import annotations

from collections.abc import Sequence

from engine.language.actions import Edit
from engine.language.conditions import Evidence
from engine.language.extract import sentences
from engine.language.turn import Failed, Turn


def apply_edits(text: str, edits: Sequence[tuple[Edit, Sequence[Evidence], str | None]], turn: Turn) -> str:
    """All edits of one pass, longest span first; a span inside one already taken is part of it.

    An edit whose replacement has an unfilled slot (None) removes. Cuts come last, on what is left.
    """
    spans: list[tuple[int, int, str]] = []
    for edit, evidence, replacement in edits:
        if edit.does != "cut":
            spans += [(start, end, replacement or "") for start, end in _spans(text, edit.part, evidence)]
    edited = _spliced(text, spans)
    for edit, _, _ in edits:
        if edit.does == "cut" and edit.at_most:
            values = edit.at_most.values(turn)
            if not isinstance(values, Failed) and values:
                edited = cut(edited, int(values[0]))
    return edited


def _spans(text: str, part: str, evidence: Sequence[Evidence]) -> list[tuple[int, int]]:
    if part in ("item", "whole"):
        return [(0, len(text))]
    matches = sorted({(one.start, one.end) for one in evidence if 0 <= one.start <= one.end <= len(text)})
    if part == "match":
        return matches
    return [span for span in sentences(text) if any(span[0] < end and start < span[1] for start, end in matches)]


def _spliced(text: str, spans: list[tuple[int, int, str]]) -> str:
    taken: list[tuple[int, int, str]] = []
    for start, end, new in sorted(spans, key=lambda span: (span[0] - span[1], span[0])):
        if all(end <= a or start >= b for a, b, _ in taken):
            taken.append((start, end, new))
    parts, at = [], 0
    for start, end, new in sorted(taken):
        gap = " " if new and text[start:end] != text[start:end].rstrip() and not new[-1].isspace() else ""
        parts += [text[at:start], new, gap]
        at = end
    return "".join([*parts, text[at:]])


def cut(text: str, at_most: int) -> str:
    """The longest run of whole sentences of at most so many characters; a first sentence that is longer alone is
    cut at a word."""
    if len(text) <= at_most:
        return text
    kept = 0
    for _, end in sentences(text):
        if len(text[:end].rstrip()) > at_most:
            break
        kept = end
    if kept:
        return text[:kept].rstrip()
    room = text[: at_most + 1]
    return (room.rpartition(" ")[0] or text[:at_most]).rstrip()
