"""Conditions, endings and effects of a card as sentences a person on shift can read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from engine.language.line import Line
from engine.language.yaml_write import inline

Lines = Iterator[tuple[int, str]]

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


def condition(raw: Any, line: Line, depth: int = 0) -> Lines:
    """A condition as lines of a tree: how deep, and the sentence. Entries of one mapping hold together."""
    if not isinstance(raw, Mapping):
        yield depth, value(raw)
        return
    for path, asked in raw.items():
        if path in ("any", "all") and isinstance(asked, list):
            yield depth, "one of:" if path == "any" else "all of:"
            for one in asked:
                yield from _grouped(one, line, depth + 1)
        elif path == "not":
            yield depth, "not:"
            yield from _grouped(asked, line, depth + 1)
        elif path.startswith("terms."):
            term = line.terms.get(path.removeprefix("terms."))
            says = f" ({term.card.body.title})" if term else ""
            yield depth, f"{path.replace('.', '/', 1)}{says}: {'holds' if asked is True else 'does not hold'}"
        else:
            yield from _fact(path, asked, line, depth)


def _grouped(raw: Any, line: Line, depth: int) -> Lines:
    """A part of `any`, `all` or `not`; several entries are shown to hold together."""
    if isinstance(raw, Mapping) and len(raw) > 1:
        yield depth, "together:"
        depth += 1
    yield from condition(raw, line, depth)


def _fact(path: str, asked: Any, line: Line, depth: int) -> Lines:
    fact = line.facts.get(path)
    many = fact is not None and fact.type.many
    name = path.replace(".", "/", 1) if path.startswith("marks.") and path.count(".") == 1 else path
    if fact is not None and fact.says:
        name = f"{name} ({fact.says})"
    if not isinstance(asked, Mapping):
        if path.startswith("marks.") and isinstance(asked, bool):
            yield depth, f"{name} {'is set' if asked else 'is not set'}"
        else:
            yield depth, f"{name}{':' if many else ''} {(_ASKS_MANY if many else _ASKS)['is'].format(value(asked))}"
        return
    said = [one for key, operand in asked.items() if (one := _operator(key, operand, many, path))]
    if said:
        yield depth, f"{name}{':' if many else ''} {', and '.join(said)}"
    for key, operand in asked.items():
        if key in ("some", "none", "every", "count") and isinstance(operand, Mapping):
            yield depth, f"{name}, {_QUANTIFIED[key](operand)}:"
            of = operand.get("where", {}) if key == "count" else operand
            yield from _items(of, line, depth + 1)


def _items(of: Any, line: Line, depth: int) -> Lines:
    """What is asked of the items of a list: operators about the item, or a condition on its fields."""
    fields = isinstance(of, Mapping) and any(key in ("it", "any", "all", "not") or key.startswith("it.") for key in of)
    yield from condition(of if fields else {"it": of}, line, depth)


def _counted(operand: Mapping[str, Any]) -> str:
    asked = [_ASKS[key].format(value(one)) for key, one in operand.items() if key != "where" and key in _ASKS]
    return f"the number of those{' ' + ' and '.join(asked) if asked else ''} where"


_QUANTIFIED = {
    "some": lambda _: "one of them", "none": lambda _: "none of them", "every": lambda _: "each of them",
    "count": _counted,
}  # fmt: skip


def _operator(key: str, operand: Any, many: bool, path: str) -> str:
    if key == "empty" and many:
        return "there is none" if operand is True else "there is one"
    if key == "empty":
        return "is not known" if operand is True else "is known"
    if key == "between" and isinstance(operand, list) and len(operand) == 2:
        return f"lies between {value(operand[0])} and {value(operand[1])}"
    if key == "like" and isinstance(operand, Mapping):
        return f"is like one of {value(operand.get('to'))} by {value(operand.get('at_least'))} or more"
    if key == "within" and path.startswith("marks."):
        return f"counted over {value(operand)}"
    form = (_ASKS_MANY if many else _ASKS).get(key)
    return form.format(value(operand)) if form else ""


def value(raw: Any) -> str:
    """A literal as written; `$terms.x`, `$limits.x` by the name of their card, `$order.phones` by its path."""
    if isinstance(raw, str) and raw.startswith("$"):
        path = raw[1:]
        return path.replace(".", "/", 1) if path.startswith(("terms.", "limits.", "texts.")) else path
    if isinstance(raw, list):
        return ", ".join(value(one) for one in raw)
    if isinstance(raw, str):
        return f"`{raw}`"
    return inline(raw)


def ending(raw: Any) -> str:
    """What follows: an outcome, a text said, a question asked; of several, the first that can be carried out."""
    if isinstance(raw, list):
        return ", or if that cannot be: ".join(ending(one) for one in raw)
    if not isinstance(raw, Mapping):
        return {"next": "the next card", "pass": "on to the next point"}.get(str(raw), str(raw))
    kinds = {"ask": "questions", "say": "texts", "wake": "", "skip": ""}
    said = [f"{key} {_named(kind, raw[key])}" for key, kind in kinds.items() if key in raw]
    return ", then ".join(said) or inline(raw)


def example(raw: Mapping[str, Any]) -> str:
    """An example as `what is given → what must come of it`."""
    subjects = [raw[key] for key in ("message", "answer", "item") if key in raw]
    given = [f"“{one}”" if isinstance(one, str) else inline(one) for one in subjects]
    given += [
        f"{key} {inline(raw[key])}" for key in ("error", "rung", "now", "facts", "asked", "history") if key in raw
    ]
    come = ["fires" if raw["fires"] is True else "does not fire"] if "fires" in raw else []
    come += [ending(raw["then"])] if "then" in raw else []
    come += [f"becomes “{raw['becomes']}”"] if "becomes" in raw else []
    come += [f"{key} {inline(raw[key])}" for key in ("reason", "sets", "alerts") if key in raw]
    note = f" ({raw['note']})" if "note" in raw else ""
    return f"{', '.join(given) or 'always'} → {', '.join(come)}{note}"


def effects(raw: Any) -> list[str]:
    """What happens beside the ending, one sentence each."""
    kinds = {"alert": "roles", "notice": "texts", "set": "marks", "clear": "marks"}
    made = []
    for one in raw if isinstance(raw, list) else [raw] if raw else []:
        key = next((name for name in _EFFECTS if name in one), None) if isinstance(one, Mapping) else None
        if key is None:
            made.append(inline(one))
            continue
        more = f" to {one['to']}" if "to" in one else f" with {inline(one['with'])}" if "with" in one else ""
        what = inline(one[key]) if isinstance(one[key], Mapping) else _named(kinds.get(key, ""), one[key])
        made.append(_EFFECTS[key].format(what) + more)
    return made


def _named(kind: str, raw: Any) -> str:
    if isinstance(raw, str) and raw.startswith("$"):
        return value(raw)
    return f"{kind}/{raw}" if kind else str(raw)
