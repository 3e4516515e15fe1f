"""Patterns: a subset of `regex`, read by one parser, refused where it could stall, run on normalised text. Pure.

docs/patterns.md shows each form once.
"""

from engine.language.patterns.compile import Pattern, PatternTimeout, Prepared, compile_pattern, lints
from engine.language.patterns.index import Index
from engine.language.patterns.nodes import Node, PatternRefused, walk
from engine.language.patterns.parse import parse
from engine.language.patterns.sense import Lint

__all__ = [
    "Index",
    "Lint",
    "Node",
    "Pattern",
    "PatternRefused",
    "PatternTimeout",
    "Prepared",
    "compile_pattern",
    "lints",
    "parse",
    "walk",
]
