"""What a card does: endings (`then`, `on_error`), effects (`also`), edits and repairs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from engine.language import right_side as right
from engine.language.facts import Type
from engine.language.operands import Key, is_reference
from engine.language.points import ASK_BEFORE, UNASKED_AT, Point
from engine.language.problems import nearest
from engine.language.reading import Reader
from engine.language.slots import slots_of

EndingKind = Literal["end", "pass", "next", "say", "ask", "wake", "skip"]
_NUMBER = Type("number")


@dataclass(frozen=True)
class Ending:
    """One way a card can end. `name`: the outcome, text, question or step; `ref`: a `$fact` that is said or woken.

    `say`: the text that follows an `ask`.
    """

    kind: EndingKind
    name: str = ""
    ref: str = ""
    say: Ending | None = None

    def __str__(self) -> str:
        what = self.name or f"${self.ref}"
        after = f", say {self.say.name or '$' + self.say.ref}" if self.say else ""
        return (
            what if self.kind == "end" else self.kind if self.kind in ("pass", "next") else f"{self.kind} {what}{after}"
        )

    @property
    def outcome(self) -> str:
        """The outcome it stands for among others: to say something is to send."""
        return "send" if self.kind == "say" or self.say else self.name if self.kind == "end" else ""


PASS, NEXT = Ending("pass"), Ending("next")


@dataclass(frozen=True)
class Effect:
    """One effect beside any ending: alert, notice, set, clear, start, discard, bind."""

    does: str
    name: str
    to: str = ""
    values: Mapping[str, right.Operand] | None = None


@dataclass(frozen=True)
class Edit:
    """`remove` or `replace` a match, its sentence, the item or the whole; `cut` after a sentence at a length."""

    does: Literal["remove", "replace", "cut"]
    part: str
    replacement: str = ""
    at_most: right.Operand | None = None


def read_then(reader: Reader, point: Point, raw: Any, key: Key) -> tuple[Ending, ...]:
    """`then` or `on_error` as alternatives: the first that can be carried out."""
    if isinstance(raw, list):
        if not raw:
            reader.refuse(key, "empty_value", "The list of endings is empty.")
        return tuple(ending for index, one in enumerate(raw) for ending in read_then(reader, point, one, (*key, index)))
    ending = _mapping(reader, point, raw, key) if isinstance(raw, Mapping) else _word(reader, point, raw, key)
    return (ending,) if ending else ()


def _word(reader: Reader, point: Point, raw: Any, key: Key) -> Ending | None:
    if raw in ("pass", "next"):
        return Ending("pass" if raw == "pass" else "next")
    if isinstance(raw, str) and raw in point.endings:
        return Ending("end", raw)
    known = [*point.endings, "pass", "next"]
    cure = nearest(str(raw), known)
    if isinstance(raw, str) and raw in reader.line.names("texts"):
        cure = f"To send the text, write {{say: {raw}}}."
    says = f"`{raw}` is no ending at `{point.name}`."
    reader.refuse(key, "unknown_ending", says, cure)
    return None


def _mapping(reader: Reader, point: Point, raw: Mapping[str, Any], key: Key) -> Ending | None:
    kinds = [name for name in ("ask", "say", "wake", "skip") if name in raw]
    unknown = set(raw) - {"ask", "say", "wake", "skip"}
    if unknown or not kinds or (len(raw) > 1 and set(raw) != {"ask", "say"}):
        name = sorted(unknown)[0] if unknown else "+".join(raw)
        cure = (
            nearest(name, ("say", "ask", "wake", "skip"))
            or "An ending is a word, {say: …}, {ask: …}, {wake: …}, {skip: …}."
        )
        reader.refuse(key, "unknown_ending", f"`{name}` is no form of ending.", cure)
        return None
    if "send" not in point.endings and kinds[0] != "ask":
        reader.refuse(
            key, "unknown_ending", f"Nothing is said at `{point.name}`.", f"Known: {', '.join(point.endings)}."
        )
        return None
    say = _say(reader, raw["say"], (*key, "say")) if "say" in raw else None
    if "ask" in raw and point.name in UNASKED_AT:
        reader.refuse(key, "unknown_ending", f"Nothing is asked at `{point.name}`.", ASK_BEFORE)
        return None
    if "ask" in raw:
        question = raw["ask"]
        if not isinstance(question, str) or not reader.exists("questions", question, (*key, "ask")):
            return None
        return Ending("ask", question, say=say)
    if "say" in raw:
        return say
    if "wake" in raw:
        if not is_reference(raw["wake"]):
            reader.refuse(
                (*key, "wake"), "wrong_type", "`wake` takes a list of recipients by reference: $group.members."
            )
            return None
        fact = reader.fact(raw["wake"][1:], (*key, "wake"))
        return Ending("wake", ref=fact.path) if fact else None
    return Ending("skip", str(raw["skip"]))


def _say(reader: Reader, raw: Any, key: Key) -> Ending | None:
    if is_reference(raw):
        fact = reader.fact(raw[1:], key)
        if fact and fact.type.name != "text":
            reader.refuse(key, "wrong_type", f"`{fact.path}` is a {fact.type}; only a text can be said.")
            return None
        return Ending("say", ref=fact.path) if fact else None
    if not isinstance(raw, str):
        reader.refuse(key, "wrong_type", "`say` takes the id of a text, or a `$fact`.")
        return None
    return Ending("say", raw) if reader.exists("texts", raw, key) else None


EFFECTS = ("alert", "notice", "set", "clear", "start", "discard", "bind")


def read_also(reader: Reader, raw: Any, key: Key) -> tuple[Effect, ...]:
    """`also`: a list of effects, or one."""
    if raw is None:
        return ()
    listed = raw if isinstance(raw, list) else [raw]
    made = []
    for index, one in enumerate(listed):
        at = (*key, index) if isinstance(raw, list) else key
        if isinstance(one, Mapping):
            made.append(_effect(reader, one, at))
        else:
            reader.refuse(at, "wrong_type", "An effect is a mapping such as {set: paused}.")
    return tuple(effect for effect in made if effect)


def _effect(reader: Reader, raw: Mapping[str, Any], key: Key) -> Effect | None:
    does = next((name for name in EFFECTS if name in raw), None)
    extra = {"notice": {"to"}, "set": {"with"}}.get(does or "", set())
    stray = sorted(set(raw) - {does} - extra)
    if does is None or stray:
        name = stray[0] if stray else "+".join(raw)
        reader.refuse(key, "unknown_effect", f"`{name}` is no effect here.", nearest(name, [*EFFECTS, *extra]))
        return None
    at, value = (*key, does), raw[does]
    if does == "bind":
        return _bind(reader, value, at)
    if not isinstance(value, str):
        reader.refuse(at, "wrong_type", f"`{does}` takes a name.")
        return None
    kind = {"alert": "roles", "notice": "texts", "set": "marks", "clear": "marks"}.get(does)
    if kind and not reader.exists(kind, value, at):
        return None
    if does == "set":
        return Effect(does, value, values=_carried(reader, value, raw.get("with", {}), (*key, "with")))
    to = str(raw.get("to", "chat"))
    if does == "notice" and to not in ("sender", "chat") and not reader.exists("roles", to, (*key, "to")):
        return None
    return Effect(does, value, to=to if does == "notice" else "")


def _carried(reader: Reader, mark: str, raw: Any, key: Key) -> dict[str, right.Operand]:
    if not isinstance(raw, Mapping):
        reader.refuse(key, "wrong_type", "`with` is a mapping of what the mark carries.")
        return {}
    values = {}
    for name, value in raw.items():
        fact = reader.line.facts.get(f"marks.{mark}.{name}")
        if fact is None or name == "ago":
            known = [path.rpartition(".")[2] for path in reader.line.facts if path.startswith(f"marks.{mark}.")]
            cure = nearest(name, [one for one in known if one != "ago"])
            reader.refuse((*key, name), "unknown_key", f"The mark `{mark}` carries no `{name}`.", cure)
            continue
        operand = reader.operand(value, fact.type, (*key, name))
        if operand:
            values[name] = operand
    return values


def _bind(reader: Reader, raw: Any, key: Key) -> Effect | None:
    if not isinstance(raw, Mapping) or not raw:
        reader.refuse(key, "wrong_type", "`bind` is a mapping: {order.number: $message.order_numbers}.")
        return None
    values = {}
    for path, value in raw.items():
        fact = reader.line.facts.get(path)
        if fact is None:
            cure = nearest(path, reader.line.facts)
            reader.refuse((*key, path), "unknown_path", f"`{path}` is no fact of this line.", cure)
            continue
        operand = reader.operand(value, fact.type, (*key, path))
        if operand:
            values[path] = operand
    return Effect("bind", ", ".join(values), values=values)


def read_edit(reader: Reader, raw: Any, key: Key) -> Edit | None:
    """`edit: {remove: sentence}`, `{replace: match, with: …}`, `{cut: sentence, at_most: …}`."""
    if raw is None:
        return None
    does = next((name for name in ("remove", "replace", "cut") if isinstance(raw, Mapping) and name in raw), None)
    wants = {"remove": {"remove"}, "replace": {"replace", "with"}, "cut": {"cut", "at_most"}}
    if does is None or set(raw) != wants[does]:
        reader.refuse(
            key, "bad_form", "An edit is {remove: part}, {replace: part, with: text} or {cut: sentence, at_most: n}."
        )
        return None
    parts = {"remove": ("match", "sentence", "item"), "replace": ("match", "sentence", "whole"), "cut": ("sentence",)}
    if raw[does] not in parts[does]:
        says = f"`{raw[does]}` is no part that can be {does}d."
        reader.refuse((*key, does), "unknown_value", says, nearest(str(raw[does]), parts[does]))
        return None
    if does == "cut":
        bound = reader.operand(raw["at_most"], _NUMBER, (*key, "at_most"))
        return Edit("cut", "sentence", at_most=bound) if bound else None
    replacement = raw.get("with", "")
    if not isinstance(replacement, str):
        reader.refuse((*key, "with"), "wrong_type", "`with` is a text.")
        return None
    check_slots(reader, replacement, (*key, "with") if does == "replace" else key)
    return Edit("remove" if does == "remove" else "replace", raw[does], replacement)


def check_slots(reader: Reader, text: str, key: Key, found: bool = True) -> None:
    """Refuse a slot that nothing can fill. `found`: whether the card has evidence to show."""
    for slot in slots_of(text):
        if slot.path == "found":
            if not found:
                reader.refuse(key, "unknown_slot", "`{found}` is filled by a card's evidence; there is none here.")
        elif slot.path.startswith("texts."):
            reader.exists("texts", slot.path.removeprefix("texts."), key)
        elif slot.path.startswith("limits."):
            reader.exists("limits", slot.path.removeprefix("limits."), key)
        else:
            reader.fact(slot.path, key)
