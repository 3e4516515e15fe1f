"""Running the cards of one point on one turn: which card spoke, how it ends, what is set beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from engine.language.actions import NEXT, PASS, Edit, Ending
from engine.language.bodies import Rule, slot_lookup
from engine.language.conditions import YES, Answer, Evidence, State
from engine.language.edits import apply_edits
from engine.language.points import OUTCOMES, POINTS, Point
from engine.language.slots import fill
from engine.language.turn import ABSENT, DISTINCT, Failed, MarkEntry, Turn


@dataclass(frozen=True)
class Spoken:
    """A card that fired (or failed): its answer with evidence, and the ending it asked for."""

    rule: Rule
    answer: Answer
    ending: Ending
    gathered: Mapping[str, Any] = field(default_factory=dict)
    """What the question of an `ask` reads, as it was before the card's own effects."""

    @property
    def reason(self) -> str:
        return f"{self.answer.source}_unavailable" if self.answer.state is State.FAILED else self.rule.reason

    @property
    def found(self) -> str:
        """The evidence as it fills `{found}`: each piece once, in the order of the text."""
        return ", ".join(dict.fromkeys(one.text for one in self.answer.evidence if one.text))


@dataclass
class Result:
    """What came of a point. `ending` is NEXT when no card ended it; `text` the words to be said, filled.

    `edited` is the subject's text after edits, None when there were none.
    """

    point: Point
    ending: Ending = NEXT
    by: Spoken | None = None
    spoken: list[Spoken] = field(default_factory=list)
    text: str | None = None
    edited: str | None = None
    sets: list[MarkEntry] = field(default_factory=list)
    clears: list[str] = field(default_factory=list)
    effects: list[tuple[str, str, str]] = field(default_factory=list)
    """Alerts, notices, jobs and discards as (does, name, to)."""

    @property
    def reason(self) -> str:
        return self.by.reason if self.by else ""

    @property
    def ended(self) -> bool:
        return self.ending.kind not in ("next", "pass")


def run_point(point: str, turn: Turn, after: Result | None = None) -> Result:
    """Run the gates and guard cards of a point. Marks set by `also` are visible to later cards of the turn.

    `after`: an earlier result of this point that ended in `ask`: the cards behind the one that asked are run, and
    what was found and done so far is kept. Raises Unasked for a question that is asked on first read.
    """
    result = _look(POINTS[point], turn, after=after)
    edits = [spoken for spoken in result.spoken if spoken.rule.edit and spoken.answer.holds]
    if edits:
        result = _edited(point, turn, result, edits)
    return result


def _behind(rule: Rule, rules: Sequence[Rule]) -> Sequence[Rule]:
    return rules[next(at for at, one in enumerate(rules) if one is rule) + 1 :]


def _look(point: Point, turn: Turn, effects: bool = True, after: Result | None = None) -> Result:
    result = Result(point)
    line = turn.line
    gates = line.likely(point.name, "gates", turn)
    if after is not None and after.by is not None:
        gates = _behind(after.by.rule, [rule for rule in line.ordered(point.name) if rule.card.kind == "gates"])
        result.spoken, result.sets, result.clears = [*after.spoken], [*after.sets], [*after.clears]
        result.effects = [*after.effects]
    for spoken in _spoken(gates, turn, result, effects):
        if spoken.ending.kind == "next":
            continue
        if spoken.ending.kind == "pass":
            result.ending, result.by = PASS, spoken
            break
        _settle(point, result, spoken)
        if point.mode in ("first", "guarded"):
            break
    gate, looked = result.by, len(result.spoken)
    again = result.ending.kind in ("ask", "skip")
    for spoken in _spoken(line.likely(point.name, "guard", turn), turn, result, effects and not again):
        if spoken.ending.kind not in ("next", "pass"):
            _settle(point, result, spoken)
    if again and result.by is gate:
        del result.spoken[looked:]  # they look once the gates behind the one that asks are through
    elif again and effects:
        for spoken in result.spoken[looked:]:
            if spoken.answer.holds:
                _effects(spoken, turn, result)
    if result.by:
        result.text = said(result.ending, turn, result.by.found)
    return result


def _spoken(rules: Sequence[Rule], turn: Turn, result: Result, effects: bool) -> Iterator[Spoken]:
    for rule in rules:
        spoken = ask(rule, turn, binds=effects)
        if spoken:
            result.spoken.append(spoken)
            if spoken.answer.holds and effects:
                _effects(spoken, turn, result)
            yield spoken


def ask(rule: Rule, turn: Turn, binds: bool = False) -> Spoken | None:
    """Whether a card fires on this turn, and the ending it would give; None when it does not.

    `binds`: what the card binds is bound first, so that the text it says can show it.
    """
    answer = rule.when.answer(turn) if rule.when else YES
    if answer.state in (State.FALSE, State.UNKNOWN):
        return None
    if answer.holds and rule.unless:
        excuse = rule.unless.answer(turn)
        if excuse.holds:
            return None
        if excuse.state is State.FAILED:
            answer = excuse
    if binds and answer.holds:
        _bind(rule, turn)
    alternatives = rule.on_error if answer.state is State.FAILED else rule.then
    spoken = Spoken(rule, answer, NEXT)
    ending = first_possible(alternatives, rule.point, turn, spoken.found)
    return replace(spoken, ending=ending, gathered=_gathered(ending, turn))


def _gathered(ending: Ending, turn: Turn) -> Mapping[str, Any]:
    if ending.kind != "ask":
        return {}
    return {path: turn.get(path) for path in turn.line.questions[ending.name].reads}


def first_possible(endings: Sequence[Ending], point: Point, turn: Turn, found: str) -> Ending:
    """The first ending that can be carried out; the point's safest one when none can."""
    for ending in endings:
        if ending.kind == "ask":
            if (asked := _asked(ending, turn)) is ending or ending is endings[-1]:
                return asked
            continue
        if ending.kind != "say" or said(ending, turn, found) is not None:
            return ending
    return NEXT if point.on_error == "next" else Ending("end", point.on_error)


def _asked(ending: Ending, turn: Turn) -> Ending:
    """An `ask` whose question has failed and says `hold` ends in hold."""
    got = turn.answers.get(ending.name)
    if isinstance(got, Failed) and turn.line.questions[ending.name].otherwise == "hold":
        return Ending("end", "hold")
    return ending


def said(ending: Ending, turn: Turn, found: str = "") -> str | None:
    """The words of a `say`, or of what follows an `ask`; None when a slot cannot be filled or nothing is said."""
    say = ending.say or (ending if ending.kind == "say" else None)
    if say is None:
        return None
    if say.ref:
        value = turn.get(say.ref)
        return value if isinstance(value, str) and value.strip() else None
    text = turn.line.texts.get(say.name)
    return text.render(turn, found) if text else None


def _settle(point: Point, result: Result, spoken: Spoken) -> None:
    """Keep the stricter ending; among equals the first in order."""
    if result.by is None or result.ending is PASS or _rank(point, spoken.ending) > _rank(point, result.ending):
        result.ending, result.by = spoken.ending, spoken


def _rank(point: Point, ending: Ending) -> int:
    if ending.outcome in OUTCOMES:
        return OUTCOMES.index(ending.outcome)
    return 1 if ending.name == point.on_error else 0


def _effects(spoken: Spoken, turn: Turn, result: Result) -> None:
    for effect in spoken.rule.also:
        values = {name: _value(operand, turn) for name, operand in (effect.values or {}).items()}
        if effect.does == "set":
            scope = turn.line.marks[effect.name].keys
            keys = {path: value for path in (*scope, *DISTINCT) if isinstance(value := turn.get(path), str)}
            carried = {name: value for name, value in values.items() if value is not ABSENT}
            entry = MarkEntry(effect.name, turn.now, keys, carried)
            turn.mark(entry)
            result.sets.append(entry)
        elif effect.does == "clear":
            turn.clear(effect.name)
            result.clears.append(effect.name)
            result.sets = [entry for entry in result.sets if entry.mark != effect.name]
        elif effect.does != "bind":
            result.effects.append((effect.does, effect.name, effect.to))


def _bind(rule: Rule, turn: Turn) -> None:
    for effect in rule.also:
        if effect.does == "bind":
            for path, operand in (effect.values or {}).items():
                value = _value(operand, turn)
                if value is not ABSENT:
                    turn.put(path, value)


def _value(operand: object, turn: Turn) -> object:
    got = operand.values(turn)  # type: ignore[attr-defined]
    return ABSENT if isinstance(got, Failed) or not got else got[0]


def _edited(point: str, turn: Turn, first: Result, edits: list[Spoken]) -> Result:
    """Apply all edits to the point's text, then look once more; an edit that did not cure its fault fails."""
    subject = f"{POINTS[point].subject}.text"
    text = turn.get(subject)
    if not isinstance(text, str):
        return first
    edited = apply_edits(text, [_change(one, subject, turn) for one in edits], turn)
    turn.put(subject, edited)
    second = _look(POINTS[point], turn, effects=False)
    second.edited = edited if edited != text else None
    for one in second.spoken:
        if one.rule.edit and one.answer.holds and not _settled(one, subject, edited, turn):
            _settle(second.point, second, replace(one, ending=Ending("end", second.point.on_error)))
    if first.ended and (second.by is None or _rank(first.point, first.ending) > _rank(first.point, second.ending)):
        second.ending, second.by, second.text = first.ending, first.by, first.text
    if not edited.strip():
        second.ending, second.by = Ending("end", second.point.on_error), edits[0]
    second.spoken = first.spoken + [
        one for one in second.spoken if all(one.rule is not old.rule for old in first.spoken)
    ]
    second.sets, second.effects, second.clears = first.sets, first.effects, first.clears
    return second


def _change(spoken: Spoken, subject: str, turn: Turn) -> tuple[Edit, list[Evidence], str | None]:
    """What an edit is applied with: only evidence that lies in the edited text has a place in it."""
    assert spoken.rule.edit is not None
    evidence = [one for one in spoken.answer.evidence if one.subject == subject]
    return spoken.rule.edit, evidence, fill(spoken.rule.edit.replacement, slot_lookup(turn, spoken.found))


def _settled(spoken: Spoken, subject: str, text: str, turn: Turn) -> bool:
    """Whether a card that still fires has had its edit carried out: a whole text or a cut stands as it should although
    the condition (a verdict about the answer, say) still holds. A match that is still there is still a fault."""
    change = _change(spoken, subject, turn)
    return (change[0].part == "whole" or change[0].does == "cut") and apply_edits(text, [change], turn) == text
