"""Masking a log so that it can leave the house: keyed, consistent, of the same type, so that it replays to the same end.

A telephone number becomes one from a range reserved for fiction, a link a link, an order number an order number, a
card number a test number that passes its check digit. The same value becomes the same value wherever it stands, in
message, facts and answers; what the line itself owns (its numbers, addresses, hosts) stays. Times, dates and prices
stay too: rules stand on them.
"""

from __future__ import annotations

import dataclasses
import hashlib
import hmac
import os
import re
import secrets
from collections.abc import Callable, Mapping
from pathlib import Path

from engine.decision import Decision
from engine.language.extract import Found, extract
from engine.language.line import Line
from engine.language.turn import MarkEntry
from engine.log.cards import walked
from engine.log.decisions import PROBE, Logged

KEY = "mask.key"
KINDS = ("links", "emails", "cards", "ibans", "order_numbers", "phones", "ids")
"""What is masked, the more telling kind first: of two that overlap the first one counts."""
NAMED = ("sender.id", "chat.id", "message.id", "bot.id", "staff.name")
"""Facts that are ids of people and chats: they become tokens."""
NAMES = ("customer.name",)
"""Facts that are names of people: they become tokens, in texts too."""


class Mask:
    """One mask of one line, by its key: the same key makes the same mask. `when` resolves nothing that is masked."""

    def __init__(self, key: bytes, line: Line) -> None:
        self.key, self.line = key, line
        self.context = line.context(None)
        own = [line.constants.get(f"line.{name}", []) for name in ("phones", "emails", "links", "hosts")]
        self.own = {
            str(value).casefold() for values in own for value in (values if isinstance(values, list) else [values])
        }
        self.kept = {found.value for text in self.own for kind in KINDS for found in extract(kind, text, self.context)}
        self.hosts = {str(host).casefold() for host in own[3]} if isinstance(own[3], list) else set()
        self._phones: dict[str, str] = {}

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

    def text(self, text: str, names: Mapping[str, str] | None = None) -> str:
        """A text with what it holds masked; `names`: names of people and what stands for them."""
        for name, token in (names or {}).items():
            text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", token, text, flags=re.IGNORECASE)
        taken: list[Found] = []
        for kind in KINDS:
            for found in extract(kind, text, self.context):
                if all(found.end <= one.start or found.start >= one.end for one in taken):
                    taken.append(found)
        for found in sorted(taken, key=lambda one: -one.start):
            if found.value not in self.kept:
                text = text[: found.start] + self.value(found) + text[found.end :]
        return text

    def value(self, found: Found) -> str:
        """What stands for a value."""
        made: dict[str, Callable[[Found], str]] = {
            "links": self._link, "emails": self._email, "cards": self._card, "ibans": self._iban, "phones": self._phone,
            "order_numbers": lambda one: self._digits("order", str(one.value), one.text),
            "ids": lambda one: self._digits("id", str(one.value), one.text),
        }  # fmt: skip
        return made[found.kind](found)

    def token(self, kind: str, value: str) -> str:
        """A token for an id or a name. What marks a probe stays."""
        head = PROBE if kind == "id" and value.startswith(PROBE) else ""
        return f"{head}{kind}-{self._hash(kind, value).hex()[:10]}"

    def _hash(self, kind: str, value: str) -> bytes:
        return hmac.new(self.key, f"{kind}\0{value}".encode(), hashlib.sha256).digest()

    def _digits(self, kind: str, value: str, spelled: str) -> str:
        """The same spelling with other digits."""
        stream = iter(self._hash(kind, value) * 4)
        return re.sub(r"\d", lambda _: str(next(stream) % 10), spelled)

    def _phone(self, found: Found) -> str:
        value = str(found.value)
        if value not in self._phones:
            turn, taken = 0, {*self._phones.values(), *self.own}
            while (made := self._fictional(f"{value}/{turn}", value)) in taken and turn < 1000:
                turn += 1
            self._phones[value] = made
        return self._phones[value]

    def _fictional(self, seed: str, value: str) -> str:
        number = int.from_bytes(self._hash("phone", seed)[:4], "big")
        if value.startswith("+1"):
            return f"+1 {200 + number // 100 % 700} 555 01{number % 100:02d}"
        return f"+44 20 7946 0{number % 1000:03d}"

    def _email(self, found: Found) -> str:
        return f"m{self._hash('email', str(found.value).casefold()).hex()[:10]}@masked.example"

    def _link(self, found: Found) -> str:
        value = str(found.value)
        head, _, rest = value.partition("/")
        host = head if head.casefold() in self.hosts else f"h{self._hash('host', head).hex()[:8]}.example"
        parts = re.split(r"([/?&=#])", rest)
        masked = [
            p
            if not p or re.fullmatch(r"[/?&=#]", p)
            else self._hash("path", f"{head}/{p}").hex()[: max(4, min(len(p), 12))]
            for p in parts
        ]
        return f"https://{host}/{''.join(masked)}" if rest else f"https://{host}"

    def _card(self, found: Found) -> str:
        digits = str(found.value)
        body = [4, *(byte % 10 for byte in self._hash("card", digits) * 2)][: len(digits) - 1]
        doubled = sum(sum(divmod(2 * one, 10)) for one in body[::-2]) + sum(body[-2::-2])
        whole = iter([*body, -doubled % 10])
        return (
            re.sub(r"\d", lambda _: str(next(whole)), found.text)
            if len(digits) in (13, 16, 19)
            else self._like(found, body)
        )

    def _like(self, found: Found, body: list[int]) -> str:
        """A card number of a length that no issuer with a 4 has: the well-known test number of sixteen digits."""
        return "4111 1111 1111 1111"

    def _iban(self, found: Found) -> str:
        value = str(found.value)
        stream = iter(self._hash("iban", value) * 2)
        body = "".join(str(next(stream) % 10) if char.isdigit() else chr(65 + next(stream) % 26) for char in value[4:])
        number = int("".join(str(int(char, 36)) for char in f"{body}{value[:2]}00"))
        return f"{value[:2]}{98 - number % 97:02d}{body}"


def masked(decision: Decision, mask: Mask) -> Decision:
    """A decision with everything masked: message, facts, marks, answers, verdicts, trace."""
    facts = decision.facts
    names = {
        str(facts[path]): mask.token("name", str(facts[path]))
        for path in NAMES
        if isinstance(facts.get(path), str) and facts[path]
    }
    customer = facts.get("customer")
    if isinstance(customer, Mapping) and isinstance(customer.get("name"), str) and customer["name"]:
        names[customer["name"]] = mask.token("name", customer["name"])
    changed: Decision = walked(decision, lambda text: mask.text(text, names))
    known = {path: mask.token("id", str(facts[path])) for path in NAMED if facts.get(path) is not None}
    probe = decision.id.startswith(PROBE)
    return dataclasses.replace(
        changed, id=decision.id if probe else mask.token("id", decision.id), facts={**changed.facts, **known},
        marks=tuple(_mark(one, mask) for one in changed.marks),
        pending=dataclasses.replace(changed.pending, sets=tuple(_mark(one, mask) for one in changed.pending.sets),
                                    clears=tuple((name, _keys(keys, mask), at) for name, keys, at in changed.pending.clears)),
    )  # fmt: skip


def _mark(entry: MarkEntry, mask: Mask) -> MarkEntry:
    return dataclasses.replace(entry, keys=_keys(entry.keys, mask))


def _keys(keys: Mapping[str, str], mask: Mask) -> dict[str, str]:
    return {path: mask.token("id", value) if path in NAMED else mask.text(value) for path, value in keys.items()}


def masked_rows(rows: list[Logged], mask: Mask) -> list[Logged]:
    """Rows of the log, masked."""
    return [dataclasses.replace(row, decision=masked(row.decision, mask)) for row in rows]
