"""Literals, references, patterns and names in a card: each read as what it must be, or refused at its place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from engine.language import right_side as right
from engine.language.facts import Fact, Type
from engine.language.patterns import Pattern, PatternRefused, compile_pattern
from engine.language.points import PATH
from engine.language.problems import Place, Problem, nearest
from engine.language.values import read_literal

if TYPE_CHECKING:
    from engine.language.line import Line
    from engine.language.project import Card

Key = tuple[str | int, ...]
TEXTUAL = ("text", "choice", "order_number")


@dataclass
class Operands:
    """Reads literals, references and patterns of one card, and looks up what it names. `points`: where they are evaluated (facts that such a point cannot know are
    refused); empty when the part belongs to no point of its own, as in a term."""

    card: Card
    line: Line
    points: frozenset[str]
    problems: list[Problem] = field(default_factory=list)
    item: str = ""
    """The list path whose items `it` stands for, inside `some`, `none`, `every` and `count`."""

    def place(self, key: Key) -> Place:
        return self.card.place(*key)

    def refuse(self, key: Key, code: str, says: str, cure: str = "", named: bool = False) -> None:
        """Report a mistake at the value of `key`, or at the key itself when it is what is wrong."""
        at_key = named or code in ("unknown_key", "unknown_operator", "unknown_effect")
        place = self.card.source.key_place_of(key) if at_key else self.place(key)
        self.problems.append(Problem(place, code, says, cure))

    # names

    def fact(self, path: str, key: Key, named: bool = False) -> Fact | None:
        """The fact at `path`, known at every point of this card; None with a mistake reported."""
        if self.item and (path == "it" or path.startswith("it.")):
            full = self.item + path[2:]
            fact = self.line.facts.get(full)
            if fact is None:
                known = [
                    f"it.{name.rpartition('.')[2]}" for name in self.line.facts if name.startswith(self.item + ".")
                ]
                self.refuse(
                    key, "unknown_path", f"The items of `{self.item}` have no `{path}`.", nearest(path, known), named
                )
                return None
            return Fact(path, fact.one().type, fact.unit, fact.source, fact.points)
        fact = self.line.facts.get(path)
        if fact is None:
            cure = nearest(path, [*self.line.facts, *(f"terms.{name}" for name in self.line.terms)])
            self.refuse(key, "unknown_path", f"`{path}` is no fact of this line.", cure, named)
            return None
        unknown = self.points - fact.points
        if unknown:
            self.refuse(key, "not_known_here", unknown_at(fact, unknown), named=named)
            return None
        return fact

    def exists(self, kind: str, name: str, key: Key, named: bool = False) -> bool:
        """Whether a card of this kind exists; a mistake with the nearest right name is reported if not."""
        names = self.line.names(kind)
        if name in names:
            return True
        self.refuse(
            key, f"unknown_{kind.removesuffix('s')}", f"There is no card {kind}/{name}.", nearest(name, names), named
        )
        return False

    # operands

    def operand(self, raw: Any, kind: Type, key: Key) -> right.Operand | None:
        """A literal of `kind`, or a reference to a fact or limit of that kind."""
        if is_reference(raw):
            return self._reference(raw[1:], kind, key)
        try:
            return right.Literal(read_literal(raw, _one(kind), self.line.context(None)), str(raw))
        except ValueError as error:
            says, _, cure = str(error).partition("\n")
            self.refuse(key, "wrong_type", says, cure)
            return None

    def several(self, raw: Any, kind: Type, key: Key) -> right.Several | None:
        listed = raw if isinstance(raw, list) else [raw]
        if not isinstance(raw, list) and not is_reference(raw):
            self.refuse(key, "wrong_type", "This takes a list: [a, b], or a reference to one.")
            return None
        made = [
            self.operand(one, kind, (*key, index) if isinstance(raw, list) else key) for index, one in enumerate(listed)
        ]
        if any(one is None for one in made):
            return None
        return right.Several(tuple(one for one in made if one is not None))

    def _reference(self, path: str, kind: Type, key: Key) -> right.Operand | None:
        if path.startswith("limits."):
            return self._limit(path.removeprefix("limits."), _measures(kind), key)
        fact = self.fact(path, key)
        if fact is None:
            return None
        if not _alike(fact.type.name, kind.name):
            says = f"`${path}` is a {fact.type}; a {_one(kind)} is compared here."
            self.refuse(key, "wrong_type", says)
            return None
        return right.FactRef(path)

    def _limit(self, name: str, kinds: Sequence[str], key: Key) -> right.Operand | None:
        if not self.exists("limits", name, key):
            return None
        limit = self.line.limits.get(name)
        if limit is not None and limit.kind not in kinds:
            says = f"The limit `{name}` is a {limit.kind}; a {' or '.join(kinds)} is needed here."
            self.refuse(key, "wrong_type", says)
            return None
        return right.LimitRef(name)

    def _quantity(self, raw: Any, kind: str, key: Key) -> right.Operand | None:
        return self.operand(raw, Type(kind), key)

    def pattern(self, raw: Any, key: Key) -> Pattern | None:
        if not isinstance(raw, str):
            self.refuse(key, "wrong_type", "A pattern is text: put it in single quotes.")
            return None
        try:
            pattern = compile_pattern(raw, self.line.checked.get(raw))
            self.line.patterns[raw] = pattern
            return pattern
        except PatternRefused as refused:
            says = refused.says if refused.says.endswith(".") else f"{refused.says}."
            place = self.card.source.place_of(key, refused.at)
            self.problems.append(Problem(place, "pattern", f"{says} (in `{raw[:80]}`)", refused.cure))
            return None


def unknown_at(fact: Fact, points: frozenset[str]) -> str:
    first = next((point for point in PATH if point in fact.points), None)
    since = f"it is known from `{first}` on" if first else f"it is known at {', '.join(sorted(fact.points))}"
    return f"`{fact.path}` cannot be known at {', '.join(sorted(points))}: {since}."


def is_reference(raw: Any) -> bool:
    return isinstance(raw, str) and len(raw) > 1 and raw[0] == "$" and raw[1].isascii() and raw[1].islower()


def _one(kind: Type) -> Type:
    return Type(kind.name, False, kind.choices)


def _alike(a: str, b: str) -> bool:
    return a == b or (a in TEXTUAL and b in TEXTUAL) or {a, b} == {"number", "percent"}


def _measures(kind: Type) -> tuple[str, ...]:
    if kind.name == "percent":
        return ("percent",)
    if kind.name == "duration":
        return ("duration",)
    return ("number",)
