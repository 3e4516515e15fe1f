"""The points of a message's path: what each is about, which endings it knows, how its cards are run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Mode = Literal["first", "guarded", "strictest", "effects"]

OUTCOMES = ("send", "draft", "silent", "store_only", "dropped", "hold")
"""The closed outcomes of a message, from the least to the most strict (a person sees a hold)."""


@dataclass(frozen=True)
class Point:
    """One point: its subject, the endings a card may give there, and which card wins.

    `first`: in order, the first ending wins. `guarded`: so do the gates, then all guard cards are heard and the
    strictest ending wins. `strictest`: all run, the strictest wins. `effects`: no ending, cards only set marks and alert.
    """

    name: str
    subject: str
    endings: tuple[str, ...]
    mode: Mode
    on_path: bool
    says: str
    on_error: str = "hold"
    """What a card's failure means here unless the card says otherwise: the safest ending, or `next`."""


_MESSAGE = (*OUTCOMES, "merge")


def _path(name: str, subject: str, endings: tuple[str, ...], mode: Mode, says: str) -> Point:
    on_error = "hold" if "hold" in endings else "requeue" if "requeue" in endings else "next"
    return Point(name, subject, endings, mode, True, says, on_error)


def _off(name: str, subject: str, endings: tuple[str, ...], on_error: str, says: str) -> Point:
    return Point(name, subject, endings, "first", False, says, on_error)


POINTS: dict[str, Point] = {
    point.name: point
    for point in (
        _path("arrive", "message", _MESSAGE, "first", "Duplicates and replays are recognised."),
        _path("admission", "message", _MESSAGE, "first", "Is this a message the line takes at all?"),
        _path("staff", "message", _MESSAGE, "first", "Has a person already replied, and who is writing?"),
        _path("limits", "message", _MESSAGE, "first", "Rates and queues."),
        _path("fast", "message", _MESSAGE, "first", "Answers that need no model."),
        _path("pre-gate", "message", _MESSAGE, "first", "Reasons why a message cannot be handled as usual."),
        _path("topic", "message", _MESSAGE, "first", "The nearest sample questions name a topic."),
        _path("orders", "message", _MESSAGE, "first", "The customer's orders are read."),
        _path("fixed", "message", _MESSAGE, "first", "Fixed lines for known situations."),
        _path("live", "message", _MESSAGE, "first", "Live data: open, delivers, in stock, product behind a link."),
        _path("verbatim", "message", _MESSAGE, "first", "A knowledge answer that may go out word for word."),
        _path("prompt", "message", (), "effects", "The constant instructions and the live document are put together."),
        _path("model", "message", (), "effects", "The model answers in typed fields."),
        _path("person-needed", "message", _MESSAGE, "first", "The model asks for a person."),
        _path("answer", "answer", _MESSAGE, "guarded", "The guard reads the answer; one repair."),
        _path("finish", "answer", _MESSAGE, "guarded", "An empty or marked answer is brought to an end."),
        _path("review", "answer", _MESSAGE, "guarded", "Last look before the answer may leave."),
        _path("outcome", "decision", OUTCOMES, "strictest", "Waves and stops: an outcome can only get stricter."),
        _path("delivery", "send", ("deliver", "dropped", "requeue"), "first", "Each single send."),
        _path("record", "delivered", (), "effects", "What was really delivered is written down."),
        _off("memory", "item", ("keep", "drop"), "drop", "One item before it is remembered."),
        _off("log", "item", ("keep", "drop"), "drop", "One item before it is logged."),
        _off("request", "item", ("keep", "drop"), "drop", "One item before it enters a model request."),
        _off("tool", "call", ("allow", "deny", "skip"), "deny", "A tool call before it runs."),
        _off("peer", "call", ("follow_up", "steer", "cancel"), "cancel", "A message from one bot to another."),
        _off("sweep", "conversation", ("close",), "next", "A quiet conversation is looked at."),
        _off("turn_end", "context", ("checkpoint", "new_part"), "next", "The size of the context after a turn."),
        _off("state", "file", ("write", "read_only", "start_empty"), "read_only", "A state file is opened or written."),
    )
}

PATH = tuple(p.name for p in POINTS.values() if p.on_path)
UNASKED_AT = ("delivery", "record")
"""Points where nobody waits for an answer: what goes out, or went out, is looked at as it is."""
ASK_BEFORE = "Ask at `outcome` or before; what was answered can be read here."
ITEM_POINTS = ("memory", "log", "request")


def stricter(a: str, b: str) -> str:
    """The stricter of two outcomes (`hold` beats all); an ending outside the outcomes loses to one inside."""
    order = {name: rank for rank, name in enumerate(OUTCOMES)}
    return a if order.get(a, -1) >= order.get(b, -1) else b
