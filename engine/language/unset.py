"""What a line needs and line.yaml does not say: limits that the engine reads, models that are called, classes of errors."""

from __future__ import annotations

from collections.abc import Iterator

from engine.language.ladders import ERRORS
from engine.language.line import Line
from engine.language.problems import Problem, nearest
from engine.language.uses import USES


def unset(line: Line) -> Iterator[Problem]:
    """A setting of the engine that the line's cards depend on and that `uses` gives no limit."""
    for setting, why in sorted(_needed(line).items()):
        if setting not in line.config.uses:
            says = f"{why}, and `uses` names no limit for `{setting}` ({USES[setting][1]})."
            cure = f"Add it to line.yaml, for instance uses: {{{setting}: {setting}}}, and write the card limits/{setting}."
            yield Problem(line.source.source.place_of(("uses",)), "setting_missing", says, cure, "error", "proven")


def _needed(line: Line) -> dict[str, str]:
    needed = {}
    asking = sorted(id for id, question in line.questions.items() if not question.port)
    if asking:
        needed["budget"] = f"The line asks a model (questions/{asking[0]})"
    repairs = sorted(rule.name for rule in line.ordered("answer") if rule.repair or rule.repair_ask)
    if repairs:
        needed["repair_floor"] = f"{repairs[0]} has a repair"
    if line.config.knowledge is not None:
        needed["neighbours"] = needed["majority"] = "The line has `knowledge`"
    return needed


def unknown_models(line: Line) -> Iterator[Problem]:
    """A model that a question calls, or a ladder climbs to, and that `models` does not declare."""
    known = line.config.models
    for id, question in sorted(line.questions.items()):
        if not question.port and question.calls not in known:
            yield _unknown(line, f"questions/{id}", ("calls",), question.calls)
    for id, ladder in sorted(line.ladders.items()):
        for error, rungs in ladder.errors.items():
            for at, rung in enumerate(rungs):
                if "model" in rung and str(rung["model"]) not in known:
                    yield _unknown(line, f"ladders/{id}", ("errors", error, at, "model"), str(rung["model"]))


def _unknown(line: Line, card: str, key: tuple[str | int, ...], name: str) -> Problem:
    says = f"line.yaml declares no model `{name}`."
    cure = nearest(name, line.config.models) or f"Add it there: models: {{{name}: {{use: none}}}}."
    return Problem(line.source.cards[card].place(*key), "unknown_model", says, cure, "error", "proven")


def unknown_errors(line: Line) -> Iterator[Problem]:
    """A class of error in a ladder of a model that nothing can bring."""
    brought = {rule.counts_as for rules in line.rules.values() for rule in rules if rule.counts_as}
    known = sorted({*ERRORS, *brought})
    for _, ladder in sorted(line.ladders.items()):
        if ladder.answers_for not in ("model", "store"):
            continue
        for error in ladder.errors:
            if error not in known:
                says = f"Nothing brings an error of the class `{error}`."
                cure = nearest(error, known) or "A verdict brings one of its own by `counts_as`."
                yield Problem(ladder.card.place("errors", error), "unknown_error", says, cure, "error", "proven")
