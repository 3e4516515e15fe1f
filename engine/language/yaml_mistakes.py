"""What can be wrong in YAML text before it has values: characters, escapes, syntax; a sentence each. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import yaml

RAW = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufffe\uffff]"
    "|\r(?!\n)"
)
"""Characters that may not stand in a file: controls, line ends that editors do not count, switches of writing
direction (a reviewer would not see what the engine reads), half characters, byte order marks within."""

ESCAPED = re.compile(r"\\(?:x(..)|u(.{4})|U(.{8})|(.))", re.DOTALL)
"""One escape in a double-quoted text that the parser has accepted."""

MEND_AT_MOST = 100_000
"""Characters of a file up to which reading goes on after an unknown escape (each costs one more reading)."""

_SINGLE = "Write the text in single quotes, where `\\` stands for itself."
_YAML_LETTERS = {
    "b": 0x08, "a": 0x07, "e": 0x1B, "v": 0x0B, "f": 0x0C, "0": 0x00,
    "N": 0x85, "L": 0x2028, "P": 0x2029, "_": 0xA0,
}  # fmt: skip


class Mistake(NamedTuple):
    """Why the parser stopped: 1-based line and column, sentence, code and cure, and the text with the mistake
    taken out (as long as before), when reading can go on so."""

    line: int
    column: int
    says: str
    code: str
    cure: str
    mended: str | None


def raw_mistake(character: str) -> tuple[str, str, str]:
    """The sentence, code and cure for a character that matched RAW."""
    point = ord(character)
    name = f"U+{point:04X}"
    if character == "\r":
        says = "A carriage return stands without its line feed."
        return says, "control_character", "Save with LF or CRLF line ends."
    if 0xD800 <= point <= 0xDFFF:
        return f"{name} is half a character.", "control_character", "Write the whole character."
    if point in (0x2028, 0x2029) or 0x202A <= point <= 0x2069:
        says = f"{name} changes what a reader sees, not what is read."
        return says, "control_character", f"Remove it, or write it as `\\u{point:04x}` in double quotes."
    return f"The control character {name} stands in the text.", "control_character", "Remove it."


def escape_mistakes(text: str, start: int, end: int) -> Iterator[tuple[int, str, str, str]]:
    """Index, sentence, code and cure of each escape between `start` and `end` that no card may hold: control
    characters, half characters, and the letters that YAML and patterns read differently."""
    for match in ESCAPED.finditer(text, start, end):
        digits = match[1] or match[2] or match[3]
        point = int(digits, 16) if digits else _YAML_LETTERS.get(match[4], 0x20)
        written = match[0]
        if match[4] == "b":
            says = "`\\b` in double quotes is a backspace, not a word boundary."
            yield match.start(), says, "backspace", _SINGLE
        elif not digits and point != 0x20:
            says = f"`{written}` in double quotes is the character U+{point:04X}."
            yield match.start(), says, "control_character", _SINGLE
        elif 0xD800 <= point <= 0xDFFF:
            says = f"`{written}` is half a character."
            cure = "Write the character itself, or `\\U` and its eight digits."
            yield match.start(), says, "control_character", cure
        elif (point < 0x20 and point not in (0x09, 0x0A, 0x0D)) or 0x7F <= point <= 0x9F:
            yield match.start(), f"`{written}` is a control character.", "control_character", "Remove it."


def cannot_parse(error: yaml.YAMLError, text: str, opened: Any) -> Mistake:
    """One sentence of ours for an error of PyYAML's own parser; `opened` marks the bracket still open."""
    problem = str(getattr(error, "problem", None) or error)
    context = str(getattr(error, "context", None) or "")
    at = getattr(error, "problem_mark", None)
    began = getattr(error, "context_mark", None)
    if at is None:
        return Mistake(1, 1, "This is not YAML that can be read.", _SYNTAX, "", None)
    row = next(row for row in _ROWS if row.context in context and row.problem in problem)
    mark = (began if row.where == "began" else opened if row.where == "opened" else None) or at
    index = min(mark.index, len(text))
    if row.code == "unknown_escape":  # the mark is behind the backslash
        says = row.says.replace("<here>", text[index - 1 : index + 1])
        mended = text[: index - 1] + "?" + text[index:] if len(text) <= MEND_AT_MOST else None
        return Mistake(mark.line + 1, mark.column, says, row.code, row.cure, mended)
    here = text[index : index + 1]
    says = row.says.replace("`<here>`", "A backtick" if here == "`" else f"`{here}`")
    return Mistake(mark.line + 1, mark.column + 1, says, row.code, row.cure, None)


_QUOTE = "Quote the text."
_INDENT = "Keys of one mapping begin in the same column; what belongs to a key stands further right."
_DIRECTIVE = "A line that begins with `%` is a directive."
_TAB = "A tab stands outside quotes."
_SYNTAX = "yaml_syntax"


class _Row(NamedTuple):
    """A sentence for errors whose context and problem hold these words; `where`: which of their marks."""

    context: str
    problem: str
    where: str
    says: str
    cure: str
    code: str = _SYNTAX


_ROWS: tuple[_Row, ...] = tuple(
    _Row(*row)
    for row in (
        ("", "found character '\\t'", "at", _TAB, "Use spaces.", "tab"),
        ("", "but found '\\t'", "at", _TAB, "Use spaces.", "tab"),
        ("", "that cannot start any token", "at", "`<here>` cannot begin a text.", _QUOTE),
        ("quoted scalar", "end of stream", "began", "The quote that opens here is never closed.",
         "Close it; in single quotes an apostrophe is written twice."),
        ("quoted scalar", "document separator", "at", "A line of `---` or `...` stands inside quotes.",
         "Indent it, or close the quote before it."),
        ("quoted scalar", "unknown escape", "at", "`<here>` means nothing in double quotes.", _SINGLE,
         "unknown_escape"),
        ("quoted scalar", "hexadecimal", "at", "A character code lacks digits.",
         "`\\x` takes two digits, `\\u` four, `\\U` eight."),
        ("", "character code", "at", "This is the code of no character.", "The last is `\\U0010ffff`."),
        ("", "mapping values are not allowed", "at", "A `:` stands where no key can be.",
         "Quote a text that holds `: `, and let keys begin in the column of their neighbours."),
        ("", "sequence entries are not allowed", "at", "A list item begins where none can be.",
         "Begin it on a line of its own, or quote the text."),
        ("", "mapping keys are not allowed", "at", "A `?` begins a key where none can be.", _QUOTE),
        ("simple key", "could not find expected ':'", "began", "This line is neither a key nor a value.",
         "Write `key: value`, or indent the line as part of the text above it."),
        ("flow", "<stream end>", "opened", "The `<here>` that opens here is never closed.",
         "Close it; quote a text that begins with a bracket."),
        ("flow sequence", "expected ','", "at", "A `,` or `]` is missing before this.",
         "Quote a text that holds `: ` or a bracket."),
        ("flow mapping", "expected ','", "at", "A `,` or `}` is missing before this.",
         "Quote a text that begins with `{`, or holds `: ` or a bracket."),
        ("anchor", "", "began", "`<here>` begins an anchor.", _QUOTE, "alias"),
        ("alias", "", "began", "`<here>` begins an alias.", _QUOTE, "alias"),
        ("tag", "", "began", "`!` begins a tag.", _QUOTE, "tag"),
        ("", "tag handle", "at", "`!` begins a tag.", _QUOTE, "tag"),
        ("directive", "", "began", _DIRECTIVE, "Remove it, or quote it.", "directive"),
        ("", "directive", "at", _DIRECTIVE, "Remove it, or quote it.", "directive"),
        ("", "incompatible YAML document", "at", _DIRECTIVE, "Remove it.", "directive"),
        ("block scalar", "", "began", "`<here>` begins a text on the following lines, and more follows it.",
         "Begin the text on the next line, or quote it."),
        ("", "'<document start>'", "at", "This stands after the end of the document.",
         "One file holds one mapping: indent it, or remove it."),
        ("block collection", "<block end>", "at", "This is not an item of the list above it.",
         "Items of one list begin with `- ` in the same column."),
        ("block mapping", "but found '-'", "at", "A list item begins where a key is expected.", _INDENT),
        ("block mapping", "but found ':'", "at", "A key is missing in front of the `:`.", "Write one.",
         "key_not_text"),
        ("block mapping", "<scalar>", "at", "This stands after a value that has ended.",
         "Quote the whole text. " + _INDENT),
        ("block mapping", "", "at", "This is not in the column of the keys above it.", _INDENT),
        ("", "node content", "at", "A value is missing before this.", "Write it, or quote the text."),
        ("", "", "at", "This is not YAML that can be read.", "Quote the text, and look at the line above."),
    )
)  # fmt: skip
