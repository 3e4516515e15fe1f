"""What stands on the right side of an operator: a literal, a `$` reference, or a list of both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from engine.language.normalise import normalise
from engine.language.turn import ABSENT, Failed, Turn


class Operand(Protocol):
    """A literal, a `$` reference, or a list of both."""

    def values(self, turn: Turn) -> list[Any] | Failed:
        """What it stands for now; an absent value contributes nothing."""
        ...

    def reads(self) -> Iterator[str]: ...


@dataclass(frozen=True)
class Literal:
    value: Any
    spelled: str

    def values(self, turn: Turn) -> list[Any] | Failed:
        return [self.value]

    def reads(self) -> Iterator[str]:
        yield from ()

    def __str__(self) -> str:
        return self.spelled


@dataclass(frozen=True)
class FactRef:
    path: str

    def values(self, turn: Turn) -> list[Any] | Failed:
        value = turn.get(self.path)
        if isinstance(value, Failed):
            return value
        if value is ABSENT:
            return []
        return [item.value for item in value] if isinstance(value, list) else [value]

    def reads(self) -> Iterator[str]:
        yield self.path

    def __str__(self) -> str:
        return f"${self.path}"


@dataclass(frozen=True)
class LimitRef:
    limit: str

    def values(self, turn: Turn) -> list[Any] | Failed:
        value = turn.line.limits[self.limit].value(turn)
        if isinstance(value, Failed):
            return value
        return [] if value is None else [value]

    def reads(self) -> Iterator[str]:
        yield f"limits.{self.limit}"

    def __str__(self) -> str:
        return f"$limits.{self.limit}"


@dataclass(frozen=True)
class Several:
    of: tuple[Operand, ...]

    def values(self, turn: Turn) -> list[Any] | Failed:
        everything: list[Any] = []
        trouble: Failed | None = None
        for operand in self.of:
            got = operand.values(turn)
            if isinstance(got, Failed):
                trouble = got
            else:
                everything.extend(got)
        return trouble or everything

    def known(self, turn: Turn) -> list[Any]:
        """The values of those parts whose source did not fail."""
        parts = [operand.values(turn) for operand in self.of]
        return [value for part in parts if not isinstance(part, Failed) for value in part]

    def reads(self) -> Iterator[str]:
        for operand in self.of:
            yield from operand.reads()

    def __str__(self) -> str:
        return "[" + ", ".join(str(operand) for operand in self.of) + "]"


def form(kind: str, value: Any) -> Any:
    """A value of a type as it is looked up: two are the same exactly when their forms are equal."""
    return normalise(value).text.strip() if kind == "text" and isinstance(value, str) else value


def looked_up(kind: str, operands: Sequence[Operand]) -> frozenset[Any] | None:
    """The forms of fixed values; None when one depends on facts, or the type has no such form."""
    if kind not in ("choice", "yes_no", "text") or not all(isinstance(one, Literal) for one in operands):
        return None
    return frozenset(form(kind, one.value) for one in operands if isinstance(one, Literal))
