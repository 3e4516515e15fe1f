"""Speed against the bars it must reach. Everything compared is measured in one run, turn about."""

from __future__ import annotations

import datetime as dt
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import regex

from engine.compiled import CompiledLine
from engine.evidence.ask import decided
from engine.evidence.messages import Row, read_rows
from engine.language.compile import compile_line
from engine.language.normalise import normalise
from engine.language.project import read_project
from engine.language.run import run_point
from engine.language.turn import Turn

Say = Callable[[str], None]
CHECKS = 22
"""Pattern checks of row 1."""
ROUNDS = 5
_HEAD = "title: A check\nwhy: It is measured.\nsince: 2026-12-01\n"
_LINE = "rulecard: 1\ntitle: Measured\nlanguages: [en]\nzone: Europe/London\nregion: GB\n"


@dataclass(frozen=True)
class Measured:
    """One row: what was measured, in words, and whether its bar is held."""

    row: int
    bar: str
    found: str
    held: bool


def bench(line: CompiledLine, rows: Sequence[int], say: Say) -> int:
    """Measure the rows asked for, or all; 1 when a bar is not held."""
    messages = _messages(line)
    known: Mapping[int, Callable[[], Measured]] = {
        1: lambda: checks(line, [one.text for one in messages]),
        2: lambda: own_time(line, messages),
    }
    say(f"{os.cpu_count()} cores, {len(messages)} messages, {ROUNDS} rounds")
    found = [known[row]() for row in (rows or sorted(known)) if row in known]
    for one in found:
        say(f"row {one.row}: {one.found}; the bar is {one.bar}: {'held' if one.held else 'NOT HELD'}")
    return 0 if found and all(one.held for one in found) else 1


def _messages(line: CompiledLine) -> list[Row]:
    """The shipped log of the line; where there is none, the messages of its cards' examples."""
    from runbook.session import shipped

    log = shipped() / "reference" / line.name / "log.jsonl"
    if log.is_file():
        return list(read_rows(log))
    texts = [one.message for card in line.line.source.cards.values() for one in card.body.examples]
    return [Row(str(number), text) for number, text in enumerate(text for text in texts if isinstance(text, str))]


def checks(line: CompiledLine, texts: Sequence[str]) -> Measured:
    """Row 1: CHECKS gates with a pattern each and their whole trace, against a loop of `regex` over the same patterns
    and the same normalised texts."""
    sources = [one.source for one in line.line.matched][:CHECKS]
    files = {"cards/bench/line.yaml": _LINE}
    for number, source in enumerate(sources):
        body = f"at: pre-gate\nwhen: {{message.text: {{matches: [{_quoted(source)}]}}}}\nalso: {{alert: a}}\n"
        files[f"cards/bench/gates/check_{number}.yaml"] = _HEAD + body
    files["cards/bench/roles/a.yaml"] = _HEAD + "may: [read]\n"
    made, _ = compile_line(read_project(files).lines["bench"])
    bare = [regex.compile(pattern._compiled.pattern) for pattern in made.matched]
    now = dt.datetime.now(dt.UTC)
    ours, loop = list[float](), list[float]()
    for _ in range(ROUNDS):
        for text in texts:
            begun = time.perf_counter()
            run_point("pre-gate", Turn(made, {"message.text": text}, now))
            middle = time.perf_counter()
            normal = normalise(text).text
            for pattern in bare:
                pattern.search(normal)
            ours.append(middle - begun)
            loop.append(time.perf_counter() - middle)
    a, b = _share(ours, 0.5), _share(loop, 0.5)
    found = f"{len(bare)} checks p50 {a * 1e6:.0f} µs, a bare loop {b * 1e6:.0f} µs, {a / b:.2f} ×"
    return Measured(1, "≤ 1.0 ×", found, a <= b)


def own_time(line: CompiledLine, messages: Sequence[Row]) -> Measured:
    """Row 2: the engine's own time for a message, without model, ports, sources and embedding."""
    list(decided(line, messages))
    own, near = list[float](), list[float]()
    for _ in range(ROUNDS):
        for _, decision in decided(line, messages):
            own.append(decision.own)
            near += [decision.embedding] if decision.embedding else []
    p50, p99 = _share(own, 0.5), _share(own, 0.99)
    found = f"p50 {p50 * 1e6:.0f} µs, p99 {p99 * 1e6:.0f} µs (embedding and nearest questions p50 {_share(near, 0.5) * 1e6:.0f} µs)"
    return Measured(2, "p50 ≤ 150 µs, p99 ≤ 1,000 µs", found, p50 <= 150e-6 and p99 <= 1e-3)


def _share(values: Sequence[float], share: float) -> float:
    ordered = sorted(values) or [0.0]
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def _quoted(source: str) -> str:
    return "'" + source.replace("'", "''") + "'"
