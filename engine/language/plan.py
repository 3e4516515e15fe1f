"""Which cards of a point can fire at all on a turn, told from its texts in one look: the others need not be asked.

A card whose `when` cannot hold unless one of some patterns matches is left out when none of them may match. Nothing
else changes: the cards that are left are asked as ever, in the line's order.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence

from engine.language.bodies import Rule
from engine.language.turn import Failed, Turn


class Plan:
    """The cards of one point: those that are always asked, and by text and pattern those that are asked where it may
    match. `indexed`: the sources that the line's index knows; `asked`: the questions, whose texts are not read ahead,
    because reading one may ask it."""

    def __init__(self, rules: Sequence[Rule], indexed: frozenset[str], asked: Collection[str] = ()) -> None:
        self.rules = rules
        self.always: list[int] = []
        self.texts: dict[str, dict[str, list[int]]] = {}
        bound = {
            path for rule in rules for effect in rule.also if effect.does == "bind" for path in effect.values or ()
        }
        waiting: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        for at, rule in enumerate(rules):
            path, sources = rule.needs[0] if rule.needs else ("", frozenset())
            ahead = path == "answer.text" or path.partition(".")[0] not in asked
            if not sources or not sources <= indexed or path in bound or not ahead:
                self.always.append(at)
                continue
            for source in sources:
                waiting[path][source].append(at)
        self.texts = {path: dict(found) for path, found in waiting.items()}

    def likely(self, turn: Turn) -> Sequence[Rule]:
        """The cards that may fire, in order."""
        if not self.texts or turn.forced:
            return self.rules
        places = set(self.always)
        for path, waiting in self.texts.items():
            text = turn.get(path)
            normal = turn.normal(path, text) if isinstance(text, str) else None
            if normal is None or isinstance(normal, Failed):
                places.update(at for found in waiting.values() for at in found)
                continue
            for source in turn.may_match(path, normal):
                places.update(waiting.get(source, ()))
        return [self.rules[at] for at in sorted(places)]
