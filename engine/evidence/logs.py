"""The log on the command line: list, report, import, export, shorten."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from pathlib import Path

from engine.compiled import CompiledLine
from engine.language.values import read_duration
from engine.log import DecisionLog, LogUnavailable
from engine.log.files import BadImport, export, import_jsonl
from runbook.session import Refused

Say = Callable[[str], None]


def log(
    line: CompiledLine, log: DecisionLog, action: str, file: Path | None, since: str | None, outcome: str | None,
    reason: str | None, probes: bool, masked: bool, say: Say,
) -> int:  # fmt: skip
    """One action on the log. Raises Refused."""
    begin = line.rooms.now() - dt.timedelta(seconds=_seconds(since)) if since else None
    try:
        if action == "list":
            rows = log.rows(line.name, begin, None, outcome, reason, probes, 50)
            for one in rows:
                at = f"{one.decision.at:%Y-%m-%d %H:%M}" if one.decision.at else "-" * 16
                words = " ".join(str(one.decision.facts.get("message.text", "")).split())[:60]
                say(f"{at} {one.decision.id[:20]:20} {one.decision.outcome:10} {one.decision.reason:28} {words}")
            if not rows:
                say(
                    "The log holds no such decision." + ("" if probes else " Probes are left out; --probes shows them.")
                )
        elif action == "report":
            counts = log.counts(line.name, begin)
            total = sum(count for _, _, count in counts)
            for ended, why, count in counts:
                say(f"{ended:10} {why:32} {count:6} {count / total:7.1%}")
            say(f"{total} decisions, probes left out.")
        elif action == "import":
            added, known = _imported(log, file, line.name)
            say(f"{added} decisions imported, {known} were there already.")
        elif action == "export":
            rows = log.rows(line.name, begin, None, outcome, reason, probes)
            if masked:
                from engine.log.masking import Mask, masked_rows

                rows = masked_rows(rows, Mask.of(log.path.parent, line.line))
            for text in export(rows):
                say(text)
        elif action == "shorten":
            kept = line.line.used_limit("keep_log", line.turn({}))
            if kept is None:
                raise Refused("line.yaml does not say how long the log is kept: uses: {keep_log: …}.")
            gone = log.shorten(line.rooms.now() - dt.timedelta(seconds=kept), line.name)
            say(f"{gone} decisions deleted.")
    except (BadImport, LogUnavailable) as error:
        raise Refused(str(error)) from None
    return 0


def _seconds(since: str) -> float:
    try:
        return read_duration(since)
    except ValueError as error:
        raise Refused(f"--since: {error}") from None


def _imported(log: DecisionLog, file: Path | None, line: str) -> tuple[int, int]:
    if file is None:
        raise Refused("Name the file: rulecard log import FILE.jsonl.")
    try:
        return import_jsonl(log, file, line)
    except (OSError, UnicodeDecodeError) as error:
        raise Refused(f"{file} cannot be read: {getattr(error, 'strerror', '') or 'it is not UTF-8'}.") from None
