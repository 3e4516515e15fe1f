"""The shape of a file: its plain YAML against its pydantic model, each mistake at its place."""

from __future__ import annotations

import typing
from collections.abc import Iterator
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from engine.language.problems import Problem, nearest
from engine.language.yaml_source import Source

Model = TypeVar("Model", bound=BaseModel)
_WORDS = {str: "text", bool: "true or false", int: "a number", float: "a number", list: "a list", dict: "a mapping"}
_EXPECTED = {
    "string_type": "text", "int_type": "a whole number", "float_type": "a number", "bool_type": "true or false",
    "list_type": "a list", "dict_type": "a mapping", "model_type": "a mapping", "model_attributes_type": "a mapping",
    "date_from_datetime_parsing": "a date such as 2026-09-21", "date_type": "a date such as 2026-09-21",
    "date_parsing": "a date such as 2026-09-21", "float_parsing": "a number", "int_from_float": "a whole number",
}  # fmt: skip


def shaped(model: type[Model], source: Source, problems: list[Problem]) -> Model | None:
    """`source` as an instance of `model`, or None with every mistake added to `problems`."""
    value = source.value
    empty = list(_empty(value, ()))
    for path in empty:
        says = f"`{path[-1]}` is empty." if isinstance(path[-1], str) else "An item of the list is empty."
        problems.append(Problem(source.place_of(path), "empty_value", says, "Give it a value, or remove it."))
    for path in empty:
        value = _without(value, path)
    try:
        read = model.model_validate(value)
        return None if empty else read
    except ValidationError as error:
        respelled = _respelled(value, error.errors(), source)
    try:
        read = model.model_validate(respelled)
        return None if empty else read
    except ValidationError as error:
        seen = set()
        for detail in error.errors():
            problem = _problem(model, detail, source, empty)
            if problem and problem not in seen:
                seen.add(problem)
                problems.append(problem)
        return None


def _empty(value: Any, path: tuple[str | int, ...]) -> Iterator[tuple[str | int, ...]]:
    if value is None and path:
        yield path
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _empty(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _empty(item, (*path, index))


def _without(value: Any, path: tuple[str | int, ...]) -> Any:
    """A copy without the entry at `path` (list items stay in their place: they have been reported)."""
    return _replaced(value, path, None, drop=isinstance(path[-1], str))


def _replaced(value: Any, path: tuple[str | int, ...], new: Any, drop: bool = False) -> Any:
    head, rest = path[0], path[1:]
    if isinstance(value, dict):
        copy = dict(value)
        if rest:
            copy[head] = _replaced(copy[head], rest, new, drop)
        elif drop:
            copy.pop(head, None)
        else:
            copy[head] = new
        return copy
    items = list(value)
    assert isinstance(head, int)
    items[head] = _replaced(items[head], rest, new, drop) if rest else new
    return items


def _respelled(value: Any, errors: list[ErrorDetails], source: Source) -> Any:
    """Where text is asked and YAML read a number, the number as it was spelled (`1.10` stays `1.10`)."""
    for detail in errors:
        path = detail["loc"]
        if detail["type"] == "string_type" and isinstance(detail["input"], (int, float)):
            raw = source.raw.get(path)
            if raw is not None and not isinstance(detail["input"], bool):
                value = _replaced(value, path, raw)
    return value


def _problem(
    model: type[BaseModel], detail: ErrorDetails, source: Source, empty: list[tuple[str | int, ...]]
) -> Problem | None:
    path = tuple(part for part in detail["loc"] if part != "[key]")
    while path and isinstance(path[-1], int) and path not in source.spans:
        path = path[:-1]  # one value where a list may stand
    kind = detail["type"]
    if kind == "missing":
        if path in empty:
            return None
        return Problem(source.place_of(path[:-1]), "missing_key", f"`{path[-1]}` is missing.", "Add it.")
    place = source.place_of(path)
    if kind == "extra_forbidden":
        known = _keys(model, path[:-1])
        return Problem(
            source.key_place_of(path), "unknown_key", f"`{path[-1]}` is no key here.", nearest(str(path[-1]), known)
        )
    if kind in _EXPECTED:
        found = _WORDS.get(type(detail["input"]), "something else")
        shown = f" `{detail['input']}`" if isinstance(detail["input"], (str, int, float, bool)) else ""
        return Problem(place, "wrong_type", f"This must be {_EXPECTED[kind]}; it is {found}{shown[:60]}.")
    if kind in ("literal_error", "enum"):
        expected = str(detail.get("ctx", {}).get("expected", ""))
        says = f"`{detail['input']}` is not one of {expected}."
        return Problem(place, "unknown_value", says, nearest(str(detail["input"]), _choices(expected)))
    if kind == "value_error":
        cause = detail.get("ctx", {}).get("error")
        says, _, cure = str(cause).partition("\n")
        return Problem(place, "unknown_value", says, cure)
    if kind == "string_pattern_mismatch":
        says = f"`{str(detail['input'])[:60]}` does not have the right form."
        cure = "An id has small letters, digits and `_`; an instruction's is block.name; text is not blank."
        return Problem(place, "bad_form", says, cure)
    if kind in ("too_short", "string_too_short"):
        return Problem(place, "empty_value", "This is empty.", "Give it a value, or remove it.")
    return Problem(place, "wrong_value", detail["msg"] + ".")


def _choices(expected: str) -> list[str]:
    return [part.strip(" '\"") for part in expected.replace(" or ", ",").split(",") if part.strip()]


def _keys(model: Any, path: tuple[str | int, ...]) -> list[str]:
    """The keys that the mapping at `path` below `model` may have."""
    for part in path:
        model = _step(model, part)
        if model is None:
            return []
    if isinstance(model, type) and issubclass(model, BaseModel):
        return [info.alias or name for name, info in model.model_fields.items()]
    return []


def _step(model: Any, part: str | int) -> Any:
    if isinstance(model, type) and issubclass(model, BaseModel):
        for name, info in model.model_fields.items():
            if (info.alias or name) == part:
                return _bare(info.annotation)
        return None
    arguments = typing.get_args(model)
    return _bare(arguments[-1]) if arguments else None


def _bare(annotation: Any) -> Any:
    """The annotation without `Annotated` and `| None`."""
    while typing.get_origin(annotation) is typing.Annotated:
        annotation = typing.get_args(annotation)[0]
    options = [option for option in typing.get_args(annotation) if option is not type(None)]
    if len(options) == 1 and typing.get_origin(annotation) not in (list, dict, tuple):
        return _bare(options[0])
    return annotation
