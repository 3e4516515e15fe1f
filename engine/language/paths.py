"""How each declared fact is read: worked out once a line, so that a turn only looks."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from engine.language.facts import EXTRACTED, Fact

_LISTS = frozenset(name for name, spelling, _, _ in EXTRACTED if spelling.startswith("list of "))
_MEASURES = frozenset(name for name, spelling, _, _ in EXTRACTED if not spelling.startswith("list of "))
_COMPUTED = frozenset({"now", "switches", "waves", "marks"})
_SINGLY = frozenset({
    "message.age", "line.name", "line.languages", "line.open", "sender.role", "sender.may", "sender.reads",
})  # fmt: skip
_PLAIN: Mapping[str, type] = {"text": str, "yes_no": bool}


@dataclass(frozen=True, slots=True)
class Reading:
    """Where the value of one fact comes from, in the order in which it is looked for.

    `family`: the first part of its path. `question`: the question it is a field of. `record`: the path of the record
    it may be a field of, `name` its last part. `source`: the text it is read out of, `many` a list of values, else
    one measure. `constant`: what line.yaml gives. `computed`: worked out by the turn. `plain`: the Python type of a
    value that is taken as it is.
    """

    fact: Fact
    family: str
    name: str
    question: str
    record: str
    source: str
    many: bool
    constant: Any
    computed: bool
    plain: type | None
    choices: frozenset[str]


def dependents(concerns: Iterable[str], roles: Iterable[Iterable[str]]) -> dict[str, tuple[str, ...]]:
    """Family of facts → the families that are read anew when one of it changes, itself first.

    `concerns`: the facts that tell whom a mark concerns; `roles`: what the condition of each role reads. A role that
    reads a limit may depend on anything: then it is told by the key "".
    """
    read = {path.partition(".")[0] for paths in roles for path in paths}
    above = {"knowledge": {"topic"}, "waves": {"switches"}, "marks": {path.partition(".")[0] for path in concerns}}
    above["sender"] = read - {"terms", "now"}
    if "limits" in read:
        above["sender"].add("")
    found: dict[str, tuple[str, ...]] = {}
    for family in {"", *above, *(one for some in above.values() for one in some)}:
        reached, todo = [family] if family else [], [family]
        while todo:
            one = todo.pop()
            for below, reads in above.items():
                if below not in reached and (one in reads or (one == family and "" in reads)):
                    reached.append(below)
                    todo.append(below)
        found[family] = tuple(reached)
    return found


def readings(
    facts: Mapping[str, Fact], questions: Collection[str], constants: Mapping[str, Any], nothing: object
) -> dict[str, Reading]:
    """Path → how it is read. `nothing`: what stands for no constant."""
    return {path: _reading(path, fact, facts, questions, constants.get(path, nothing)) for path, fact in facts.items()}


def _reading(path: str, fact: Fact, facts: Iterable[str], questions: Collection[str], constant: Any) -> Reading:
    family, _, rest = path.partition(".")
    head, _, name = path.rpartition(".")
    source = "topic.answer" if head == "knowledge" else f"{head}.text"
    derived = (name in _LISTS or name in _MEASURES) and source in facts
    computed = family in _COMPUTED or path in _SINGLY or (family in questions and rest == "state")
    return Reading(
        fact, family, rest if family in questions else name, family if family in questions else "", head,
        source if derived else "", fact.type.many, constant, computed,
        None if fact.type.many else _PLAIN.get(fact.type.name), frozenset(fact.type.choices),
    )  # fmt: skip
