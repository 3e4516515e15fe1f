"""One change as a reviewer reads it: where, old and new text as a word diff, whose card, which examples, what to type.

Pure. Characters that a reader would not see, or a terminal would obey, are shown as escapes.
"""

from __future__ import annotations

import difflib
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from engine.files import short_hash
from engine.language.project import Card, LineSource
from engine.prompt import split
from runbook.findings import Finding
from runbook.items import INSTRUCTION, LINE, NONE, State, id_of, kind_of, speakable

CONTEXT = 12
"""Words kept on each side of a change where a long text is shortened."""
FEW = 3
"""Examples named; the others are counted."""
_TOKEN = re.compile(r"\s+|\w+|[^\w\s]")
_HIDDEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u2028-\u202f\u2060-\u2069\ufeff]")
_RED, _GREEN, _PLAIN = "\x1b[31m", "\x1b[32m", "\x1b[0m"


@dataclass(frozen=True)
class Shown:
    """What is printed of one finding about a change. `old` is None when that text is nowhere to be found."""

    finding: Finding
    old: str | None
    new: str | None
    owner: str
    owner_file: str
    lacks: str
    examples: tuple[str, ...]
    accept: str


def word_diff(old: str, new: str, colour: bool = False) -> str:
    """Both texts in one: `[-old-]` and `{+new+}`, or red and green; long stretches that are equal are shortened."""
    one, other = _TOKEN.findall(old), _TOKEN.findall(new)
    matcher = difflib.SequenceMatcher(None, one, other, autojunk=False)
    parts: list[str] = []
    changes = _grouped(matcher.get_opcodes(), one)
    for index, (tag, a, b, c, d) in enumerate(changes):
        if tag == "equal":
            parts.append(_shortened(one[a:b], index == 0, index == len(changes) - 1))
            continue
        gone, come = visible("".join(one[a:b])), visible("".join(other[c:d]))
        if gone:
            parts.append(f"{_RED}{gone}{_PLAIN}" if colour else f"[-{gone}-]")
        if gone and come and not colour:
            parts.append(" ")
        if come:
            parts.append(f"{_GREEN}{come}{_PLAIN}" if colour else f"{{+{come}+}}")
    return "".join(parts)


def _grouped(codes: Sequence[tuple[str, int, int, int, int]], one: list[str]) -> list[tuple[str, int, int, int, int]]:
    """Changes that only white space keeps apart, as one."""
    groups: list[tuple[str, int, int, int, int]] = []
    for index, (tag, a, b, c, d) in enumerate(codes):
        blank = tag == "equal" and 0 < index < len(codes) - 1 and not "".join(one[a:b]).strip()
        tag = "equal" if tag == "equal" and not blank else "replace"
        if groups and groups[-1][0] == tag == "replace":
            _, a, _, c, _ = groups.pop()
        groups.append((tag, a, b, c, d))
    return groups


def _shortened(tokens: list[str], first: bool, last: bool) -> str:
    most = CONTEXT * 2  # a word and the space after it
    if len(tokens) <= most * 2:
        return visible("".join(tokens))
    head = "" if first else "".join(tokens[:most]).rstrip(" ") + " "
    tail = "" if last else " " + "".join(tokens[-most:]).lstrip(" ")
    return visible(f"{head}…{tail}")


def visible(text: str) -> str:
    """The text with control, direction and zero-width characters as escapes; line ends stay."""
    return _HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def shown(finding: Finding, now: State, then: State | None, golden: Mapping[str, str], command: str) -> Shown | None:
    """What is printed of a finding about a change; None for the others (they are one sentence).

    `golden`: rendered prompts on disk and of the base, in which an old text is found by its hash.
    """
    if not finding.before and not finding.after:
        return None
    kind, item = kind_of(finding.item), now.items.get(finding.item)
    old, new = (None if node == NONE else node for node in (finding.before, finding.after))
    if kind == INSTRUCTION:
        old = _old_text(finding.before, now, then, golden) if old else None
        new = now.texts[id_of(finding.item)].text if new else None
    owner = (item.card if item else _last_owner(finding.item, now, then)) or ""
    card = now.line.cards.get(owner)
    lacks = f"its `changes` has no entry for {speakable(finding.item)} from {finding.before} to {finding.after}"
    accept = f'{command} {shlex.quote(speakable(finding.item))} --why "…"'
    file = card.file if card else now.line.source.file if owner == LINE else ""
    return Shown(finding, old, new, owner, file, lacks, tuple(covering(card, now.line)) if card else (), accept)


def _old_text(hash: str, now: State, then: State | None, golden: Mapping[str, str]) -> str | None:
    for text in then.texts.values() if then else ():
        if short_hash(text.text) == hash:
            return text.text
    settings = [state.line.config.prompt for state in (then, now) if state]
    candidates = (text for name in sorted(golden) for setting in settings for text in split(golden[name], setting))
    return next((text for text in candidates if short_hash(text) == hash), None)


def _last_owner(name: str, now: State, then: State | None) -> str | None:
    item = then.items.get(name) if then else None
    return item.card if item and item.card in now.line.cards else None


def covering(card: Card, line: LineSource) -> Iterator[str]:
    """The examples that cover what a card explains: its own, and those of the cards it uses."""
    from engine.language.references import references

    used = sorted(name for name in references(card) if name in line.cards and name != card.name)
    for one in (card, *(line.cards[name] for name in used)):
        for example in one.body.examples:
            subject = next((s for s in (example.message, example.answer, example.item) if s is not None), None)
            words = example.note or example.error or "facts alone" if subject is None else str(subject)
            yield f"{one.name}: {_short(words)}"


def _short(words: str) -> str:
    words = visible(" ".join(words.split()))
    return words if len(words) <= 70 else words[:69] + "…"


def printed(one: Shown, colour: bool = False) -> list[str]:
    """The lines under a finding: diff, card, examples, command. A gutter keeps a text from being read as a command
    by a CI that looks at the begin of lines."""
    if one.old is not None and one.new is not None and one.old != one.new:
        said = word_diff(one.old, one.new, colour)
    elif one.new is not None:
        said = visible(one.new) if one.finding.before != NONE else word_diff("", one.new, colour)
        if one.old is None and one.finding.before != NONE:
            said += f"\n(the old text, {one.finding.before}, is neither at the base nor in a golden file)"
    else:
        said = (
            word_diff(one.old, "", colour)
            if one.old is not None
            else f"(the old text, {one.finding.before}, is not to be found)"
        )
    lines = [f"  | {line}".rstrip() for line in said.split("\n")]
    if one.owner:
        lines.append(f"  card:     {one.owner} ({one.owner_file}); {one.lacks}")
    if one.examples:
        more = f", and {len(one.examples) - FEW} more" if len(one.examples) > FEW else ""
        lines.append(f"  examples: {len(one.examples)} cover it: {'; '.join(one.examples[:FEW])}{more}")
    elif one.owner != LINE:
        lines.append("  examples: none covers it")
    lines.append(f"  accept:   {one.accept}")
    return lines
