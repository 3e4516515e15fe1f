"""Rulecard for a backend: load a project, compile a line, answer a message, commit what was delivered.

    import rulecard

    line = rulecard.load("my-line").compile()
    decision = await line.answer({"message.text": "Where is my order?", "sender.id": "c1"})
    line.commit(decision, delivered=True)

`line.wrap(call)` puts the gates, the guard and its one repair around a model function of your own. What goes in and
comes out is described in docs/backend.md; every fact path in docs/facts.md.
"""

from __future__ import annotations

from engine.compiled import CompiledLine
from engine.decision import Decision
from engine.language.turn import Failed
from engine.loading import Project, load
from engine.ports import CallFailed, Models, Port, Reply, Request, Source, Usage
from runbook.session import Refused

__all__ = [
    "CallFailed", "CompiledLine", "Decision", "Failed", "Models", "Port", "Project", "Refused", "Reply", "Request",
    "Source", "Usage", "load",
]  # fmt: skip
