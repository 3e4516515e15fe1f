"""What a text becomes before patterns read it, and where each piece of it came from."""

from __future__ import annotations

import unicodedata

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.language.lookalikes import as_latin, decompose
from engine.language.normalise import normalise, unseen

ODD = (
    "abegiIıİſßﬁﬀĳŉǰ", "абвгдеёйопрухкнтАВЕНТ", "αβγοΣςσνΝυ\u0345ᾳᾶµ", "ᏚᎬꓲꓔⲟօᎢ𐐬𐊠", "\u200b\u200c\u200d\ufe0f\u2060\u00ad\u200e\u3164",
    "\u0301\u0307\u0323\u0308\u0344\uff9e", "👨👩🏽🚀❤™ℹ🏴🏳", "\U000e0067\U000e0062\U000e0065\U000e007f", "میخاهﱞﹰ", "कि्ന്ি্",
    "\u1100\u1161\u11a8각ㅎ", "´’‘“—¨`", "٠१９½²①", "\uff76ﷺ㌔", " \n\t\u3000\xa0\x1c\x85\u2028\x00\x08",
)  # fmt: skip
ANY = st.text(max_size=30)
TRICKY = st.lists(st.sampled_from([one for group in ODD for one in group]), max_size=14).map("".join)
TEXTS = st.one_of(ANY, TRICKY, st.text(st.characters(max_codepoint=0x7F), max_size=30))
check = settings(deadline=None)


@check
@given(TEXTS)
def test_idempotent(text: str) -> None:
    once = normalise(text).text
    assert normalise(once).text == once


@pytest.mark.parametrize("first, last", [
    (0, 0x1200), (0x1E00, 0x3400), (0xF900, 0x10000), (0x1D400, 0x1D800), (0x1F100, 0x1FB00), (0xE0000, 0xE0200),
    pytest.param(0, 0x110000, marks=pytest.mark.slow),
])  # fmt: skip
def test_every_character_is_idempotent_alone_and_in_a_word(first: int, last: int) -> None:
    points = [chr(point) for point in range(first, last) if unicodedata.category(chr(point)) not in ("Cn", "Cs", "Co")]
    for pad in (" ", " a"):
        once = normalise(pad.join(points)).text
        assert normalise(once).text == once


@check
@given(TEXTS)
def test_spans_cut_the_original_exactly_and_in_order(text: str) -> None:
    normal = normalise(text)
    spans = [normal.span(at, at + 1) for at in range(len(normal.text))]
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert [start for start, _ in spans] == sorted(start for start, _ in spans)
    assert [end for _, end in spans] == sorted(end for _, end in spans)
    outside = set(range(len(text))).difference(*(range(*span) for span in spans))
    hidden = set(unseen(text))
    assert all(at in hidden or text[at].isspace() or not normalise(text[at]).text.strip() for at in outside)


@check
@given(TEXTS, st.data())
def test_span_grows_with_its_ends_and_holds_its_parts(text: str, data: st.DataObject) -> None:
    normal = normalise(text)
    start = data.draw(st.integers(0, len(normal.text)))
    end = data.draw(st.integers(start, len(normal.text)))
    first, last = normal.span(start, end)
    assert 0 <= first <= last <= len(text)
    for at in range(start, end):
        a, b = normal.span(at, at + 1)
        assert first <= a and b <= last


@check
@given(
    st.lists(
        st.sampled_from(["order", "Ｒｅｆｕｎｄ", "cafe\u0301", "re\u200bfund", "ﬁne", "👨‍👩‍👧", "rеfund", "می‌خواهم"]),
        min_size=1,
    )
)
def test_a_word_s_span_is_the_word_as_written(words: list[str]) -> None:
    text = "  ".join(words)
    normal = normalise(text)
    found = [normal.span(*match.span()) for match in regex.finditer(r"\S+", normal.text)]
    assert [text[start:end] for start, end in found] == words


def test_span_outside_the_text_is_refused() -> None:
    with pytest.raises(IndexError):
        normalise("abc").span(1, 4)


@pytest.mark.parametrize("text", ["", " ", "\n\t", "\u200b", "\u200b \ufeff"])
def test_nothing_is_left_of_blank_text(text: str) -> None:
    normal = normalise(text)
    assert normal.text == ""
    assert normal.span(0, 0)[0] <= len(text)


@pytest.mark.parametrize("digits", [
    "".join(chr(zero + int(one)) for one in "02079460123")
    for zero in range(0x110000)
    if unicodedata.decimal(chr(zero), None) == 0
])  # fmt: skip
def test_digits_of_every_script_are_ascii(digits: str) -> None:
    """rail-F26"""
    assert normalise(digits).text == "02079460123"
    spaced = "\u200b".join(digits)
    assert normalise(spaced).span(0, 11) == (0, len(spaced))


@pytest.mark.parametrize("word", ["refund", "manager", "cancel", "scope"])
@pytest.mark.parametrize("disguise", [
    lambda word: word.replace("e", "е").replace("a", "а").replace("o", "о").replace("c", "с", 1),
    lambda word: "\u200b".join(word),
    lambda word: word[0] + "\u00ad\u2060" + word[1:],
    lambda word: "".join(chr(ord(one) + 0xFEE0) for one in word),
    lambda word: "".join(chr(ord(one) - ord("a") + 0x1D41A) for one in word),
    lambda word: word.upper(),
    lambda word: f"\u202e{word}\u202c",
    lambda word: word.replace("e", "ε".upper()).replace("n", "Ν"),
    lambda word: word[:2] + "\x00\x07" + word[2:],
])  # fmt: skip
def test_disguised_word_is_the_plain_word(word: str, disguise: object) -> None:
    """rail-F37"""
    assert callable(disguise)
    assert normalise(f"my {disguise(word)} now").text == f"my {word} now"


@pytest.mark.parametrize("word", ["café", "naïve", "Ångström", "señor", "tiếng", "Ошибкй"])
def test_composed_and_decomposed_are_equal(word: str) -> None:
    """rail-F37"""
    forms = {normalise(unicodedata.normalize(form, word)).text for form in ("NFC", "NFD", "NFKC", "NFKD")}
    assert len(forms) == 1
    assert len(forms.pop()) == len(unicodedata.normalize("NFC", word)), "the accent stays on its letter"


@pytest.mark.parametrize("text", [
    "Ошибка", "сор", "нет", "рассора", "Верните деньги, пожалуйста", "нет iPhone", "где мой Order, он у нас", "Όχι ευχαριστώ", "για το iPhone",
])  # fmt: skip
def test_words_of_another_script_stay(text: str) -> None:
    others = regex.sub(r"\p{Latin}", "", text).casefold()
    kept = regex.sub(r"\p{Latin}", "", normalise(text).text)
    assert unicodedata.normalize("NFC", others.replace("ς", "σ")) == kept


@pytest.mark.parametrize("text, becomes", [
    ("Ошибкa", "ошибка"), ("сooбщение", "сообщение"), ("тeкст", "текст"), ("ΠΑΡAΓΓΕΛΙΑ", "παραγγελια"), ("SMSка", "smska"), ("ВANK", "bank"),
    ("how do I рау", "how do i pay"), ("рау", "рау"), ("где рау, pay", "где рау, pay"),
])  # fmt: skip
def test_mixed_word_goes_to_the_script_it_belongs_to(text: str, becomes: str) -> None:
    assert normalise(text).text == becomes


@check
@given(TEXTS)
def test_lookalikes_are_replaced_one_for_one(text: str) -> None:
    plain = decompose(text)
    assert len(as_latin(plain)) == len(plain)


@pytest.mark.parametrize("text, kept", [
    ("👨‍👩‍👧", "👨‍👩‍👧"), ("👩🏽‍🚀", "👩🏽‍🚀"), ("🏳️‍🌈", "🏳‍🌈"), ("❤️", "❤"), ("🏴󠁧󠁢󠁥󠁮󠁧󠁿", "🏴󠁧󠁢󠁥󠁮󠁧󠁿"), ("🇬🇧", "🇬🇧"), ("2️⃣", "2⃣"),
    ("می‌خواهم", "می‌خواهم"), ("क्‍ष", "क्‍ष"), ("ന്‍", "ന്‍"), ("শ্রী‌মান", "শ্রী‌মান"),
])  # fmt: skip
def test_joiners_stay_where_they_are_needed(text: str, kept: str) -> None:
    """rail-F38"""
    assert normalise(f"a {text} b").text == f"a {unicodedata.normalize('NFC', kept)} b"


@pytest.mark.parametrize("text", [
    "re\u200dfund", "re\u200cfund", "\u200drefund\u200d", "refund\ufe0f", "re\U000e0068\U000e0069fund", "👨\u200d refund", "re\u200d\u200cfund",
    "🏴\U000e0061\U000e0062\U000e0063\U000e0064\U000e0065\U000e0066\U000e0067\U000e0068\U000e007f refund",
])  # fmt: skip
def test_hidden_signs_go(text: str) -> None:
    """rail-F38: what an emoji or script does not need is hidden text, however it is dressed."""
    assert normalise(text).text.lstrip("👨🏴 ") == "refund"


@pytest.mark.parametrize("emoji", ["👞", "👨‍👩‍👧", "❤️", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "👍🏽👍🏽"])
@pytest.mark.parametrize("before", ["{} call ", "{}{} call\n\n", "ﬁne {} cafe\u0301 "])
def test_span_behind_emoji_counts_code_points(emoji: str, before: str) -> None:
    """rail-F42"""
    number = "020 7946 0123"
    text = before.replace("{}", emoji) + number + " now"
    normal = normalise(text)
    at = normal.text.index(number)
    start, end = normal.span(at, at + len(number))
    assert text[start:end] == number


@pytest.mark.parametrize(
    "text", ["\u200d" * 9_000, "а\u0301b" * 3_000, "\u1161" * 9_000, "😀\u200d" * 5_000, "a" + "\u0301\u0323" * 5_000]
)
def test_long_odd_text_is_read(text: str) -> None:
    normal = normalise(text)
    assert normalise(normal.text).text == normal.text
    assert normal.span(0, len(normal.text)) <= (len(text), len(text))


def test_marks_past_thirty_on_a_letter_go() -> None:
    """NFKC takes time in the square of their number."""
    assert len(normalise("x" + "\u0323\u0301" * 5_000 + "y").text) <= 32
    assert normalise("x" + "\u0323" * 30 + "y").text == "x" + "\u0323" * 30 + "y"


@pytest.mark.parametrize("text, at, span", [
    ("two \n  lines", 3, (3, 7)), ("  a", 0, (2, 3)), ("ﬁx", 1, (0, 1)), ("ﬁx", 2, (1, 2)), ("a\u200bb", 1, (2, 3)), ("e\u0301a", 0, (0, 2)), ("e\u0301a", 1, (2, 3)),
    ("各\u3000国", 1, (1, 2)), ("か\u3099x", 0, (0, 2)), ("\u1112\u1161\u11ab!", 1, (3, 4)), ("½", 1, (0, 1)), ("ᾳ!", 1, (0, 1)), ("рау a", 3, (3, 4)),
])  # fmt: skip
def test_span_of_one_character(text: str, at: int, span: tuple[int, int]) -> None:
    assert normalise(text).span(at, at + 1) == span
