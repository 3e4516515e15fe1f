"""Does every instruction reach the model, and does it reach it whole? Pure."""

from __future__ import annotations

from collections.abc import Iterator

from engine.language.kinds import Question
from engine.language.line import Line
from engine.language.problems import Problem
from engine.language.project import LineSource
from engine.prompt import goldens, parts


def reach(line: Line) -> Iterator[Problem]:
    """Instructions that no prompt holds, and those that a prompt's own limit (`prompt.at_most`) would cut off."""
    yield from _unread(line.source)
    yield from _cut(line)


def _unread(line: LineSource) -> Iterator[Problem]:
    blocks, single = set(line.config.prompt.blocks), set[str]()
    for card in line.of("questions").values():
        assert isinstance(card.body, Question)
        blocks |= set(card.body.instructions)
        single |= set(card.body.adds)
    for instruction in line.instructions():
        if instruction.block not in blocks and instruction.id not in single:
            says = f"The instruction `{instruction.id}` reaches no model: its block is in no prompt."
            cure = (
                f"List `{instruction.block}` under `prompt.blocks` in line.yaml, or under a question's `instructions`."
            )
            yield Problem(instruction.place, "instruction_unread", says, cure, "error", "proven")


def _cut(line: Line) -> Iterator[Problem]:
    limit = line.limits.get(line.config.prompt.at_most or "")
    if limit is None or limit.of or not limit.quantities:
        return
    most = int(min(quantity.amount for _, quantity in limit.quantities))
    for name, text in goldens(line.source).items():
        if len(text) <= most:
            continue
        first = _first_beyond(line.source, text, most)
        says = (
            f"The prompt {name} has {len(text):,} characters and limits/{limit.card.id} takes {most:,}: "
            f"{f'`{first}` is the first instruction that' if first else 'what'} would not reach the model whole."
        )
        place = line.source.source.place_of(("prompt", "at_most"))
        yield Problem(place, "prompt_cut", says, "Shorten the instructions, or raise the limit.", "error", "proven")


def _first_beyond(line: LineSource, text: str, most: int) -> str:
    """The first instruction of a rendered prompt that does not end within `most` characters."""
    ends = {}
    for part in parts(line)[1]:
        for id, item in part.items.items():
            at = text.find(item)
            if at >= 0:
                ends[id] = at + len(item)
    beyond = [(end, id) for id, end in ends.items() if end > most]
    return min(beyond)[1] if beyond else ""
