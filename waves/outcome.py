"""Which decisions may be sent: the wave that labels one, and what its switch makes of it. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from engine.language.line import Line
from engine.language.turn import Turn


@dataclass(frozen=True)
class Label:
    """The first wave that matches a decision: its id, `open` or `closed`, and what the decision comes to by it."""

    wave: str
    state: str
    outcome: str


UNLABELLED = Label("", "", "draft")
"""What no wave lets out is laid before a person."""


def label(line: Line, turn: Turn) -> Label:
    """The label of a decision that would be sent, by its facts `decision.*`. A state that cannot be read is closed."""
    found = line.label(turn)
    if found is None:
        return UNLABELLED
    name, state = found
    if state == "open":
        return Label(name, state, "send")
    return Label(name, "closed", line.waves[name].closed)
