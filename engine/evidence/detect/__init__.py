"""What the extractors read out of other people's cases: `rulecard bench detect DIR`.

Each module is a family of sets; a set is a function from the folder to its Score.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from engine.evidence.detect import addresses, answers, shapes
from engine.evidence.detect.score import NoSet, Score

__all__ = ["SETS", "NoSet", "Score", "detect"]

SETS: tuple[Callable[[Path], Score], ...] = (
    shapes.emoji,
    shapes.lookalikes,
    addresses.links_and_emails,
    addresses.links_and_emails_written,
    addresses.phones,
    addresses.phones_in_messages,
    answers.claims_to_be_a_person,
    answers.grounded_details,
)


def detect(folder: Path, as_json: bool, misses: bool, say: Callable[[str], None]) -> int:
    """Run every set and print it; 1 when a bar is not held. Raises NoSet."""
    scores = []
    for run in SETS:
        scores.append(run(folder))
        if not as_json:
            say(str(scores[-1]))
            for miss in scores[-1].misses if misses else ():
                say(f"  {miss}")
    if as_json:
        say(json.dumps([score.as_json(misses) for score in scores], ensure_ascii=False, indent=1))
    return 0 if all(score.held for score in scores if score.bars) else 1
