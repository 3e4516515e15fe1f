"""One deadline for a turn, passed down: each step gets the smaller of its own limit and the time that is left."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Deadline:
    """`at` on `clock` (seconds, monotonic). The clock comes from outside, so that a test or a replay has its own."""

    clock: Callable[[], float]
    at: float

    @classmethod
    def of(cls, seconds: float, clock: Callable[[], float]) -> Deadline:
        return cls(clock, clock() + seconds)

    def left(self) -> float:
        """Seconds left, never below 0."""
        return max(0.0, self.at - self.clock())

    def step(self, limit: float | None = None) -> float:
        """Seconds one step may take."""
        left = self.left()
        return left if limit is None else min(limit, left)

    @property
    def over(self) -> bool:
        return self.left() <= 0.0
