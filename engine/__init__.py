"""The engine: cards in, decisions out."""

RULECARD = True
"""Tells this package from a foreign one of the same name in the same environment."""
