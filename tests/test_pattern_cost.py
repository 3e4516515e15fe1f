"""Which patterns could stall a turn: refused from the tree alone, and no ordinary one with them."""

from __future__ import annotations

import subprocess
import sys

import pytest
import regex
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pattern_texts import SOURCES

from engine.language.normalise import normalise
from engine.language.patterns import PatternRefused, compile_pattern, parse
from engine.language.patterns.fold import fold_tree
from engine.language.patterns.pump import _Matcher, grows

ORDINARY = r"""
\bcomplain(t|ing)?\b
(worst|terrible) service
can'?t complain
\b(where|when)\b.{0,40}\border\b
\d{1,2}:\d{2}(\s*[ap]m)?
sk-[a-z0-9]{8,}
(\w+\s+){1,5}now
(\w+\s+)*now
\d+%
.*=
\brefund\b.*\blate\b
\bsk-\w+.*
hello\s*.*world
[\w.+-]+@[\w-]+\.[\w.-]+
https?://\S+
https?://\S+\.\S+
(?:[a-z]+\.)+[a-z]{2,}
(?:\d[ -]*?){13,16}
(?:\d{4}[ -]?){4}
(?:\d{4}[ -]?)+x
\d{1,3}(?:,\d{3})*(?:\.\d+)?
\d{1,3}[ -]?\d{3}[ -]?\d{4}
\+?\d[\d\s().-]{7,}\d
(?<!\w)(?:\+44|0)(?:[ -]?\d){9,10}(?!\d)
^(hi|hello|thanks|thank you)\W*$
^\s*\[PASS\]\s*$
^.*foo.*$
^foo.*bar.*baz
foo.*bar.*
^(?=.*\d)(?=.*[a-z]).{8,}$
(?:(?!foo).)*bar
\b(?:\w+\s+){0,20}now\b
\b(?:no|not|never)\b(?:\W+\w+){0,4}\W+\bhuman\b
\bi(?: a|')m\b.{0,60}\bhuman\b
(?:\b\w+\b[ ,]*)+!
(?:\w+, )*\w+ and
(?:one|two|three)(?:,? (?:one|two|three))*,? and
(?:\s*please)+ now$
(?:\s*please\s*)++now$
a.{0,80}b.{0,80}c
\border\b.{0,40}\bbroken\b.{0,40}\brefund\b
"[^"]*"
\{\{.*?\}\}
[^.!?]*\bfree\b[^.!?]*
(?:a|b)+$
^(?:ok|yes|fine)(?:[ ,.!]+(?:ok|yes|you|so much))*[ .!]*$
(?:ha){2,}
(?:!|\?){3,}
\s*,\s*and\b
""".strip().splitlines()

STALLING = {
    r"(?:a|aa)+$": r"(?:a|aa)+", r"(a+)+": "(a+)+", r"(a+)+$": "(a+)+", r"(?:\s*please\s*)+now$": r"(?:\s*please\s*)+", "(x*)*y": "(x*)*",
    r"x\s*\s*y": r"\s*\s*", ".*.*=": ".*.*", r"(?:\w+\s?)+!": r"(?:\w+\s?)+", r"(\w+\s*)+now": r"(\w+\s*)+", r"(?:,?\s*\w+)+!": r"(?:,?\s*\w+)+",
    r"refund.*order.*late": ".*order.*", r"(?:a|aa){1,50}b": "(?:a|aa){1,50}", r"(?:(a|aa){1,8}){1,8}b": "(a|aa){1,8}", r"(?:\d+|\w+)+x": r"(?:\d+|\w+)+",
    r"(.|\s)*x": r"(.|\s)*", r"(?:[a-z]|[a-c]\d?)+!": r"(?:[a-z]|[a-c]\d?)+", r"(\d+\.?)+%": r"(\d+\.?)+", r"(?:a|b|ab)+c": "(?:a|b|ab)+",
    r"((ab)+)+c": "((ab)+)+", r"https?://\S+\.\S+\.pdf": r"\S+\.\S+", r"(?=.*a.*b)c": ".*a.*", r"(?:(?!.*x).)*y": ".*", r"(.*?,){11}z": "(.*?,){11}",
    r"(?:.*,){2}z": ".*", r"\w*\d\w*\d\w*!": r"\w*\d\w*\d\w*", r"(?>(a+)+b)": "(a+)+", r"(?:(a+)+b)++": "(a+)+", r"(?:a?b?)+c": "(?:a?b?)+",
    r"ok (?:é|éé)+$": "(?:é|éé)+", r"(\w+\s*){1,5}now": r"\w+",
}  # fmt: skip


@pytest.mark.parametrize("source", ORDINARY)
def test_ordinary_pattern_is_taken(source: str) -> None:
    compile_pattern(source)


@pytest.mark.parametrize("source, part", STALLING.items())
def test_stalling_pattern_is_refused_at_its_place(source: str, part: str) -> None:
    with pytest.raises(PatternRefused) as refused:
        compile_pattern(source)
    assert source[refused.value.at : refused.value.end] == part
    assert refused.value.cure


@pytest.mark.parametrize(
    "source",
    [r"(?:a|aa)+$", r"(?:\s*please\s*)+now$", r"(?:\w+\s?)+!", r"(\w+\s*){1,5}now", r"(?:,?\s*\w+)+!", r"(?:(a+)+b)++"],
)
def test_pumped_texts_alone_show_it_too(source: str) -> None:
    assert grows(fold_tree(parse(source))) is not None


@pytest.mark.parametrize("source", ORDINARY)
def test_pumped_texts_show_nothing_ordinary(source: str) -> None:
    assert grows(fold_tree(parse(source))) is None


@pytest.mark.parametrize("source, text", [
    (r"(?:a|aa)+$", "a" * 60 + "!"), (r"(?:a|b|ab)+c", "ab" * 30 + " c"), (r"(\w+\s*){1,5}now", "a" * 400 + ". now"), (r"refund.*order.*late", "refundorder" * 600),
])  # fmt: skip
def test_what_is_refused_does_stall(source: str, text: str) -> None:
    """`regex` itself, which guards against some of the others, on a text that a customer could send."""
    with pytest.raises(TimeoutError):
        regex.compile(source).search(text, timeout=0.1)


@pytest.mark.parametrize("source, cured", [
    (r"(a+)+x", "a+x"), (r"((ab)+)+c", "(?:ab)+c"), (r"(?:\s*please\s*)+now$", r"(?:\s*please)+now$"),
])  # fmt: skip
def test_cure_is_a_pattern_that_is_taken(source: str, cured: str) -> None:
    with pytest.raises(PatternRefused) as refused:
        compile_pattern(source)
    shown = regex.findall("`([^`]+)`", refused.value.cure)[-1]
    assert source[: refused.value.at] + shown + source[refused.value.end :] == cured
    compile_pattern(cured)


@settings(deadline=None)
@given(
    SOURCES, st.lists(st.sampled_from(["a", "b", "ab", " ", "refund", "a b", "ok!", "1", "é"]), min_size=1, max_size=3)
)
def test_nothing_that_is_taken_doubles(source: str, unit: list[str]) -> None:
    """Whatever passed stays polynomial on a repeated text, by count of steps."""
    try:
        pattern = compile_pattern(source)
    except PatternRefused:
        assume(False)
    word = normalise("".join(unit)).text
    assume(word)
    turns = 36 // len(word) + 2
    matcher = _Matcher(pattern.tree)
    assert matcher.steps(word * turns + "\x00", 400_000), f"{source} on {word} × {turns}"


def test_the_answer_is_the_same_in_every_process() -> None:
    code = (
        "from engine.language.patterns import *\n"
        "for source in (r'(?:\\w+\\s?)+!', r'(?:a|b|ab)+c', r'late.*order.*now'):\n"
        "    try: compile_pattern(source)\n"
        "    except PatternRefused as refused: print(refused.at, refused.end, refused)\n"
    )
    told = {
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path), "PYTHONUTF8": "1"}).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert len(told) == 1 and told.pop().count("\n") == 3


WORDS = "|".join(f"{a}{b}word{a}" for a in "abcdefghij" for b in "klmnopqrst")
DOTTED = "|".join(f".{a}{b}" for a in "abcdefghijklm" for b in "nopqrstuvwxyz")


@pytest.mark.parametrize("source", [
    rf"\b(?:{WORDS})\b.{{0,40}}\b(?:{WORDS})\b", rf"(?:(?:{WORDS}) ){{2,}}now", rf"(?:(?:{WORDS}) )+and (?:the (?:{WORDS}) )+now",
    f"(?:{DOTTED})+x", "(?:a?b?c?d?e?f?g?h?){1,8}x",
    rf"^(?:(?:{WORDS})[ ,.!]+){{0,3}}thanks(?:[ ,.!]+(?:{WORDS}))*[ .!]*$", rf"(?:(?:{WORDS})[ ,.!]+){{0,20}}thanks(?:[ ,.!]+(?:{WORDS}))*[ .!]*$", "(?:" * 29 + "a" + ")?b" * 29,
    "(?:(?:a{1,8}b){1,8}c){1,8}", r"\w{1000}" * 20, "(?:[a-z]{64}){8}", "(a|b|c|d)*" * 60 + "x",
])  # fmt: skip
def test_the_check_itself_ends_soon(source: str) -> None:
    """Whether it is taken or refused; the suite would stall otherwise."""
    try:
        compile_pattern(source)
    except PatternRefused as error:
        refused: PatternRefused | None = error
    else:
        refused = None
    assert refused is None or refused.cure
