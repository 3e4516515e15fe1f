"""Asking a line: one message, a file of messages, a conversation. Nothing is sent to anybody."""

from __future__ import annotations

import asyncio
import json
import re
import sys
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from engine.compiled import CompiledLine
from engine.decision import Decision
from engine.evidence.messages import BadRow, Row, facts_of, read_rows
from engine.evidence.show import as_json, row, summary, trace
from engine.language.turn import MarkEntry
from engine.language.yaml_source import parse
from engine.log.decisions import PROBE
from engine.model.called import GivenModels
from engine.store import Memory

Say = Callable[[str], None]


def ask(line: CompiledLine, text: str, facts: Sequence[str], form: str, with_trace: bool, say: Say) -> int:
    """Ask one message and print what becomes of it. `facts`: `path=value` each; `form`: `text` or `json`."""
    id = f"{PROBE}-{uuid.uuid4().hex[:8]}"
    now = line.rooms.now()
    decision = asyncio.run(line.answer(facts_of(line.line, text, id, now, given(facts)), id=id, now=now))
    if form == "json":
        say(as_json(decision))
        return 0
    say(summary(decision))
    if with_trace:
        say(trace(decision))
    say(f"\nWhy: rulecard why {id}" if line.rooms.keep else "")
    return 0


def given(facts: Sequence[str]) -> dict[str, Any]:
    """Facts typed as `path=value`; the value is read as YAML. Raises BadRow."""
    read: dict[str, Any] = {}
    for one in facts:
        path, sign, value = one.partition("=")
        if not sign or not path.strip():
            raise BadRow(f"`{one}` is no fact. Write --fact order.status=on_the_way.")
        source, problems = parse(f"value: {value.strip() or '~'}", "--fact")
        if source is None or problems:
            raise BadRow(f"The value of `{path}` is no YAML: {problems[0].says if problems else ''} Quote it.")
        read[path.strip()] = source.value["value"]
    return read


def ask_file(line: CompiledLine, path: Path, as_table: bool, say: Say) -> int:
    """Ask every message of a JSONL file, each for itself; one JSON decision a row, in the order of the file, or one
    table of how they ended.

    The rows share no marks: each is a customer of its own. Raises BadRow before anything is asked.
    """
    rows = list(read_rows(path))
    bar, pairs = Progress(len(rows), path.name), []
    for one, decision in decided(line, rows):
        if as_table:
            pairs.append((one, decision))
        else:
            say(json.dumps({**row(decision), "id": one.id}, ensure_ascii=False))
        bar.step()
    bar.done()
    if as_table:
        say(table(pairs))
    return 0


def decided(line: CompiledLine, rows: Iterable[Row]) -> Iterable[tuple[Row, Decision]]:
    """Every row with its decision, one after the other."""
    with asyncio.Runner() as runner:
        loop = runner.get_loop()
        for one in rows:
            yield one, loop.run_until_complete(decide_row(line, one))


async def decide_row(line: CompiledLine, one: Row) -> Decision:
    """One row as a turn of its own: marks begin empty, and what the row says the model answered is taken for it."""
    alone = alone_of(line)
    if one.answer is not None:
        alone = alone.with_models(GivenModels(answering(line), one.answer, one.repair, line.rooms.models))
    now, id = line.rooms.now(), f"{PROBE}-{uuid.uuid4().hex[:8]}"
    return await alone.answer(facts_of(line.line, one.text, one.id, now, one.facts), id=id, now=now)


def alone_of(line: CompiledLine, marks: Sequence[MarkEntry] = ()) -> CompiledLine:
    """The same line with marks of its own, empty or given, that nobody else sees."""
    memory = Memory()
    kept = memory.marks(line.line)
    kept.write(marks, ())
    return line.with_rooms(marks=kept, seen=memory.seen())


def answering(line: CompiledLine) -> str:
    """The question that fills the answer; empty when the line asks none by itself."""
    found = [id for id, one in line.line.questions.items() if one.fills and not one.asked]
    return found[0] if found else ""


def table(pairs: Sequence[tuple[Row, Decision]]) -> str:
    """How messages ended, by outcome and reason, the most frequent first; and what they took."""
    counted = Counter((decision.outcome, decision.reason) for _, decision in pairs)
    lines = [
        f"{outcome:10} {reason:32} {count:6} {count / len(pairs):7.1%}"
        for (outcome, reason), count in counted.most_common()
    ]
    for what, took in (
        ("own time", [one.own for _, one in pairs]),
        ("embedding and nearest questions", [one.embedding for _, one in pairs if one.embedding]),
        ("whole turn", [one.seconds for _, one in pairs]),
    ):
        if took:
            lines.append(
                f"{what}: p50 {_share(took, 0.5) * 1e6:.0f} µs, p99 {_share(took, 0.99) * 1e6:.0f} µs, {len(took)} messages"
            )
    return "\n".join(lines)


def _share(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


class Progress:
    """A line on the terminal that counts; nothing in a pipe."""

    def __init__(self, total: int, what: str) -> None:
        self.total, self.what, self.at = total, what, 0
        self.shown = sys.stderr.isatty()
        self._last = 0.0

    def step(self) -> None:
        self.at += 1
        if self.shown and time.monotonic() - self._last > 0.1:
            self._last = time.monotonic()
            sys.stderr.write(f"\r{self.what}: {self.at} of {self.total}")
            sys.stderr.flush()

    def done(self) -> None:
        if self.shown:
            sys.stderr.write(f"\r{self.what}: {self.at} of {self.total}\n")


def chat(line: CompiledLine, say: Say, read: Callable[[], str | None]) -> int:
    """A conversation on the terminal: marks, recent lines and bound orders live on as on a real line.

    `read` gives the next line, None at the end. `/fact path=value` adds a fact and `/fact path=` takes it back,
    `/trace` shows the last trace.
    """
    alone, facts, lines = alone_of(line), dict[str, Any](), _Lines()
    last: Decision | None = None
    say(f"Write a message. {_ORDERS}")
    with asyncio.Runner() as runner:
        while (text := read()) is not None and text.strip() != "/quit":
            if text.strip() == "/trace":
                say(trace(last) if last else "Nothing has been decided yet.")
            elif text.startswith("/fact "):
                if trouble := _fact(text.removeprefix("/fact ").strip(), facts, line):
                    say(trouble)
            elif _ORDER.match(text):
                say(f"`{text.split()[0]}` is no order. {_ORDERS}")
            elif text.strip():
                id, now = f"{PROBE}-{uuid.uuid4().hex[:8]}", line.rooms.now()
                more = {"sender.id": "chat", "chat.id": "chat", **lines.facts(), **facts}
                last = runner.run(alone.answer(facts_of(line.line, text, id, now, more), id=id, now=now))
                last = alone.commit(last, delivered=last.outcome == "send", at=now)
                lines.add(text, last)
                say(summary(last))
    return 0


_ORDER = re.compile(r"/[a-z]+\b(?!/)")
_ORDERS = (
    "/fact path=value adds a fact (/fact path= takes it back), /trace tells how the last one was decided, /quit ends."
)


def _fact(spelled: str, facts: dict[str, Any], line: CompiledLine) -> str:
    """Add or take back one fact of a conversation; a sentence when it cannot be."""
    if spelled.endswith("=") and facts.pop(spelled[:-1].strip(), None) is not None:
        return ""
    try:
        new = given([spelled])
    except BadRow as bad:
        return str(bad)
    if unknown := line.unknown_facts(new):
        return unknown[0]
    facts.update(new)
    return ""


class _Lines:
    """The recent lines of a conversation, as facts."""

    def __init__(self) -> None:
        self.customer: list[str] = []
        self.bot: list[str] = []

    def add(self, text: str, decision: Decision) -> None:
        self.customer.append(text)
        if decision.outcome == "send" and decision.text:
            self.bot.append(decision.text)

    def facts(self) -> Mapping[str, Any]:
        known: dict[str, Any] = {"chat.customer_lines": self.customer[-10:], "chat.bot_lines": self.bot[-10:]}
        return {**known, "chat.last_sent": self.bot[-1]} if self.bot else known
