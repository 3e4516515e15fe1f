"""Examples are tests: each runs on its card, in its line's order, and says what it saw when it fails."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo

from engine.language.actions import read_then
from engine.language.bodies import Limit, Question, Role, Rule, Term, Text, Wave
from engine.language.conditions import Condition, Leaf
from engine.language.kinds import FIRING, Example
from engine.language.line import Line
from engine.language.normalise import normalise
from engine.language.points import PATH, POINTS
from engine.language.problems import Problem, nearest
from engine.language.project import Card
from engine.language.reading import Reader
from engine.language.run import Result, run_point
from engine.language.turn import DISTINCT, Failed, MarkEntry, Turn
from engine.language.values import read_duration, read_literal

DEFAULT_NOW = "2026-09-21T12:00"
_DEFAULTS = {"sender.id": "sender-1", "chat.id": "chat-1", "bot.id": "bot-1", "round.id": "round-1",
             "chain.id": "chain-1", "lane.id": "text"}  # fmt: skip
_EXPLAINING = ("situations", "background", "style")


@dataclass(frozen=True)
class Outcome:
    """What became of one example: `failure` is empty when it held; `tree` shows the condition as it answered."""

    card: Card
    index: int
    failure: str = ""
    tree: tuple[str, ...] = ()

    @property
    def held(self) -> bool:
        return not self.failure

    @property
    def name(self) -> str:
        return f"{self.card.name}[{self.index + 1}]"

    def problem(self) -> Problem:
        place = self.card.place("examples", self.index)
        says = f"Example {self.index + 1} of {self.card.name}: {self.failure}"
        return Problem(place, "example_failed", says, "\n" + "\n".join(self.tree) if self.tree else "")


def run_examples(line: Line, card: Card) -> list[Outcome]:
    """Every example of a card; a card whose body did not compile has none to run (its mistakes are reported)."""
    body = line.everything().get(card.name)
    if body is None and card.kind not in _EXPLAINING:
        return []
    return [run_example(line, card, body, index) for index in range(len(card.body.examples))]


def run_example(line: Line, card: Card, body: Any, index: int) -> Outcome:
    """One example of a card."""
    example = card.body.examples[index]
    turn = turn_of(line, example)
    check = _CHECKS.get(type(body), _check_situation)
    failure, condition = check(body, card, example, turn, line)
    if not failure:
        return Outcome(card, index)
    tree = lines_of(condition.explain(turn_of(line, example))) if condition else ()
    return Outcome(card, index, failure, tuple(tree))


def lines_of(leaf: Leaf, depth: int = 0) -> Iterator[str]:
    """A condition as a tree: PASS, FAIL, UNKNOWN or FAILED at each node, the value seen and the spans at the leaves."""
    saw = f"   saw {leaf.saw}" if leaf.saw else ""
    spans = [f"{one.text!r} at {one.start}–{one.end}" for one in leaf.answer.evidence if one.start >= 0]
    where = f"   found {', '.join(spans)}" if spans and not leaf.children else ""
    yield f"    {'  ' * depth}{leaf.answer.state.value:<7} {leaf.says}{where or saw}"
    for child in leaf.children:
        yield from lines_of(child, depth + 1)


def turn_of(line: Line, example: Example) -> Turn:
    """The turn an example describes: its facts over the defaults, its marks, its questions already answered."""
    facts: dict[str, Any] = dict(_DEFAULTS)
    if example.message is not None:
        facts |= {"message.text": example.message, "message.kind": "text"}
    if example.answer is not None:
        facts["answer.text"] = example.answer
    if isinstance(example.item, Mapping):
        facts |= {f"item.{name}": value for name, value in example.item.items()}
    elif example.item is not None:
        facts["item.text"] = example.item
    facts |= {path: _plain(value) for path, value in example.facts.items()}
    now = _now(line, example.now)
    asked = {
        name: Failed(name) if fields == "failed" else fields
        for name, fields in example.asked.items()
        if fields == "failed" or isinstance(fields, Mapping)
    }
    turn = Turn(line, facts, now, answers=asked)
    turn.marks = list(_marks(line, example, turn))
    return turn


def _plain(value: Any) -> Any:
    return Failed(str(value["failed"])) if isinstance(value, Mapping) and set(value) == {"failed"} else value


def _now(line: Line, spelled: str | None) -> dt.datetime:
    text = DEFAULT_NOW if spelled is None else spelled
    if len(text) <= 5:
        text = f"{DEFAULT_NOW[:11]}{text:0>5}"
    read = dt.datetime.fromisoformat(text)
    return read if read.tzinfo else read.replace(tzinfo=ZoneInfo(line.zone))


def _marks(line: Line, example: Example, turn: Turn) -> Iterator[MarkEntry]:
    for entry in example.history:
        declared = line.marks.get(entry["mark"])
        if declared is None:
            continue
        others = {"sender.id": entry.get("sender"), "chat.id": entry.get("chat"), "order.number": entry.get("order")}
        keys = {}
        for path in (*declared.keys, *DISTINCT):
            value = others.get(path) or turn.get(path)
            if isinstance(value, str):
                keys[path] = value
        ago = read_duration(entry["ago"]) if "ago" in entry else 0.0
        for _ in range(entry.get("times", 1)):
            yield MarkEntry(entry["mark"], turn.now - dt.timedelta(seconds=ago), keys, entry.get("with", {}))


# one check a kind: (why it failed or "", the condition to show)

Checked = tuple[str, Condition | None]


def _fires(wanted: bool | None, fired: bool, instead: str = "") -> str:
    if wanted is None or wanted is fired:
        return ""
    return f"should fire and did not.{instead}" if wanted else "should not fire, and did."


def _check_rule(rule: Rule, card: Card, example: Example, turn: Turn, line: Line) -> Checked:
    result = run_point(rule.point.name, turn)
    mine = next((one for one in result.spoken if one.rule is rule), None)
    if mine is not None and not mine.answer.holds and mine.ending.kind == "next":
        mine = None  # its source failed and it lets go: it did not fire
    goes_on = mine is not None and mine.ending.kind == "next"
    gave = mine is not None and (goes_on or (result.by is not None and result.by.rule is rule))
    fired = gave if example.fires or rule.card.kind == "gates" else mine is not None
    instead = f" {result.by.rule.name} gave the ending ({result.ending})." if result.by and not gave else ""
    failure = _fires(example.fires, fired, instead) or _expected(example, card, result, line)
    return failure, rule.when


def _expected(example: Example, card: Card, result: Result, line: Line) -> str:
    if example.then is not None:
        wanted = read_then(Reader(card, line, frozenset(), []), result.point, example.then, ())
        if [result.ending] != [*wanted]:
            return f"should end in {wanted[0] if wanted else example.then}; it ends in {result.ending}."
    if example.reason is not None and example.reason != result.reason:
        return f"should have the reason {example.reason}; it has {result.reason or 'none'}."
    if example.becomes is not None:
        became = result.edited if result.edited is not None else result.text
        if became != example.becomes:
            return f"should become {example.becomes!r}; it becomes {became!r}."
    if example.sets is not None and sorted(example.sets) != sorted({entry.mark for entry in result.sets}):
        return f"should set {example.sets}; it sets {sorted({entry.mark for entry in result.sets})}."
    if example.alerts is not None:
        alerted = sorted(name for does, name, _ in result.effects if does == "alert")
        if sorted(example.alerts) != alerted:
            return f"should alert {example.alerts}; it alerts {alerted}."
    return ""


def _check_term(term: Term, card: Card, example: Example, turn: Turn, line: Line) -> Checked:
    if term.is_condition:
        fired = term.condition is not None and term.condition.answer(turn).holds
        return _fires(example.fires, fired), term.condition
    texts = [one for one in (example.message, example.answer, example.item) if isinstance(one, str)]
    fired = any(pattern.search(normalise(text)) for text in texts for pattern in term.patterns)
    return _fires(example.fires, fired), None


def _check_wave(wave: Wave, card: Card, example: Example, turn: Turn, line: Line) -> Checked:
    label = line.label(turn)
    instead = f" {label[0]} labels the decision." if label else " No wave labels the decision."
    failure = _fires(example.fires, label is not None and label[0] == card.id, instead)
    if not failure and example.then is not None and label is not None:
        got = "send" if label[1] == "open" else wave.closed
        failure = "" if got == example.then else f"should come to {example.then}; it comes to {got}."
    return failure, wave.opens


def _check_role(role: Role, card: Card, example: Example, turn: Turn, line: Line) -> Checked:
    got = turn.get("sender.role")
    return _fires(example.fires, got == card.id, f" The role is {got}."), role.who


def _check_text(text: Text, card: Card, example: Example, turn: Turn, line: Line) -> Checked:
    said = text.render(turn)
    wrong = example.becomes is not None and said != example.becomes
    return (f"should become {example.becomes!r}; it becomes {said!r}." if wrong else ""), None


def _check_limit(limit: Limit, card: Card, example: Example, turn: Turn, line: Line) -> Checked:
    said = limit.said(turn)
    wanted = str(example.becomes) if isinstance(example.becomes, (int, float)) else example.becomes
    return (f"should be {wanted}; it is {said}." if wanted is not None and said != wanted else ""), None


def _check_question(question: Question, card: Card, example: Example, turn: Turn, line: Line) -> Checked:
    asked = question.when is None or question.when.answer(turn).holds
    return _fires(example.fires, asked), question.when


def _check_ladder(ladder: Any, card: Card, example: Example, turn: Turn, line: Line) -> Checked:
    rung = ladder.rung(example.error, example.rung or 1)
    failure = _fires(example.fires, rung is not None)
    if not failure and example.then is not None and rung != example.then:
        failure = f"should climb to {example.then}; it climbs to {rung}."
    return failure, None


def _check_situation(body: Any, card: Card, example: Example, turn: Turn, line: Line) -> Checked:
    """The message goes through the gates before the model; `then: model` when none of them ends it."""
    for point in PATH[: PATH.index("prompt")]:
        result = run_point(point, turn)
        if result.ended:
            if example.then == "model":
                return (
                    f"should reach the model; {result.by.rule.name if result.by else point} ends it ({result.ending}).",
                    None,
                )
            return _expected(example, card, result, line), None
    if example.then in (None, "model"):
        return "", None
    return f"should end in {example.then}; no gate before the model ends it.", None


from engine.language.bodies import Ladder  # noqa: E402

_CHECKS: dict[type, Any] = {
    Rule: _check_rule, Term: _check_term, Wave: _check_wave, Role: _check_role, Text: _check_text,
    Limit: _check_limit, Question: _check_question, Ladder: _check_ladder,
}  # fmt: skip


# what can be wrong with an example itself


def check_examples(line: Line, card: Card) -> list[Problem]:
    """Mistakes in the examples of a card, and firing kinds that lack an example which fires or one which does not."""
    problems: list[Problem] = []
    reader = Reader(card, line, frozenset(), problems)
    for index, example in enumerate(card.body.examples):
        _check_form(reader, card, example, index)
    questions = card.kind == "questions" and getattr(card.body, "when", None) is not None
    if card.kind in FIRING or questions:
        shown = {example.fires for example in card.body.examples}
        alerted_only = card.kind == "roles" and getattr(card.body, "who", None) is None
        for wanted, word in ((True, "fires"), (False, "does not fire")):
            if wanted not in shown and not (wanted and alerted_only):
                says = f"{card.name} has no example that {word}."
                problems.append(Problem(card.place("examples"), "example_missing", says, "Add one under `examples`."))
    return problems


def _check_form(reader: Reader, card: Card, example: Example, index: int) -> None:
    key = ("examples", index)
    point = getattr(card.body, "at", None)
    for path, value in example.facts.items():
        fact = reader.line.facts.get(path)
        if fact is None:
            reader.refuse(
                (*key, "facts", path),
                "unknown_path",
                f"`{path}` is no fact of this line.",
                nearest(path, reader.line.facts),
            )
        elif point in POINTS and point not in fact.points:
            says = f"`{path}` cannot be known at {point}."
            reader.refuse((*key, "facts", path), "not_known_here", says, "Take it out of the example.")
        elif not isinstance(_plain(value), Failed):
            check = _check_records if fact.type.name == "record" else _check_values
            check(reader, fact, value, (*key, "facts", path))
    for name, fields in example.asked.items():
        if reader.exists("questions", name, (*key, "asked", name)) and fields != "failed":
            _check_asked(reader, name, fields, (*key, "asked", name))
    for at, entry in enumerate(example.history):
        _check_history(reader, entry, (*key, "history", at))
    if example.now is not None:
        try:
            _now(reader.line, example.now)
        except ValueError:
            reader.refuse(
                (*key, "now"), "wrong_type", f"`{example.now}` is no time.", "Write 14:30 or 2026-09-21T14:30."
            )
    if example.then is not None and card.kind in ("gates", "guard"):
        read_then(reader, POINTS[point or "pre-gate"], example.then, (*key, "then"))
    if example.error is None and card.kind == "ladders":
        reader.refuse(key, "missing_key", "An example of a ladder names the class of `error`.")
    stated = [name for name in STATEMENTS if getattr(example, name) is not None]
    for name in stated:
        if name not in STATES[card.kind]:
            says = f"An example of {card.kind} cannot state `{name}`: nothing would look at it."
            reader.refuse((*key, name), "not_looked_at", says, f"It may state {_listed(STATES[card.kind])}.")
    if not stated:
        says = (
            f"State {_listed(STATES[card.kind])}." if STATES[card.kind] else "Take it away: nothing can be stated here."
        )
        reader.refuse(key, "empty_value", "The example expects nothing.", says)


STATEMENTS = ("fires", "then", "reason", "becomes", "sets", "alerts")
_RULE, _MESSAGE = frozenset(STATEMENTS), frozenset({"then", "reason", "sets", "alerts"})
STATES: Mapping[str, frozenset[str]] = {
    "gates": _RULE, "guard": _RULE, "situations": _MESSAGE, "background": _MESSAGE, "style": _MESSAGE,
    "terms": frozenset({"fires"}), "roles": frozenset({"fires"}), "questions": frozenset({"fires"}),
    "waves": frozenset({"fires", "then"}), "ladders": frozenset({"fires", "then"}),
    "texts": frozenset({"becomes"}), "limits": frozenset({"becomes"}), "marks": frozenset(),
}  # fmt: skip
"""What an example of each kind may state: whatever is stated is looked at."""


def _listed(names: frozenset[str]) -> str:
    return ", ".join(f"`{name}`" for name in STATEMENTS if name in names)


def _check_records(reader: Reader, fact: Any, value: Any, key: tuple[str | int, ...]) -> None:
    """A record is a mapping of the fields that are declared below its path."""
    many = isinstance(value, list)
    for index, one in enumerate(value if many else [value]):
        at = (*key, index) if many else key
        if not isinstance(one, Mapping):
            reader.refuse(at, "wrong_type", f"`{fact.path}` is a record: write its fields, {{name: value}}.")
            continue
        for name, inner in one.items():
            field = reader.line.facts.get(f"{fact.path}.{name}")
            if field is None:
                known = [path.rpartition(".")[2] for path in reader.line.facts if path.startswith(f"{fact.path}.")]
                reader.refuse((*at, name), "unknown_key", f"`{fact.path}` has no field `{name}`.", nearest(name, known))
            else:
                _check_values(reader, field, inner, (*at, name))


def _check_values(reader: Reader, fact: Any, value: Any, key: tuple[str | int, ...]) -> None:
    many = isinstance(value, list)
    if many and not fact.type.many:
        reader.refuse(key, "wrong_type", f"`{fact.path}` is one {fact.type}, not a list.")
        return
    for index, one in enumerate(value if many else [value]):
        try:
            read_literal(one, fact.one().type, reader.line.context(None))
        except ValueError as error:
            says, _, cure = str(error).partition("\n")
            reader.refuse((*key, index) if many else key, "wrong_type", says, cure)


def _check_asked(reader: Reader, name: str, fields: Any, key: tuple[str | int, ...]) -> None:
    question = reader.line.questions.get(name)
    if not isinstance(fields, Mapping):
        reader.refuse(key, "wrong_type", "`asked` gives the fields of the question, or `failed`.")
        return
    for one, value in fields.items():
        if question is not None and one not in question.fields:
            reader.refuse(
                (*key, one),
                "unknown_key",
                f"The question `{name}` has no field `{one}`.",
                nearest(one, question.fields),
            )
        elif question is not None and not question.fields[one].many:
            reader.operand(value, question.fields[one], (*key, one))


def _check_history(reader: Reader, entry: Any, key: tuple[str | int, ...]) -> None:
    if not isinstance(entry, Mapping) or "mark" not in entry:
        reader.refuse(key, "wrong_type", "An entry of `history` is a mark set before: {mark: hit, ago: 5 min}.")
        return
    known = ("mark", "ago", "times", "with", "sender", "chat", "order")
    for name in entry:
        if name not in known:
            reader.refuse((*key, name), "unknown_key", f"`{name}` is no key of `history`.", nearest(name, known))
    reader.exists("marks", str(entry["mark"]), (*key, "mark"))
    if "ago" in entry:
        try:
            read_duration(entry["ago"])
        except ValueError as error:
            reader.refuse((*key, "ago"), "wrong_type", str(error))
