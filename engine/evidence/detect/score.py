"""How a detector does on cases by others: what is counted, and what is printed of it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.language.extract import Context


class NoSet(ValueError):
    """A file of the set is not there or is no JSONL: one sentence with the place."""


@dataclass(frozen=True)
class Miss:
    """One case that went wrong: what should have been found and was not, what was found and should not have been."""

    id: str
    text: str
    missed: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()

    def __str__(self) -> str:
        parts = [f"missed {', '.join(self.missed)}"] if self.missed else []
        parts += [f"found {', '.join(self.extra)}"] if self.extra else []
        return f"{self.id}: {' · '.join(parts)} | {self.text[:160]}"


@dataclass
class Score:
    """Counts of one set. A case is right when exactly what it expects was found; precision and recall count spans.

    `apart`: cases left out of the figures because we differ on purpose, by the convention's name. `bars`: what must be
    reached, by figure: `right`, `precision`, `recall` and what else the set puts into `more` (shares, 0 to 1).
    """

    name: str
    bars: Mapping[str, float] = field(default_factory=dict)
    n: int = 0
    right: int = 0
    expected: int = 0
    found: int = 0
    hits: int = 0
    misses: list[Miss] = field(default_factory=list)
    apart: Counter[str] = field(default_factory=Counter)
    more: dict[str, float] = field(default_factory=dict)

    def case(self, id: str, text: str, expected: Iterable[Hashable], found: Iterable[Hashable]) -> bool:
        """Count one case; whether it is right."""
        wanted, got = Counter(expected), Counter(found)
        hits = wanted & got
        self.n += 1
        self.expected += wanted.total()
        self.found += got.total()
        self.hits += hits.total()
        right = wanted == got
        self.right += right
        if not right:
            missed = tuple(sorted(map(str, (wanted - got).elements())))
            self.misses.append(Miss(id, text, missed, tuple(sorted(map(str, (got - wanted).elements())))))
        return right

    @property
    def figures(self) -> dict[str, float]:
        """The shares that bars are held against."""
        return {
            "right": self.right / self.n if self.n else 0.0,
            "precision": self.hits / self.found if self.found else 1.0,
            "recall": self.hits / self.expected if self.expected else 1.0,
            **self.more,
        }

    @property
    def held(self) -> bool:
        """Whether every bar is reached; a bar named `… at most` is an upper one."""
        figures = self.figures
        return self.n > 0 and all(
            figures[name.removesuffix(" at most")] <= bar if name.endswith(" at most") else figures[name] >= bar
            for name, bar in self.bars.items()
        )

    def as_json(self, with_misses: bool) -> dict[str, Any]:
        """The set as plain values."""
        plain: dict[str, Any] = {
            "set": self.name, "n": self.n, "right": self.right, "expected": self.expected, "found": self.found,
            "hits": self.hits, "figures": {name: round(value, 4) for name, value in self.figures.items()},
            "bars": dict(self.bars), "held": self.held, "apart": dict(self.apart),
        }  # fmt: skip
        if with_misses:
            plain["misses"] = [
                {"id": one.id, "text": one.text, "missed": one.missed, "found": one.extra} for one in self.misses
            ]
        return plain

    def __str__(self) -> str:
        figures = " · ".join(f"{name} {value:.1%}" for name, value in self.figures.items())
        bars = ", ".join(f"{name}{'' if 'at most' in name else ' ≥'} {bar:.0%}" for name, bar in self.bars.items())
        apart = f" · apart: {', '.join(f'{name} {count}' for name, count in self.apart.items())}" if self.apart else ""
        state = "held" if self.held else "NOT HELD"
        return f"{self.name}: n {self.n} · {figures}{apart} · the bar is {bars or 'none'}: {state if self.bars else 'printed'}"


def rows(folder: Path, name: str) -> Iterator[dict[str, Any]]:
    """The rows of `name`.jsonl in a folder. Raises NoSet."""
    path = folder / f"{name}.jsonl"
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise NoSet(
            f"{path}: {getattr(error, 'strerror', None) or 'no UTF-8 text'}. Give a folder with {name}.jsonl."
        ) from None
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                row = json.loads(line)
            except ValueError:
                raise NoSet(f"{path}:{number}: This is no JSON.") from None
            yield row


def context(region: str = "US", zone: str = "UTC", now: Any = None, languages: tuple[str, ...] = ("en",)) -> Context:
    """What the extractors know in a test set: no order numbers."""
    return Context(region, languages, zone, None, now)
