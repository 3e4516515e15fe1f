"""Patterns ready to run: read, folded, checked, and matched by `regex` on normalised text. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

import regex

from engine.language.normalise import Normal
from engine.language.patterns.check import check_cost
from engine.language.patterns.fold import fold_tree, render
from engine.language.patterns.literals import Need, needs
from engine.language.patterns.nodes import Node, PatternRefused, Repeat, walk
from engine.language.patterns.parse import parse
from engine.language.patterns.sense import Lint, check_sense, lint_tree

SURE = 8
"""Counts up to this cannot make a pattern slow, so that it runs without a clock."""


class PatternTimeout(Exception):
    """A match took longer than the caller allowed; `source` is the pattern."""

    def __init__(self, source: str) -> None:
        super().__init__(f"The pattern `{source[:80]}` took too long.")
        self.source = source


@dataclass(frozen=True)
class Prepared:
    """What has been worked out of a pattern that held: what `regex` runs, whether it runs without a clock, what every
    match needs."""

    runs: str
    sure: bool
    needs: frozenset[Need]


@dataclass(frozen=True)
class Pattern:
    """A pattern that may be used. `known`: what was worked out of this very source before."""

    source: str
    known: Prepared | None = field(default=None, compare=False, repr=False)

    @property
    def prepared(self) -> Prepared:
        """What has been worked out of it, to be known the next time."""
        return self.known or Prepared(render(self.tree), self.sure, self.needs)

    @cached_property
    def tree(self) -> Node:
        """What was read, folded: it stands as texts are normalised, with spans of `source`. Raises PatternRefused."""
        return fold_tree(parse(self.source))

    def search(self, normal: Normal, timeout: float | None = None) -> tuple[int, int] | None:
        """The span of the first match, in the original text; None when there is none.

        `timeout` is in seconds. Raises PatternTimeout when it is over.
        """
        found = self.search_text(normal.text, timeout)
        return None if found is None else normal.span(*found)

    def search_text(self, text: str, timeout: float | None = None) -> tuple[int, int] | None:
        """As `search`, on normalised text and with the span in it."""
        try:
            found = self._compiled.search(text) if self.sure else self._compiled.search(text, timeout=timeout)
        except TimeoutError:
            raise PatternTimeout(self.source) from None
        return None if found is None else found.span()

    def finditer(self, normal: Normal, timeout: float | None = None) -> Iterator[tuple[int, int]]:
        """The spans of all matches, in the original text. `timeout` is for all together. Raises PatternTimeout."""
        try:
            for found in self._compiled.finditer(normal.text, timeout=None if self.sure else timeout):
                yield normal.span(*found.span())
        except TimeoutError:
            raise PatternTimeout(self.source) from None

    @property
    def literals(self) -> frozenset[str]:
        """Strings of which every match contains at least one; empty when none are known: the pattern is slow."""
        return frozenset(need.text for need in self.needs)

    @cached_property
    def needs(self) -> frozenset[Need]:
        """The same, with what is known of their ends; what the index looks for."""
        return self.known.needs if self.known else needs(self.tree)

    @cached_property
    def _compiled(self) -> regex.Pattern[str]:
        return regex.compile(self.known.runs if self.known else render(self.tree))

    @cached_property
    def sure(self) -> bool:
        """Whether it runs without a clock: no repetition of it can make it slow."""
        if self.known:
            return self.known.sure
        counts = [node.high for node in walk(self.tree) if isinstance(node, Repeat) and node.high != 1]
        return not counts or (len(counts) < 4 and all(high is not None and high <= SURE for high in counts))


@lru_cache(1 << 16)
def compile_pattern(source: str, known: Prepared | None = None) -> Pattern:
    """The pattern of `source`. Raises PatternRefused when it cannot be read, never matches, or could stall.

    `known`: this very source has passed before, and this was worked out of it (a caller that keeps what held): it is
    not read or checked again.
    """
    pattern = Pattern(source, known)
    if known is None:
        check_sense(pattern.tree)
        check_cost(pattern.tree, source)
        try:
            pattern._compiled  # noqa: B018 (compiled now, so that a refusal comes with its card)
        except regex.error as error:
            raise PatternRefused(
                f"`regex` does not take it: {error}.", 0, "Write it in simpler parts.", len(source)
            ) from None
    return pattern


def lints(source: str) -> list[Lint]:
    """Hints about a pattern that is taken as it stands. Raises PatternRefused as `compile_pattern` does."""
    pattern = compile_pattern(source)
    found = lint_tree(pattern.tree)
    if not pattern.needs:
        says = "No word or sign must occur in its matches, so it is tried on every text."
        found.append(Lint("slow", says, "Add a word that is always there, if there is one.", 0, len(source)))
    return found
