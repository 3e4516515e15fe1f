"""The demo: what Rulecard does, on one screen, on the lines that come with it. No key, no server, nothing left behind."""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from engine.compiled import CompiledLine
from engine.decision import Decision
from engine.evidence.ask import decided
from engine.evidence.messages import Row, read_rows
from engine.evidence.show import underlined
from engine.language.project import Instruction, LineSource

Say = Callable[[str], None]
MESSAGES = 200
"""How many messages of the shipped log are decided."""
WIDTH = 100
RED, GREEN, BOLD, PLAIN = "\x1b[31m", "\x1b[32m", "\x1b[1m", "\x1b[0m"


def demo(line: CompiledLine, root: Path, colour: bool, say: Say) -> int:
    """Show a message stopped, an answer repaired, a change refused, and what becomes of MESSAGES messages.

    `root`: the project's folder; what is changed is changed in a copy of it. `line` runs offline.
    """
    show = _Screen(say, colour)
    rows = _log(root, line.name)
    pairs = list(decided(line, rows))
    _stopped(pairs, show)
    _repaired(pairs, show)
    _changed(root, line.line.source, show)
    _outcomes(pairs, show)
    _next(line, pairs, show)
    return 0


class _Screen:
    def __init__(self, say: Say, colour: bool) -> None:
        self.say, self.colour = say, colour

    def head(self, text: str) -> None:
        self.say(f"\n{self.dye(text, BOLD)}")

    def dye(self, text: str, ansi: str) -> str:
        return f"{ansi}{text}{PLAIN}" if self.colour else text

    def lines(self, *texts: str) -> None:
        for text in texts:
            for one in text.splitlines():
                self.say(f"  {one if len(one) <= WIDTH else one[: WIDTH - 1] + '…'}")


def _log(root: Path, line: str) -> list[Row]:
    """The first messages of the line's shipped log; none when it has no log."""
    path = root / "reference" / line / "log.jsonl"
    return list(read_rows(path))[:MESSAGES] if path.is_file() else []


Pairs = list[tuple[Row, Decision]]


def _stopped(pairs: Pairs, show: _Screen) -> None:
    """The first message that a card stopped before the model, with the words it stopped it for."""
    for row, decision in pairs:
        marked = underlined(row.text, decision, decision.card)
        if decision.card.startswith("gates/") and decision.outcome == "hold" and "~" in marked and len(row.text) < 90:
            show.head("A message that never reaches the model")
            show.lines(marked)
            show.lines(f"{show.dye(decision.outcome, RED)} by {decision.card}: {decision.reason}")
            return


def _repaired(pairs: Pairs, show: _Screen) -> None:
    """The first answer that the guard refused and one repair mended."""
    for row, decision in pairs:
        said = [call.fields.get("text") for call in decision.calls if call.state == "answered"]
        if decision.outcome == "send" and decision.source == "model" and len(said) > 1 and said[0] != said[-1]:
            found = [one for one in decision.verdicts if one.round == 1]
            show.head("An answer that does not leave as it was")
            show.lines(f"customer  {row.text}", f"model     {show.dye(str(said[0]), RED)}")
            show.lines(*(f"guard     {one.card}: {one.found or one.reason}" for one in found[:3]))
            show.lines(f"repaired  {show.dye(str(decision.text), GREEN)}", f"send      by wave {decision.wave}")
            return


def _changed(root: Path, line: LineSource, show: _Screen) -> None:
    """One instruction changed in a copy of the project, and what `check` says of it."""
    found = _shortened(line)
    if found is None:
        return
    item, new = found
    with tempfile.TemporaryDirectory(prefix="rulecard-") as folder:
        copy = Path(folder)
        for name in ("cards", "rules", "reference", "runbook", "knowledge"):
            if (root / name).is_dir():
                shutil.copytree(root / name, copy / name, ignore=shutil.ignore_patterns("*.py", "*.pyc", "*.html"))
        file = copy / item.place.file
        file.write_text(file.read_text("utf-8").replace(item.text, new, 1), "utf-8")
        show.head(f"Somebody shortens {item.id}; `rulecard check` refuses")
        show.lines(*_refusal(copy, line.name, show.colour))


def _refusal(copy: Path, line: str, colour: bool) -> Iterator[str]:
    """What `check` prints of the first change it finds in a copy; documents are not rendered for it."""
    from runbook.base import read_base
    from runbook.build import Documents
    from runbook.changes import printed
    from runbook.check import check
    from runbook.session import read

    session = read(copy)
    plain = Documents(lambda _: "", lambda _: "")
    report = check(session.project, session.tree.texts(), read_base(copy, "none"), plain, [], False)
    for problem, detail in report.shown.items():
        if problem.place.file.startswith(f"rules/{line}/"):
            yield f"{problem.place}: {problem.code}"
            yield from printed(detail, colour)
            return


def _shortened(line: LineSource) -> tuple[Instruction, str] | None:
    """The first instruction with a comma in one plain line, and its text up to the last comma."""
    for item in line.instructions():
        head, comma, _ = item.text.strip().rpartition(",")
        if comma and "\n" not in item.text.strip() and line.blocks[item.block].source.text.count(item.text) == 1:
            return item, f"{head}."
    return None


def _outcomes(pairs: Pairs, show: _Screen) -> None:
    """How the messages ended, and how many of them otherwise than a person on shift had wanted."""
    if not pairs:
        return
    ended = Counter(decision.outcome for _, decision in pairs)
    model = sum(1 for _, decision in pairs if decision.calls)
    judged = [(row, decision) for row, decision in pairs if row.expected.get("outcome")]
    wrong = [(row, decision) for row, decision in judged if row.expected["outcome"] != decision.outcome]
    sent = sum(1 for _, decision in wrong if decision.outcome == "send")
    own = sorted(decision.own for _, decision in pairs)
    show.head(f"{len(pairs)} messages of the shipped log, offline")
    show.lines("   ".join(f"{name} {count}" for name, count in ended.most_common()))
    show.lines(
        f"{model} reached the model; Rulecard itself took {own[len(own) // 2] * 1e6:.0f} µs a message (median)",
        f"{len(wrong)} of {len(judged)} ended otherwise than people had wanted, {sent} of these were sent",
    )


def _next(line: CompiledLine, pairs: Pairs, show: _Screen) -> None:
    gates = [f"gates/{id}" for id in sorted(line.line.source.of("gates"))]
    held = [one.card for _, one in pairs if one.card.startswith("gates/") and one.outcome == "hold"]
    card = [*held, *gates, *sorted(line.line.source.cards)][0]
    show.head("Next")
    show.lines(
        f"open   runbook/{line.name}.md, the rules as people read them",
        f"edit   cards/{line.name}/{card}.yaml, then: rulecard test {card}",
        f'try    rulecard ask "Where is my order?" --trace --line {line.name}, or: rulecard chat',
    )
