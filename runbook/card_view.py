"""What the documents show of one card: its rows in words, its examples, its changes. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from engine.language.kinds import Common, LineFile, Wave
from engine.language.project import Card
from runbook.phrases import Names, Phrase, Piece, card, condition, edit, effects, ending, joined, named, value, written


@dataclass(frozen=True)
class Row:
    """One thing that a card says: a label, and the lines of a tree (how deep, and the phrase)."""

    label: str
    lines: tuple[tuple[int, Phrase], ...]


@dataclass(frozen=True)
class ExampleView:
    """One example: does the card fire (None: not asked), the words it is about, what is given, what comes of it."""

    fires: bool | None
    subject: str
    given: tuple[Phrase, ...]
    gives: tuple[Phrase, ...]
    note: str


@dataclass(frozen=True)
class ChangeView:
    """One dated entry: about which card or locked thing, why, and what was expected of it."""

    date: str
    why: str
    about: str
    expected: str


def row(label: str, *phrases: Phrase) -> Row:
    return Row(label, tuple((0, phrase) for phrase in phrases))


def _words(text: object) -> Phrase:
    return (Piece(str(text).strip(), "words"),)


def _code(text: object) -> Phrase:
    return (Piece(str(text), "code"),)


def _cards(kind: str, ids: list[str]) -> Phrase:
    return joined(card(f"{kind}/{id}") for id in ids)


def rows(one: Card, names: Names) -> tuple[Row, ...]:
    """What the card does, in its own order of reading; every key of the card that no row knows is shown as written."""
    raw = one.source.value
    told = [*_TELL.get(one.kind, _nothing)(one, raw, names)]
    known = {*_ELSEWHERE, *_KEYS.get(one.kind, ())}
    return (*told, *(row(_label(key), (Piece(written(raw[key]), "value"),)) for key in raw if key not in known))


_ELSEWHERE = frozenset(info.alias or name for name, info in Common.model_fields.items())
"""Keys of every kind: they have their own place in the documents."""
_KEYS: Mapping[str, tuple[str, ...]] = {
    "gates": ("at", "when", "unless", "then", "also", "reason", "on_error"),
    "guard": ("at", "when", "unless", "then", "also", "reason", "on_error", "repair", "edit", "counts_as"),
    "texts": ("words", "cases"),
    "limits": ("value", "cases", "unit", "within", "per", "of", "at_least", "at_most"),
    "terms": ("when", "patterns"),
    "marks": ("scope", "carries", "lasts"),
    "questions": ("calls", "instructions", "adds", "reads", "fields", "at", "when", "fills", "limits", "ladder",
                  "else"),
    "ladders": ("for", "scope", "window", "errors"),
    "roles": ("who", "may", "may_not", "reads"),
    "waves": ("opens", "switch", "closed", "measured"),
}  # fmt: skip
"""Keys that the rows of each kind tell."""


def _label(key: str) -> str:
    return key.replace("_", " ").capitalize()


def _nothing(one: Card, raw: Mapping[str, Any], names: Names) -> Iterator[Row]:
    yield from ()


def _tree(label: str, raw: Mapping[str, Any], key: str, names: Names) -> Iterator[Row]:
    if key in raw:
        yield Row(label, tuple(condition(raw[key], names)))


def _rule(one: Card, raw: Mapping[str, Any], names: Names) -> Iterator[Row]:
    yield from _tree("When", raw, "when", names)
    yield from _tree("Unless", raw, "unless", names)
    if "edit" in raw:
        yield row("Edit", edit(raw["edit"]))
    if "repair" in raw:
        repair = raw["repair"]
        asks = isinstance(repair, Mapping) and "ask" in repair
        yield row("Repair", (Piece("ask "), *named("questions", repair["ask"])) if asks else _words(repair))
    if "then" in raw:
        reason = (Piece(", reason "), *_code(raw["reason"])) if raw.get("reason") else ()
        yield row("Then", (*ending(raw["then"]), *reason))
    if raw.get("also"):
        yield row("Also", *effects(raw["also"]))
    if "on_error" in raw:
        yield row("If a source fails", ending(raw["on_error"]))
    if "counts_as" in raw:
        yield row("Counts as", (Piece("the error "), *_code(raw["counts_as"])))


def _text(one: Card, raw: Mapping[str, Any], names: Names) -> Iterator[Row]:
    if "words" in raw:
        yield row("Words", *_spoken(raw["words"]))
    if "cases" in raw:
        yield _cases([(case, _spoken(case["words"])) for case in raw["cases"]], names)


def _spoken(words: Any) -> list[Phrase]:
    if isinstance(words, Mapping):
        return [(Piece(f"{language}: "), *_words(said)) for language, said in words.items()]
    return [_words(words)]


def _cases(cases: list[tuple[Mapping[str, Any], list[Phrase]]], names: Names) -> Row:
    """Each case as `if …: …`; a condition or an outcome of several lines stands below."""
    lines: list[tuple[int, Phrase]] = []
    for case, outcome in cases:
        tree = list(condition(case["when"], names)) if "when" in case else []
        head: Phrase = (Piece("otherwise: "),)
        if len(tree) == 1:
            head = (Piece("if "), *tree[0][1], Piece(": "))
        elif tree:
            lines += [(0, (Piece("if all of this holds:"),)), *((deep + 1, phrase) for deep, phrase in tree)]
            head = (Piece("then: "),)
        if len(outcome) == 1:
            lines.append((0, (*head, *outcome[0])))
        else:
            lines += [(0, head), *((1, phrase) for phrase in outcome)]
    return Row("Cases", tuple(lines))


def _limit(one: Card, raw: Mapping[str, Any], names: Names) -> Iterator[Row]:
    spelled = one.source.raw
    if "value" in raw:
        yield row("Value", _measure(raw, spelled.get(("value",), raw["value"])))
    if "cases" in raw:
        said = [_measure(raw, spelled.get(("cases", n, "value"), case["value"])) for n, case in enumerate(raw["cases"])]
        yield _cases([(case, [one]) for case, one in zip(raw["cases"], said, strict=True)], names)
    bounds = [(f"{word} ", key) for word, key in (("at least", "at_least"), ("at most", "at_most")) if key in raw]
    if bounds:
        yield row("Bounds", joined((Piece(word), *_bound(raw[key], spelled.get((key,)))) for word, key in bounds))


def _measure(raw: Mapping[str, Any], said: object) -> Phrase:
    """`20 within 10 min`, `80 % of context.usable`, `100 ms per character`."""
    made: list[Piece] = [Piece(str(said), "value"), *([Piece(f" {raw['unit']}")] if "unit" in raw else [])]
    for word in ("within", "per", "of"):
        if word in raw:
            operand = value(raw[word]) if str(raw[word]).startswith("$") else (Piece(str(raw[word])),)
            made += [Piece(f" {word} "), *operand]
    return tuple(made)


def _bound(raw: Any, spelled: str | None) -> Phrase:
    return value(raw) if isinstance(raw, str) and raw.startswith("$") else (Piece(str(spelled or raw), "value"),)


def _term(one: Card, raw: Mapping[str, Any], names: Names) -> Iterator[Row]:
    yield from _tree("When", raw, "when", names)
    if "patterns" in raw:
        yield row("Patterns", *(_code(pattern) for pattern in raw["patterns"]))


def _mark(one: Card, raw: Mapping[str, Any], names: Names) -> Iterator[Row]:
    scopes = raw["scope"] if isinstance(raw["scope"], list) else [raw["scope"]]
    yield row("On", (Piece("the " + " and the ".join(str(scope).replace("_", " ") for scope in scopes)),))
    if raw.get("carries"):
        yield row("Carries", *(_field(name, spelling) for name, spelling in raw["carries"].items()))
    yield row("Lasts", (Piece(str(raw["lasts"]), "value"),) if "lasts" in raw else (Piece("until it is cleared"),))


def _field(name: object, spelling: Any) -> Phrase:
    """`topic order | payment`, `sure number, from 0, to 1`, `note text, optional`."""
    more = dict(spelling) if isinstance(spelling, Mapping) else {}
    kind = more.pop("type", spelling)
    said = " | ".join(map(str, kind)) if isinstance(kind, list) else written(kind)
    optional = [", optional"] if more.pop("optional", False) is True else []
    return (
        *_code(name),
        Piece("".join([f" {said}", *(f", {key} {written(one)}" for key, one in more.items()), *optional])),
    )


def _question(one: Card, raw: Mapping[str, Any], names: Names) -> Iterator[Row]:
    yield row("Calls", _code(raw["calls"]))
    if "at" in raw:
        yield row("Asked", (Piece(f"at the start of {raw['at']}"),))
    yield from _tree("When", raw, "when", names)
    if "fills" in raw:
        yield row("Fills", (Piece(f"the {raw['fills']}"),))
    told = [*(f"blocks/{id}" for id in raw.get("instructions", [])), *raw.get("adds", [])]
    if told:
        yield row("Is told", joined((Piece(name, to=name),) for name in told))
    if raw.get("reads"):
        yield row("Is given", joined((names.fact(path),) for path in map(str, raw["reads"])))
    fields = raw.get("fields", {})
    if isinstance(fields, Mapping):
        yield row("Returns", *(_field(name, spelling) for name, spelling in fields.items()))
    if raw.get("limits"):
        yield row("Within", _cards("limits", raw["limits"]))
    failing = raw.get("else", "hold")
    said = ending(failing) if isinstance(failing, str) else (Piece("assume "), Piece(written(failing), "value"))
    ladder = (*_cards("ladders", [raw["ladder"]]), Piece(", then ")) if "ladder" in raw else ()
    yield row("If it fails", (*ladder, *said))


def _ladder(one: Card, raw: Mapping[str, Any], names: Names) -> Iterator[Row]:
    yield row("Answers for", (Piece(str(raw["for"])),))
    errors = raw.get("errors")
    for error, rungs in errors.items() if isinstance(errors, Mapping) else ():
        yield row(
            f"On {error}", joined((_rung(rung) for rung in (rungs if isinstance(rungs, list) else [rungs])), " → ")
        )
    if "scope" in raw:
        window = f", for {raw['window']}" if "window" in raw else ""
        yield row("Keeps its rung", (Piece(f"by {raw['scope']}{window}"),))


def _rung(rung: Any) -> Phrase:
    """`wait 2 s, times 2`, `give up: say texts/sorry`."""
    parts: list[Phrase] = []
    for key, operand in rung.items() if isinstance(rung, Mapping) else ():
        if key == "give_up":
            parts.append((Piece("give up: "), *ending(operand)))
        elif key == "ask":
            parts.append((Piece("ask "), *named("questions", operand)))
        else:
            parts.append((Piece(f"{key} "), Piece(str(operand), "value")))
    return joined(parts) or (Piece(written(rung), "value"),)


def _role(one: Card, raw: Mapping[str, Any], names: Names) -> Iterator[Row]:
    yield from _tree("Who", raw, "who", names)
    for key, label in (("may", "May"), ("may_not", "May not"), ("reads", "Reads")):
        if raw.get(key):
            yield row(label, joined(_code(one) for one in raw[key]))


def _wave(one: Card, raw: Mapping[str, Any], names: Names) -> Iterator[Row]:
    assert isinstance(one.body, Wave)
    yield from _tree("Opens when", raw, "opens", names)
    always = one.body.switch == "always"
    yield row("Switch", (Piece("none: it is always open"),) if always else _code(f"switches.{one.body.switch}"))
    if not always:
        yield row("While closed", ending(one.body.closed))
    for entry in one.body.measured:
        seen = ", ".join(f"{number:g}" for number in entry.seen or ())
        expected = f", expected {entry.expected:g}" if entry.expected is not None else ""
        yield row("Measured", (Piece(f"{entry.date}: {entry.says}{expected}{f', seen {seen}' if seen else ''}"),))


_TELL: Mapping[str, Callable[[Card, Mapping[str, Any], Names], Iterator[Row]]] = {
    "gates": _rule, "guard": _rule, "texts": _text, "limits": _limit, "terms": _term, "marks": _mark,
    "questions": _question, "ladders": _ladder, "roles": _role, "waves": _wave,
}  # fmt: skip


# examples and changes


def examples(one: Card) -> tuple[ExampleView, ...]:
    """The card's examples in their order."""
    return tuple(_example(raw, one.kind) for raw in one.source.value.get("examples", []))


def _example(raw: Mapping[str, Any], kind: str) -> ExampleView:
    subject = next((raw[key] for key in ("message", "answer", "item") if key in raw), None)
    said = subject if isinstance(subject, str) else ""
    given = [*_given(raw)]
    if subject is not None and not isinstance(subject, str):
        given.insert(0, (Piece("item "), Piece(written(subject), "value")))
    if not said and not given:
        given.append((Piece("nothing given"),))
    return ExampleView(raw.get("fires"), said, tuple(given), tuple(_gives(raw, kind)), str(raw.get("note", "")))


def _given(raw: Mapping[str, Any]) -> Iterator[Phrase]:
    if "error" in raw:
        yield (Piece("the error "), *_code(raw["error"]))
    if "rung" in raw:
        yield (Piece(f"rung {raw['rung']}"),)
    for path, fact in raw.get("facts", {}).items():
        yield (Piece(str(path), "fact"), Piece(": "), *_fact_value(fact))
    for question, answer in raw.get("asked", {}).items():
        yield (*card(f"questions/{question}"), Piece(": "), *_answered(answer))
    for mark in raw.get("history", []):
        yield _mark_before(mark)
    if "now" in raw:
        yield (Piece("at "), Piece(str(raw["now"]), "value"))


def _fact_value(fact: Any) -> Phrase:
    if isinstance(fact, Mapping) and set(fact) == {"failed"}:
        return (Piece(f"has failed ({fact['failed']})"),)
    return _shown(fact)


def _answered(raw: Any) -> Phrase:
    """A question's fields as `person true, note …`, or `failed`."""
    if isinstance(raw, Mapping) and raw:
        return joined((Piece(f"{name} "), *_shown(one)) for name, one in raw.items())
    return (Piece(str(raw)),) if isinstance(raw, str) else (Piece(written(raw), "value"),)


def _shown(raw: Any) -> Phrase:
    if isinstance(raw, list) and raw and all(isinstance(one, str) for one in raw):
        return joined(_code(one) for one in raw)
    return _code(raw) if isinstance(raw, str) else (Piece(written(raw), "value"),)


def _mark_before(mark: Any) -> Phrase:
    """`marks/loop_hit set 5 min ago, 2 times`."""
    if not isinstance(mark, Mapping) or "mark" not in mark:
        return (Piece(written(mark), "value"),)
    said = [*card(f"marks/{mark['mark']}"), Piece(f" set {mark['ago']} ago" if "ago" in mark else " set")]
    said += [Piece(f", {mark['times']} times")] if "times" in mark else []
    for key in (key for key in mark if key not in ("mark", "ago", "times")):
        said += [Piece(f", {key} "), *_shown(mark[key])]
    return tuple(said)


def _gives(raw: Mapping[str, Any], kind: str) -> Iterator[Phrase]:
    if "then" in raw:
        yield ending(raw["then"])
    if "reason" in raw:
        yield (Piece("reason "), *_code(raw["reason"]))
    if "becomes" in raw:
        becomes = raw["becomes"]
        worded = isinstance(becomes, str) and kind != "limits"
        yield (Piece("becomes "), *(_words(becomes) if worded else (Piece(str(becomes), "value"),)))
    if raw.get("sets"):
        yield (Piece("sets "), *_cards("marks", raw["sets"]))
    if raw.get("alerts"):
        yield (Piece("alerts "), *_cards("roles", raw["alerts"]))


def changes(body: Common | LineFile, about: str) -> tuple[ChangeView, ...]:
    """A card's dated entries, newest last; `about`: what an entry is about when it names no locked thing."""
    made = []
    for change in body.changes:
        expect = change.expect
        flips = f"{expect.flips} past messages flip" if expect else ""
        turn = f" from {expect.from_} to {expect.to}" if expect and expect.from_ and expect.to else ""
        what = change.instruction or change.item or about
        renamed = f" (formerly {change.was})" if change.was else ""
        made.append(ChangeView(str(change.date), change.why, f"{what}{renamed}", f"{flips}{turn}"))
    return tuple(made)
