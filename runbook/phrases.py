"""Conditions, endings and effects of a card as phrases: words for a person on shift, with the names they link to.

One reading for all: `readable` writes the phrases as plain text for a terminal, the runbook as Markdown and HTML.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from engine.language.declare import Declarations
from engine.language.facts import Fact, catalogue
from engine.language.project import LineSource
from engine.language.references import ID_FACTS
from engine.language.yaml_write import CannotWrite, inline

PieceKind = Literal["", "card", "fact", "code", "value", "words", "ending"]


class Piece(NamedTuple):
    """A part of a phrase.

    `kind`: our own words (""), the name of a card, a fact's path, a literal (`code`), another value as written, words
    of a card that are said to somebody, or an ending. `note` says what a fact or a term means; `to` is the card that
    it links to.
    """

    text: str
    kind: PieceKind = ""
    note: str = ""
    to: str = ""


Phrase = tuple[Piece, ...]
Lines = Iterator[tuple[int, Phrase]]
"""The lines of a tree: how deep each is, and what it says."""


@dataclass(frozen=True)
class Names:
    """What phrases need to know of a line: its facts by path, and the titles of its cards by `kind/id`."""

    facts: Mapping[str, Fact]
    titles: Mapping[str, str]

    def fact(self, path: str) -> Piece:
        """A path, with what it means and the card it reads from."""
        fact = self.facts.get(path)
        return Piece(path, "fact", fact.says if fact is not None else "", self.of_path(path))

    def of_path(self, path: str) -> str:
        """The card that a path reads from: `waves.x`, `marks.x.kind`, a field of a question; empty if none."""
        kind, _, rest = path.partition(".")
        own = f"{kind}/{rest.partition('.')[0]}"
        if own in self.titles:
            return own
        return f"questions/{kind}" if f"questions/{kind}" in self.titles and path not in catalogue() else ""


def names_of(line: LineSource) -> Names:
    """The names of a line, without compiling it."""
    declared = Declarations(line)
    declared.declare()
    return Names(declared.line.facts, {name: card.body.title for name, card in line.cards.items()})


_ASKS = {
    "is": "is {}", "in": "is one of {}", "not_in": "is none of {}", "has": "contains {}", "over": "is over {}",
    "under": "is under {}", "at_least": "is at least {}", "at_most": "is at most {}",
    "within": "was within the last {}", "matches": "has words that match {}", "tolerance": "give or take {}",
    "share_of": "as a share of {}", "distinct": "counting each {} once",
}  # fmt: skip
_ASKS_MANY = {**_ASKS, "in": "one of them is in {}", "not_in": "one of them is not in {}", "is": "one of them is {}",
              "has": "has {} among them", "matches": "one of them matches {}"}  # fmt: skip
_EFFECTS = {
    "alert": "alert {}", "notice": "send the notice {}", "set": "set the mark {}", "clear": "clear the mark {}",
    "start": "start {}", "discard": "discard the {}", "bind": "take {}",
}  # fmt: skip
_EFFECT_KINDS = {"alert": "roles", "notice": "texts", "set": "marks", "clear": "marks"}
INLINE = 3
"""How many patterns stand in one line; more stand below one another."""
_CARD_PATHS = ("terms", "limits", "texts")
"""Paths that are the name of a card and nothing more."""


def put(form: str, *filled: Phrase) -> Phrase:
    """A form with a phrase for each `{}`."""
    parts = form.split("{}")
    made: list[Piece] = [Piece(parts[0])] if parts[0] else []
    for phrase, after in zip(filled, parts[1:], strict=True):
        made += [*phrase, *([Piece(after)] if after else [])]
    return tuple(made)


def joined(phrases: Iterable[Phrase], by: str = ", ") -> Phrase:
    """Phrases one after the other, with `by` between them."""
    made: list[Piece] = []
    for phrase in phrases:
        made += [*([Piece(by)] if made else []), *phrase]
    return tuple(made)


def card(name: str, note: str = "") -> Phrase:
    """The name of a card, as a link to it."""
    return (Piece(name, "card", note, name),)


# conditions


def condition(raw: Any, names: Names, depth: int = 0) -> Lines:
    """A condition as lines of a tree. Entries of one mapping hold together."""
    if not isinstance(raw, Mapping):
        yield depth, value(raw)
        return
    for path, asked in raw.items():
        if path in ("any", "all") and isinstance(asked, list):
            yield depth, (Piece("one of:" if path == "any" else "all of:"),)
            for one in asked:
                yield from _grouped(one, names, depth + 1)
        elif path == "not":
            yield depth, (Piece("not:"),)
            yield from _grouped(asked, names, depth + 1)
        elif path.startswith("terms."):
            name = path.replace(".", "/", 1)
            term = card(name, names.titles.get(name, ""))
            yield depth, put("{}: holds" if asked is True else "{}: does not hold", term)
        else:
            for deep, phrase in _fact(path, asked, names, depth):
                yield deep, _with_ids(path, phrase, names)


def _with_ids(path: str, phrase: Phrase, names: Names) -> Phrase:
    """Ids of cards that a fact is compared with, as links to them."""
    kinds = ID_FACTS.get(path, ())
    return tuple(
        piece._replace(to=next((f"{kind}/{piece.text}" for kind in kinds if f"{kind}/{piece.text}" in names.titles), ""))
        if kinds and piece.kind == "code" else piece for piece in phrase
    )  # fmt: skip


def _grouped(raw: Any, names: Names, depth: int) -> Lines:
    """A part of `any`, `all` or `not`; several entries are shown to hold together."""
    if isinstance(raw, Mapping) and len(raw) > 1:
        yield depth, (Piece("together:"),)
        depth += 1
    yield from condition(raw, names, depth)


def _fact(path: str, asked: Any, names: Names, depth: int) -> Lines:
    fact = names.facts.get(path)
    many = fact is not None and fact.type.many
    mark = path.startswith("marks.") and path.count(".") == 1
    note = fact.says if fact is not None else ""
    name = Piece(path.replace(".", "/", 1) if mark else path, "card" if mark else "fact", note, names.of_path(path))
    head: Phrase = (name, Piece(":")) if many else (name,)
    if not isinstance(asked, Mapping):
        if path.startswith("marks.") and isinstance(asked, bool):
            yield depth, (name, Piece(" is set" if asked else " is not set"))
        else:
            yield depth, (*head, Piece(" "), *put((_ASKS_MANY if many else _ASKS)["is"], value(asked)))
        return
    patterns = asked.get("matches")
    listed = patterns if isinstance(patterns, list) and len(patterns) > INLINE else []
    said = [_operator(key, operand, many, path) for key, operand in asked.items() if not (listed and key == "matches")]
    if any(said):
        yield depth, (*head, Piece(" "), *joined(filter(None, said), ", and "))
    if listed:
        yield depth, (*head, Piece(" one of them matches one of:" if many else " has words that match one of:"))
        yield from ((depth + 1, value(one)) for one in listed)
    for key, operand in asked.items():
        if key == "count" and not isinstance(operand, Mapping):
            yield depth, put("{}: their number is {}", (name,), value(operand))
        elif key == "count" and isinstance(operand, Mapping) and not operand.get("where"):
            yield depth, (name, Piece(": their number "), *_numbers(operand))
        elif key in ("some", "none", "every", "count") and isinstance(operand, Mapping):
            yield depth, put("{}, {}:", (name,), _QUANTIFIED[key](operand))
            of = operand.get("where", {}) if key == "count" else operand
            yield from _items(of, names, depth + 1)


def _items(of: Any, names: Names, depth: int) -> Lines:
    """What is asked of the items of a list: operators about the item, or a condition on its fields."""
    fields = isinstance(of, Mapping) and any(key in ("it", "any", "all", "not") or key.startswith("it.") for key in of)
    yield from condition(of if fields else {"it": of}, names, depth)


def _counted(operand: Mapping[str, Any]) -> Phrase:
    asked = _numbers(operand)
    return (Piece("the number of those" + (" " if asked else "")), *asked, Piece(" where"))


def _numbers(operand: Mapping[str, Any]) -> Phrase:
    asked = (put(_ASKS[key], value(one)) for key, one in operand.items() if key != "where" and key in _ASKS)
    return joined(asked, " and ")


_QUANTIFIED: Mapping[str, Any] = {
    "some": lambda _: (Piece("one of them"),), "none": lambda _: (Piece("none of them"),),
    "every": lambda _: (Piece("each of them"),), "count": _counted,
}  # fmt: skip


def _operator(key: str, operand: Any, many: bool, path: str) -> Phrase:
    if key == "empty":
        absent, present = ("there is none", "there is one") if many else ("is not known", "is known")
        return (Piece(absent if operand is True else present),)
    if key == "between" and isinstance(operand, list) and len(operand) == 2:
        return put("lies between {} and {}", value(operand[0]), value(operand[1]))
    if key == "has" and isinstance(operand, Mapping):
        return put("contains one of {}", value(operand.get("of"))) + _lengths(operand)
    if key == "like" and isinstance(operand, Mapping):
        return put("is like one of {} by {} or more", value(operand.get("to")), value(operand.get("at_least")))
    if key == "within" and path.startswith("marks."):
        return put("counted over {}", value(operand))
    if key in ("share_of", "distinct") and isinstance(operand, str):
        return put(_ASKS[key], _reference(operand))
    form = (_ASKS_MANY if many else _ASKS).get(key)
    return put(form, value(operand)) if form else ()


def _lengths(operand: Mapping[str, Any]) -> Phrase:
    """How long the values are that a text is searched for."""
    words = {"at_least": "at least", "at_most": "at most"}
    said = [put(f"{words[key]} {{}}", value(operand[key])) for key in words if key in operand]
    alone = (Piece(", standing alone"),) if operand.get("alone") is True else ()
    return (*((Piece(" of "), *joined(said, " and "), Piece(" characters")) if said else ()), *alone)


def value(raw: Any) -> Phrase:
    """A literal as written; `$terms.x`, `$limits.x` by the name of their card, `$order.phones` by its path."""
    if isinstance(raw, str) and re.fullmatch(r"\$[a-z][a-z0-9_.]*", raw):
        return _reference(raw[1:])
    if isinstance(raw, list):
        return joined(value(one) for one in raw)
    return (Piece(raw, "code"),) if isinstance(raw, str) else (Piece(written(raw), "value"),)


def _reference(path: str) -> Phrase:
    kind, _, rest = path.partition(".")
    if kind in _CARD_PATHS and rest:
        return card(f"{kind}/{rest}")
    own = f"{kind}/{rest.partition('.')[0]}" if kind in ("marks", "waves") else ""
    return (Piece(path, "fact", to=own),)


def written(raw: Any) -> str:
    """A value on one line, as it would stand in a card."""
    try:
        return inline(raw)
    except CannotWrite:
        return str(raw)


# endings, effects, edits


def ending(raw: Any) -> Phrase:
    """What follows: an outcome, a text said, a question asked; of several, the first that can be carried out."""
    if isinstance(raw, list):
        return joined((ending(one) for one in raw), ", or if that cannot be: ")
    if not isinstance(raw, Mapping):
        said = {"next": "the next card", "pass": "on to the next point"}.get(str(raw))
        return (Piece(said),) if said else (Piece(str(raw), "ending"),)
    kinds = {"ask": "questions", "say": "texts", "wake": "", "skip": ""}
    parts = [(Piece(f"{key} "), *named(kind, raw[key])) for key, kind in kinds.items() if key in raw]
    return joined(parts, ", then ") or (Piece(written(raw), "value"),)


def effects(raw: Any) -> list[Phrase]:
    """What happens beside the ending, one phrase each."""
    made: list[Phrase] = []
    for one in raw if isinstance(raw, list) else [raw] if raw else []:
        key = next((name for name in _EFFECTS if name in one), None) if isinstance(one, Mapping) else None
        if key is None:
            made.append((Piece(written(one), "value"),))
            continue
        what = (Piece(written(one[key]), "value"),) if isinstance(one[key], Mapping) else ()
        made.append((*put(_EFFECTS[key], what or named(_EFFECT_KINDS.get(key, ""), one[key])), *_more(one)))
    return made


def _more(effect: Mapping[str, Any]) -> Phrase:
    if "to" in effect:
        return put(" to {}", (Piece(str(effect["to"])),))
    return put(" with {}", (Piece(written(effect["with"]), "value"),)) if "with" in effect else ()


def edit(raw: Any) -> Phrase:
    """What is taken out of a text, put in its place or cut off."""
    if isinstance(raw, Mapping) and "remove" in raw:
        return (Piece(f"take out the {raw['remove']}"),)
    if isinstance(raw, Mapping) and "replace" in raw and "with" in raw:
        return (Piece(f"put in place of the {raw['replace']}: "), Piece(str(raw["with"]), "words"))
    if isinstance(raw, Mapping) and "cut" in raw:
        return (Piece(f"cut after a {raw['cut']}, at most "), *value(raw.get("at_most")))
    return (Piece(written(raw), "value"),)


def named(kind: str, raw: Any) -> Phrase:
    """`$fact` by its path, anything else as the card of that kind; `kind` empty: as it is."""
    if isinstance(raw, str) and raw.startswith("$"):
        return value(raw)
    return card(f"{kind}/{raw}") if kind else (Piece(str(raw)),)
