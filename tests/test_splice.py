"""Edits to YAML text change what they are asked to change and leave every other byte."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.language import splice, yaml_write
from engine.language.splice import SpliceRefused, append_item, insert_key, remove_key, set_scalar
from engine.language.yaml_source import parse
from engine.language.yaml_write import CannotWrite, document

CHANGE = {"date": "2026-10-01", "why": "Said twice", "instruction": "tone.short", "from": "3f2a", "to": "9c01"}
ENTRY = "- date: 2026-10-01\n  why: Said twice\n  instruction: tone.short\n  from: 3f2a\n  to: 9c01\n"


def read(text: str) -> dict[str, Any]:
    source, problems = parse(text, "f")
    assert [str(problem) for problem in problems] == [], text
    assert source is not None
    return source.value


def at(column: int) -> str:
    return re.sub(r"^", " " * column, ENTRY.rstrip("\n"), flags=re.MULTILINE) + "\n"


APPENDS: list[tuple[str, str, str]] = [
    ("a missing list is begun at the end", "title: x\n", "title: x\nchanges:\n" + at(2)),
    ("before closing comments", "title: x\n\n# end\n", "title: x\nchanges:\n" + at(2) + "\n# end\n"),
    ("as the file indents lists", "a:\n- x\nb: y\n", "a:\n- x\nb: y\nchanges:\n" + at(0)),
    ("as the file indents lists, four", "a:\n    - x\n", "a:\n    - x\nchanges:\n" + at(4)),
    ("no line feed at the end", "title: x", "title: x\nchanges:\n" + at(2).rstrip("\n")),
    ("a comment at the end of the line", "title: x # c", "title: x # c\nchanges:\n" + at(2).rstrip("\n")),
    ("a byte order mark", "\ufefftitle: x\n", "\ufefftitle: x\nchanges:\n" + at(2)),
    ("after a block text", "a: |\n  x\n\n\n", "a: |\n  x\nchanges:\n" + at(2) + "\n\n"),
    ("after a block text that keeps lines", "a: |+\n  x\n\n", "a: |+\n  x\n\nchanges:\n" + at(2)),
    ("after a nested value", "a:\n  b:\n  - c: d # e\n# f\n",
     "a:\n  b:\n  - c: d # e\nchanges:\n" + at(0) + "# f\n"),
    ("before the end of the document", "---\na: b\n...\n", "---\na: b\nchanges:\n" + at(2) + "...\n"),
    ("an empty list", "changes: []\nwhy: y\n", "changes:\n" + at(2) + "why: y\n"),
    ("an empty list with a comment", "changes: [ ]  # none\nz: y\n", "changes:  # none\n" + at(2) + "z: y\n"),
    ("an empty value", "changes:  # none\nz: y\n", "changes:  # none\n" + at(2) + "z: y\n"),
    ("null", "changes: ~\nz: y\n", "changes:\n" + at(2) + "z: y\n"),
    ("an empty list at the end", "changes: []", "changes:\n" + at(2).rstrip("\n")),
    ("a list", "changes:\n  - date: x\n# c\nz: y\n", "changes:\n  - date: x\n" + at(2) + "# c\nz: y\n"),
    ("a list without indent", "changes:\n- date: x\nz: y\n", "changes:\n- date: x\n" + at(0) + "z: y\n"),
    ("a list of one line", "changes: [{date: x}] # c\n",
     "changes: [{date: x}, {date: 2026-10-01, why: Said twice, instruction: tone.short, from: 3f2a, to: 9c01}] # c\n"),
    ("a comment within an empty list", "changes: [ # c\n]\n",
     "changes: [{date: 2026-10-01, why: Said twice, instruction: tone.short, from: 3f2a, to: 9c01} # c\n]\n"),
    ("a mapping of one line", "{a: b} # c\n",
     "{a: b, changes: [{date: 2026-10-01, why: Said twice, instruction: tone.short, from: 3f2a, to: 9c01}]} # c\n"),
]  # fmt: skip


@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["lf", "crlf"])
@pytest.mark.parametrize(("text", "expected"), [row[1:] for row in APPENDS], ids=[row[0] for row in APPENDS])
def test_an_item_is_appended(text: str, expected: str, newline: str) -> None:
    ends = [text.replace("\n", newline), expected.replace("\n", newline)]
    if "\n" not in text and newline == "\r\n":
        ends[1] = expected  # nothing in the file says how its lines end
    assert append_item(ends[0], ("changes",), CHANGE) == ends[1]


OTHERS: list[tuple[str, Callable[[], str], str]] = [
    ("items keep the gap after the dash", lambda: append_item("a:\n -   b: 1\n", ("a",), {"b": 2, "c": 3}),
     "a:\n -   b: 1\n -   b: 2\n     c: 3\n"),
    ("a deep list", lambda: append_item("a:\n- b:\n  - c\n- d\n", ("a", 0, "b"), "e"),
     "a:\n- b:\n  - c\n  - e\n- d\n"),
    ("a list in a list", lambda: append_item("a:\n- - b\n  - c # d\n", ("a", 0), "e"),
     "a:\n- - b\n  - c # d\n  - e\n"),
    ("a deep missing list", lambda: append_item("a:\n- b: c\n- d\n", ("a", 0, "l"), 1),
     "a:\n- b: c\n  l: [1]\n- d\n"),
    ("a word to a list of one line", lambda: append_item("a: [x,\n  y] # z\n", ("a",), "p, q"),
     "a: [x,\n  y, 'p, q'] # z\n"),
    ("a word to an empty list", lambda: append_item("a: []\n", ("a",), "x"), "a: [x]\n"),
    ("a word to nothing", lambda: append_item("a: # c\nb: 1\n", ("a",), "x"), "a: [x] # c\nb: 1\n"),
    ("an empty last item", lambda: append_item("a:\n-\n", ("a",), "x"), "a:\n-\n- x\n"),
    ("plain stays plain", lambda: set_scalar("a: b # c\n", ("a",), "d e"), "a: d e # c\n"),
    ("quotes stay", lambda: set_scalar("a: 'b' # c\n", ("a",), "it's"), "a: 'it''s' # c\n"),
    ("double quotes stay", lambda: set_scalar('a: "b" # c\n', ("a",), 'x"\\'), 'a: "x\\"\\\\" # c\n'),
    ("a plain pattern stays", lambda: set_scalar("a: \\bb\n", ("a",), "\\bc"), "a: \\bc\n"),
    ("a pattern", lambda: set_scalar("a: b\n", ("a",), "\\bc"), "a: '\\bc'\n"),
    ("what is no text is quoted", lambda: set_scalar("a: b\n", ("a",), "no"), "a: 'no'\n"),
    ("a number", lambda: set_scalar("a: {b: 0.80} # c\n", ("a", "b"), 0.9), "a: {b: 0.9} # c\n"),
    ("a truth", lambda: set_scalar("a: x\n", ("a",), True), "a: true\n"),
    ("nothing to something", lambda: set_scalar("a: # c\n", ("a",), "x"), "a: x # c\n"),
    ("something to nothing", lambda: set_scalar("a: x\n", ("a",), None), "a: null\n"),
    ("a block text", lambda: set_scalar("a: |- # c\n  x\n\n  y\n\n# d\nb: z\n", ("a",), "p\n\nq"),
     "a: |- # c\n  p\n\n  q\n\n# d\nb: z\n"),
    ("a block text to one line", lambda: set_scalar("a: >\n  x\n  y\nb: z\n", ("a",), "p # q"),
     "a: 'p # q'\nb: z\n"),
    ("an item", lambda: set_scalar("a:\n- |\n  x\n- y\n", ("a", 0), "p\nq\n"), "a:\n- |\n  p\n  q\n- y\n"),
    ("a text of two lines", lambda: set_scalar("a: x\n  y\nb: z\n", ("a",), "q"), "a: q\nb: z\n"),
    ("a key after another", lambda: insert_key("a: 1 # c\n\nb: 2\n", ("a",), "z", "x"),
     "a: 1 # c\nz: x\n\nb: 2\n"),
    ("a key after a block", lambda: insert_key("a:\n  - x\nb: 2\n", ("a",), "z", ["x"]),
     "a:\n  - x\nz: [x]\nb: 2\n"),
    ("a key at the end", lambda: insert_key("a: 1", ("a",), "z", {"p": "q"}), "a: 1\nz:\n  p: q"),
    ("a key in braces", lambda: insert_key("a: {b: 1, c: 2}\n", ("a", "b"), "z", [1]),
     "a: {b: 1, z: [1], c: 2}\n"),
    ("a key in an item", lambda: insert_key("a:\n- b: 1\n  c: 2\n", ("a", 0, "b"), "z", 3),
     "a:\n- b: 1\n  z: 3\n  c: 2\n"),
    ("a removed key", lambda: remove_key("a: 1\nb:\n  - x\n\n# c\nd: 2\n", ("b",)), "a: 1\n\n# c\nd: 2\n"),
    ("the first key", lambda: remove_key("\ufeffa: 1\nb: 2\n", ("a",)), "\ufeffb: 2\n"),
    ("the last key", lambda: remove_key("# x\na: 1\nb: 'z # y'", ("b",)), "# x\na: 1\n"),
    ("the first key of an item", lambda: remove_key("a:\n- b: 1\n  c: 2\n", ("a", 0, "b")), "a:\n- c: 2\n"),
    ("the first key in braces", lambda: remove_key("a: {b: 1, c: 2} # d\n", ("a", "b")), "a: {c: 2} # d\n"),
    ("the last key in braces", lambda: remove_key("a: {b: 1, c: 2} # d\n", ("a", "c")), "a: {b: 1} # d\n"),
]  # fmt: skip


@pytest.mark.parametrize(("edit", "expected"), [row[1:] for row in OTHERS], ids=[row[0] for row in OTHERS])
def test_an_edit_gives(edit: Callable[[], str], expected: str) -> None:
    assert edit() == expected


REFUSED: list[tuple[str, Callable[[], str], str]] = [
    ("a broken file", lambda: append_item("a: [", ("b",), 1), "never closed"),
    ("a file with a mistake", lambda: set_scalar("a: 1\na: 2\n", ("a",), 3), "Line 2"),
    ("an empty file", lambda: append_item("", ("a",), 1), "empty"),
    ("no list", lambda: append_item("a: b\n", ("a",), 1), "`a` is no list"),
    ("no parent", lambda: append_item("a: b\n", ("c", "d"), 1), "`c`"),
    ("a parent that is a text", lambda: append_item("a: b\n", ("a", "d"), 1), "`a`"),
    ("no such value", lambda: set_scalar("a: b\n", ("c",), 1), "`c`"),
    ("the whole file", lambda: set_scalar("a: b\n", (), 1), "There is no"),
    ("a collection", lambda: set_scalar("a: [b]\n", ("a",), 1), "no single value"),
    ("a key without a colon", lambda: set_scalar("a: {b, c}\n", ("a", "b"), 1), "by hand"),
    ("a control character", lambda: set_scalar("a: b\n", ("a",), "x\x08"), "U+0008"),
    ("half a character", lambda: append_item("a: [b]\n", ("a",), "\ud800"), "U+D800"),
    ("no number", lambda: set_scalar("a: b\n", ("a",), float("nan")), "nan"),
    ("a number too long", lambda: append_item("a:\n- 1\n", ("a",), 10**30), "cannot be written"),
    ("a key that stands", lambda: insert_key("a: 1\nb: 2\n", ("a",), "b", 3), "already"),
    ("after no key", lambda: insert_key("a: 1\n", ("b",), "c", 3), "`b`"),
    ("the only key", lambda: remove_key("a:\n  b: 1\n", ("a", "b")), "only key"),
    ("no key", lambda: remove_key("a: [1, 2]\n", ("a", 0)), "no key"),
    ("a comment would go", lambda: remove_key("a: 1 # why\nb: 2\n", ("a",)), "comment"),
    ("a comment within would go", lambda: remove_key("a:\n  # why\n  b: 1\nc: 2\n", ("a",)), "comment"),
    ("a comment of a block text would go", lambda: remove_key("a: | # why\n  b\nc: 2\n", ("a",)), "comment"),
    ("a block text that the end cuts off", lambda: append_item("a: |\n  x", ("b",), 1), "by hand"),
]


@pytest.mark.parametrize(("edit", "word"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_an_edit_is_refused_with_a_sentence(edit: Callable[[], str], word: str) -> None:
    with pytest.raises(SpliceRefused) as refused:
        edit()
    assert word in str(refused.value)
    assert "\n" not in str(refused.value)


def test_what_reads_as_something_else_is_never_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(splice, "scalar", lambda value, **_: "1")
    assert set_scalar("a: x\n", ("a",), 1) == "a: 1\n"
    for value in (True, 1.0, "1", None):
        with pytest.raises(SpliceRefused):
            set_scalar("a: x\n", ("a",), value)


texts = st.text(
    st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from("\n\t\r'\"{}%#:-?[],&*!|>@` \\"), max_size=15
)
words = st.sampled_from(
    ["no", "~", "", "010", "1.10", "12:30", "12e4567890123456", "0x1f", "{{ x }}", "{% x %}", "a: b", "a #b", "#",
     "- a", "'", '"', "a\n", "\na", " a", "a ", "a\n\nb\n", "a\n  b", "| x", "---", "...", "a:", ":a", "?", "\\b",
     "été", "🙂",
     "\u2028", "\u202e", "\xa0", "\ufeff", "1_000", "=", "<<", "a,b", "[", "*a", "&a", "!a", "%a", "@a", "`a`",
     "tab\tb"]
)  # fmt: skip
scalars = (
    texts | words | st.integers(-(10**17), 10**17) | st.booleans() | st.floats(allow_nan=False, allow_infinity=False)
)
keys = st.from_regex(r"[a-z][a-z_.]{0,5}", fullmatch=True) | words.filter(lambda word: "\n" not in word)


def trees(leaf: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.recursive(
        leaf, lambda one: st.lists(one, max_size=3) | st.dictionaries(keys, one, max_size=3), max_leaves=8
    )


@settings(deadline=None)
@given(st.dictionaries(keys, trees(scalars | st.none()), min_size=1, max_size=4), st.sampled_from(["\n", "\r\n"]))
def test_what_is_written_is_read_back(value: dict[str, Any], newline: str) -> None:
    text = document(value, newline)
    assert read(text) == value
    assert read(text.replace(newline, "\n")) == value
    assert document(read(text), newline) == text


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("plain words", "plain words"), ("2026-09-21", "2026-09-21"), ("$order.phones", "$order.phones"),
        ("it's", "it's"), ("{found} is wrong", "'{found} is wrong'"), ("a: b", "'a: b'"), ("no", "'no'"),
        ("7", "'7'"),
        ("+1 415 555 0100", "+1 415 555 0100"), (r"\bok\b", r"'\bok\b'"), ("👨‍👩‍👧", "👨‍👩‍👧"), ("", "''"),
        ("a\u200bb", '"a\\u200bb"'), ("\xa0", '"\\u00a0"'), (7, "7"), (0.1, "0.1"), (True, "true"),
        (None, "null"),
        (["a", "b, c"], "[a, 'b, c']"), ([], "[]"), ({}, "{}"), ("a\nb", "|-\n  a\n  b"),
        ("a\n\nb\n", "|\n  a\n\n  b"),
        (" a\nb", '" a\\nb"'), ("a \nb", '"a \\nb"'),
        ({"x": {"q": [{"z": 1}]}}, "\n  x:\n    q:\n      - z: 1"),
    ],
)  # fmt: skip
def test_a_value_is_written_as_people_write_it(value: Any, written: str) -> None:
    assert document({"k": value}) == f"k: {written}\n".replace(": \n", ":\n")


@pytest.mark.parametrize("value", ["\x00", "\x1b", "\x7f", "\x85", "\ud800", 10**18, float("inf"), {"a\nb": 1}])
def test_what_no_card_can_hold_is_not_written(value: Any) -> None:
    with pytest.raises(CannotWrite):
        document({"k": value})


class Layout:
    """Writes a value as a person might: any quotes, any indent, comments and blank lines between."""

    def __init__(self, draw: Callable[[st.SearchStrategy[Any]], Any]) -> None:
        self.draw = draw
        self.comments = 0

    def comment(self, lead: str) -> str:
        self.comments += 1
        return f"{lead}# c{self.comments}"

    def maybe(self, lead: str) -> str:
        return self.comment(lead) if self.draw(st.integers(0, 3)) == 0 else ""

    def between(self, column: int) -> list[str]:
        shapes = [[], [], [""], [self.comment(" " * column)], ["", self.comment("")]]
        lines: list[str] = self.draw(st.sampled_from(shapes))
        return lines

    def value(self, value: Any, column: int) -> tuple[str, list[str]]:
        """What follows `key:` or `-` on its line, and the lines below it."""
        if value is None and self.draw(st.booleans()):
            return self.maybe(" "), []
        if isinstance(value, str) and (block := yaml_write.literal(value)) and self.draw(st.booleans()):
            pad = " " * (column + self.draw(st.integers(1, 4)))
            return f" {block[0]}{self.maybe(' ')}", [pad + line if line else line for line in block[1:]]
        if value and isinstance(value, dict) and self.draw(st.booleans()):
            return self.maybe(" "), self.mapping(value, column + self.draw(st.integers(1, 4)))
        if value and isinstance(value, list) and self.draw(st.booleans()):
            return self.maybe(" "), self.items(value, column + self.draw(st.integers(1, 4)))
        style = self.draw(st.sampled_from(["", "'", '"'])) if isinstance(value, str) else ""
        if isinstance(value, (list, dict)):
            return f" {yaml_write.inline(value)}{self.maybe(' ')}", []
        return f" {yaml_write.scalar(value, style=style)}{self.maybe(' ')}", []

    def mapping(self, value: dict[str, Any], column: int) -> list[str]:
        lines: list[str] = []
        for key, one in value.items():
            head, below = self.value(one, column)
            lines += [*self.between(column), f"{' ' * column}{yaml_write.scalar(key)}:{head}", *below]
        return lines

    def items(self, value: list[Any], column: int) -> list[str]:
        lines: list[str] = []
        for one in value:
            gap = " " * self.draw(st.integers(1, 3))
            if isinstance(one, dict) and one and self.draw(st.booleans()):
                inner = self.mapping(one, column + 1 + len(gap))
                first = next(i for i, line in enumerate(inner) if line and not line.lstrip().startswith("#"))
                lines += [*inner[:first], " " * column + "-" + gap + inner[first].lstrip(" "), *inner[first + 1 :]]
            else:
                head, below = self.value(one, column)
                lines += [*self.between(column), f"{' ' * column}-{head}", *below]
        return lines


@st.composite
def documents(draw: Any) -> tuple[dict[str, Any], str]:
    value = draw(st.dictionaries(keys, trees(scalars | st.none()), min_size=1, max_size=4))
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    lines = [*Layout(draw).mapping(value, 0), *draw(st.sampled_from([[], [""], ["# end"], ["", "# end"], ["..."]]))]
    return value, draw(st.sampled_from(["", "\ufeff", "---" + newline])) + newline.join([*lines, ""])


def paths(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else []
    return [path, *(found for key, one in inner for found in paths(one, (*path, key)))]


def holder(value: Any, path: tuple[str | int, ...]) -> Any:
    for part in path:
        value = value[part]
    return value


def kept(before: str, after: str) -> int:
    """How many characters of `before` stand in `after` at its head and tail: all of them, if one stretch was put in."""
    head = next(
        (i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), min(len(before), len(after))
    )
    rest, other = before[head:], after[head:]
    tail = next(
        (i for i, (a, b) in enumerate(zip(reversed(rest), reversed(other), strict=False)) if a != b),
        min(len(rest), len(other)),
    )
    return head + tail


def comments(text: str) -> list[str]:
    return re.findall(r"# (?:c\d+|end)\b", text)


@settings(deadline=None)
@given(documents(), trees(scalars), st.data())
def test_an_appended_item_leaves_every_other_byte(made: tuple[dict[str, Any], str], item: Any, data: Any) -> None:
    value, text = made
    assert read(text) == value
    lists = [path for path in paths(value) if isinstance(holder(value, path), list)]
    path = data.draw(st.sampled_from([("new_list",), *lists]))
    expected = copy.deepcopy(value)
    if path == ("new_list",):
        expected["new_list"] = []
    holder(expected, path).append(item)
    after = append_item(text, path, item)
    assert read(after) == expected
    if holder(expected, path)[:-1] or path == ("new_list",):
        assert kept(text, after) == len(text)
    assert comments(after) == comments(text)


@settings(deadline=None)
@given(documents(), scalars, st.data())
def test_a_set_value_leaves_every_other_byte(made: tuple[dict[str, Any], str], new: Any, data: Any) -> None:
    value, text = made
    path = data.draw(st.sampled_from(paths(value)[1:]))
    if isinstance(holder(value, path), (list, dict)):
        with pytest.raises(SpliceRefused):
            set_scalar(text, path, new)
        return
    expected = copy.deepcopy(value)
    holder(expected, path[:-1])[path[-1]] = new
    source, _ = parse(text, "f")
    assert source is not None
    span = source.spans[path]
    after = set_scalar(text, path, new)
    assert read(after) == expected
    assert after.startswith(text[: span.start])
    assert after.endswith(text[span.end :])
    assert comments(after) == comments(text)


@settings(deadline=None)
@given(documents(), trees(scalars), st.data())
def test_an_inserted_key_leaves_every_other_byte_and_can_be_removed(
    made: tuple[dict[str, Any], str], new: Any, data: Any
) -> None:
    value, text = made
    after_key = data.draw(st.sampled_from([path for path in paths(value) if path and isinstance(path[-1], str)]))
    after = insert_key(text, after_key, "zz_new", new)
    assert kept(text, after) == len(text)
    assert read(remove_key(after, (*after_key[:-1], "zz_new"))) == value
    found = list(holder(read(after), after_key[:-1]))
    assert found.index("zz_new") == found.index(after_key[-1]) + 1


@settings(deadline=None)
@given(documents(), st.data())
def test_a_removed_key_takes_its_lines_and_no_comment(made: tuple[dict[str, Any], str], data: Any) -> None:
    value, text = made
    path = data.draw(st.sampled_from([path for path in paths(value) if path and isinstance(path[-1], str)]))
    expected = copy.deepcopy(value)
    del holder(expected, path[:-1])[path[-1]]
    try:
        after = remove_key(text, path)
    except SpliceRefused as refused:
        if "only key" in str(refused) or "A comment stands" in str(refused):
            return
        raise
    assert read(after) == expected
    assert comments(after) == comments(text)
    assert kept(after, text) == len(after)
