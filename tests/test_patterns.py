"""Which patterns are taken, what they find, and where."""

from __future__ import annotations

import unicodedata
from dataclasses import fields

import pytest
import regex
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pattern_texts import SOURCES, TEXTS, WILD

from engine.language.normalise import normalise
from engine.language.patterns import PatternRefused, PatternTimeout, Prepared, compile_pattern, lints, parse, walk
from engine.language.patterns.fold import render

check = settings(deadline=None)


def finds(source: str, text: str) -> bool:
    return compile_pattern(source).search(normalise(text)) is not None


@pytest.mark.parametrize("source, text", [
    (r"\bошибка\b", "Ошибка!"), (r"\bdevolución\b", "¿Devolución?"), ("退款", "我要退款"), ("คืนเงิน", "ขอคืนเงินค่ะ"), (r"\bخواهم\b", "خواهم؟"),
    (r"\bvrátit\b", "chci vra\u0301tit."), (r"\bवापस\b", "वापस!"), (r"\bστραφεί\b", "ΣΤΡΑΦΕΊ"),
])  # fmt: skip
def test_word_is_found_in_its_script(source: str, text: str) -> None:
    """rail-F36"""
    assert finds(source, text)


@pytest.mark.parametrize("source", [
    r"\b退款\b", r"退款\b", r"\bขอคืนเงิน", r"\b(refund|退款)\b", r"(かえす|x)\b", r"\b[一-龥]+", r"\b\p{Han}", r"ខ្មែរ\b", r"\bမြန်မာ", r"\bຄືນ",
])  # fmt: skip
def test_word_edge_beside_a_script_without_spaces_is_refused(source: str) -> None:
    """rail-F36"""
    with pytest.raises(PatternRefused, match="written without spaces") as refused:
        compile_pattern(source)
    assert source[refused.value.at : refused.value.end] == r"\b"
    assert "`\\b` away" in refused.value.cure


@pytest.mark.parametrize("sign", [*"!?.,;:()[]{}\"'«»“”…—-–/|*~#@&+=<>%$€。\n \u00a0", "👍", "❤️"])
@pytest.mark.parametrize("word", ["manager", "lawyer", "café", "ошибка"])
def test_term_beside_any_sign_is_found(sign: str, word: str) -> None:
    """rail-F39"""
    assert all(finds(rf"\b{word}\b", text) for text in (word + sign, sign + word, sign + word.upper() + sign))


@pytest.mark.parametrize(
    "text", ["what is the issue with my pursuit bag", "tissue", "sued", "ensue", "sue_me", "su\u00ade\u200br"]
)
def test_word_with_edges_is_not_found_in_another(text: str) -> None:
    """rail-F41"""
    assert not finds(r"\bsue\b", text)
    assert finds(r"\bsue\b", f"{text} I will sue.")


@pytest.mark.parametrize("source, found", [
    ("sue", [("open_word", "sue")]), (r"\bsue", [("open_word", "sue")]), (r"sue\b", [("open_word", "sue")]), (r"\bsue\b", []),
    ("sue|lawyer", [("open_word", "sue")]), ("(sue|lawyers) them", [("open_word", "sue"), ("open_word", "them")]), (r"^(ok|okay)$", []),
    (r"\bsuing", []), ("退款", []), ("can'?t complain", []), ("x.y", [("bare_dot", "."), ("open_word", "x"), ("open_word", "y")]),
    (r"\bexample\.com\b", []), ("ddd-343", [("bare_class", "ddd"), ("open_word", "ddd")]), (r"\bdd/dd\b", [("bare_class", "dd")] * 2),
    (r"\badd\b", []), (r"\d{5,}", [("slow", r"\d{5,}")]), (r"\d+%", []),
])  # fmt: skip
def test_hints(source: str, found: list[tuple[str, str]]) -> None:
    """rail-F41, rail-F25 (`ddd-343` meant as digits)"""
    assert sorted((one.code, source[one.start : one.end]) for one in lints(source)) == sorted(found)


def test_letters_meant_as_digits_are_not_found_in_digits() -> None:
    """rail-F25: so the card's own example turns red."""
    assert not finds("ddd-343", "555-343") and finds(r"\d{3}-343", "555-343")


@pytest.mark.parametrize("source", ["\bok\b", "ok\b", "(yes|\bok)", "[\b]"])
def test_backspace_is_refused_by_name(source: str) -> None:
    """rail-F57: what YAML makes of "\\bok\\b" in double quotes."""
    with pytest.raises(PatternRefused, match="backspace") as refused:
        compile_pattern(source)
    assert refused.value.at == source.index("\b")
    assert "single quotes" in refused.value.cure


@pytest.mark.parametrize(
    "source",
    [
        "re\u200bfund",
        "\ufeffrefund",
        "refund\u00ad",
        r"re\u200bfund",
        "[a\u200b]",
        "re\x00fund",
        r"\x07",
        "(می\u200c)خواهم",
        "a\tb",
        "a\nb",
    ],
)
def test_character_that_no_text_holds_is_refused(source: str) -> None:
    with pytest.raises(PatternRefused, match=r"U\+[0-9A-F]{4}"):
        compile_pattern(source)


@pytest.mark.parametrize(
    "source, end", [(r"\bc\+\+\b", 9), (r"\b50%\b", 7), (r"\b(c\+\+|java)\b", 16), (r"\bwhat(\?|!)\b", 14)]
)
def test_word_edge_behind_a_sign_is_refused_and_the_cure_works(source: str, end: int) -> None:
    with pytest.raises(PatternRefused) as refused:
        compile_pattern(source)
    assert (refused.value.at, refused.value.end) == (end - 2, end)
    cured = source[: refused.value.at] + r"(?!\w)" + source[refused.value.at + 2 :]
    assert r"(?!\w)" in refused.value.cure
    assert finds(cured, {"c": "I know C++.", "5": "50% off", "(": "Java", "w": "what?!"}[source[2]])


@pytest.mark.parametrize(
    "source", [r"\bno\b,?\s*\bthanks\b", r"\bthanks?[.!]?\b", r"\b\w+(\s|!)?\b", r"\b50(?:%|\b)", r"\b[^\W\d]+\b"]
)
def test_word_edge_that_can_hold_is_taken(source: str) -> None:
    compile_pattern(source)


@pytest.mark.parametrize("source, text", [
    ("rеfund", "refund"), ("REFUND", "refund"), ("cafe\u0301", "CAFÉ"), ("café?s", "cafs"), ("cafe\u0301?s", "cafs"), ("ﬁne", "fine"),
    ("can’t", "can't"), ("can't", "can’t"), ("[’]s", "it's"), ("[À-Ý]", "é"), ("[A-Z]{3}", "abc"), ("[^A-Z]", "1"), ("٣", "3"), ("[٠-٩]{3}", "123"),
    ("❤️+", "❤❤"), ("❤", "❤️"), ("👨‍👩‍👧{2}", "👨‍👩‍👧👨‍👩‍👧"), ("Ошибкa", "ошибка"), ("Straße", "STRASSE"), ("a\u00a0b", "a b"), ("İ", "i"),
])  # fmt: skip
def test_pattern_is_folded_as_texts_are(source: str, text: str) -> None:
    """rail-F37"""
    assert finds(source, text)
    assert finds(source, f"x {text} y")


@pytest.mark.parametrize("text, found", [
    ("👞 call 020 7946 0123", "020 7946 0123"), ("👨‍👩‍👧❤️ 020\u200b 7946 0123!", "020\u200b 7946 0123"), ("ﬁ ０２０ ７９４６ ０１２３", "０２０ ７９４６ ０１２３"),
    ("e\u0301 020\n\n7946 0123", "020\n\n7946 0123"), ("٠٢٠ ٧٩٤٦ ٠١٢٣", "٠٢٠ ٧٩٤٦ ٠١٢٣"),
])  # fmt: skip
def test_span_cuts_the_original(text: str, found: str) -> None:
    """rail-F42, rail-F26"""
    pattern = compile_pattern(r"\d{3} \d{4} \d{4}")
    span = pattern.search(normalise(text))
    assert span is not None and text[slice(*span)] == found
    assert list(pattern.finditer(normalise(f"{text} or {text}"))) == [
        span,
        (span[0] + len(text) + 4, span[1] + len(text) + 4),
    ]


def test_time_limit_ends_a_match() -> None:
    pattern = compile_pattern(r"a+[a-z]*x$", Prepared(r"a+[a-z]*x$", False, frozenset()))
    normal = normalise("a" * 20_000)
    with pytest.raises(PatternTimeout, match="too long"):
        pattern.search(normal, timeout=0.001)
    with pytest.raises(PatternTimeout):
        list(pattern.finditer(normal, timeout=0.001))


def test_parts_hold_their_source() -> None:
    source = r"^(?:re[fv]und|é{2,3})\b (?!x)y*?$"
    tree = parse(source)
    assert [source[part.start : part.end] for part in walk(tree)] == [
        source, "^", "(?:re[fv]und|é{2,3})", "re[fv]und|é{2,3}", "re[fv]und", "r", "e", "[fv]", "u", "n", "d",
        "é{2,3}", "é", r"\b", " ", "(?!x)", "x", "y*?", "y", "$",
    ]  # fmt: skip


@check
@given(WILD)
def test_any_source_is_read_or_refused_with_its_place(source: str) -> None:
    refused = None
    try:
        pattern = compile_pattern(source)
    except PatternRefused as error:
        refused = error
    if refused:
        assert refused.says and refused.cure
        assert 0 <= refused.at <= len(source)
        return
    for part in walk(pattern.tree):
        assert 0 <= part.start < part.end <= len(source)
        assert {field.name for field in fields(part)} >= {"start", "end"}
    lints(source)


@check
@given(st.one_of(SOURCES, WILD), TEXTS)
def test_what_is_read_back_means_the_same(source: str, text: str) -> None:
    try:
        pattern = compile_pattern(source)
    except PatternRefused:
        assume(False)
    again = compile_pattern(render(pattern.tree))
    normal = normalise(text)
    assert list(again.finditer(normal)) == list(pattern.finditer(normal))
    assert render(again.tree) == render(pattern.tree)


@check
@given(SOURCES, TEXTS)
def test_it_means_what_regex_means(source: str, text: str) -> None:
    """On plain text, the subset is `regex`'s own."""
    assume(source.isascii() and source == source.lower() and text.isascii() and normalise(text).text == text)
    try:
        pattern = compile_pattern(source)
    except PatternRefused:
        assume(False)
    found = regex.search(source, text)
    assert pattern.search(normalise(text)) == (found and found.span())


@check
@given(SOURCES, st.one_of(TEXTS, st.text(max_size=40)))
def test_search_never_raises_and_its_span_holds_the_match(source: str, text: str) -> None:
    try:
        pattern = compile_pattern(source)
    except PatternRefused:
        assume(False)
    normal = normalise(text)
    span = pattern.search(normal, timeout=5)
    if span is not None:
        assert 0 <= span[0] < span[1] <= len(text)
        inner = pattern.search_text(normal.text)
        assert inner is not None and normal.text[slice(*inner)] in normalise(text).text
        assert next(pattern.finditer(normal, timeout=5)) == span


@pytest.mark.parametrize("source", ["a(?=b*)", "a(?!b?|c)", "(?<=(?:b{0,1}))a"])
def test_look_around_that_always_holds_is_refused(source: str) -> None:
    with pytest.raises(PatternRefused):
        compile_pattern(source)


@pytest.mark.parametrize(
    "source, text",
    [
        (r"ok(?!$)", "ok then"),
        (r"sue(?=\s|$)", "I sue"),
        (r"(?<=\bmy )order", "my order"),
        (r"(?<!\bno )refund", "a refund"),
    ],
)
def test_look_around_may_hold_an_edge(source: str, text: str) -> None:
    assert finds(source, text)


def test_accent_stays() -> None:
    assert not finds("cafe", "un café") and finds("cafe", unicodedata.normalize("NFD", "cafe"))


@pytest.mark.parametrize(
    "source", [r"\b(?:will|'ll) be there\b", r"\b'll be there\b", r"\bwe(?:'re| are) closed\b", r"\b(?:'s|is) late\b"]
)
def test_a_word_edge_before_an_apostrophe_is_where_the_word_goes_on(source: str) -> None:
    pattern = compile_pattern(source)
    texts = ["he'll be there", "we're closed", "he's late"]
    assert any(pattern.search(normalise(text)) for text in texts)
