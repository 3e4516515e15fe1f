"""Emoji and letters that look alike: files `detect_emoji` and `detect_confusables`."""

from __future__ import annotations

from pathlib import Path

from engine.evidence.detect.score import Score, context, rows
from engine.language.extract import measure
from engine.language.normalise import normalise, unseen


def emoji(folder: Path) -> Score:
    """Every emoji alone is emoji only, and none is taken for hidden text."""
    score = Score("emoji-only", {"right": 0.99})
    for row in rows(folder, "detect_emoji"):
        text = row["text"]
        hidden = bool(unseen(text))
        score.case(
            row["id"],
            text,
            ["emoji_only"],
            ["emoji_only"] * bool(measure("emoji_only", text, context())) + ["hidden"] * hidden,
        )
    return score


def lookalikes(folder: Path) -> Score:
    """A letter that looks like a Latin one is read as that letter, in a word whose other letters are Latin."""
    score = Score("look-alikes", {"right": 0.99})
    for row in rows(folder, "detect_confusables"):
        plain = f"pay{row['looks_like']}pal"
        found = normalise(f"pay{row['text']}pal").text
        score.case(row["id"], row["text"], [normalise(plain).text], [found])
    return score
