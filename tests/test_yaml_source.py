"""What YAML text reads as, what is refused, and at which place."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.language import yaml_source
from engine.language.problems import Place
from engine.language.yaml_source import Source, parse, spell

FILE = "cards/demo/gates/a.yaml"
both = pytest.mark.parametrize("pure", [False, True], ids=["libyaml", "pure"])


def test_libyaml_is_there() -> None:
    """Otherwise the tests of both parsers would compare one with itself."""
    assert yaml.__with_libyaml__


def read(text: str, pure: bool = False) -> Source:
    source, problems = parse(text, FILE, pure=pure)
    assert [str(problem) for problem in problems] == []
    assert source is not None
    return source


def found(text: str, pure: bool = False) -> list[str]:
    return [f"{p.place.line}:{p.place.column} {p.code}" for p in parse(text, FILE, pure=pure)[1]]


SCALARS: list[tuple[str, Any]] = [
    # text, though YAML 1.1 reads something else
    ("no", "no"), ("on", "on"), ("yes", "yes"), ("off", "off"), ("y", "y"), ("No", "No"), ("tRue", "tRue"),
    ("12:30", "12:30"), ("190:20:30", "190:20:30"), ("1_000", "1_000"), ("0b101", "0b101"), ("0x_1", "0x_1"),
    ("2026-09-21", "2026-09-21"), ("2026-09-21 10:00:00", "2026-09-21 10:00:00"), ("=", "="),
    ("0.1.2", "0.1.2"), ("1,000", "1,000"), ("+1 415 555 0100", "+1 415 555 0100"), ("e5", "e5"), (".", "."),
    ("-", None), ("nul", "nul"), ("-0x1", "-0x1"), ("0o8", "0o8"), ("1e", "1e"),
    ("$order.phones", "$order.phones"),
    # core scalars
    ("", None), ("~", None), ("null", None), ("Null", None), ("NULL", None),
    ("true", True), ("True", True), ("TRUE", True), ("false", False), ("False", False), ("FALSE", False),
    ("0", 0), ("7", 7), ("-7", -7), ("+7", 7), ("0o17", 15), ("0x1F", 31),
    ("123456789012345678", 123456789012345678),
    ("1.10", 1.1), ("1.", 1.0), (".5", 0.5), ("-.5", -0.5), ("1e3", 1000.0), ("1.5E-2", 0.015), ("0.0", 0.0),
    # quoted
    ("'no'", "no"), ('"12"', "12"), ("'it''s'", "it's"), (r"'\bok\b'", r"\bok\b"), (r'"\\bok\\b"', r"\bok\b"),
    (r'"\t\n\r\u00e9\U0001F642\x41\/\""', "\t\n\ré\U0001f642A/\""), ("''", ""), ("'{{ x }}'", "{{ x }}"),
    ("'{% if %}'", "{% if %}"), ('"a\\\n  b"', "ab"), ("a\n  b", "a b"), ("|\n  a\n  b\n", "a\nb\n"),
    ("|-\n  a\n", "a"), (">\n  a\n  b\n", "a b\n"), ("👨‍👩‍👧 ok", "👨‍👩‍👧 ok"),
]  # fmt: skip


@both
@pytest.mark.parametrize(("written", "value"), [row for row in SCALARS if row[0] != "-"], ids=repr)
def test_a_scalar_reads_as(written: str, value: Any, pure: bool) -> None:
    got = read(f"k: {written}\n", pure).value["k"]
    assert got == value
    assert type(got) is type(value)


@both
@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("[colou?r, what?, 'a b'?]", None), ("[colou?r, what? ok]", ["colou?r", "what? ok"]),
        ("{a: what?, b: }", {"a": "what?", "b": None}), ("[http://x/?a=b]", ["http://x/?a=b"]),
        ("{is: 12:30}", {"is": "12:30"}), ("[-, a-b, +1]", ["-", "a-b", 1]), ("[]", []), ("{}", {}),
        ("[a,]", ["a"]),
        ("\n- a\n-  - b\n   - c", ["a", ["b", "c"]]), ("{a: [1, {b: no}]}", {"a": [1, {"b": "no"}]}),
    ],
)  # fmt: skip
def test_a_collection_reads_as(written: str, value: Any, pure: bool) -> None:
    if value is None:
        assert found(f"k: {written}\n", pure) == ["1:26 yaml_syntax"]
    else:
        assert read(f"k: {written}\n", pure).value["k"] == value


MISTAKES: list[tuple[str, list[str]]] = [
    # the file as a whole
    ("", ["0:0 empty_file"]),
    ("\n \n", ["0:0 empty_file"]),
    ("\ufeff", ["0:0 empty_file"]),
    ("---\n", ["0:0 empty_file"]),
    ("# only\n# comments\n", ["0:0 empty_file"]),
    ("- a\n- b\n", ["1:1 not_a_mapping"]),
    ("# c\n\n  words\n", ["3:3 not_a_mapping"]),
    ("null\n", ["1:1 not_a_mapping"]),
    ("a: 1\n---\nb: 2\n", ["2:1 several_documents"]),
    ("a: 1\n...\nb: 2\n", ["3:1 yaml_syntax"]),
    ("%YAML 1.1\n---\na: 1\n", ["1:1 directive"]),
    ("%TAG ! tag:x,2000:\n---\na: 1\n", ["1:1 directive"]),
    ("%OWN x\n---\na: 1\n", ["1:1 directive"]),
    # keys
    ("a: 1\nb: 2\na: 3\n", ["3:1 duplicate_key"]),
    ("a:\n  b: 1\n  'b': 2\n", ["3:3 duplicate_key"]),
    ("a: {b: 1, b: 2}\n", ["1:11 duplicate_key"]),
    ("1: x\n", ["1:1 key_not_text"]),
    ("true: x\n", ["1:1 key_not_text"]),
    ("1.5: x\n", ["1:1 key_not_text"]),
    ("010: x\n", ["1:1 key_not_text"]),
    ("~: x\n", ["1:1 key_not_text"]),
    (": x\n", ["1:1 key_not_text"]),
    ("a: {: x}\n", ["1:5 yaml_syntax"]),
    ("? [a, b]\n: x\n", ["1:3 key_not_text"]),
    ("{a: 1}: x\n", ["1:1 key_not_text"]),
    ("? a\n: x\n", ["1:3 key_not_text"]),
    ("matches: [?a]\n", ["1:12 key_not_text"]),
    ("a: &x {b: 1}\nc:\n  <<: *x\n", ["1:4 alias", "3:3 merge_key", "3:7 alias"]),
    ("'<<': 1\n", []),
    # aliases and tags
    ("a: &x 1\nb: *x\n", ["1:4 alias", "2:4 alias"]),
    ("a: *never\n", ["1:4 alias"]),
    ("a: **bold**\n", ["1:4 alias"]),
    ("a: &\n", ["1:4 alias"]),
    ("a: !!str 1\n", ["1:4 tag"]),
    ("a: !own {b: 1}\n", ["1:4 tag"]),
    ("a: ! x\n", ["1:4 tag"]),
    ("a: !!python/object/apply:os.system ['true']\n", ["1:4 tag"]),
    ("a: !x!y z\n", ["1:4 tag"]),
    # numbers
    ("priority: 010\n", ["1:11 octal"]),
    ("a: [-007, 00, +01]\n", ["1:5 octal", "1:11 octal", "1:15 octal"]),
    ("a: 1234567890123456789\n", ["1:4 number"]),
    ("a: 1e999\n", ["1:4 number"]),
    ("a: [.inf, -.INF, .nan]\n", ["1:5 number", "1:11 number", "1:18 number"]),
    ("a: " + "9" * 5000 + "\n", ["1:4 number"]),
    # characters
    ('match: "\\bok\\b"\n', ["1:9 backspace", "1:13 backspace"]),
    ('a:\n  - "x\n    \\by"\n', ["3:5 backspace"]),
    ('a: "\\a\\e\\v\\f\\0"\n', [f"1:{column} control_character" for column in (5, 7, 9, 11, 13)]),
    ('a: "\\P{L}\\N\\L\\_"\n', [f"1:{column} control_character" for column in (5, 10, 12, 14)]),
    ('a: "\\x08\\u0007\\U0000001b\\x7f\\u0085"\n', [f"1:{c} control_character" for c in (5, 9, 15, 25, 29)]),
    ('a: "\\ud83d\\ude42"\n', ["1:5 control_character", "1:11 control_character"]),
    ('a: "\\U00110000"\n', ["1:7 yaml_syntax"]),
    ("a: x\x08y\n", ["1:5 control_character"]),
    ("a: x\n\x00\nb: y\n", ["2:1 control_character", "2:1 yaml_syntax"]),
    ("a: x\u2028y\u0085z\n", ["1:5 control_character", "1:7 control_character"]),
    ("a: \u202eabc\u202c\n", ["1:4 control_character", "1:8 control_character"]),
    ("a: x\ud800\n", ["1:5 control_character"]),
    ("a: x\ufeff\n", ["1:5 control_character"]),
    ("a: x\rb: y\n", ["1:5 control_character", "1:7 yaml_syntax"]),
    # tabs
    ("a:\n\tb: 1\n", ["2:1 tab"]),
    ("a:\tb\n", ["1:3 tab"]),
    ("a: b\t# c\n", ["1:5 tab"]),
    ("a: b\n\tc\n", ["2:1 tab"]),
    ("a: >\n\tx\n", ["2:1 tab"]),
    ('a: "x\ty" # z\tz\nb: |\n  x\ty\n', []),
    # syntax
    ('a: "\\d+"\nb: "\\w"\nc: 010\n', ["1:5 unknown_escape", "2:5 unknown_escape", "3:4 octal"]),
    ('a: "\\x4"\n', ["1:7 yaml_syntax"]),
    ("a: b: c\n", ["1:5 yaml_syntax"]),
    ("a: 'x\nb: y\n", ["1:4 yaml_syntax"]),
    ("a: it's\nb: 'it's'\n", ["2:8 yaml_syntax"]),
    ("a: [1, 2\nb: 3\n", ["2:2 yaml_syntax"]),
    ("a: [1, 2", ["1:4 yaml_syntax"]),
    ("a: {{ x }}\n", ["1:5 key_not_text"]),
    ("a: {% x %}\n", ["1:5 yaml_syntax"]),
    ("a: {b: c} d\n", ["1:11 yaml_syntax"]),
    ("a: {b c\n", ["1:4 yaml_syntax"]),
    ("a: @b\n", ["1:4 yaml_syntax"]),
    ("a: `b`\n", ["1:4 yaml_syntax"]),
    ("a: %b\n", ["1:4 yaml_syntax"]),
    ("a:\n  b: 1\n c: 2\n", ["3:2 yaml_syntax"]),
    ("a: b\n c: d\n", ["2:3 yaml_syntax"]),
    ("a: b\nwords\nc: d\n", ["2:1 yaml_syntax"]),
    ("a: b\n- c\n", ["2:1 yaml_syntax"]),
    ("a: - b\n", ["1:4 yaml_syntax"]),
    ("a:\n  - b\n  c: d\n", ["3:3 yaml_syntax"]),
    ("a: |x\n  b\n", ["1:4 yaml_syntax"]),
    ("a: |#\n  b\n", ["1:4 yaml_syntax"]),
    ("a: ]\n", ["1:4 yaml_syntax"]),
    ("a: [b,,c]\n", ["1:7 yaml_syntax"]),
    ("é🙂: [ok, 010]\n", ["1:10 octal"]),
    ("a: 1\r\nb: 010\r\n", ["2:4 octal"]),
    ("\ufeffa: 010\n", ["1:4 octal"]),
    # all at once
    ("a: 010\nb: &x 1\na: !t 2\n3: \"\\b\"\n", ["1:4 octal", "2:4 alias", "3:1 duplicate_key", "3:4 tag",
                                               "4:1 key_not_text", "4:5 backspace"]),
    ("a: 010\nb: [\n", ["1:4 octal", "2:4 yaml_syntax"]),
]  # fmt: skip


@both
@pytest.mark.parametrize(("text", "expected"), MISTAKES, ids=lambda value: repr(value)[:50])
def test_a_mistake_is_found_at_its_place(text: str, expected: list[str], pure: bool) -> None:
    assert found(text, pure) == expected
    for problem in parse(text, FILE, pure=pure)[1]:
        assert problem.place.file == FILE
        str(problem).encode("utf-8")  # whatever the text held, the sentence can be printed
        assert problem.says.endswith(".")
        assert "\n" not in problem.says + problem.cure
        assert len(problem.says) < 200


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a: 1\nb:\nc: 3\na: 2\n", ["`a`", "line 1", "line 4"]),
        ('a: "\\bok"\n', ["backspace", "single quotes"]),
        ("a: 010\n", ["octal", "Quote it", "drop the zero"]),
        ("a:\n\tb\n", ["tab", "spaces"]),
        ('a: "\\d"\n', ["`\\d`", "single quotes"]),
        ("", ["empty"]),
        ("# x\n", ["only comments"]),
        ("- a\n", ["a list", "mapping"]),
    ],
)
def test_a_sentence_says_what_and_how_to_mend_it(text: str, words: list[str]) -> None:
    said = str(parse(text, FILE)[1][0])
    assert [word for word in words if word not in said] == []


@pytest.mark.parametrize("text", ["a: [", "a: 1\n---\nb: 1\n", "- a\n", "", "a:\n\tb: 1\n"])
def test_what_could_not_be_read_to_its_end_gives_no_source(text: str) -> None:
    assert parse(text, FILE)[0] is None


def test_what_was_read_to_its_end_gives_a_source_beside_its_problems() -> None:
    source, problems = parse("a: 010\nb: &x yes\nb: last\nc: '\\d'\n", FILE)
    assert source is not None
    assert len(problems) == 3
    assert source.value == {"a": "010", "b": "last", "c": "\\d"}


@both
def test_what_is_refused_can_still_be_printed(pure: bool) -> None:
    source, problems = parse('"\\ud800": "\\ud83d\\ude42 \\u0007"\nb: \ud800\n', FILE, pure=pure)
    assert source is not None
    assert len(problems) == 5
    repr(source.value).encode("utf-8")
    assert "\x07" not in source.value["\ufffd"]


def test_the_yaml_that_eats_values() -> None:
    """A language code stays text, an octal and a backspace are named."""
    source, problems = parse('langs: [en, no]\npriority: 010\nmatch: "\\bok\\b"\n', FILE)
    assert source is not None
    assert source.value["langs"] == ["en", "no"]
    assert [(p.place.key, p.code) for p in problems] == [
        ("priority", "octal"), ("match", "backspace"), ("match", "backspace"),
    ]  # fmt: skip


@both
def test_an_empty_value_is_known_as_empty_at_its_key(pure: bool) -> None:
    source = read("a: 1\ndescription:\nlast: ~\nlist:\n  -\n  - b\n", pure)
    assert source.value == {"a": 1, "description": None, "last": None, "list": [None, "b"]}
    assert source.raw[("description",)] == ""
    assert source.raw[("last",)] == "~"
    assert source.place_of(("description",)) == Place(FILE, 2, 1, "description")
    assert source.place_of(("list", 0)) == Place(FILE, 5, 4, "list[0]")


@both
def test_the_spelling_of_what_is_no_text_is_kept(pure: bool) -> None:
    source = read("a: 1.10\nb: [+14155550100, 0x1F, TRUE, '1.10', x]\n", pure)
    assert dict(source.raw) == {("a",): "1.10", ("b", 0): "+14155550100", ("b", 1): "0x1F", ("b", 2): "TRUE"}


CARD = """\
# a comment
title: Ünïcode 🙂 first
when:
  message.text: {matches: ['\\bcomplain\\b', "x"]}
  any:
  - item.kind: summary   # why
  -   deep: {a: [1, {b: 2}]}
words: |
  one
   two

last: end
"""
PLACES: list[tuple[tuple[str | int, ...], str, str, tuple[int, int], tuple[int, int]]] = [
    # path, as spelled, what the marks hold, place of the value, place of the key
    (("title",), "title", "Ünïcode 🙂 first", (2, 8), (2, 1)),
    (("when",), "when", CARD[CARD.index("message") : CARD.index("2}]}") + 4], (4, 3), (3, 1)),
    (("when", "message.text"), "when.message.text", "{matches: ['\\bcomplain\\b', \"x\"]}", (4, 17), (4, 3)),
    (("when", "message.text", "matches", 0), "when.message.text.matches[0]", "'\\bcomplain\\b'", (4, 28), (4, 28)),
    (("when", "message.text", "matches", 1), "when.message.text.matches[1]", '"x"', (4, 44), (4, 44)),
    (("when", "any", 0), "when.any[0]", "item.kind: summary", (6, 5), (6, 5)),
    (("when", "any", 0, "item.kind"), "when.any[0].item.kind", "summary", (6, 16), (6, 5)),
    (("when", "any", 1, "deep", "a", 1, "b"), "when.any[1].deep.a[1].b", "2", (7, 25), (7, 22)),
    (("words",), "words", "|\n  one\n   two\n\n", (8, 8), (8, 1)),
    (("last",), "last", "end", (12, 7), (12, 1)),
]


@both
@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["lf", "crlf"])
@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["plain", "bom"])
@pytest.mark.parametrize(("path", "spelled", "holds", "value", "key"), PLACES, ids=lambda v: str(v)[:30])
def test_every_key_and_value_has_its_place(
    path: tuple[str | int, ...], spelled: str, holds: str, value: tuple[int, int], key: tuple[int, int],
    newline: str, mark: str, pure: bool,
) -> None:  # fmt: skip
    source = read(mark + CARD.replace("\n", newline), pure)
    assert spell(path) == spelled
    assert source.place_of(path) == Place(FILE, *value, spelled)
    assert source.key_place_of(path) == Place(FILE, *key, spelled)
    span = source.spans[path]
    assert source.text[span.start : span.end].replace("\r\n", "\n") == holds


def test_a_missing_key_has_the_place_of_what_should_hold_it() -> None:
    source = read(CARD)
    assert source.place_of(("when", "any", 1, "not")) == Place(FILE, 7, 7, "when.any[1].not")
    assert source.place_of(("why",)) == Place(FILE, 2, 1, "why")
    assert source.place_of(()) == Place(FILE, 2, 1, "")


@pytest.mark.parametrize(
    ("text", "offset", "column"),
    [
        ("k: abc(def", 3, 7), ("k: 'abc(def'", 3, 8), ("k: 'it''s (x'", 5, 11), ('k: "\\\\b(x"', 2, 8),
        ('k: "\\u0041(x"', 1, 11), ("k: 'ab'", 2, 7), ("k: 'ab'", 99, 7), ("k: |\n  abc", 2, 4),
        ("k: ''", 0, 4),
    ],
)  # fmt: skip
def test_a_character_within_a_text_has_its_place(text: str, offset: int, column: int) -> None:
    assert read(text).place_of(("k",), offset).column == column


BOMB = "a: &a [lol]\n" + "".join(
    f"{chr(98 + i)}: &{chr(98 + i)} [{', '.join(['*' + chr(97 + i)] * 10)}]\n" for i in range(12)
)
HUGE = [
    ("bomb", BOMB, "alias"),
    ("billion of one", "a: &a [x, x]\nb: [" + "*a, " * 200_000 + "]\n", "alias"),
    ("deep flow", "a: " + "[" * 500_000, "too_deep"),
    ("deep mapping", "a: " + '{"a": ' * 100_000, "too_deep"),
    ("deep block", "\n".join(" " * i + "k:" for i in range(1_000)), "too_deep"),
    ("deep dashes", "a:\n  " + "- " * 400_000 + "x", "too_deep"),
    ("many values", "a:\n" + "- x\n" * 200_000, "too_many_values"),
    ("long", "a: " + "x" * 2_000_000, "too_large"),
    ("many mistakes", "".join(f"k{i}: 010\n" for i in range(30_000)), "octal"),
    ("controls", "a: " + "\x01" * 500_000, "control_character"),
]


@pytest.mark.parametrize(("text", "code"), [row[1:] for row in HUGE], ids=[row[0] for row in HUGE])
def test_what_is_out_of_all_bounds_ends_at_once(text: str, code: str) -> None:
    source, problems = parse(text, FILE)
    assert source is None or code == "control_character"
    assert code in {problem.code for problem in problems}
    assert len(problems) <= yaml_source.MAX_PROBLEMS


def test_an_alias_is_never_expanded() -> None:
    source, _ = parse("a: &a [x, y]\nb: [*a, *a]\n", FILE)
    assert source is not None
    assert source.value == {"a": ["x", "y"], "b": ["*a", "*a"]}


def test_bounds_hold_what_they_say() -> None:
    deepest = "k: " + "[" * (yaml_source.MAX_DEPTH - 1) + "]" * (yaml_source.MAX_DEPTH - 1)
    assert not found(deepest)
    assert found(deepest.replace("[]", "[[]]")) == ["1:43 too_deep"]
    assert not found("k: '" + "x {{ y }} {% z %} " * 6_000 + "'")


texts = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=20).filter(
    lambda text: not any(c in "\u2028\u2029\ufeff\ufffe\uffff" or 0x202A <= ord(c) <= 0x2069 for c in text)
)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**17), 10**17) | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=15,
)


@settings(deadline=None)
@given(st.dictionaries(texts, values, max_size=5))
def test_json_is_read_as_json(value: dict[str, Any]) -> None:
    import json

    for pure in (False, True):
        assert read(json.dumps(value, ensure_ascii=False), pure).value == value


soup = st.lists(
    st.sampled_from(
        ["a: ", "b:", "- ", "\n", "\n  ", "\n- ", " ", "'", '"', "[", "]", "{", "}", ", ", ",", ": ", "#", " # c\n",
         "|", ">-", "&x ", "*x", "!t ", "?", "? ", "<<: ", "---\n", "...", "%", "\t", "\\b", "\\d", "\\\n", "010",
         "1.10", "no", "é", "🙂", "\r\n", "\r", "\x08", "\ufeff", "\u2028", "`", "@", "x", "~", "\ud800"]
    ),
    max_size=25,
)  # fmt: skip


flows = st.builds(
    lambda head, body, tail: [head, body, tail],
    st.sampled_from(["k: [", "k: {", "k: ", "k:\n  ", "k: - ", "k: |\n  "]),
    st.text("[]{},:?- ab'\"\n#&*!|>%@=~1\\", max_size=12),
    st.sampled_from(["", "]", "}", "\nb: c\n"]),
)


def read_alike(text: str) -> None:
    (one, said), (other, also_said) = parse(text, FILE), parse(text, FILE, pure=True)
    assert said == also_said
    assert (one is None) == (other is None)
    assert one is not None or said
    if one is not None and other is not None:
        assert one.value == other.value
        assert one.raw == other.raw
        for path, span in one.spans.items():
            assert 0 <= span.start <= span.end <= len(text), path
            assert said or span == other.spans[path], path


@settings(deadline=None)
@given(soup | flows)
def test_any_text_is_read_or_refused_alike_with_and_without_libyaml(parts: list[str]) -> None:
    read_alike("".join(parts))


@pytest.mark.slow
@settings(max_examples=10_000, deadline=None)
@given(soup | flows)
def test_much_text_is_read_or_refused_alike_with_and_without_libyaml(parts: list[str]) -> None:
    read_alike("".join(parts))


def test_numbers_that_cannot_be_counted_with_do_not_come_in() -> None:
    source, _ = parse("a: [.nan, .inf, 1e400]\n", FILE)
    assert source is not None
    assert not [one for one in source.value["a"] if isinstance(one, float) and not math.isfinite(one)]


def test_the_module_reads_no_file_clock_or_environment() -> None:
    folder = Path(yaml_source.__file__).parent
    for name in ("yaml_source", "yaml_mistakes", "yaml_scalars", "yaml_write", "splice"):
        text = (folder / f"{name}.py").read_text(encoding="utf-8")
        assert not [word for word in ("import os", "import time", "pathlib", "open(", "environ") if word in text]
