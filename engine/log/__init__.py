"""The decision log: every message with its facts as they were, what was decided and why."""

from engine.log.decisions import DecisionLog, LogUnavailable

__all__ = ["DecisionLog", "LogUnavailable"]
