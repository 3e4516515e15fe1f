"""What is said of a text as a whole: its language, whether it is only emoji or only a link, markup that leaked."""

from __future__ import annotations

import json
from collections.abc import Iterator

import regex

from engine.language.extract.flat import Flat
from engine.language.extract.found import Context, Found
from engine.language.extract.lazy import lazily
from engine.language.extract.words import COMMON, QUESTIONS

_EMOJI = lazily(
    r"(?:\s|[\p{RI}]{2}|[0-9#*]\uFE0F?\u20E3|\U0001F3F4[\U000E0020-\U000E007E]+\U000E007F"
    r"|[\p{Extended_Pictographic}\p{Emoji_Presentation}][\uFE0E\uFE0F]?\p{Emoji_Modifier}?\u20E3?"
    r"(?:\u200D[\p{Extended_Pictographic}\p{Emoji_Presentation}♀♂⚕⚖✈][\uFE0E\uFE0F]?\p{Emoji_Modifier}?)*)+"
)
_WORD = lazily(r"\p{L}[\p{L}\p{M}'’]*")
_MARKUP = (
    ("fence", regex.compile(r"```")),
    ("reasoning", regex.compile(r"</?(?:think|thinking|reasoning|analysis|scratchpad)>", regex.I)),
    ("tool_call", regex.compile(r"</?(?:tool_call|function_call|tool|function|invoke)\b[^>]*>|<\|[a-z_]+\|>|\"(?:tool_calls|function_call|tool_name)\"\s*:|\bfunctions\.[a-z_]+\(", regex.I)),
    ("placeholder", regex.compile(r"\{\{[^{}]*\}\}|\{%.*?%\}|\{[a-z][a-z0-9_.]*\}|\[(?:insert|your|customer|order|name|date|time|phone|link)\b[^\]]{0,40}\](?!\()|<(?:name|order|date|insert)[ _a-z]*>", regex.I)),
)  # fmt: skip


def emoji_only(text: str, context: Context) -> bool:
    """Nothing but emoji and white space, and at least one emoji: families, flags, skin tones and keycaps included."""
    return bool(text.strip()) and _EMOJI.fullmatch(text) is not None


def question_word(text: str, context: Context) -> bool:
    """Holds a question mark or a question word of one of the languages known here."""
    if any(mark in text for mark in "?？¿؟"):
        return True
    return any(word.lower() in QUESTIONS for word in _WORD.findall(text))


def length(text: str, context: Context) -> int:
    """Its length in code points."""
    return len(text)


def language(text: str, context: Context) -> str | None:
    """The language by its commonest words, or None: short, mixed and unknown texts are unknown rather than wrong.

    Known are the languages of `COMMON`; at least two of its common words must speak for one, and twice as many as
    for any other.
    """
    words = [word.lower() for word in _WORD.findall(text)]
    scores = {name: sum(word in common for word in words) for name, common in COMMON.items()}
    for name, letters in (("es", "ñ¿¡áíóú"), ("pt", "ãõç"), ("de", "äöß"), ("fr", "çèêœ")):
        scores[name] += 2 * any(letter in text.lower() for letter in letters) if scores[name] else 0
    first, second = sorted(scores, key=lambda name: (-scores[name], name))[:2]
    if scores[first] < 2 or scores[first] < 2 * scores[second] or scores[first] * 8 < len(words):
        return None
    return first


def markup(text: Flat, context: Context) -> Iterator[Found]:
    """Markup that leaked out of a model: json, tool_call, placeholder, reasoning, fence."""
    for kind, pattern in _MARKUP:
        for match in pattern.finditer(text.original):
            yield Found("markup", kind, match.start(), match.end(), match[0])
    yield from _json(text.original)


def _json(text: str) -> Iterator[Found]:
    for match in regex.finditer(r"[\[{]\s*(?=[\"\[{])", text):
        try:
            _, end = json.JSONDecoder().raw_decode(text[match.start() : match.start() + 20_000])
        except (ValueError, RecursionError):
            if regex.match(r"[\[{]\s*\"[\w ]+\"\s*[:,]", text[match.start() :]):
                yield Found("markup", "json", match.start(), match.start() + 1, text[match.start()])
                return
            continue
        end += match.start()
        yield Found("markup", "json", match.start(), end, text[match.start() : end])
        return


_STOP = lazily(r"(?:[.!?…]+[\"'”’)\]]*(?=\s|$)|[。！？]+|\n+)\s*")
_ABBREVIATION = lazily(
    r"(?:\b(?:mr|mrs|ms|dr|st|no|nr|approx|e\.g|i\.e|etc|vs|sr|sra|srta|dra|ud|uds|aprox|pág|núm|av|a\.m|p\.m|a|p)|(?<=\s|^)\p{L})\.$",
    regex.I,
)


def sentences(text: str) -> list[tuple[int, int]]:
    """The spans of the sentences, white space after them included: laid end to end they are the text.

    Abbreviations, decimals, links and clock times do not end a sentence.
    """
    spans, start = [], 0
    for match in _STOP.finditer(text):
        if match.start() == start and not match[0].strip():
            continue
        head = text[start : match.end()].rstrip()
        if "\n" not in match[0] and head.endswith(".") and _ABBREVIATION.search(head) and match.end() < len(text):
            continue
        spans.append((start, match.end()))
        start = match.end()
    if start < len(text):
        spans.append((start, len(text)))
    return spans
