"""`rulecard explain`: all that is known of one card or one instruction, on one screen."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from typing import Any

from engine.language.analysis import analyse
from engine.language.examples import Outcome, run_examples
from engine.language.kinds import Common
from engine.language.line import Line
from engine.language.points import POINTS
from engine.language.problems import nearest
from engine.language.project import Card
from engine.language.references import references
from engine.language.yaml_write import inline
from engine.prompt import Resolved, resolved
from runbook import readable
from runbook.session import Refused, mistakes, runs

WIDTH = 100
"""Columns at which the text is wrapped."""
_CONDITIONS = {"when": "When", "unless": "Unless", "who": "Who", "opens": "Opens when"}
_TOLD = {*_CONDITIONS, *Common.model_fields, "at", "then", "also", "reason", "on_error"}
"""Keys of a card that have a line of their own; the others are shown as they are written."""


def explain(line: Line, name: str) -> str:
    """Everything about a card (`gates/complaint`, or `complaint`) or an instruction, as text for a terminal.

    Raises Refused, with the nearest right name, when there is none of that name.
    """
    return "\n".join(_lines(explained(line, name)))


def explained(line: Line, name: str) -> dict[str, Any]:
    """The same as plain values, for JSON. Raises Refused."""
    card = _card(line, name)
    if card is not None:
        return _told_card(line, card)
    found = next((one for one in resolved(line.source)[0].values() if one.id == name), None)
    if found is None:
        given = name.removesuffix(".yaml").removeprefix(f"cards/{line.name}/")
        for broken in sorted(line.source.broken):
            if given in (broken, broken.partition("/")[2]):
                raise Refused(f"{broken} cannot be read: `rulecard check` says why.")
        ids = {card.id for card in line.source.cards.values()}
        known = [*line.source.cards, *ids, *(one.id for one in line.source.instructions())]
        raise Refused(f"There is no card or instruction `{name}`. {nearest(name, known)}".rstrip())
    return _told_instruction(line, found)


def _card(line: Line, name: str) -> Card | None:
    """The card of this name, file or (when only one has it) id."""
    given = name.removesuffix(".yaml").removeprefix(f"cards/{line.name}/")
    if given in line.source.cards:
        return line.source.cards[given]
    alike = [card for card in line.source.cards.values() if card.id == given]
    if len(alike) > 1:
        names = ", ".join(sorted(card.name for card in alike))
        raise Refused(f"Several cards are called `{given}`; name one: {names}.")
    return alike[0] if alike else None


def _told_card(line: Line, card: Card) -> dict[str, Any]:
    raw, body = card.source.value, card.body
    texts = resolved(line.source)[0]
    uses = (references(card) - {card.name}) & set(line.source.cards)
    told: dict[str, Any] = {
        "card": card.name, "title": body.title, "why": body.why, "place": str(card.place()), "since": str(body.since),
        "owner": body.owner, "stands": _stands(line, card),
    }  # fmt: skip
    for key in _CONDITIONS:
        if key in raw:
            told[key] = [f"{'  ' * depth}{says}" for depth, says in readable.condition(raw[key], line)]
    if "then" in raw:
        told["then"] = readable.ending(raw["then"])
    if "also" in raw:
        told["also"] = readable.effects(raw["also"])
    if card.kind in ("gates", "guard"):
        told["reason"] = raw.get("reason", card.id)
        point = POINTS[str(getattr(body, "at", "pre-gate"))]
        told["on_error"] = readable.ending(raw.get("on_error", point.on_error))
    told["settings"] = {key: value for key, value in raw.items() if key not in _TOLD}
    told["explains"] = [{"id": id, "text": texts[id].text if id in texts else None} for id in body.explains]
    told["ran"] = runs(line, mistakes(line))
    outcomes = run_examples(line, card) if told["ran"] else [None] * len(body.examples)
    told["examples"] = [_example(card, index, outcome) for index, outcome in enumerate(outcomes)]
    told["uses"] = sorted(uses)
    others = (other for other in line.source.cards.values() if other is not card)
    told["used_by"] = sorted(other.name for other in others if card.name in references(other))
    told["used_by"] += [f"the instruction {one.id}" for one in texts.values() if f"{card.kind}.{card.id}" in one.slots]
    told["findings"] = _findings(line, card) if told["ran"] else []
    told["changes"] = raw.get("changes", [])
    return told


def _stands(line: Line, card: Card) -> str:
    """Where the card stands: at which point and in which place of its order."""
    at = getattr(card.body, "at", None)
    if card.kind in ("gates", "guard") and at in POINTS:
        ids = [rule.card.name for rule in line.ordered(at)]
        place = f"{ids.index(card.name) + 1} of {len(ids)} at {at}" if card.name in ids else f"at {at}"
        return f"{place}: {POINTS[at].says}"
    ordered = {"waves": line.config.waves, "roles": line.config.roles}.get(card.kind, [])
    if card.id in ordered:
        return f"{ordered.index(card.id) + 1} of {len(ordered)} among the {card.kind}"
    return f"asked at {at}" if at else ""


def _example(card: Card, index: int, outcome: Outcome | None) -> dict[str, Any]:
    """One example and what became of it; `held` is null when it could not run."""
    told = {"number": index + 1, "example": card.source.value["examples"][index]}
    if outcome is None or outcome.held:
        return {**told, "held": None if outcome is None else True}
    return {**told, "held": False, "failure": outcome.failure, "tree": list(outcome.tree)}


def _findings(line: Line, card: Card) -> list[dict[str, str]]:
    """What the analysis says of the card, in its own file or by its name in another's."""
    named = re.compile(rf"(?<![\w/]){re.escape(card.name)}(?![\w/])")
    found = [one for one in sorted(analyse(line)) if one.place.file == card.file or named.search(one.says)]
    keys = ("code", "level", "proof", "says", "cure")
    return [{"place": str(one.place), **{key: getattr(one, key) for key in keys}} for one in found]


def _told_instruction(line: Line, found: Resolved) -> dict[str, Any]:
    block = line.source.blocks[found.block]
    written = next(one for one in block.instructions if one.id == found.id)
    place = f"{block.instructions.index(written) + 1} of {len(block.instructions)} in {block.file}"
    owners = [card for card in line.source.cards.values() if found.id in card.body.explains]
    changes = [one for card in owners for one in card.source.value.get("changes", [])]
    told: dict[str, Any] = {
        "instruction": found.id, "text": found.text, "place": str(found.place),
        "stands": place + (f", told while switches.{block.switch} is on" if block.switch else ""),
        "explained_by": [{"card": card.name, "title": card.body.title, "why": card.body.why} for card in owners],
        "told_in": sorted(card.name for card in line.source.of("questions").values() if _is_told(card, found)),
        "changes": [one for one in changes if one.get("instruction") == found.id],
    }  # fmt: skip
    return told if written.text.strip() == found.text else {**told, "written": written.text}


def _is_told(card: Card, found: Resolved) -> bool:
    return found.block in getattr(card.body, "instructions", ()) or found.id in getattr(card.body, "adds", ())


# text


def _lines(told: dict[str, Any]) -> Iterator[str]:
    if "instruction" in told:
        yield from _instruction_lines(told)
        return
    yield from _wrapped(f"{told['card']} · ", told["title"])
    yield f"  {told['place']}, since {told['since']}" + (f", owner {told['owner']}" if told["owner"] else "")
    yield from _wrapped("  Why: ", told["why"])
    if told["stands"]:
        yield from _wrapped("  Stands: ", told["stands"])
    for key, word in _CONDITIONS.items():
        yield from _listed(word, told.get(key, []))
    if "then" in told:
        yield from _wrapped("  Then: ", told["then"])
    yield from _listed("Also", told.get("also", []))
    for key, value in told["settings"].items():
        said = value if isinstance(value, str) else inline(value)
        yield from _wrapped(f"  {key.capitalize()}: ", said)
    if "reason" in told:
        yield f"  Reason: {told['reason']}; when a fact fails: {told['on_error']}"
    explains = [f"{one['id']}: {one['text'] or '(no such instruction)'}" for one in told["explains"]]
    yield from _listed("Explains", explains)
    yield from _listed("Examples", [line for one in told["examples"] for line in _example_lines(one)])
    if not told["ran"]:
        yield "  The line has mistakes, so no example ran and nothing was analysed: `rulecard check` lists them."
    yield from _listed("Uses", told["uses"])
    yield from _listed("Used by", told["used_by"])
    findings = [f"{one['level']}: {one['says']} ({one['proof']}) {one['cure']}" for one in told["findings"]]
    yield from _listed("Findings", findings)
    yield from _listed("Changes", [_change(one) for one in told["changes"]])


def _instruction_lines(told: dict[str, Any]) -> Iterator[str]:
    yield f"{told['instruction']} · an instruction"
    yield f"  {told['place']}"
    yield f"  Stands: {told['stands']}"
    yield from _listed("Text", told["text"].split("\n"))
    if "written" in told:
        yield from _listed("As written", told["written"].strip().split("\n"))
    if not told["explained_by"]:
        yield "  Explained by no card. Name it under `explains` in one."
    for one in told["explained_by"]:
        yield from _wrapped("  Explained by: ", f"{one['card']} · {one['title']}")
        yield from _wrapped("  Why: ", one["why"])
    yield from _listed("Told in", told["told_in"])
    yield from _listed("Changes", [_change(one) for one in told["changes"]])


def _example_lines(one: dict[str, Any]) -> Iterator[str]:
    became = {True: "holds", False: "FAILS", None: "not run"}[one["held"]]
    yield f"{one['number']}. {became}: {readable.example(one['example'])}"
    if one["held"] is False:
        yield f"   {one['failure']}"
        yield from one["tree"]


def _change(one: dict[str, Any]) -> str:
    what = one.get("instruction") or one.get("item")
    return f"{one.get('date')}{f', {what}' if what else ''}: {one.get('why')}"


def _listed(word: str, lines: list[str]) -> Iterator[str]:
    if lines:
        yield f"  {word}:"
    for line in lines:
        indent = " " * (4 + len(line) - len(line.lstrip()))
        yield from _wrapped(indent, line.strip(), indent + "  ")


def _wrapped(head: str, text: str, indent: str | None = None) -> list[str]:
    following = " " * len(head) if indent is None else indent
    return textwrap.wrap(head + text, WIDTH, subsequent_indent=following[:40], drop_whitespace=True,
                         break_long_words=False, break_on_hyphens=False) or [head]  # fmt: skip
