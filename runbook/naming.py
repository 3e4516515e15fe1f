"""Speakable names for what `rulecard adopt` finds: blocks from their headings, instructions from their first words."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources

from runbook.splitting import Section

INSTRUCTION = 40
"""Most characters of an instruction's id, block included: what fits on one line of a terminal beside a place."""
BLOCK = 18
"""Most characters of a block's id: it leaves room for three words of the instruction."""

_WORDS = re.compile(r"[a-z0-9]+")
_APOSTROPHE = re.compile(r"(?<=\w)['’](?=\w)")
_MARKS = re.compile(r"^\s*(?:[-+*>]|#+|\d+[.)])\s+|\*+|`+|\|", re.MULTILINE)
_SENTENCE = re.compile(r"(?<=[.!?])\s")
TITLE = 90
"""Most characters of a drafted title."""


@dataclass(frozen=True)
class Words:
    """Words no id needs, and words that tell what an instruction is about (templates/adopt/words.yaml)."""

    skip: frozenset[str]
    situations: frozenset[str]
    style: frozenset[str]


def read_words() -> Words:
    """The word lists that come with Rulecard."""
    from engine.language.yaml_source import parse

    file = resources.files("runbook") / "templates" / "adopt" / "words.yaml"
    source, problems = parse(file.read_text(encoding="utf-8"), "words.yaml")
    assert source is not None, problems
    return Words(*(frozenset(source.value[name]) for name in ("skip", "situations", "style")))


def block_ids(titles: Sequence[str], words: Words) -> list[str]:
    """An id for each title, in order, all different: its first words, or its last where several begin alike."""
    first = [_fitted(_needed(title, words), "_", BLOCK) for title in titles]
    often = Counter(id for id, _ in set(zip(first, titles, strict=True)))
    taken: set[str] = set()
    made = []
    for title, id in zip(titles, first, strict=True):
        if often[id] > 1:
            id = _last(_needed(title, words), BLOCK) or id
        made.append(_unique(id or "part", "_", BLOCK, taken))
    return made


def instruction_ids(block: str, section: Section, words: Words) -> list[str]:
    """An id for each instruction of a section that becomes a block, in order, all different."""
    room = INSTRUCTION - len(block) - 1
    taken: set[str] = set()
    made = []
    for index, text in enumerate(section.texts):
        needed = _needed(text, words)
        choices = [_fitted(needed[start:], "-", room) for start in range(min(4, len(needed)))]
        id = next((one for one in choices if one and one not in taken), choices[0] if choices else "")
        if index in section.layout:
            id = "ends" if text.startswith("</") else "begins"
        made.append(f"{block}.{_unique(id or 'rule', '-', room, taken)}")
    return made


def kind_of(text: str, words: Words) -> str:
    """The kind of card that fits an instruction: how the line writes, what it does when…, or what is true."""
    said = set(_plain(text))
    if said & words.style:
        return "style"
    return "situations" if said & words.situations else "background"


def title_of(text: str) -> str:
    """The first sentence of an instruction without marks of Markdown, cut at a word."""
    plain = " ".join(_MARKS.sub("", text).split())
    sentence = _SENTENCE.split(plain)[0].strip()
    if len(sentence) <= TITLE:
        return sentence or "…"
    return sentence[: TITLE - 1].rsplit(" ", 1)[0].rstrip(" ,;:") + "…"


def _plain(text: str) -> list[str]:
    bare = unicodedata.normalize("NFKD", _APOSTROPHE.sub("", text)).encode("ascii", "ignore").decode().lower()
    return _WORDS.findall(bare)


def _needed(text: str, words: Words) -> list[str]:
    """The words an id is made of; the first begins with a letter."""
    plain = _plain(text)
    needed = [word for word in plain if word not in words.skip] or plain
    while needed and not needed[0][0].isalpha():
        needed = needed[1:]
    return needed


def _fitted(words: Sequence[str], joint: str, room: int) -> str:
    """As many words as fit; a first word that is too long is cut."""
    made = ""
    for word in words:
        longer = f"{made}{joint}{word}" if made else word[:room]
        if len(longer) > room:
            break
        made = longer
    return made if made[:1].isalpha() else ""


def _last(words: Sequence[str], room: int) -> str:
    made = ""
    for word in reversed(words):
        longer = f"{word}_{made}" if made else word[:room]
        if len(longer) > room:
            break
        made = longer
    return made if made[:1].isalpha() else ""


def _unique(id: str, joint: str, room: int, taken: set[str]) -> str:
    one, number = id, 1
    while one in taken:
        number += 1
        end = f"{joint}{number}"
        one = id[: room - len(end)] + end
    taken.add(one)
    return one
