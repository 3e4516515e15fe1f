"""The decision log: every message with its facts as they were, what was decided and why."""

from engine.log.decisions import DecisionLog, Logged, LogUnavailable

__all__ = ["DecisionLog", "LogUnavailable", "Logged"]
