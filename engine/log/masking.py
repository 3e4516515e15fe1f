"""Masking a log so that it can leave the house: keyed, consistent, of the same type, so that it replays to the same end.

A telephone number becomes one from a range reserved for fiction, a link a link, an order number an order number, a
card number a test number that passes its check digit. The same value becomes the same value wherever it stands, in
message, facts and answers, and two values of one decision never become one; what the line itself owns (its numbers,
addresses, hosts) stays. Times, dates and prices stay too: rules stand on them.
"""

from __future__ import annotations

import dataclasses
import os
import re
import secrets
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from engine.decision import Decision
from engine.language.extract import MAX_TEXT, Found, extract, normalise_value
from engine.language.facts import Type
from engine.language.line import Line
from engine.language.turn import MarkEntry
from engine.language.values import EXTRACTOR
from engine.log import fictional
from engine.log.cards import walked
from engine.log.decisions import PROBE, Logged
from engine.log.fictional import Draw

KEY = "mask.key"
KINDS = ("links", "emails", "ibans", "cards", "order_numbers", "phones", "ids")
"""What is masked, the more telling kind first: of two that overlap the first one counts."""
STAY = ("prices", "dates", "times", "durations")
PEOPLE = ("sender.id", "chat.id", "message.id", "group.admin", "group.members", "message.mentions", "item.owner")
"""Facts that are ids of people, chats and messages: they become tokens."""
NAMES = ("customer.name",)
"""Facts that are names of people: they become tokens, in texts too, and so does each part of them."""
LEAST_WORD = 3
"""Fewest letters of a part of a name that is masked where it stands alone."""
LEAST_ID = 6
"""Fewest characters of an id that is masked where it stands in a text."""
_LONG = re.compile(r"\d(?:[ \-]?\d){6,}")
_OPENS = re.compile(r"(?:[a-z][a-z0-9+.\-]*://)?", re.IGNORECASE)
_PARTS = re.compile(r"([/?&=#])")
_TRIES = 64


class Mask:
    """One mask of one line, by its key: the same key makes the same mask."""

    def __init__(self, key: bytes, line: Line) -> None:
        self.key, self.line = key, line
        self.context = line.context(None)
        own = [one for path, fact in line.facts.items() if fact.type.name in EXTRACTOR for one in self._constants(path)]
        self.kept = {found.value for text in own for kind in KINDS for found in extract(kind, text, self.context)}
        self.hosts = {found.value for text in own for found in extract("hosts", text, self.context)}
        self.ids = {one for path in line.constants for one in self._constants(path)}

    def _constants(self, path: str) -> list[str]:
        value = self.line.constants.get(path)
        return [one for one in (value if isinstance(value, list) else [value]) if isinstance(one, str)]

    @classmethod
    def of(cls, folder: Path, line: Line) -> Mask:
        """The mask of a project: its key lies in `folder` (0600) and is made when there is none. Raises OSError."""
        path = folder / KEY
        try:
            handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        except FileExistsError:
            return cls(path.read_bytes(), line)
        with os.fdopen(handle, "wb") as file:
            key = secrets.token_bytes(32)
            file.write(key)
        return cls(key, line)

    def text(self, text: str) -> str:
        """A text by itself with what it holds masked."""
        return Masking(self).text(text)

    def token(self, kind: str, value: str) -> str:
        """A token for an id or a name. What marks a probe stays."""
        head = PROBE if kind == "id" and value.startswith(PROBE) else ""
        return f"{head}{kind}-{self.draw(kind, value).hex(10)}"

    def draw(self, kind: str, value: str, turn: int = 0) -> Draw:
        return Draw(self.key, f"{kind}\0{value}\0{turn}")


class Masking:
    """The mask at work on one decision: what stands for what in it. `names`: names of people, `ids`: their ids."""

    def __init__(self, mask: Mask, names: frozenset[str] = frozenset(), ids: frozenset[str] = frozenset()) -> None:
        self.mask = mask
        self.made: dict[tuple[str, str], str] = {}
        self.words = list(self._words(names, ids))

    def _words(self, names: frozenset[str], ids: frozenset[str]) -> Iterator[tuple[re.Pattern[str], str]]:
        for name in sorted(names, key=lambda one: (-len(one), one)):
            yield _word(name, re.IGNORECASE), self.mask.token("name", name)
        for part in sorted({part for name in names for part in re.findall(r"[^\W\d_]+", name)}):
            if len(part) >= LEAST_WORD:
                yield _word(part), self.mask.token("name", part)
        for id in sorted(ids):
            if len(id) >= LEAST_ID and not any(extract(kind, id, self.mask.context) for kind in KINDS):
                yield _word(id), self.mask.token("id", id)

    def text(self, text: str) -> str:
        """A text with what it holds masked."""
        return "".join(self._piece(piece) for piece in _pieces(text))

    def _piece(self, text: str) -> str:
        for word, token in self.words:
            text = word.sub(token, text)
        for found in sorted(self._found(text), key=lambda one: -one.start):
            if found.value not in self.mask.kept:
                text = text[: found.start] + self.value(found) + text[found.end :]
        return text

    def _found(self, text: str) -> list[Found]:
        """What a text holds, nothing twice; digits that are no value of any kind but long enough to name somebody.
        A number of a date or a price is none."""
        taken: list[Found] = []
        for kind in KINDS[:-1]:
            taken += [one for one in extract(kind, text, self.mask.context) if _free(one.start, one.end, taken)]
        if _LONG.search(text):
            known = [*taken, *(one for kind in STAY for one in extract(kind, text, self.mask.context))]
            runs = (Found("ids", run[0], *run.span(), run[0]) for run in _LONG.finditer(text))
            for one in (*extract("ids", text, self.mask.context), *runs):
                if _free(one.start, one.end, known):
                    taken.append(one)
                    known.append(one)
        return taken

    def typed(self, kind: str, raw: str) -> str:
        """A value whose kind is known: as a fact of that type it is read whole."""
        try:
            value = normalise_value(kind, raw, self.mask.context)
        except ValueError:
            return self.text(raw)
        if kind == "hosts":
            return self._host(str(value))
        if value in self.mask.kept or kind not in KINDS:
            return raw
        return self.value(Found(kind, value, 0, len(raw), raw))

    def value(self, found: Found) -> str:
        """What stands for a value, spelled as it was."""
        value, spelled = str(found.value), found.text
        if found.kind == "links":
            return self._link(value, spelled)
        if found.kind == "emails":
            return self._email(value)
        if found.kind == "phones":
            return _shown(self._phone(value), spelled)
        make: dict[str, Callable[[Draw], str]] = {
            "cards": lambda draw: fictional.card(value, draw), "ibans": lambda draw: fictional.iban(value, draw),
        }  # fmt: skip
        made = make.get(found.kind) or self._form(value, spelled)
        return fictional.spelled_like(spelled, self._stands(found.kind, value, spelled, made))

    def _stands(self, kind: str, value: str, spelled: str, make: Callable[[Draw], str]) -> str:
        """What stands for a value: of the tries the first that is read as what it was, is not the value, and stands
        for no other of this decision."""
        known = self.made.get((kind, value))
        if known is None:
            taken = {value, *(made for (other, _), made in self.made.items() if other == kind)}
            must, first = self._read(spelled), ""
            for turn in range(_TRIES):
                known = make(self.mask.draw(kind, value, turn))
                if known in taken or known in self.mask.kept:
                    continue
                first = first or known
                if self._read(fictional.spelled_like(spelled, known)) == must:
                    break
            else:
                known = first or known
            self.made[kind, value] = known or value
        return known or value

    def _read(self, text: str) -> list[tuple[str, bool]]:
        """What a text by itself is read as, and whether the whole of it."""
        found = [one for kind in KINDS for one in extract(kind, text, self.mask.context)]
        return [(one.kind, one.end - one.start == len(text)) for one in found]

    def _form(self, value: str, spelled: str) -> Callable[[Draw], str]:
        """Other letters and digits in the form of a value; where it is read for its own letters, other digits."""
        must, some = self._read(spelled), [self.mask.draw("form", value, turn) for turn in range(4)]
        freely = [fictional.spelled_like(spelled, fictional.shuffled(value, draw)) for draw in some]
        letters = any(self._read(one) == must for one in freely)
        return lambda draw: fictional.shuffled(value, draw, letters)

    def _phone(self, value: str) -> str:
        made = fictional.phone(value, self.mask.draw("phones", value))
        return self._stands("phones", value, made, lambda draw: fictional.phone(value, draw))

    def _host(self, host: str) -> str:
        return host if host in self.mask.hosts else self._stands("hosts", host, host, fictional.host)

    def _email(self, value: str) -> str:
        host = self._host(value.rpartition("@")[2])
        return self._stands("emails", value, value, lambda draw: f"m{draw.hex(10)}@{host}")

    def _link(self, value: str, spelled: str) -> str:
        """A link of the same scheme and as many parts; of one that dials or writes, another number or address."""
        for kind in ("phones", "emails"):
            inside = [one for one in extract(kind, spelled, self.mask.context) if one.start > 0]
            if inside and (kind == "phones" or spelled.lower().startswith("mailto:")):
                first = inside[0]
                made = self._phone(first.value).lstrip("+") if kind == "phones" else self._email(first.value)
                sign = "+" if kind == "phones" and first.text.startswith("+") else ""
                return spelled[: first.start] + sign + made + self._rest(value, spelled[first.end :])
        scheme = _OPENS.match(spelled)
        opens = scheme[0] if scheme else ""
        head, slash, rest = value[len(_OPENS.match(value)[0]) :].partition("/")  # type: ignore[index]
        head, mark, query = (*re.split(r"([?#])", head, maxsplit=1), "", "")[:3]
        name, colon, port = head.partition(":")
        return f"{opens}{self._host(name)}{colon}{port}" + self._rest(name, f"{mark}{query}{slash}{rest}")

    def _rest(self, head: str, rest: str) -> str:
        """The path and query of a link, each part another word of about the same length, digits other digits."""
        return "".join(
            part if not part or _PARTS.fullmatch(part) else self._part(head, part) for part in _PARTS.split(rest)
        )

    def _part(self, head: str, part: str) -> str:
        draw = self.mask.draw("path", f"{head}/{part}")
        if part.isdecimal():
            hidden = self.text(part)
            return hidden if hidden != part else fictional.shuffled(part, draw)
        return "abcdef"[draw.below(6)] + draw.hex(max(3, min(len(part), 12) - 1))

    # facts and marks

    def facts(self, facts: Mapping[str, Any]) -> dict[str, Any]:
        return {path: self._fact(path, value) for path, value in facts.items()}

    def _fact(self, path: str, value: Any) -> Any:
        fact = self.mask.line.facts.get(path)
        if isinstance(value, Mapping):
            return {name: self._fact(f"{path}.{name}", one) for name, one in value.items()}
        if isinstance(value, (list, tuple)):
            return [self._fact(path, one) for one in value]
        if path in PEOPLE and isinstance(value, str):
            return self.id(value)
        return self.of_type(fact.type if fact else None, value)

    def of_type(self, kind: Type | None, value: Any) -> Any:
        """A value of a fact, a field or a mark by its type."""
        if isinstance(value, str) and kind is not None and (name := EXTRACTOR.get(kind.name)) not in (None, *STAY):
            return self.typed(str(name), value)
        return walked(value, self.text)

    def id(self, value: str) -> str:
        """A token for an id; one that the line names in line.yaml stays."""
        return value if value in self.mask.ids else self.mask.token("id", value)

    def mark(self, entry: MarkEntry) -> MarkEntry:
        declared = self.mask.line.marks.get(entry.mark)
        types = declared.carries if declared else {}
        carries = {name: self.of_type(types.get(name), value) for name, value in entry.carries.items()}
        return dataclasses.replace(entry, keys=self.facts(entry.keys), carries=carries)


def masked(decision: Decision, mask: Mask) -> Decision:
    """A decision with everything masked: message, facts, marks, answers, verdicts, trace."""
    facts, pending = decision.facts, decision.pending
    customer = facts.get("customer")
    people = [*(facts.get(path) for path in NAMES), customer.get("name") if isinstance(customer, Mapping) else None]
    names = frozenset(one for one in people if isinstance(one, str) and one.strip())
    ids = frozenset(one for path in ("sender.id", "chat.id") if isinstance(one := facts.get(path), str))
    work = Masking(mask, names, ids - mask.ids)
    changed = work.facts(facts)
    bare = dataclasses.replace(decision, facts={}, marks=(), pending=dataclasses.replace(pending, sets=(), clears=()))
    rest: Decision = walked(bare, work.text)
    return dataclasses.replace(
        rest, id=decision.id if decision.id.startswith(PROBE) else mask.token("id", decision.id), facts=changed,
        marks=tuple(map(work.mark, decision.marks)),
        pending=dataclasses.replace(pending, sets=tuple(map(work.mark, pending.sets)),
                                    clears=tuple((name, work.facts(keys), at) for name, keys, at in pending.clears)),
    )  # fmt: skip


def masked_rows(rows: list[Logged], mask: Mask) -> list[Logged]:
    """Rows of the log, masked."""
    return [dataclasses.replace(row, decision=masked(row.decision, mask)) for row in rows]


def _word(text: str, flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(text)}(?!\w)", flags)


def _free(start: int, end: int, taken: list[Found]) -> bool:
    return all(end <= one.start or start >= one.end for one in taken)


def _shown(value: str, spelled: str) -> str:
    """A telephone number in groups where the one it stands for was."""
    if spelled.lstrip("+").isdigit():
        return value
    import phonenumbers

    parsed = phonenumbers.parse(value)
    return str(phonenumbers.format_number(parsed, phonenumbers.PhoneNumberFormat.INTERNATIONAL))


def _pieces(text: str) -> Iterator[str]:
    """A text in pieces that are short enough to be read, cut between words."""
    while len(text) > MAX_TEXT:
        cut = max(text.rfind(" ", 0, MAX_TEXT), text.rfind("\n", 0, MAX_TEXT)) + 1 or MAX_TEXT
        yield text[:cut]
        text = text[cut:]
    yield text
