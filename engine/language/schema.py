"""JSON Schemas of every kind of file, made from the same models the loader uses, for one line's own names.

One file a kind, and `forms.json` with what they share (conditions, endings, values); relative `$ref`s join them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel

from engine.language.actions import EFFECTS
from engine.language.facts import SCALARS, Type
from engine.language.kinds import KINDS, BlockFile, LineFile
from engine.language.ladders import RUNGS
from engine.language.line import Line
from engine.language.operators import COMPARISONS
from engine.language.points import POINTS
from engine.language.values import ORDERED

DIALECT = "https://json-schema.org/draft/2020-12/schema"
FORMS = "forms.json"
_REFERENCE = {"type": "string", "pattern": r"^\$[a-z]", "description": "a reference: $order.phones, $limits.burst"}
_DURATION = {"type": "string", "pattern": r"^\s*[-+]?\d+(\.\d+)?\s*(ms|s|min|h|d)\s*$"}
_AMOUNT = {"type": ["number", "string"], "pattern": r"^\s*[-+]?\d+(\.\d+)?\s*(ms|s|min|h|d|%)\s*$"}
_LITERALS: dict[str, dict[str, Any]] = {
    "text": {"type": "string"},
    "yes_no": {"type": "boolean"},
    "number": {"type": "number"},
    "percent": {"type": ["number", "string"]},
    "instant": {"type": "string"},
    "clock": {"type": "string", "pattern": r"^(([01]?\d|2[0-3]):[0-5]\d|24:00)$"},
    "date": {"type": "string", "format": "date"},
    "duration": _DURATION,
}


def schemas(line: Line) -> dict[str, dict[str, Any]]:
    """File name → schema: one a kind of card, `line.json`, `block.json`, and the shared `forms.json`."""
    made = {f"{kind}.json": _schema(model, f"A card of the kind `{kind}`") for kind, model in KINDS.items()}
    made["line.json"] = _schema(LineFile, "line.yaml")
    made["block.json"] = _schema(BlockFile, "A block of instructions")
    made[FORMS] = {"$schema": DIALECT, "$defs": _forms(line)}
    return made


def bundle(line: Line, name: str) -> dict[str, Any]:
    """One schema with the shared forms inside, for a tool that reads a single file. Raises KeyError."""
    everything = schemas(line)
    whole = _inlined(everything[f"{name}.json"])
    whole["$defs"] = {**whole.get("$defs", {}), **everything[FORMS]["$defs"]}
    return dict(whole)


def _inlined(part: Any) -> Any:
    if isinstance(part, dict):
        return {
            key: value.removeprefix(FORMS) if key == "$ref" and isinstance(value, str) else _inlined(value)
            for key, value in part.items()
        }
    return [_inlined(one) for one in part] if isinstance(part, list) else part


def _schema(model: type[BaseModel], title: str) -> dict[str, Any]:
    made = _joined(model.model_json_schema(by_alias=True))
    return {"$schema": DIALECT, **made, "title": title}


def _joined(part: Any) -> Any:
    """The model's schema with each form of its own grammar referred to, and no key that may be null."""
    if isinstance(part, dict):
        if "x-form" in part:
            rest = {key: value for key, value in part.items() if key in ("description",)}
            return {"$ref": f"{FORMS}#/$defs/{part['x-form']}", **rest}
        options = part.get("anyOf")
        if isinstance(options, list) and {"type": "null"} in options:
            left = [option for option in options if option != {"type": "null"}]
            rest = {key: value for key, value in part.items() if key not in ("anyOf", "default")}
            return _joined({**rest, **(left[0] if len(left) == 1 else {"anyOf": left})})
        return {key: _joined(value) for key, value in part.items() if not (key == "default" and value is None)}
    return [_joined(one) for one in part] if isinstance(part, list) else part


def _forms(line: Line) -> dict[str, Any]:
    endings = sorted({ending for point in POINTS.values() for ending in point.endings} | {"pass", "next"})
    forms: dict[str, Any] = {
        "reference": _REFERENCE,
        "duration": _DURATION,
        "measure": {"anyOf": [_AMOUNT, _REFERENCE]},
        "value": {},
        "facts": _facts(line),
        "condition": _condition(line),
        "mark_test": _mark_test(line),
        "operators": {"type": "object"},
        "ending": _ending(line, endings),
        "then": {"anyOf": [_ref("ending"), {"type": "array", "items": _ref("ending"), "minItems": 1}]},
        "effect": _effect(line),
        "also": {"anyOf": [_ref("effect"), {"type": "array", "items": _ref("effect")}]},
        "edit": _edit(),
        "repair": {"anyOf": [{"type": "string", "minLength": 1}, _object({"ask": _ids(line, "questions")}, ["ask"])]},
        "words": {"anyOf": [{"type": "string", "pattern": r"\S"}, _object(
            {language: {"type": "string", "pattern": r"\S"} for language in line.config.languages}, least=1)]},
        "fields": {"type": "object", "minProperties": 1, "additionalProperties": _field()},
        "else": {"anyOf": [{"enum": ["hold", "absent"]}, {"type": "object"}]},
        "rungs": {"type": "object", "minProperties": 1, "additionalProperties": {
            "anyOf": [{"type": "string"},
                      {"type": "array", "minItems": 1, "items": _object({name: {} for name in RUNGS}, least=1)}]}},
    }  # fmt: skip
    for kind in {str(fact.type): fact.type for fact in line.facts.values()}.values():
        forms[_test_name(kind)] = _test(line, kind)
    forms[_test_name(Type("yes_no"))] = _test(line, Type("yes_no"))
    return forms


def _ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/$defs/{name}"}


def _object(properties: Mapping[str, Any], required: Iterable[str] = (), least: int = 0, **more: Any) -> dict[str, Any]:
    made: dict[str, Any] = {"type": "object", "properties": dict(properties), "additionalProperties": False, **more}
    if required:
        made["required"] = list(required)
    if least:
        made["minProperties"] = least
    return made


def _ids(line: Line, kind: str) -> dict[str, Any]:
    return {"enum": sorted(line.names(kind))} if line.names(kind) else {"type": "string"}


def _facts(line: Line) -> dict[str, Any]:
    return _object(
        {path: {"description": f"{fact.type}. {fact.says}".strip()} for path, fact in sorted(line.facts.items())}
    )


def _condition(line: Line) -> dict[str, Any]:
    several = {"type": "array", "items": _ref("condition"), "minItems": 1}
    properties: dict[str, Any] = {"any": several, "all": several, "not": _ref("condition")}
    for path, fact in sorted(line.facts.items()):
        says = f"{fact.type}{f' ({fact.unit})' if fact.unit else ''}: {fact.says}" if fact.says else str(fact.type)
        properties[path] = {**_ref(_test_name(fact.type)), "description": says}
    properties |= {f"terms.{name}": {"type": "boolean"} for name in sorted(line.names("terms"))}
    properties |= {f"marks.{name}": _ref("mark_test") for name in sorted(line.names("marks"))}
    return _object(properties, least=1, patternProperties={r"^it(\.[a-z][a-z0-9_]*)*$": {}})


def _mark_test(line: Line) -> dict[str, Any]:
    number = {"anyOf": [_AMOUNT, _REFERENCE]}
    properties: dict[str, Any] = dict.fromkeys(COMPARISONS, number)
    properties["within"] = {"anyOf": [_DURATION, _REFERENCE]}
    properties["share_of"] = {"enum": [f"marks.{name}" for name in sorted(line.names("marks"))]}
    properties["distinct"] = {"enum": ["sender", "chat", "order", "bot"]}
    return {"anyOf": [{"type": "boolean"}, _object(properties, least=1)]}


def _test_name(kind: Type) -> str:
    return "test_" + str(kind).replace(" | ", "_or_").replace(" ", "_")


def _literal(kind: Type) -> dict[str, Any]:
    if kind.name == "choice":
        return {"enum": [*kind.choices]}
    return _LITERALS.get(kind.name, {"type": "string"})


def _test(line: Line, kind: Type) -> dict[str, Any]:
    """What may be asked of a fact of this type."""
    one = {"anyOf": [_literal(kind), _REFERENCE]}
    many = {"anyOf": [{"type": "array", "items": one}, _REFERENCE]}
    properties: dict[str, Any] = {"empty": {"type": "boolean"}}
    if kind.name != "record":
        properties |= {"is": one, "in": many, "not_in": many}
    if kind.name in ORDERED:
        properties |= dict.fromkeys(COMPARISONS, one)
        properties["between"] = {"type": "array", "items": one, "minItems": 2, "maxItems": 2}
    if kind.name in ("instant", "duration"):
        properties["within"] = {"anyOf": [_DURATION, _REFERENCE]}
    if kind.name in ("moment", "instant"):
        properties["tolerance"] = _DURATION
    if kind.name in ("text", "choice", "order_number"):
        text = {"type": "string"}
        properties["matches"] = {"anyOf": [text, {"type": "array", "items": text, "minItems": 1}]}
        properties["has"] = {}
    if kind.name == "text":
        bound = {"anyOf": [{"type": "number"}, _REFERENCE]}
        properties["like"] = _object({"to": many, "at_least": bound}, ["to", "at_least"])
    if kind.many:
        quantified = {"type": "object", "minProperties": 1}
        properties |= dict.fromkeys(("some", "none", "every"), quantified)
        properties["count"] = {"anyOf": [{"type": "number"}, _REFERENCE, quantified]}
        properties["has"] = {}
    options = [_object(properties, least=1)]
    if kind.name != "record":
        options = [_literal(kind), _REFERENCE, *options]
    return {"anyOf": options}


def _ending(line: Line, endings: list[str]) -> dict[str, Any]:
    say = {"anyOf": [_ids(line, "texts"), _REFERENCE]}
    return {
        "anyOf": [
            {"enum": endings},
            _object({"say": say}, ["say"]),
            _object({"ask": _ids(line, "questions"), "say": say}, ["ask"]),
            _object({"wake": _REFERENCE}, ["wake"]),
            _object({"skip": {"type": "string"}}, ["skip"]),
        ]
    }


def _effect(line: Line) -> dict[str, Any]:
    marks, name = _ids(line, "marks"), {"type": "string"}
    forms = {
        "alert": {"alert": _ids(line, "roles")},
        "notice": {"notice": _ids(line, "texts"), "to": name},
        "set": {"set": marks, "with": {"type": "object"}},
        "clear": {"clear": marks},
        "bind": {"bind": {"type": "object", "minProperties": 1}},
    }
    return {"anyOf": [_object(forms.get(does, {does: name}), [does]) for does in EFFECTS]}


def _edit() -> dict[str, Any]:
    return {
        "anyOf": [
            _object({"remove": {"enum": ["match", "sentence", "item"]}}, ["remove"]),
            _object(
                {"replace": {"enum": ["match", "sentence", "whole"]}, "with": {"type": "string"}}, ["replace", "with"]
            ),
            _object(
                {"cut": {"enum": ["sentence"]}, "at_most": {"anyOf": [{"type": "number"}, _REFERENCE]}},
                ["cut", "at_most"],
            ),
        ]
    }


def _field() -> dict[str, Any]:
    names = [name for name in SCALARS if name != "choice"]
    spelled = {"anyOf": [{"enum": names + [f"list of {name}" for name in names]}, {"type": "string", "pattern": r"\|"}]}
    choices = {"type": "array", "items": {"type": "string"}, "minItems": 1}
    mapping = _object({
        "type": {"anyOf": [spelled, choices]}, "from": {"type": "number"}, "to": {"type": "number"},
        "optional": {"type": "boolean"},
    }, ["type"])  # fmt: skip
    return {"anyOf": [spelled, choices, mapping]}
