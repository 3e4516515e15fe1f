"""docs/patterns.md is true: each form shown is read, each refused form is refused with the words shown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.language.normalise import normalise
from engine.language.patterns import PatternRefused, compile_pattern, lints, parse, walk
from engine.language.patterns.nodes import Edge, Group, Look, Named, Part, Repeat, Set

PAGE = (Path(__file__).parent.parent / "docs" / "patterns.md").read_text("utf-8")


def lines(kind: str) -> Iterator[str]:
    for block in re.findall(rf"^```text {kind}\n(.*?)^```$", PAGE, re.M | re.S):
        yield from block.splitlines()


def shown(text: str) -> str:
    return re.sub(r"\\u([0-9a-f]{4})", lambda found: chr(int(found[1], 16)), text).replace("\\n", "\n")


NORMAL = [tuple(map(shown, re.split(r"\s+becomes  ", line))) for line in lines("normal")]
FORMS = [re.split(r"\s{2,}(finds in|not in)\s+", line) for line in lines("forms")]
REFUSED = [re.split(r"\s{2,}", line) for line in lines("refused")]


@pytest.mark.parametrize("written, becomes", NORMAL)
def test_text_becomes(written: str, becomes: str) -> None:
    assert normalise(written).text == becomes


@pytest.mark.parametrize("source, verb, text", FORMS)
def test_form_is_read(source: str, verb: str, text: str) -> None:
    assert (compile_pattern(source).search(normalise(text)) is not None) is (verb == "finds in")


@pytest.mark.parametrize("source, says", REFUSED)
def test_refused_with_these_words(source: str, says: str) -> None:
    with pytest.raises(PatternRefused) as refused:
        compile_pattern(source)
    assert refused.value.says == says
    assert refused.value.cure
    assert 0 <= refused.value.at <= len(source)


def kinds(part: Part) -> Iterator[object]:
    """What of the language a part shows."""
    yield type(part)
    if isinstance(part, Repeat):
        yield "count", part.mode
        yield "count", part.low if part.low < 2 else 2, part.high if part.high in (None, 1) else "many"
    elif isinstance(part, Edge):
        yield part.sign
    elif isinstance(part, Look):
        yield part.ahead, part.negative
    elif isinstance(part, Group):
        yield "atomic", part.atomic
    elif isinstance(part, Set):
        yield "negated", part.negated
        yield from ((item.name[0], item.negated) for item in part.items if isinstance(item, Named))


def test_every_form_is_shown() -> None:
    every = (
        r"a|b(c)(?:d)(?>e)(?=f)(?!g)(?<=h)(?<!i)^$\b\B.[a-z][^a]\d\D\w\W\s\S\p{L}\P{L}a*b+c?d{2}e{2,}f{1,3}g*?h++i{,1}"
    )
    asked = {kind for part in walk(parse(every)) for kind in kinds(part)}
    told = {kind for source, _, _ in FORMS for part in walk(parse(source)) for kind in kinds(part)}
    assert asked - told == set()
    assert any("\\x" in source and "\\u" in source and "\\U" in source for source, _, _ in FORMS)


@pytest.mark.parametrize(
    "source, code", [("sue", "open_word"), ("example.com", "bare_dot"), ("ddd-343", "bare_class"), (r"\d{5,}", "slow")]
)
def test_hint_is_given(source: str, code: str) -> None:
    found = [lint for lint in lints(source) if lint.code == code]
    assert len(found) == 1 and found[0].says and found[0].cure
    assert 0 <= found[0].start < found[0].end <= len(source)
    assert f"`{source}`" in PAGE
