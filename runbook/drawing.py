"""The path of a message as a drawing: where each station stands on the line, and where its branches lead. Pure.

Lengths are units of the drawing; the page scales it to its width.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from runbook.view import Station

STEP = 52
"""From one station to the next."""
LEFT, RIGHT = 34, 108
"""Room before the first station, and after the last one for the names of the endings."""
LINE = 92
"""The height of the line: room above it for names that lean."""
FIRST_RAIL, RAIL = 50, 24
"""From the line down to the first ending, and from one ending to the next."""
TURN, APART = 9, 4
"""How wide a branch turns, and how far apart the branches of one station run."""


@dataclass(frozen=True)
class Stop:
    """A station on the line."""

    station: Station
    x: int


@dataclass(frozen=True)
class Branch:
    """From a station down to an ending: an SVG path."""

    station: str
    ending: str
    path: str
    x: int
    y: int
    """Where it meets the rail of its ending."""


@dataclass(frozen=True)
class Rail:
    """An ending: the line on which all branches to it end."""

    ending: str
    x: int
    y: int
    cards: int
    """How many cards can come to it."""


@dataclass(frozen=True)
class Drawing:
    width: int
    height: int
    line: int
    end: int
    stops: tuple[Stop, ...]
    branches: tuple[Branch, ...]
    rails: tuple[Rail, ...]


def drawing(path: Sequence[Station], endings: Sequence[str], cards: dict[str, int]) -> Drawing:
    """The drawing of a path. `endings`: from the least to the most strict; `cards`: how many come to each."""
    stops = tuple(Stop(station, LEFT + STEP * index) for index, station in enumerate(path))
    heights = {ending: LINE + FIRST_RAIL + RAIL * index for index, ending in enumerate(endings)}
    branches = tuple(
        _branch(stop, ending, index, heights[ending])
        for stop in stops
        for index, ending in enumerate(one for one in stop.station.endings if one in heights)
    )
    end = LEFT + STEP * max(0, len(path) - 1) + STEP // 2
    first = {branch.ending: branch.x for branch in reversed(branches)}
    rails = tuple(Rail(one, first[one], heights[one], cards.get(one, 0)) for one in endings if one in first)
    height = LINE + FIRST_RAIL + RAIL * max(0, len(endings) - 1) + 20
    return Drawing(end + RIGHT, height, LINE, end, stops, branches, rails)


def _branch(stop: Stop, ending: str, index: int, y: int) -> Branch:
    x = stop.x + round(APART * (index - (len(stop.station.endings) - 1) / 2))
    path = f"M{x} {LINE}V{y - TURN}Q{x} {y} {x + TURN} {y}"
    return Branch(stop.station.name, ending, path, x + TURN, y)
