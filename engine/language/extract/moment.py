"""Times as people write them: a clock time, a range of them, or a dated time."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from zoneinfo import ZoneInfo

DAY = 24 * 60


@dataclass(frozen=True)
class Moment:
    """A time in the line's zone. `start` and `end` are minutes of the day (0 to 1440); `day` is known for a dated
    one. `half`: written on a twelve-hour clock without saying which half of the day."""

    start: float
    end: float | None = None
    day: dt.date | None = None
    half: bool = False

    def contains(self, other: Moment, tolerance: float = 0.0) -> bool:
        """Whether `other` lies inside, `tolerance` seconds more or less. A range holds its ends and may wrap
        midnight; a single time holds only itself; where both name a day it must be the same."""
        if self.day and other.day and self.day != other.day:
            return False
        shifts = (0, DAY // 2) if other.half or self.half else (0,)
        return any(self._holds(other, shift, tolerance / 60) for shift in shifts)

    def same(self, other: Moment, tolerance: float = 0.0) -> bool:
        """Whether both are the same time or the same range, `tolerance` seconds more or less at each end."""
        if (self.end is None) != (other.end is None) or (self.day and other.day and self.day != other.day):
            return False
        pairs = [(self.start, other.start)] + ([(self.end, other.end)] if self.end is not None else [])
        shifts = (0, DAY // 2) if other.half or self.half else (0,)
        return any(
            all(min((a - b - shift) % DAY, (b + shift - a) % DAY) <= tolerance / 60 for a, b in pairs if b is not None)
            for shift in shifts
        )

    def _holds(self, other: Moment, shift: int, tolerance: float) -> bool:
        low, high = self.start - tolerance, (self.start if self.end is None else self.end) + tolerance
        if self.end is not None and self.end < self.start:
            high += DAY
        points = (other.start,) if other.end is None else (other.start, other.end)
        return all(any(low <= point + shift + turn <= high for turn in (-DAY, 0, DAY)) for point in points)

    def __str__(self) -> str:
        spelled = _clock(self.start) if self.end is None else f"{_clock(self.start)}-{_clock(self.end)}"
        return f"{self.day.isoformat()} {spelled}" if self.day else spelled


def of_instant(value: dt.datetime, zone: str) -> Moment:
    """An instant as a dated time of the line's zone (a naive one is taken as of that zone)."""
    local = value.astimezone(ZoneInfo(zone)) if value.tzinfo else value
    return Moment(local.hour * 60 + local.minute + local.second / 60, day=local.date())


def _clock(minutes: float) -> str:
    whole = int(minutes) % DAY if minutes != DAY else DAY
    return f"{whole // 60:02d}:{whole % 60:02d}"
