"""The events of YAML text: libyaml where PyYAML was built with it, else PyYAML's own parser. Pure.

Both read alike what they both read (differential tests hold them to it), with one difference mended here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import yaml
from yaml.tokens import ScalarToken

_ENDS = "\0 \t\r\n\x85\u2028\u2029"


class OwnParser(yaml.SafeLoader):
    """PyYAML's own parser, reading `[colou?r]` as libyaml and YAML 1.2 do: a `?` within a text is text."""

    def scan_plain(self) -> ScalarToken:
        """As in yaml.scanner.Scanner, but that within `[ ]` and `{ }` a text does not end at `?`."""
        chunks: list[str] = []
        start = end = self.get_mark()
        indent = self.indent + 1
        spaces: list[str] = []
        closing = _ENDS + (",[]{}" if self.flow_level else "")
        while self.peek() != "#":
            length = 0
            while True:
                character = self.peek(length)
                if character in closing or (character == ":" and self.peek(length + 1) in closing):
                    break
                length += 1
            if length == 0:
                break
            self.allow_simple_key = False
            chunks.extend(spaces)
            chunks.append(self.prefix(length))
            self.forward(length)
            end = self.get_mark()
            spaces = self.scan_plain_spaces(indent, start) or []
            if not spaces or self.peek() == "#" or (not self.flow_level and self.column < indent):
                break
        return ScalarToken("".join(chunks), True, start, end)


FAST: Any = yaml.CSafeLoader if yaml.__with_libyaml__ else OwnParser


def events(parser: Any) -> Iterator[Any]:
    """The events of a parser, which gives None after the last. Raises yaml.YAMLError."""
    if not isinstance(parser, OwnParser):
        return iter(parser.get_event, None)
    return _own_events(parser)


def _own_events(parser: OwnParser) -> Iterator[Any]:
    try:
        yield from iter(parser.get_event, None)
    except (ValueError, OverflowError) as error:  # its scanner on `\U` and the code of no character
        raise yaml.MarkedYAMLError(problem="character code", problem_mark=parser.get_mark()) from error
