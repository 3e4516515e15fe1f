"""The guard: what is wrong with an answer, the one repair, and what the repair is told. Pure."""

from guard.repair import Repair, repair_of
from guard.verdicts import verdicts_of

__all__ = ["Repair", "repair_of", "verdicts_of"]
