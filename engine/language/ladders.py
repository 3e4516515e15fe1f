"""Ladders: what is done on each class of error, rung by rung."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from engine.language.kinds import ID
from engine.language.operands import Key
from engine.language.points import OUTCOMES
from engine.language.problems import nearest
from engine.language.reading import Reader
from engine.language.values import read_duration

ERRORS = (
    "timeout", "network", "too_many", "service_error", "server_error", "wrong_key", "refused", "cut_off", "empty",
    "bad_form", "tool_call", "too_long", "unavailable", "lost_reply", "conflict", "unknown",
)  # fmt: skip
"""The classes of error that a model, a port or a channel can bring. A verdict that `counts_as` a class may add its own."""
FAMILY: Mapping[str, str] = dict.fromkeys(("network", "too_many", "server_error", "timeout"), "service_error")
"""The class whose rungs are taken where a ladder has none for the class itself: a service that cannot be reached, is
overrun, breaks or does not answer in time is a service error."""
RUNGS = ("wait", "key", "model", "ask", "times", "requeue", "cooldown", "give_up", "reason")


def read_ladder(reader: Reader, raw: Any) -> dict[str, tuple[Mapping[str, Any], ...]] | None:
    """`errors: {CLASS: [rungs]}` with every mistake reported; None when there was one.

    A class may name another one whose rungs it shares: `empty: service_error`.
    """
    before = len(reader.problems)
    if not isinstance(raw, Mapping) or not raw:
        reader.refuse(("errors",), "wrong_type", "`errors` is a mapping from a class of error to its rungs.")
        return None
    read = {}
    for error, rungs in raw.items():
        key: Key = ("errors", error)
        if isinstance(rungs, str):
            if not isinstance(raw.get(rungs), list):
                cure = nearest(rungs, [name for name, others in raw.items() if isinstance(others, list)])
                reader.refuse(key, "unknown_value", f"`{rungs}` is no class of error with rungs of its own.", cure)
                continue
            rungs = raw[rungs]
        elif not isinstance(rungs, list) or not rungs:
            reader.refuse(key, "wrong_type", "The rungs are a list: [{wait: 2 s}, {give_up: hold}].")
            continue
        if rungs is raw[error]:
            for index, rung in enumerate(rungs):
                _check_rung(reader, rung, (*key, index), last=index == len(rungs) - 1)
        read[str(error)] = tuple(rungs)
    return read if len(reader.problems) == before else None


def _check_rung(reader: Reader, rung: Any, key: Key, last: bool) -> None:
    if not isinstance(rung, Mapping) or not rung:
        reader.refuse(key, "wrong_type", "A rung is a mapping such as {wait: 2 s}.")
        return
    for name, value in rung.items():
        at = (*key, name)
        if name not in RUNGS:
            reader.refuse(at, "unknown_key", f"`{name}` is no rung.", nearest(name, RUNGS))
        elif name in ("wait", "cooldown"):
            try:
                read_duration(value)
            except ValueError as error:
                reader.refuse(at, "wrong_type", str(error))
        elif name == "times" and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
            reader.refuse(at, "wrong_type", "`times` is a whole number from 1.")
        elif name == "ask":
            reader.exists("questions", str(value), at)
        elif name == "give_up":
            _check_give_up(reader, value, at, last)
        elif name == "reason" and ("give_up" not in rung or not re.fullmatch(ID, str(value))):
            reader.refuse(
                at, "bad_form", "`reason` stands beside `give_up` and is an id.", "For instance dropped_after_retries."
            )


def _check_give_up(reader: Reader, value: Any, key: Key, last: bool) -> None:
    if not last:
        reader.refuse(key, "unreachable", "`give_up` ends the ladder: what follows it is never reached.")
    if isinstance(value, Mapping) and set(value) == {"say"}:
        reader.exists("texts", str(value["say"]), (*key, "say"))
    elif value not in (*OUTCOMES, "read_only", "start_empty", "next"):
        cure = nearest(str(value), OUTCOMES)
        reader.refuse(key, "unknown_ending", "`give_up` is an outcome or {say: TEXT}.", cure)
