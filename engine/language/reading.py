"""From plain YAML to compiled conditions: every mistake at its place, nothing guessed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.language import operators as op
from engine.language.conditions import All, Any_, Condition, FactTest, Not, Operator, TermTest
from engine.language.facts import Fact, Type
from engine.language.mark_test import MarkTest
from engine.language.operands import TEXTUAL, Key, Operands
from engine.language.patterns import Pattern
from engine.language.problems import nearest
from engine.language.values import ORDERED, read_duration

QUANTIFIERS = ("some", "none", "every", "count")
OPERATORS = (
    "is", "in", "not_in", "has", "empty", "over", "under", "at_least", "at_most", "between", "within",
    "matches", "like", *QUANTIFIERS,
)  # fmt: skip
MODIFIERS = ("tolerance",)


class Reader(Operands):
    """Reads the conditions of one card."""

    def condition(self, raw: Any, key: Key) -> Condition | None:
        """A compiled condition, or None when a mistake was found (and reported)."""
        if not isinstance(raw, Mapping) or not raw:
            self.refuse(key, "wrong_type", "A condition is a mapping of fact paths, `any`, `all` or `not`.")
            return None
        parts: list[Condition | None] = []
        for name, value in raw.items():
            parts.append(self._part(name, value, (*key, name)))
        if any(part is None for part in parts):
            return None
        whole = [part for part in parts if part is not None]
        return whole[0] if len(whole) == 1 else All(tuple(whole), key)

    def _part(self, name: str, value: Any, key: Key) -> Condition | None:
        if name in ("any", "all"):
            return self._several(name, value, key)
        if name == "not":
            inner = self.condition(value, key)
            return Not(inner, key) if inner else None
        if name.startswith("terms."):
            return self._term(name.removeprefix("terms."), value, key)
        if name.startswith("marks.") and name.count(".") == 1:
            return self._mark(name.removeprefix("marks."), value, key)
        fact = self.fact(name, key, named=True)
        return self._fact(fact, value, key) if fact else None

    def _several(self, name: str, value: Any, key: Key) -> Condition | None:
        if not isinstance(value, list) or not value:
            self.refuse(key, "wrong_type", f"`{name}` holds a list of conditions.", "Begin each with `- `.")
            return None
        parts = [self.condition(item, (*key, index)) for index, item in enumerate(value)]
        if any(part is None for part in parts):
            return None
        whole = tuple(part for part in parts if part is not None)
        return All(whole, key) if name == "all" else Any_(whole, key)

    def _term(self, name: str, value: Any, key: Key) -> Condition | None:
        if not self.exists("terms", name, key, named=True):
            return None
        if not isinstance(value, bool):
            self.refuse(key, "wrong_type", "A term is asked with `true` or `false`.")
            return None
        term = self.line.terms.get(name)
        if term is not None and not term.is_condition:
            self.refuse(key, "wrong_type", f"`{name}` holds patterns.", f"Ask `matches: $terms.{name}` of a text.")
            return None

        def condition() -> Condition | None:
            found = self.line.terms.get(name)
            return found.condition if found else None

        return TermTest(name, value, condition, key)

    def _mark(self, name: str, value: Any, key: Key) -> Condition | None:
        if not self.exists("marks", name, key, named=True):
            return None
        if isinstance(value, bool):
            return MarkTest(name, value, key=key)
        if not isinstance(value, Mapping):
            self.refuse(key, "wrong_type", "A mark is asked with true, false, or operators such as `at_least`.")
            return None
        within, share, distinct, counts = None, None, None, list[op.Compare]()
        for operator, raw in value.items():
            at = (*key, operator)
            if operator == "within":
                within = self._quantity(raw, "duration", at)
            elif operator == "share_of":
                share = str(raw).removeprefix("marks.")
                self.exists("marks", share, at)
            elif operator == "distinct":
                distinct = self._distinct(raw, at)
            elif operator in op.COMPARISONS:
                operand = self._quantity(raw, "percent" if "share_of" in value else "number", at)
                if operand:
                    counts.append(op.Compare(operator, operand))
            else:
                known = ("within", "share_of", "distinct", *op.COMPARISONS)
                self.refuse(
                    at, "unknown_operator", f"`{operator}` cannot be asked of a mark.", nearest(operator, known)
                )
        return MarkTest(name, True, within, share, distinct, tuple(counts), key)

    def _distinct(self, raw: Any, key: Key) -> str | None:
        paths = {"sender": "sender.id", "chat": "chat.id", "order": "order.number", "bot": "bot.id"}
        if raw in paths:
            return paths[str(raw)]
        self.refuse(key, "unknown_value", f"`{raw}` cannot be told apart here.", nearest(str(raw), paths))
        return None

    def _fact(self, fact: Fact, value: Any, key: Key) -> Condition | None:
        asked = value if isinstance(value, Mapping) else {"is": value}
        if not asked:
            self.refuse(key, "wrong_type", "Nothing is asked of this fact.", "Give a value or an operator.")
            return None
        made: list[Operator | None] = []
        tolerance = self._tolerance(fact, asked, key)
        for name, raw in asked.items():
            if name in MODIFIERS:
                continue
            at = (*key, name) if isinstance(value, Mapping) else key
            made.append(self._operator(fact, name, raw, at, tolerance))
        if not made or any(one is None for one in made):
            if not made:
                self.refuse(key, "wrong_type", "`tolerance` stands beside `is`, `in` or `not_in`.")
            return None
        return FactTest(fact.path, fact.type.many, tuple(one for one in made if one is not None), key)

    def _tolerance(self, fact: Fact, asked: Mapping[str, Any], key: Key) -> float:
        if "tolerance" not in asked:
            return 0.0
        if fact.type.name not in ("moment", "instant"):
            self.refuse((*key, "tolerance"), "wrong_type", "`tolerance` widens a time only.")
            return 0.0
        try:
            return read_duration(asked["tolerance"])
        except ValueError as error:
            self.refuse((*key, "tolerance"), "wrong_type", str(error))
            return 0.0

    def _operator(self, fact: Fact, name: str, raw: Any, key: Key, tolerance: float) -> Operator | None:
        kind = fact.type.name
        if name == "is":
            return self._is(fact, raw, key, tolerance)
        if name in ("in", "not_in"):
            operand = self.several(raw, fact.type, key)
            return op.In(kind, operand, name == "in", tolerance) if operand else None
        if name == "has":
            return self._has(fact, raw, key)
        if name == "empty":
            if isinstance(raw, bool):
                return op.Empty(raw)
            self.refuse(key, "wrong_type", "`empty` is asked with true or false.")
            return None
        if name in op.COMPARISONS:
            if not self._allowed(name, fact, kind in ORDERED, key):
                return None
            to = self.operand(raw, fact.type, key)
            return op.Compare(name, to) if to else None
        if name == "between":
            return self._between(fact, raw, key)
        if name == "within":
            if not self._allowed(name, fact, kind in ("instant", "duration"), key):
                return None
            span = self._quantity(raw, "duration", key)
            return op.Within(span) if span else None
        if name == "matches":
            return self._matches(raw, key) if self._allowed(name, fact, kind in TEXTUAL, key) else None
        if name == "like":
            return self._like(fact, raw, key)
        if name in QUANTIFIERS:
            return self._quantified(fact, name, raw, key)
        self.refuse(key, "unknown_operator", f"`{name}` is no operator.", nearest(name, (*OPERATORS, *MODIFIERS)))
        return None

    def _allowed(self, name: str, fact: Fact, allowed: bool, key: Key) -> bool:
        if not allowed:
            self.refuse(key, "wrong_type", f"`{name}` cannot be asked of `{fact.path}`, which is a {fact.type}.")
        return allowed

    def _is(self, fact: Fact, raw: Any, key: Key, tolerance: float) -> Operator | None:
        if isinstance(raw, list):
            self.refuse(key, "wrong_type", "`is` takes one value.", "For several, say `in: [a, b]`.")
            return None
        to = self.operand(raw, fact.type, key)
        return op.Is(fact.type.name, to, tolerance) if to else None

    def _has(self, fact: Fact, raw: Any, key: Key) -> Operator | None:
        if fact.type.many:
            operand = self.several(raw if isinstance(raw, list) else [raw], fact.type, key)
            return op.In(fact.type.name, operand, True) if operand else None
        if not self._allowed("has", fact, fact.type.name in TEXTUAL, key):
            return None
        if not isinstance(raw, Mapping):
            operand = self.several(raw if isinstance(raw, list) else [raw], Type("text"), key)
            return op.Has(operand) if operand else None
        for name in raw:
            if name not in ("of", "at_least", "at_most", "alone"):
                known = ("of", "at_least", "at_most", "alone")
                self.refuse((*key, name), "unknown_key", f"`{name}` is no key of `has`.", nearest(name, known))
        if "of" not in raw:
            self.refuse(key, "missing_key", "`has` needs `of`, the values to look for.")
            return None
        of = raw["of"] if isinstance(raw["of"], list) else [raw["of"]]
        operand = self.several(of, Type("text"), (*key, "of"))
        low = self._quantity(raw["at_least"], "number", (*key, "at_least")) if "at_least" in raw else None
        high = self._quantity(raw["at_most"], "number", (*key, "at_most")) if "at_most" in raw else None
        return op.Has(operand, low, high, raw.get("alone") is True) if operand else None

    def _between(self, fact: Fact, raw: Any, key: Key) -> Operator | None:
        if not self._allowed("between", fact, fact.type.name in ORDERED, key):
            return None
        if not isinstance(raw, list) or len(raw) != 2:
            self.refuse(key, "wrong_type", "`between` takes two ends: [from, to].")
            return None
        low, high = (self.operand(end, fact.type, (*key, index)) for index, end in enumerate(raw))
        return op.Between(fact.type.name, low, high) if low and high else None

    def _like(self, fact: Fact, raw: Any, key: Key) -> Operator | None:
        if not self._allowed("like", fact, fact.type.name == "text", key):
            return None
        if not isinstance(raw, Mapping) or set(raw) != {"to", "at_least"}:
            self.refuse(key, "wrong_type", "`like` takes `to` and `at_least`: {to: $list, at_least: 0.9}.")
            return None
        to = self.several(raw["to"] if isinstance(raw["to"], list) else [raw["to"]], Type("text"), (*key, "to"))
        bound = self._quantity(raw["at_least"], "number", (*key, "at_least"))
        return op.Like(to, bound) if to and bound else None

    def _quantified(self, fact: Fact, name: str, raw: Any, key: Key) -> Operator | None:
        if not self._allowed(name, fact, fact.type.many, key):
            return None
        if name == "count" and not isinstance(raw, Mapping):
            raw = {"at_least": raw, "at_most": raw}  # `count: 1` is exactly one
        if not isinstance(raw, Mapping) or not raw:
            self.refuse(key, "wrong_type", f"`{name}` takes operators or a condition about `it`.")
            return None
        counts: list[op.Compare] = []
        where: Any = raw
        if name == "count":
            where = raw.get("where")
            for how, bound in raw.items():
                if how in op.COMPARISONS:
                    operand = self._quantity(bound, "number", (*key, how))
                    if operand:
                        counts.append(op.Compare(how, operand))
                elif how != "where":
                    known = ("where", *op.COMPARISONS)
                    self.refuse(
                        (*key, how), "unknown_operator", f"`{how}` is not part of `count`.", nearest(how, known)
                    )
            if not counts:
                self.refuse(key, "missing_key", "`count` needs a number: at_least, at_most, over or under.")
                return None
            if where is None:
                return op.Quantified(name, None, tuple(counts))
        condition = self._about_items(fact, where, (*key, "where") if name == "count" else key)
        return op.Quantified(name, condition, tuple(counts)) if condition else None

    def _about_items(self, fact: Fact, raw: Any, key: Key) -> Condition | None:
        inner = Reader(self.card, self.line, self.points, self.problems, item=fact.path)
        if isinstance(raw, Mapping) and raw and all(name in (*OPERATORS, *MODIFIERS) for name in raw):
            return inner._fact(Fact("it", fact.one().type, fact.unit, fact.source, fact.points), raw, key)
        return inner.condition(raw, key)

    def _matches(self, raw: Any, key: Key) -> Operator | None:
        patterns: list[Pattern] = []
        terms: list[str] = []
        listed = isinstance(raw, list)
        for index, one in enumerate(raw if listed else [raw]):
            at = (*key, index) if listed else key
            if isinstance(one, str) and one.startswith("$terms."):
                name = one.removeprefix("$terms.")
                if self.exists("terms", name, at):
                    term = self.line.terms.get(name)
                    if term is not None and term.is_condition:
                        self.refuse(at, "wrong_type", f"`{name}` is a condition.", f"Ask `terms.{name}: true`.")
                    terms.append(name)
            elif pattern := self.pattern(one, at):
                patterns.append(pattern)
        return op.Matches(tuple(patterns), tuple(terms)) if patterns or terms else None
