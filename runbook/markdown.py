"""Text of cards made literal in Markdown: whatever a card holds is shown, and none of it is read as Markdown or HTML.

Written for CommonMark and for what code hosts add to it: tables, `~~`, bare links, `$math$`.
"""

from __future__ import annotations

import re

_SPECIAL = re.compile(r"[\\`*~\[\]|]|(?<![^\W_])_|_(?![^\W_])|:(?=//)")
"""What is escaped wherever it stands; an underscore within a word is none, `://` would become a link."""
_ENTITIES = {"&": "&amp;", "<": "&lt;", "$": "&#36;"}
_START = re.compile(r"#{1,6}(?=\s|$)|>|[-+](?=\s|$)|-(?=[-\s]*$)|=(?==*\s*$)|(\d{1,9})(?=[.)](?:\s|$))")
"""What is a mark only at the start of a line: headings, quotes, items, rules."""
_UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]"
)


def visible(text: str) -> str:
    """The text with characters that turn or break the text around them, and that nobody sees, by their number."""
    return _UNSEEN.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", text.replace("\r\n", "\n").replace("\r", "\n"))


def literal(text: str, ends: bool = False) -> str:
    """The text on one line of Markdown, shown as it is; white space becomes one space, at its `ends` only if asked."""
    words = visible(text)
    line = " ".join(words.split())
    if ends and words:
        head, tail = " " if words[0].isspace() else "", " " if words[-1].isspace() and line else ""
        return f"{head}{literal(line)}{tail}"
    line = re.sub(r"[&<$]", lambda found: _ENTITIES[found[0]], _SPECIAL.sub(r"\\\g<0>", line))
    mark = _START.match(line)
    if mark is None:
        return line
    return f"{mark[1]}\\{line[mark.end() :]}" if mark[1] else f"\\{line}"


def comment(text: str) -> str:
    """The text as it can stand in an HTML comment."""
    return re.sub(r"[^\w. -]", "?", text)


def code(text: str) -> str:
    """The text as a code span, on one line; spaces at its ends stay."""
    line = re.sub(r"\s*\n\s*", " ", visible(text).strip("\n")).replace("\t", " ")
    longest = max((len(run) for run in re.findall(r"`+", line)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if line.strip() and (line.startswith(("`", " ")) or line.endswith(("`", " "))) else ""
    return f"{fence}{pad}{line}{pad}{fence}" if line else ""


def quote(text: str, indent: str = "") -> str:
    """The text as a block quote, line by line; every line after the first begins with `indent`."""
    lines = visible(text).strip("\n").split("\n")
    made = []
    for number, line in enumerate(lines):
        said = literal(line)
        more = said and number + 1 < len(lines) and lines[number + 1].strip()
        made.append(f"> {said}\\" if more else f"> {said}".rstrip())
    return f"\n{indent}".join(made)
