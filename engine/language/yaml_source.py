"""YAML text to plain values with the place of every key and value: YAML 1.2 core, read strictly. Pure.

One pass over the parser's events (no node graph, no recursion), so that an alias bomb or a deep nest ends
at the event that shows it. libyaml parses where PyYAML was built with it; what it refuses, and text with tabs
(the one thing on which the two differ in what they accept), goes through PyYAML's own parser, so that values
and sentences are the same with and without libyaml.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import yaml

from engine.language.problems import Place, Problem
from engine.language.yaml_events import FAST, OwnParser, events
from engine.language.yaml_mistakes import ESCAPED, RAW, cannot_parse, escape_mistakes, raw_mistake
from engine.language.yaml_scalars import FIRST, OCTAL, is_text, resolve

Path = tuple[str | int, ...]
"""Where a value stands: keys and list indexes from the top of the file."""

MAX_CHARACTERS = 1_000_000
MAX_DEPTH = 40
MAX_VALUES = 100_000
MAX_PROBLEMS = 50
"""Bounds of one file; a card is some 2,000 characters, 5 deep, 100 values."""

_DIRECTIVE = re.compile(r"^%", re.MULTILINE)
_COLON = re.compile(r"\s*:")
_GLUED = re.compile(r"[|>][-+0-9]*#")
_NO_KEY = "A key is missing in front of the `:`."


class Span(NamedTuple):
    """The characters of a key or value: indexes into the text (a block collection ends with its last value),
    1-based line and column, and how it is written: `plain ' " | >`, `{ [` (flow) or `: -` (block)."""

    start: int
    end: int
    line: int
    column: int
    style: str


@dataclass(frozen=True, eq=False)
class Source:
    """A file as read. `value` is plain Python; `raw` keeps the spelling of what is no text: `1.10`, `~`, or
    nothing for an empty value."""

    file: str
    text: str
    value: dict[str, Any]
    spans: Mapping[Path, Span]
    keys: Mapping[Path, Span]
    raw: Mapping[Path, str]

    def place_of(self, path: Path, offset: int = 0) -> Place:
        """The place of the value at `path`, or of character `offset` of a text written on one line.

        An empty value has its key's place; where nothing stands at `path`, the nearest place above it.
        """
        span = self.spans.get(path)
        if span is None or (span.start == span.end and path in self.keys):
            return self.key_place_of(path)
        shift = _shift(self.text[span.start : span.end], span.style, offset) if offset else 0
        return Place(self.file, span.line, span.column + shift, spell(path))

    def key_place_of(self, path: Path) -> Place:
        """The place of the key whose value is at `path` (a list item: its own), or the nearest above."""
        for length in range(len(path), 0, -1):
            span = self.keys.get(path[:length]) or self.spans.get(path[:length])
            if span is not None:
                return Place(self.file, span.line, span.column, spell(path))
        top = self.spans[()]
        return Place(self.file, top.line, top.column, spell(path))


def spell(path: Path) -> str:
    """A path as people write it: `when.message.text.matches[0]`."""
    said = ""
    for part in path:
        said += f"[{part}]" if isinstance(part, int) else f".{part}" if said else part
    return said


def parse(text: str, file: str, *, pure: bool = False) -> tuple[Source | None, list[Problem]]:
    """Read one document whose top is a mapping. Never raises.

    All mistakes that the parser can pass are reported together. The source is None when reading could not go
    on to the end (then what it lacks is not known), and is given beside the problems when it could.
    `pure` leaves libyaml out.
    """
    origin = 1 if text.startswith("\ufeff") else 0
    body = text[origin:]
    if len(body) > MAX_CHARACTERS:
        says = f"The file has {len(body):,} characters; the most is {MAX_CHARACTERS:,}."
        return None, [Problem(Place(file), "too_large", says, "Split it.")]
    reader = _Reader(file, body, origin)
    top = reader.read(reader.cleaned(), pure or "\t" in body)
    if not reader.ended:
        return None, sorted(reader.problems)
    if top is None:
        bare = any(line.lstrip().startswith("#") for line in body.splitlines())
        says = "The file holds only comments." if bare else "The file is empty."
        empty = Problem(Place(file), "empty_file", says, "Write its keys, or delete it.")
        return None, [empty, *reader.problems]
    if not isinstance(top, dict):
        what = "a list" if isinstance(top, list) else "a single value"
        says = f"The file holds {what}, not a mapping."
        cure = "Write `key: value` lines from the first column on."
        place = Place(file, reader.spans[()].line, reader.spans[()].column)
        return None, sorted([*reader.problems, Problem(place, "not_a_mapping", says, cure)])
    return Source(file, text, top, reader.spans, reader.keys, reader.raw), sorted(reader.problems)


class _Ended(Exception):
    """Reading ends here; the reason is among the problems."""


@dataclass(slots=True)
class _Frame:
    """A collection being read; `key` is the key whose value comes next (None: a key comes next)."""

    value: list[Any] | dict[str, Any]
    path: Path
    mark: Any
    flow: bool
    as_key: bool
    end: int = 0
    key: str | None = None


@dataclass
class _Reader:
    file: str
    text: str
    origin: int
    problems: list[Problem] = field(default_factory=list)
    spans: dict[Path, Span] = field(default_factory=dict)
    keys: dict[Path, Span] = field(default_factory=dict)
    raw: dict[Path, str] = field(default_factory=dict)
    stack: list[_Frame] = field(default_factory=list)
    top: Any = None
    documents: int = 0
    values: int = 0
    ended: bool = False
    own: bool = False
    asks: bool = field(init=False)

    def __post_init__(self) -> None:
        self.asks = "?" in self.text

    def report(self, at: tuple[int, int], code: str, says: str, cure: str = "", path: Path = ()) -> None:
        self.problems.append(Problem(Place(self.file, *at, spell(path)), code, says, cure))
        if len(self.problems) >= MAX_PROBLEMS:
            raise _Ended

    def at(self, index: int) -> tuple[int, int]:
        return self.text.count("\n", 0, index) + 1, index - self.text.rfind("\n", 0, index)

    def cleaned(self) -> str:
        """The text without the characters that no file may hold, as long as before: every place stays."""
        if not RAW.search(self.text):
            return self.text
        for match in itertools.islice(RAW.finditer(self.text), MAX_PROBLEMS - 1):
            says, code, cure = raw_mistake(match[0])
            self.report(self.at(match.start()), code, says, cure)
        return RAW.sub("_", self.text)

    def read(self, body: str, pure: bool) -> Any:
        """The value of the document in `body`; `ended` says whether the parser came to the end."""
        kept = len(self.problems)
        self.own = pure or FAST is OwnParser
        self.spans, self.keys, self.raw = {}, {}, {}
        self.stack, self.top, self.documents, self.values = [], None, 0, 0
        parser = OwnParser(body) if self.own else FAST(body)
        try:
            for event in events(parser):
                self.take(event)
            self.ended = True
        except _Ended:
            pass
        except yaml.YAMLError as error:
            if not self.own:
                del self.problems[kept:]
                return self.read(body, pure=True)
            opened = next((frame.mark for frame in reversed(self.stack) if frame.flow), None)
            mistake = cannot_parse(error, body, opened)
            place = Place(self.file, mistake.line, mistake.column, spell(self.here()))
            if mistake.mended is not None and kept < MAX_PROBLEMS - 1:
                del self.problems[kept:]
                self.problems.append(Problem(place, mistake.code, mistake.says, mistake.cure))
                return self.read(mistake.mended, pure=True)
            self.problems.append(Problem(place, mistake.code, mistake.says, mistake.cure))
        finally:
            parser.dispose()
        return self.top

    def take(self, event: Any) -> None:
        kind = event.__class__
        if kind is yaml.ScalarEvent:
            self.scalar(event)
        elif kind is yaml.MappingStartEvent or kind is yaml.SequenceStartEvent:
            self.begin(event, {} if kind is yaml.MappingStartEvent else [])
        elif kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
            self.finish(event)
        elif kind is yaml.AliasEvent:
            says = f"`*{event.anchor[:40]}` is an alias."
            self.refuse(event, "alias", says, "Write the value out, or quote it.")
            name, marks = f"*{event.anchor}", (event.start_mark, event.end_mark)
            self.scalar(yaml.ScalarEvent(None, None, (False, True), name, *marks, "'"))
        elif kind is yaml.DocumentStartEvent:
            self.document(event)

    def document(self, event: Any) -> None:
        before = self.text[: event.end_mark.index]
        if event.version or event.tags or _DIRECTIVE.search(before):
            self.refuse(event, "directive", "A line that begins with `%` is a directive.", "Remove it.")
        self.documents += 1
        if self.documents > 1:
            self.refuse(event, "several_documents", "A second document begins here.", "One file holds one.")
            raise _Ended

    def refuse(self, event: Any, code: str, says: str, cure: str) -> None:
        mark = event.start_mark
        self.report((mark.line + 1, mark.column + 1), code, says, cure, self.here())

    def here(self) -> Path:
        """The path of the value that comes next."""
        if not self.stack:
            return ()
        frame = self.stack[-1]
        if isinstance(frame.value, list):
            return (*frame.path, len(frame.value))
        return frame.path if frame.key is None else (*frame.path, frame.key)

    def decorated(self, event: Any) -> None:
        """Anchors and tags in front of a value."""
        if not self.own:
            raise yaml.YAMLError  # the parsers differ in what may follow `&` and `!`; all of it is refused
        if event.anchor is not None:
            says = f"`&{event.anchor[:40]}` is an anchor."
            self.refuse(event, "alias", says, "Write the value out where it is used, or quote it.")
        if event.tag is not None:
            says = f"`{event.tag[:40].replace('tag:yaml.org,2002:', '!!')}` is a tag."
            self.refuse(event, "tag", says, "Remove it, or quote the value.")

    def scalar(self, event: Any) -> None:
        start, end, text = event.start_mark, event.end_mark, event.value
        if event.anchor is not None or event.tag is not None:
            self.decorated(event)
        style = event.style or "plain"
        if style == '"' and ESCAPED.search(self.text, start.index, end.index):
            for index, says, code, cure in escape_mistakes(self.text, start.index, end.index):
                self.report(self.at(index), code, says, cure, self.here())
                text = RAW.sub("\ufffd", text)  # what a sentence may quote can be printed
        elif style in "|>" and not self.own and _GLUED.match(self.text, start.index):
            raise yaml.YAMLError  # libyaml lets it pass; the other parser says what is wrong
        origin = self.origin
        span = Span(start.index + origin, end.index + origin, start.line + 1, start.column + 1, style)
        self.put(text, span, text if style == "plain" else None)

    def put(self, text: str, span: Span, plain: str | None) -> None:
        """Set a scalar as key or value; `plain` is its spelling when it is unquoted."""
        if not self.stack:
            self.top = None if plain == "" else text
            self.spans[()] = span
            return
        frame = self.stack[-1]
        if frame.key is None and frame.value.__class__ is dict:
            self.put_key(frame, text, span, plain)
            return
        path = self.here()
        if plain == "" and path in self.keys:
            span = self.empty(self.keys[path])
        value: Any = text
        if plain is not None and (not plain or plain[0] in FIRST):
            try:
                value = resolve(plain)
            except ValueError as error:
                octal = bool(OCTAL.fullmatch(plain))
                cure = "Quote it, or drop the zero." if octal else "Quote it."
                self.report((span.line, span.column), "octal" if octal else "number", str(error), cure, path)
            if value.__class__ is not str:
                self.raw[path] = plain
        self.spans[path] = span
        self.add(frame, value, span.end)

    def empty(self, key: Span) -> Span:
        """The span of an empty value: right behind the colon of its key (the parsers differ in it)."""
        colon = _COLON.match(self.text, key.end - self.origin)
        index = colon.end() if colon else key.end - self.origin
        return Span(index + self.origin, index + self.origin, *self.at(index), "plain")

    def put_key(self, frame: _Frame, key: str, span: Span, plain: str | None) -> None:
        path = (*frame.path, key)
        if plain is not None:
            if plain == "" and not self.own:
                raise yaml.YAMLError  # always refused; the parsers differ in where they see it
            if plain == "<<":
                says = "`<<` is a merge key."
                self.report((span.line, span.column), "merge_key", says, "Write the keys out.", path)
            elif not plain or (plain[0] in FIRST and not is_text(plain)):
                says = f"The key `{plain[:40]}` is not text." if plain else _NO_KEY
                cure = "Quote it." if plain else "Write one."
                self.report((span.line, span.column), "key_not_text", says, cure, path)
        begins = span.start - self.origin
        before = self.text[max(0, begins - 3) : begins] if self.asks and span.style not in "{[" else ""
        if before.rstrip(" ").endswith("?"):
            says, cure = "`?` begins a key.", "Quote a text with `?` at its head."
            self.report((span.line, span.column), "key_not_text", says, cure, path)
        if path in self.keys and isinstance(frame.value, dict) and key in frame.value:
            first = self.keys[path].line
            says = f"`{key[:60]}` stands twice in one mapping: on line {first} and on line {span.line}."
            self.report((span.line, span.column), "duplicate_key", says, "Keep one.", path)
        self.keys[path] = span
        frame.key = key
        frame.end = span.end

    def add(self, frame: _Frame, value: Any, end: int) -> None:
        """Set `value` in its collection."""
        self.values += 1
        if self.values > MAX_VALUES:
            says = f"The file holds more than {MAX_VALUES:,} values."
            self.problems.append(Problem(Place(self.file), "too_many_values", says, "Split it."))
            raise _Ended
        frame.end = end
        if isinstance(frame.value, list):
            frame.value.append(value)
        else:
            assert frame.key is not None
            frame.value[frame.key] = value
            frame.key = None

    def begin(self, event: Any, value: list[Any] | dict[str, Any]) -> None:
        if event.anchor is not None or event.tag is not None:
            self.decorated(event)
        parent = self.stack[-1] if self.stack else None
        as_key = parent is not None and isinstance(parent.value, dict) and parent.key is None
        if as_key:
            says = "A list or mapping stands as a key."
            self.refuse(event, "key_not_text", says, "A key is one word of text.")
        if len(self.stack) >= MAX_DEPTH:
            says = f"Values are nested more than {MAX_DEPTH} deep."
            self.refuse(event, "too_deep", says, "Make it flatter.")
            raise _Ended
        self.stack.append(_Frame(value, self.here(), event.start_mark, bool(event.flow_style), as_key))

    def finish(self, event: Any) -> None:
        frame = self.stack.pop()
        mapping = isinstance(frame.value, dict)
        mark = frame.mark
        style = ("{" if mapping else "[") if frame.flow else (":" if mapping else "-")
        end = event.end_mark.index + self.origin if frame.flow else frame.end
        span = Span(mark.index + self.origin, end, mark.line + 1, mark.column + 1, style)
        if frame.as_key:
            self.put_key(self.stack[-1], "?", span, None)
            return
        self.spans[frame.path] = span
        if self.stack:
            self.add(self.stack[-1], frame.value, end)
        else:
            self.top = frame.value


def _shift(written: str, style: str, offset: int) -> int:
    """How many columns after the start of `written` character `offset` of its value stands; 0: unknown."""
    if "\n" in written or style not in ("plain", "'", '"'):
        return 0
    if style == "plain":
        return min(offset, len(written))
    units = re.compile(r"''|[^']" if style == "'" else r"\\(?:x..|u.{4}|U.{8}|.)|[^\"\\]")
    shift = 1
    for index, match in enumerate(units.finditer(written, 1, len(written) - 1)):
        if index == offset:
            break
        shift = match.end()
    return shift
