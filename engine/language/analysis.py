"""What a set of cards says about itself: vacuous, redundant, shadowed, overridden, unused, contradicting.

Each finding says how it is known: `proven` (decided from the cards: enumerations, ranges, boolean structure) or
`seen` (shown by an example).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from engine.language import domains
from engine.language.bodies import Rule
from engine.language.conditions import FactTest
from engine.language.examples import turn_of
from engine.language.line import Line
from engine.language.operands import unknown_at
from engine.language.operators import Empty, Matches
from engine.language.points import PATH
from engine.language.problems import Level, Problem, Proof
from engine.language.project import Card
from engine.language.references import references
from engine.language.run import ask, run_point
from engine.language.slots import slots_of
from engine.language.unset import unknown_errors, unknown_models, unset

Finder = Callable[[Line], Iterator[Problem]]
_ALWAYS_USED = ("situations", "background", "style", "gates", "guard", "waves")


def analyse(line: Line) -> list[Problem]:
    """All findings on a compiled line, its declared exclusions applied (an exclusion of nothing is a finding)."""
    found = [problem for finder in FINDERS for problem in finder(line)]
    return _without_exclusions(line, found)


def _finding(
    card: Card, key: tuple[str | int, ...], code: str, says: str, cure: str, proof: Proof, level: Level = "error"
) -> Problem:
    return Problem(card.place(*key), code, says, cure, level, proof)


def vacuous(line: Line) -> Iterator[Problem]:
    """A card whose condition can never hold, or holds whatever the facts say."""
    for rule in _rules(line):
        if rule.when is None:
            continue
        why = domains.never(rule.when, line)
        if why:
            yield _finding(rule.card, ("when",), "vacuous", f"{rule.name} can never fire: {why}.",
                           "Correct the condition, or delete the card.", "proven")  # fmt: skip
        elif rule.unless is not None and domains.implies(rule.when, rule.unless):
            yield _finding(rule.card, ("unless",), "vacuous", f"{rule.name} never fires: whatever `when` catches, `unless` excuses.",
                           "Narrow `unless`.", "proven")  # fmt: skip
        why = domains.always(rule.when, line)
        if why:
            yield _finding(rule.card, ("when",), "vacuous", f"The condition of {rule.name} always holds: {why}.",
                           "Leave the condition out, or correct it.", "proven")  # fmt: skip


def redundant(line: Line) -> Iterator[Problem]:
    """A pattern listed twice, or an alternative that another one of the same `any` already covers."""
    for card, condition in _conditions(line):
        for part in condition.parts():
            if isinstance(part, FactTest):
                for operator in part.operators:
                    if isinstance(operator, Matches):
                        sources = [pattern.source for pattern in operator.patterns]
                        for source in sorted({one for one in sources if sources.count(one) > 1}):
                            yield _finding(card, part.key, "redundant", f"The pattern `{source}` is listed twice.",
                                           "Delete one.", "proven")  # fmt: skip
            for covered, by in domains.covered(part):
                yield _finding(card, covered.key, "redundant", "This alternative is covered by another one of the same `any`"
                               f" (at line {card.place(*by.key).line}).", "Delete it.", "proven")  # fmt: skip


def shadowed(line: Line) -> Iterator[Problem]:
    """A card that an earlier card of its point always ends before."""
    for rules in line.rules.values():
        gates = [rule for rule in rules if rule.card.kind == "gates" and rule.point.mode == "first"]
        for index, later in enumerate(gates):
            for earlier in gates[:index]:
                if _ends(earlier) and _covers(earlier, later):
                    yield _finding(later.card, ("when",), "shadowed",
                                   f"{later.name} is never reached: {earlier.name} ends everything it would catch.",
                                   "Change their order in line.yaml, or narrow the earlier one.", "proven")  # fmt: skip
                    break


def _ends(rule: Rule) -> bool:
    return all(ending.kind != "next" for ending in rule.then)


def _covers(earlier: Rule, later: Rule) -> bool:
    if earlier.when is None:
        return True
    if later.when is None or not domains.implies(later.when, earlier.when):
        return False
    return earlier.unless is None or (later.unless is not None and domains.implies(earlier.unless, later.unless))


def together(line: Line) -> Iterator[Problem]:
    """Cards seen to fire together with different endings although line.yaml declares no order between them, and
    cards that on none of their own examples give the ending."""
    reported: set[tuple[str, str]] = set()
    for rules in line.rules.values():
        declared = line.config.order.get(rules[0].point.name, []) if rules else []
        for rule in rules:
            for index, example in enumerate(rule.card.body.examples):
                turn = turn_of(line, example)
                spoken = [one for one in (ask(other, turn) for other in rules) if one and one.ending.kind != "next"]
                mine = next((one for one in spoken if one.rule is rule), None)
                for other in spoken:
                    pair = tuple(sorted((rule.name, other.rule.name)))
                    if mine is None or other is mine or other.ending == mine.ending or pair in reported:
                        continue
                    if all(one.card.id in declared for one in (rule, other.rule)) or rule.point.name == "outcome":
                        continue
                    reported.add((pair[0], pair[1]))
                    yield _finding(rule.card, ("examples", index), "undeclared_order",
                                   f"{rule.name} ({mine.ending}) and {other.rule.name} ({other.ending}) both fire here, "
                                   "and nothing says which comes first.",
                                   f"List both under `order: {{{rule.point.name}: […]}}` in line.yaml.", "seen")  # fmt: skip


def overridden(line: Line) -> Iterator[Problem]:
    """A card that fires on its examples, but another one gives the ending on all of them."""
    for rule in _rules(line):
        firing = [example for example in rule.card.body.examples if example.fires]
        if not firing or not _ends(rule):
            continue
        results = [run_point(rule.point.name, turn_of(line, example)) for example in firing]
        by = {result.by.rule.name for result in results if result.by}
        if by and rule.name not in by and all(ask(rule, turn_of(line, example)) for example in firing):
            yield _finding(rule.card, ("then",), "overridden", f"On all its examples {rule.name} is overridden by "
                           f"{', '.join(sorted(by))}.", "Change their order, or give an example where it decides.", "seen")  # fmt: skip


def unused(line: Line) -> Iterator[Problem]:
    """A text, limit, term, mark, question, ladder or role that nothing uses."""
    used: set[str] = set(_used_by_line(line))
    for card in line.source.cards.values():
        used |= references(card) - {card.name}
    for card in line.source.cards.values():
        if card.kind in _ALWAYS_USED or card.name in used or card.body.explains:
            continue
        if card.kind == "questions" and getattr(card.body, "fills", None):
            continue
        yield _finding(card, (), "unused", f"Nothing uses {card.name}.", "Use it or delete it.", "proven", "error")


def _used_by_line(line: Line) -> Iterator[str]:
    yield from (f"roles/{id}" for id in line.config.roles)
    if line.config.prompt.at_most:
        yield f"limits/{line.config.prompt.at_most}"
    for id in line.uses.values():
        yield from (f"limits/{id}", f"ladders/{id}")
    for instruction in line.source.instructions():
        for slot in slots_of(instruction.text):
            family, _, id = slot.path.partition(".")
            if family in ("texts", "limits"):
                yield f"{family}/{id}"


def unfillable(line: Line) -> Iterator[Problem]:
    """A text said at a point that cannot know what one of its slots stands for."""
    for rule in _rules(line):
        for ending in rule.then:
            name = ending.say.name if ending.say else ending.name if ending.kind == "say" else ""
            text = line.texts.get(name)
            for path in sorted({slot.path for _, words in (text.cases if text else []) for spoken in words.values()
                                for slot in slots_of(spoken)}):  # fmt: skip
                fact = line.facts.get(path)
                if fact and rule.point.name not in fact.points and path not in _bound(rule):
                    says = (
                        f"The text `{name}` has the slot `{{{path}}}`. {unknown_at(fact, frozenset({rule.point.name}))}"
                    )
                    yield _finding(
                        rule.card, ("then",), "unfillable", says, "Say another text here, or later.", "proven"
                    )


def _bound(rule: Rule) -> set[str]:
    return {path for effect in rule.also if effect.does == "bind" for path in effect.values or {}}


def contradicting(line: Line) -> Iterator[Problem]:
    """A limit above (or below) the limit it names as its bound."""
    for limit in line.limits.values():
        for key, bound in (("at_most", limit.most), ("at_least", limit.least)):
            other = line.limits.get(bound)
            if other is None or other.of or limit.of:
                continue
            mine = [quantity.amount for _, quantity in limit.quantities]
            theirs = [quantity.amount for _, quantity in other.quantities]
            wrong = max(mine) > min(theirs) if key == "at_most" else min(mine) < max(theirs)
            if wrong:
                yield _finding(limit.card, (key,), "limits_contradict",
                               f"The limit `{limit.card.id}` is {'above' if key == 'at_most' else 'below'} `{bound}`, its own bound.",
                               "Change one of them.", "proven")  # fmt: skip


def quiet(line: Line) -> Iterator[Problem]:
    """A guard card that would stay quiet for want of a fact: absent is unknown, and unknown does not fire."""
    for rule in _rules(line):
        if rule.card.kind != "guard" or rule.when is None:
            continue
        for part in rule.when.parts():
            if (
                not isinstance(part, FactTest)
                or part.many
                or part.path.startswith(("answer.", "item.", "it", "switches."))
            ):
                continue
            if any(isinstance(operator, Empty) for operator in part.operators):
                continue
            yield _finding(rule.card, part.key, "quiet_without", f"{rule.name} stays quiet when `{part.path}` is not known.",
                           "If it excuses the answer, put it under `unless`.", "proven", "note")  # fmt: skip


def slow(line: Line) -> Iterator[Problem]:
    """Patterns that no word or literal can find: they are tried on every text."""
    for card, condition in _conditions(line):
        for part in condition.parts():
            for operator in part.operators if isinstance(part, FactTest) else ():
                for pattern in operator.patterns if isinstance(operator, Matches) else ():
                    if not pattern.literals:
                        yield _finding(card, part.key, "slow_pattern", f"The pattern `{pattern.source}` holds no word it must "
                                       "contain, so it is tried on every text.", "", "proven", "note")  # fmt: skip


FINDERS: tuple[Finder, ...] = (
    vacuous, redundant, shadowed, together, overridden, unused, unfillable, contradicting, quiet, slow,
    unset, unknown_models, unknown_errors,
)  # fmt: skip


def _rules(line: Line) -> Iterator[Rule]:
    for point in [*PATH, *sorted(set(line.rules) - set(PATH))]:
        yield from line.ordered(point)


def _conditions(line: Line) -> Iterator[tuple[Card, domains.Condition]]:
    for rule in _rules(line):
        for condition in (rule.when, rule.unless):
            if condition is not None:
                yield rule.card, condition
    for term in line.terms.values():
        if term.condition is not None:
            yield term.card, term.condition


def _without_exclusions(line: Line, found: list[Problem]) -> list[Problem]:
    files: Mapping[str, str] = {card.file: card.name for card in line.source.cards.values()}
    exclusions = line.config.exclusions
    used: set[int] = set()
    kept = []
    for problem in found:
        at = next((index for index, one in enumerate(exclusions)
                   if one.finding == problem.code and files.get(problem.place.file) == one.card), None)  # fmt: skip
        if at is None:
            kept.append(problem)
        else:
            used.add(at)
    for index, one in enumerate(exclusions):
        if index not in used:
            place = line.source.source.place_of(("exclusions", index))
            says = f"The exclusion of `{one.finding}` on {one.card} excludes nothing."
            kept.append(Problem(place, "exclusion_unused", says, "Delete it.", "error", "proven"))
    return kept
