"""The index never leaves out a pattern that matches, and leaves out most that do not."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pattern_texts import SOURCES, TEXTS

from engine.language.normalise import normalise
from engine.language.patterns import Index, Pattern, PatternRefused, compile_pattern


def taken(source: str) -> Pattern | None:
    try:
        return compile_pattern(source)
    except PatternRefused:
        return None


@settings(deadline=None)
@given(st.lists(SOURCES, min_size=1, max_size=60), st.lists(TEXTS, min_size=1, max_size=4))
def test_no_match_is_lost(sources: list[str], texts: list[str]) -> None:
    patterns = [pattern for pattern in map(taken, sources) if pattern]
    index = Index(patterns)
    for text in texts:
        normal = normalise(text)
        matching = {at for at, pattern in enumerate(patterns) if pattern.search(normal) is not None}
        assert matching <= index.candidates(normal) <= set(range(len(patterns)))
        for at in matching:
            assert not patterns[at].literals or any(one in normal.text for one in patterns[at].literals)


@pytest.mark.parametrize("many", [0, 60])
@pytest.mark.parametrize("source, text, may", [
    (r"\bsue\b", "i will sue", True), (r"\bsue\b", "the issue", False), (r"\bsue\b", "sued", False), (r"\bcancel", "cancelled", True),
    (r"\bcancel", "uncancelled", False), ("cancel", "uncancelled", True), ("c+", "abc", True), ("%", "50%", True), ("%", "50", False),
    (r"\b(no|not)\b.{0,9}\bok\b", "it is ok", True), (r"^hello", "hello", True), (r"^hello", "othello", False), (r"can'?t complain", "i cant complain", True),
    (r"\d{5,}", "anything", True), (r"退款", "我要退款", True), (r"\bвернит", "верните", True), (r"(?=.*refund)x", "x", False), (r"a|\bx\b", "xyz", False),
    (r"\bc\+\+(?!\w)", "c++", True), (r"(refund )*ok", "ok", True), (r"x(refund|cancel){0,20}", "x", True), (r"(?!refund)x", "x", True),
    (r"(refund ){2,}ok", "ok", False), (r"[ab]x", "ax", True), (r"[ab]x", "cx", False), (r"(foo|\d)bar", "1bar", True), (r"❤", "I ❤️ it", True),
])  # fmt: skip
def test_candidate_for_a_text(source: str, text: str, may: bool, many: int) -> None:
    """Alone, and among so many bare strings that they are looked up by grams."""
    others = [compile_pattern(f"zz{at}qq") for at in range(many)]
    index = Index([*others, compile_pattern(source)])
    assert index.candidates(normalise(text)) == ({many} if may else set())


@pytest.mark.parametrize("source, literals", [
    (r"\bcomplain(t|ing)?\b", {"complain", "complaint", "complaining"}), (r"\d{5,}", set()), (r"(\w+\s+){1,5}now", {"now"}), (r"x?", None), (r"sk-[a-z0-9]{8,}", {"sk-"}),
    (r"REFUND|ｌａｔｅ", {"refund", "late"}), (r"a|\d", set()),
])  # fmt: skip
def test_literals(source: str, literals: set[str] | None) -> None:
    pattern = taken(source)
    assert (pattern and pattern.literals) == literals


def test_slow_patterns_are_known() -> None:
    assert Index([compile_pattern(source) for source in ("refund", r"\d{5,}", r"\w+\s\w+", "late")]).slow == [1]


def test_an_empty_index_finds_nothing() -> None:
    assert Index([]).candidates(normalise("refund")) == set()
