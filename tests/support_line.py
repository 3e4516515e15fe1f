"""The shipped support line, compiled, and how alike its texts are: what the tests of its knowledge and its log share."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import combinations
from pathlib import Path

from engine.files import read_tree
from engine.language.compile import compile_line
from engine.language.extract import extract
from engine.language.line import Line
from engine.language.project import read_project
from runbook.remembered import known_patterns

ROOT = Path(__file__).parents[1]
FICTIONAL_PHONE = re.compile(r"\+442079460\d{3}|\+1\d{3}55501\d{2}")
"""Ranges that regulators reserve for fiction: +44 20 7946 0xxx and +1 xxx 555 01xx."""


@cache
def support() -> Line:
    """The support line; an AssertionError with every mistake when there is one."""
    read = read_project(read_tree(ROOT).texts("cards", "rules"))
    line, problems = compile_line(read.lines["support"], known_patterns(ROOT))
    problems = [*read.problems, *problems]
    assert not problems, "\n".join(map(str, problems))
    return line


def tokens(text: str) -> list[str]:
    return re.findall(r"[\w']+", text.lower())


def alike(texts: Sequence[str], at_least: float, more_tokens_than: int = 0) -> Iterator[tuple[str, str]]:
    """Pairs of texts whose sets of words have a Jaccard index of `at_least`; shorter texts are left aside."""
    sets = [(text, frozenset(tokens(text))) for text in texts]
    long = [(text, words) for text, words in sets if len(words) > more_tokens_than]
    for (one, left), (other, right) in combinations(long, 2):
        if len(left & right) >= at_least * len(left | right):
            yield one, other


def worn_openings(texts: Iterable[str], share: float) -> dict[str, int]:
    """Openings of three words that more than `share` of the texts have, with their count."""
    begun = [tokens(text)[:3] for text in texts]
    counted = Counter(" ".join(words) for words in begun if len(words) == 3)
    return {opening: count for opening, count in counted.items() if count > share * len(begun)}


def strangers(text: str, line: Line) -> list[str]:
    """Telephone numbers outside the ranges of fiction, and hosts and e-mail addresses that could be somebody's."""
    context = line.context(None)
    phones = [str(one.value) for one in extract("phones", text, context)]
    hosts = [str(one.value) for kind in ("hosts", "emails") for one in extract(kind, text, context)]
    return [
        *(phone for phone in phones if not FICTIONAL_PHONE.fullmatch(phone)),
        *(host for host in hosts if not host.endswith(".example")),
    ]
