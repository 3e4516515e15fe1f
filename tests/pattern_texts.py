"""Made-up patterns and texts for the property tests."""

from __future__ import annotations

from hypothesis import strategies as st

_ATOMS = [
    "a", "b", "c", "ab", "refund", "ok", " ", ", ", r"\w", r"\W", r"\d", r"\s", r"\S", ".", "[abc]", "[^a]", "[a-f0-9]", r"\.", r"\+", "!", "-",
    "é", "е", "退", "ﬁ", "👍",
]  # fmt: skip
_EDGES = [r"\b", r"\b", "^", "$", r"\B", r"(?!\w)", r"(?<!\w)", "(?=a)", "(?<=b)", "(?!ab)"]
_COUNTS = ["?", "*", "+", "{2}", "{1,3}", "{2,}", "*?", "+?", "??", "++", "{0,20}"]
Sources = st.SearchStrategy[str]


def _more(inner: Sources) -> Sources:
    return st.one_of(
        st.lists(inner, min_size=2, max_size=4).map("".join),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: f"(?:{'|'.join(parts)})"),
        st.tuples(inner, st.sampled_from(_COUNTS)).map(lambda pair: f"({pair[0]}){pair[1]}"),
        st.tuples(st.sampled_from(_EDGES), inner).map("".join),
        st.tuples(inner, st.sampled_from(_EDGES)).map("".join),
        inner.map(lambda part: f"(?>{part})"),
    )


SOURCES: Sources = st.recursive(st.sampled_from(_ATOMS), _more, max_leaves=8)
"""Patterns that follow the syntax."""

WILD: Sources = st.one_of(
    st.text(max_size=20),
    st.lists(st.sampled_from([*_ATOMS, *_EDGES, *_COUNTS, *r"\()[]{}|?*+^$-.:=!<>", r"\p{L}", r"\x61", r"\u00e9", "\u0301", "\u200b", "👨‍👩‍👧", "❤️", "٣"]), max_size=10).map("".join),
)  # fmt: skip
"""Anything that could be written for a pattern."""

TEXTS: Sources = st.one_of(
    st.lists(st.sampled_from(["a", "b", "c", "ab", "refund", "ok", " ", ", ", "1", ".", "+", "!", "-", "é", "е", "退", "ﬁ", "👍", "A", "_", "x"]), max_size=12).map("".join),
    st.lists(st.sampled_from(["refund", "ok", "ab", "a b", "12", "late!", "ab-c"]), max_size=6).map(" ".join),
)  # fmt: skip
"""Texts in which such patterns find something."""
