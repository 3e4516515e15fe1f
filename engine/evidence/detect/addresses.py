"""Links, e-mail addresses and telephone numbers in cases by others.

Files: `detect_twitter_text` (twitter-text), `detect_links_linkify` (linkify-it, linkifyjs), `detect_rt_sequence`
(Recognizers-Text), `detect_presidio_tests` and `detect_pii_presidio_synth` (Presidio), `detect_phonenumbers`
(libphonenumber). Where we differ from a set on purpose, a predicate of `conventions` says so of each single difference.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.evidence.detect.conventions import CONVENTIONS, Difference
from engine.evidence.detect.score import Score, context, rows
from engine.language.extract import Found, extract

Span = tuple[int, int]
_LINKS, _EMAILS = ("links",), ("emails",)
_SYNTHETIC = {"DOMAIN_NAME": "links", "EMAIL_ADDRESS": "emails", "PHONE_NUMBER": "phones"}
_URL_LISTS = ("urls", "urls_with_indices", "tco_urls_with_params")
_URL_CHECKS = ("is_urls", "is_urls_without_protocol")


@dataclass(frozen=True)
class Case:
    """One text of a set: what is sought in it, and the spans that the set expects.

    `whole`: the set asks only whether the text as a whole is one. `region`: where the text is read (ISO 3166).
    """

    id: str
    text: str
    kinds: tuple[str, ...]
    expected: tuple[Span, ...]
    region: str = "US"
    whole: bool = False


def links_and_emails(folder: Path) -> Score:
    """Links and e-mail addresses: cases written for detectors, and messages and letters, most of which hold none."""
    messages = _messages(folder, ("links", "emails"))
    return _addresses("links and e-mails", (*_written(folder), *messages), {"right": 0.99, "right of all": 0.95})


def links_and_emails_written(folder: Path) -> Score:
    """The same without the messages: printed beside, because easy texts lift the figures of the whole."""
    return _addresses("links and e-mails, written cases alone", _written(folder), {})


def phones(folder: Path) -> Score:
    """Telephone numbers in cases written to test detectors of them, each read in its set's region."""
    cases = (*_phonenumbers(folder), *_sequence_phones(folder), *_presidio_phones(folder))
    return _phones("phones", cases, {"recall": 0.97, "precision": 0.97})


def phones_in_messages(folder: Path) -> Score:
    """Telephone numbers of many countries in messages and letters, beside card numbers, dates, postcodes and ages."""
    return _phones("phones in messages", _messages(folder, ("phones",)), {})


def _written(folder: Path) -> Iterator[Case]:
    yield from _twitter_text(folder)
    yield from _linkify(folder)
    yield from _sequence(folder)
    yield from _presidio(folder)


def _addresses(name: str, cases: Iterable[Case], bars: dict[str, float]) -> Score:
    """Counts of link cases: `right` besides the conventions, `right of all` with what they cover counted as wrong."""
    score = Score(name, bars)
    right_of_all = 0
    for case in cases:
        found = _found(case)
        differences = [Difference(case.text, *span, True) for span in case.expected if span not in found]
        differences += [Difference(case.text, *span, False) for span in found if span not in case.expected]
        covered = [next((one.__name__ for one in CONVENTIONS if one(differs)), "") for differs in differences]
        if differences and all(covered):
            score.apart[covered[0]] += 1
        else:
            right_of_all += score.case(case.id, case.text, _shown(case, case.expected), _shown(case, found))
    score.more["right of all"] = right_of_all / max(1, score.n + score.apart.total())
    return score


def _phones(name: str, cases: Iterable[Case], bars: dict[str, float]) -> Score:
    score = Score(name, bars)
    for case in cases:
        score.case(case.id, case.text, _shown(case, case.expected), _shown(case, _found(case)))
    return score


def _found(case: Case) -> list[Span]:
    """What is found; of an address inside a link (`mailto:`) only the link."""
    found: list[Found] = []
    for kind in case.kinds:
        for one in extract(kind, case.text, context(case.region)):
            if not any(other.start <= one.start and one.end <= other.end for other in found):
                found.append(one)
    spans = sorted((one.start, one.end) for one in found)
    return [span for span in spans if span == (0, len(case.text))] if case.whole else spans


def _shown(case: Case, spans: Iterable[Span]) -> list[str]:
    return [f"{start}:{case.text[start:end]}" for start, end in spans]


def _places(row: dict[str, Any], wanted: Iterable[str]) -> tuple[Span, ...]:
    """Where the expected values stand, one after the other. A set may write them in lower case."""
    text, spans, at = row["text"], [], 0
    low = "".join(one if len(one.lower()) > 1 else one.lower() for one in text)
    for value in wanted:
        start = text.find(value, at)
        start = low.find(value.lower(), at) if start < 0 else start
        if start < 0:
            start = max(0, low.find(value.lower()))  # listed out of order
        spans.append((start, start + len(value)))
        at = start + len(value)
    return tuple(spans)


def _twitter_text(folder: Path) -> Iterator[Case]:
    for row in rows(folder, "detect_twitter_text"):
        if row["kind"] in _URL_CHECKS:
            expected: tuple[Span, ...] = ((0, len(row["text"])),) if row["expected"] else ()
            yield Case(row["id"], row["text"], _LINKS, expected, whole=True)
        elif row["kind"] in _URL_LISTS:
            given = row["expected"]
            told = (
                [tuple(one["indices"]) for one in given] if row["kind"] == "urls_with_indices" else _places(row, given)
            )
            yield Case(row["id"], row["text"], _LINKS, tuple(told))


def _linkify(folder: Path) -> Iterator[Case]:
    for row in rows(folder, "detect_links_linkify"):
        yield Case(row["id"], row["text"], _LINKS + _EMAILS, _places(row, row["expected"]))


def _sequence(folder: Path) -> Iterator[Case]:
    kinds = {"url": _LINKS, "email": _EMAILS}
    for row in rows(folder, "detect_rt_sequence"):
        if row["kind"] in kinds:
            yield Case(
                row["id"], row["text"], kinds[row["kind"]], _places(row, [one["text"] for one in row["expected"]])
            )


def _presidio(folder: Path) -> Iterator[Case]:
    """Their span of a quoted link takes in the quotes: read without."""
    kinds = {"url": _LINKS, "email": _EMAILS}
    for row in rows(folder, "detect_presidio_tests"):
        if row["kind"] in kinds and "spans" in row:
            text = row["text"]
            quoted = [
                (start, end, int(text[start] in "'\"" and text[start] == text[end - 1])) for start, end in row["spans"]
            ]
            spans = tuple((start + quote, end - quote) for start, end, quote in quoted)
            yield Case(row["id"], text, kinds[row["kind"]], spans)


def _messages(folder: Path, kinds: tuple[str, ...]) -> Iterator[Case]:
    for row in rows(folder, "detect_pii_presidio_synth"):
        spans = sorted((start, end) for label, _, start, end in row["expected"] if _SYNTHETIC.get(label) in kinds)
        yield Case(row["id"], row["text"], kinds, tuple(spans))


def _phonenumbers(folder: Path) -> Iterator[Case]:
    for row in rows(folder, "detect_phonenumbers"):
        yield Case(row["id"], row["text"], ("phones",), _places(row, row["expected"]), row["region"])


def _sequence_phones(folder: Path) -> Iterator[Case]:
    for row in rows(folder, "detect_rt_sequence"):
        if row["kind"] == "phonenumber":
            yield Case(row["id"], row["text"], ("phones",), _places(row, [one["text"] for one in row["expected"]]))


def _presidio_phones(folder: Path) -> Iterator[Case]:
    """Without rows of a strictness that is their own (`leniency`)."""
    for row in rows(folder, "detect_presidio_tests"):
        if row["kind"] == "phone" and "spans" in row and "leniency" not in row:
            yield Case(row["id"], row["text"], ("phones",), tuple(map(tuple, row["spans"])))
