"""An existing prompt split into blocks and instructions: every line kept, in its order. Pure.

The prompt is cut by lines: what CommonMark sees as headings, paragraphs, lists, tables and fences, and tags that
stand alone on their line (`<policy>` … `</policy>`). The pieces are the prompt's own lines, so nothing is lost.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

TOGETHER = 1_000
"""Most characters of an instruction made of a sentence and the list it introduces; a longer list is split."""
LABEL = 4
"""A line of at most so many words before a list of sentences (`Payment:`) only names it; a longer line, or one before
bare words, is part of their meaning."""

Kind = Literal["heading", "text", "list", "block", "rule", "opens", "closes", "tag_opens", "tag_closes"]

_TAG = re.compile(r"\s*<(/?)([A-Za-z][\w.:-]*)(?:\s[^<>]*)?>\s*")
_FENCE = re.compile(r"\s*(```+|~~~+)")
_ENDED = re.compile(r"[.!?…]['\"”’)\]*_`]*$")
_BOLD = re.compile(r"(\*\*|__)[^*_]+\1:?")
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class Piece:
    """A run of lines of one kind. `items`: the items of a list; `level`: the depth of a heading."""

    kind: Kind
    text: str
    items: tuple[str, ...] = ()
    level: int = 0


@dataclass
class Section:
    """One block to be. `level` is the depth of its heading, 0 when the prompt has none there; `layout` are the
    indexes of the instructions that are but a tag or a heading."""

    title: str
    level: int
    texts: list[str] = field(default_factory=list)
    layout: set[int] = field(default_factory=set)

    def frame(self, text: str) -> None:
        """Add a line that carries no rule: a tag, or a heading with nothing under it."""
        self.layout.add(len(self.texts))
        self.texts.append(text)


def split(prompt: str) -> list[Section]:
    """The sections of a prompt, none of them empty; an empty list for a prompt without words."""
    text = prompt.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    sections: list[Section] = []
    run: list[Piece] = []
    for piece in [*_pieces(text.expandtabs(4).split("\n")), None]:
        if piece is not None and piece.kind not in ("heading", "tag_opens", "tag_closes"):
            run.append(piece)
            continue
        _fill(sections, run)
        run = []
        if piece is not None:
            _frame(sections, piece)
    return [_headed(section) for section in sections if section.texts or section.level]


def _frame(sections: list[Section], piece: Piece) -> None:
    """Begin a section at a heading or an opening tag; put a closing tag at the end of the one before."""
    if piece.kind == "heading":
        sections.append(Section(piece.text, piece.level))
        return
    tag = _TAG.fullmatch(piece.text)
    assert tag is not None
    if piece.kind == "tag_opens":
        sections.append(Section(tag[2].replace("_", " ").replace("-", " ").capitalize(), 0))
    sections[-1].frame(piece.text)


def _fill(sections: list[Section], run: Sequence[Piece]) -> None:
    texts = [text for text in _instructions(run) if text.strip()]
    if not texts:
        return
    loose = not sections or (not sections[-1].level and sections[-1].texts[-1:] != sections[-1].texts[:1])
    if not sections:
        sections.append(Section("Opening", 0))
    elif loose and sections[-1].texts[-1].startswith("</"):
        sections.append(Section(" ".join(_WORD.findall(texts[0])[:LABEL]).capitalize() or "More", 0))
    sections[-1].texts += texts


def _headed(section: Section) -> Section:
    """A heading with nothing under it is itself the one line of a section without heading."""
    if not section.texts:
        section.frame(f"{'#' * section.level} {section.title}")
        section.level = 0
    return section


# pieces


def _pieces(lines: list[str]) -> Iterator[Piece]:
    """The pieces of a prompt: its outermost tags, and what stands between them."""
    tags = _tags(lines)
    depth, start = 0, 0
    skip_to = 0
    for index, closing in sorted(tags.items()):
        if index < skip_to:
            continue
        opens = closing > index
        nested = depth > 0 if opens else depth > 1
        whole = "\n".join(lines[index : closing + 1])
        yield from _marked(lines[start:index])
        start = index + 1
        if opens and nested and len(whole) <= TOGETHER and not _has_heading(lines[index + 1 : closing]):
            yield Piece("block", textwrap.dedent(whole).strip("\n"))
            start = skip_to = closing + 1
            continue
        depth += 1 if opens else -1
        kind: Kind = ("opens" if nested else "tag_opens") if opens else ("closes" if nested else "tag_closes")
        yield Piece(kind, lines[index].strip())
    yield from _marked(lines[start:])


def _tags(lines: Sequence[str]) -> dict[int, int]:
    """Line index → index of the matching tag, of the tags that stand alone on a line and are closed."""
    pairs: dict[int, int] = {}
    stack: list[tuple[str, int]] = []
    fence = ""
    for index, line in enumerate(lines):
        mark = _FENCE.match(line)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
        tag = None if fence else _TAG.fullmatch(line)
        if tag is None:
            continue
        if not tag[1]:
            stack.append((tag[2], index))
        elif any(name == tag[2] for name, _ in stack):
            while stack:
                name, opened = stack.pop()
                if name == tag[2]:
                    pairs[opened], pairs[index] = index, opened
                    break
    return pairs


def _has_heading(lines: Sequence[str]) -> bool:
    return any(piece.kind == "heading" for piece in _marked(lines))


def _marked(lines: Sequence[str]) -> Iterator[Piece]:
    """The pieces of lines without tags, as CommonMark with tables reads them."""
    text = textwrap.dedent("\n".join(lines))
    if not text.strip():
        return
    from markdown_it import MarkdownIt

    reader = MarkdownIt("commonmark").enable("table").disable(["html_block", "code", "reference"])
    rows = text.split("\n")
    done = 0
    tokens = reader.parse(text)
    for at, token in enumerate(tokens):
        if token.level or token.map is None or token.nesting < 0:
            continue
        start, end = token.map
        if any(row.strip() for row in rows[done:start]):  # lines no token claims
            yield Piece("text", _lines(rows[done:start]))
        done = max(done, end)
        if token.type == "heading_open":
            title = tokens[at + 1].content.strip()
            if title:
                yield Piece("heading", title, level=int(token.tag[1:]))
        elif token.type == "paragraph_open":
            yield Piece("text", _lines(rows[start:end]))
        elif token.type in ("bullet_list_open", "ordered_list_open"):
            yield from _list(rows, [one.map for one in tokens[at:] if one.type == "list_item_open"
                                    and one.level == 1 and one.map and start <= one.map[0] < end])  # fmt: skip
        else:
            yield Piece("rule" if token.type == "hr" else "block", _lines(rows[start:end]))
    if any(row.strip() for row in rows[done:]):
        yield Piece("text", _lines(rows[done:]))


def _lines(rows: Iterable[str]) -> str:
    """The rows as one text: indentation they share, space at their ends and blank rows around them are left out."""
    return textwrap.dedent("\n".join(row.rstrip() for row in rows)).strip("\n")


def _list(rows: Sequence[str], maps: Sequence[Sequence[int]]) -> Iterator[Piece]:
    """A list; lines at its left edge after its last, finished item are a paragraph that follows it."""
    first, end = maps[0][0], maps[-1][1]
    last, edge = maps[-1][0], len(rows[first]) - len(rows[first].lstrip())
    for index in range(last + 1, end):
        row = rows[index]
        if row.strip() and len(row) - len(row.lstrip()) <= edge and _ENDED.search(rows[index - 1].rstrip()):
            end = index
            break
    items = [_lines(rows[a : min(b, end)]) for a, b in maps]
    yield Piece("list", _lines(rows[first:end]), tuple(items))
    rest = _lines(rows[end : maps[-1][1]])
    if rest:
        yield Piece("text", rest)


# instructions


def _instructions(pieces: Sequence[Piece]) -> Iterator[str]:
    """The instructions of a run of pieces: a sentence with the list or table it introduces is one."""
    lead = ""
    made: list[str] = []
    for index, piece in enumerate(pieces):
        following = pieces[index + 1] if index + 1 < len(pieces) else None
        if piece.kind == "text":
            units = _sentences(piece.text)
            if lead and not _is_label(lead):
                made.append(lead)
            elif lead:
                units[0] = f"{lead}\n{units[0]}"
            lead = units.pop() if _introduces(units[-1], following) else ""
            made += units
        elif piece.kind == "opens":
            lead = f"{lead}\n{piece.text}".strip("\n")
        elif piece.kind in ("closes", "rule"):
            if lead:
                made.append(lead)
                lead = ""
            if made:
                made[-1] += f"\n{piece.text}" if piece.kind == "closes" else f"\n\n{piece.text}"
            else:
                lead = piece.text
        else:
            made += _introduced(lead, piece)
            lead = ""
    yield from [*made, *([lead] if lead else [])]


def _introduced(lead: str, piece: Piece) -> list[str]:
    whole = f"{lead}\n{piece.text}".strip("\n")
    items = list(piece.items)
    sentences = [item for item in items if _ENDED.search(item.split("\n")[0]) or item.split("\n")[0].endswith(":")]
    names_only = not lead or (_is_label(lead) and 2 * len(sentences) >= len(items))
    if not items or (not names_only and len(whole) <= TOGETHER):
        return [whole]
    if names_only:
        return [f"{lead}\n{items[0]}".strip("\n"), *items[1:]]
    return [lead, *items]


def _sentences(paragraph: str) -> list[str]:
    """The lines of a paragraph that is written a sentence a line; else the paragraph whole."""
    lines = paragraph.split("\n")
    return lines if all(_ENDED.search(line.rstrip()) for line in lines[:-1]) else [paragraph]


def _introduces(text: str, following: Piece | None) -> bool:
    last = text.rstrip()
    if last.rstrip("*_ ").endswith(":") or _BOLD.fullmatch(last):
        return True
    return following is not None and following.kind == "list" and not _ENDED.search(last)


def _is_label(lead: str) -> bool:
    return len(_WORD.findall(lead)) <= LABEL
