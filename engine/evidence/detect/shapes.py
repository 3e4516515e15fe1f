"""Emoji and letters that look alike: files `detect_emoji` and `detect_confusables`."""

from __future__ import annotations

import unicodedata
from pathlib import Path

from engine.evidence.detect.score import Score, context, rows
from engine.language.extract import extract, measure
from engine.language.normalise import normalise


def emoji(folder: Path) -> Score:
    """Every emoji alone is emoji only, and none is taken for hidden text."""
    score = Score("emoji-only", {"right": 0.99})
    for row in rows(folder, "detect_emoji"):
        text = row["text"]
        hidden = any(extract("hidden", text, context()))
        score.case(
            row["id"],
            text,
            ["emoji_only"],
            ["emoji_only"] * bool(measure("emoji_only", text, context())) + ["hidden"] * hidden,
        )
    return score


def lookalikes(folder: Path) -> Score:
    """A letter that looks like a Latin one is read as that letter, in a word whose other letters are Latin.

    Two texts look alike when they are the same once `i`, `l`, `1` and `|` count as one, and `o` and `0`: a capital I
    is a small l to the eye.
    """
    score = Score("look-alikes", {"right": 0.99})
    for row in rows(folder, "detect_confusables"):
        convention = next((one.__name__ for one in CONVENTIONS if one(row["text"], row["looks_like"])), None)
        if convention:
            score.apart[convention] += 1
            continue
        plain = _look(f"pay{row['looks_like']}pal")
        score.case(row["id"], row["text"], [plain], [_look(f"pay{row['text']}pal")])
    return score


def a_digit_is_that_digit(text: str, looks_like: str) -> bool:
    """A digit of any script is read as the digit it is: a Bengali four, which looks like an 8, is a 4."""
    return any(unicodedata.decimal(sign, None) is not None for sign in text)


def a_letter_is_no_digit(text: str, looks_like: str) -> bool:
    """A letter that looks like a digit of 2 to 9 stays a letter: no word is spelled with digits by mistake."""
    return looks_like in "23456789"


def a_latin_letter_is_itself(text: str, looks_like: str) -> bool:
    """A Latin letter of its own, which some language writes (`ʋ`, `ɣ`, `ƽ`, a long `ſ`), is not another Latin letter."""
    folded = normalise(text).text
    latin = all(unicodedata.name(sign, "").startswith("LATIN") for sign in folded + text)
    return (latin and bool(folded) and not folded.isascii()) or text == "ſ"


CONVENTIONS = (a_digit_is_that_digit, a_letter_is_no_digit, a_latin_letter_is_itself)
"""Where we differ from the table of confusables on purpose."""

_ONE_LOOK = str.maketrans("i1|0", "lllo")


def _look(text: str) -> str:
    return normalise(text).text.translate(_ONE_LOOK)
