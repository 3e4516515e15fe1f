"""Live state of a project: marks, switches and what has been claimed, in one SQLite file or in memory."""

from engine.store.memory import Memory
from engine.store.sqlite import State, StateUnavailable

__all__ = ["Memory", "State", "StateUnavailable"]
