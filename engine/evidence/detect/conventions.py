"""Where we differ from the sets of links on purpose: each a predicate of one difference."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Difference:
    """A span of a text that a set expects and we do not find (`missed`), or the other way round."""

    text: str
    start: int
    end: int
    missed: bool

    @property
    def spelled(self) -> str:
        return self.text[self.start : self.end]


CONVENTIONS: tuple[Callable[[Difference], bool], ...] = ()
