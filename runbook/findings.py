"""The findings of the lock: their codes, and what is said of a change to anything but an instruction. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from engine.language.problems import Place, Problem
from runbook.chain import window
from runbook.items import BLOCK, BLOCKS, ORDER, PROMPT, QUESTION, SCHEMA, Item, State


@dataclass(frozen=True)
class Finding:
    """One broken rule: the problem, the item, what it was and is (as the lock would hold it), and for a renamed
    instruction its former id."""

    problem: Problem
    item: str = ""
    before: str = ""
    after: str = ""
    was: str = ""


# a changed item: its code, its place, one sentence


def _order(item: Item, before: str, now: State) -> tuple[str, Place, str]:
    old, new = window(before, item.text)
    block = now.line.blocks[item.id]
    ids = [one.id.removeprefix(f"{block.id}.") for one in block.instructions]
    place = block.source.place_of(("instructions", ids.index(new.split()[0]), "id"))
    says = f"The block `{item.id}` has another order, and line.yaml does not say why: {new} (was: {old})."
    return "instructions_reordered", place, says


def _block(item: Item, before: str, now: State) -> tuple[str, Place, str]:
    (old, _), (new, _) = before.split(), item.text.split()
    block = now.line.blocks[item.id]
    if old != new:
        says = (
            f"The block `{item.id}` was included {_by(old)} and is now included {_by(new)}; line.yaml does not say why."
        )
        return "block_switch_changed", item.place, says
    says = f"The title or heading of the block `{item.id}` has changed, and line.yaml does not say why."
    return "block_title_changed", block.source.place_of(("title",)), says


def _by(included: str) -> str:
    return "always" if included == "always" else f"by the switch `{included.removeprefix('switch:')}`"


def _blocks(item: Item, before: str, now: State) -> tuple[str, Place, str]:
    says = f"The blocks of the prompt have changed, and line.yaml does not say why: {item.text} (was: {before})."
    return "prompt_blocks_changed", item.place, says


def _prompt(item: Item, before: str, now: State) -> tuple[str, Place, str]:
    says = "The prompt's template (opening, heading or item) has changed, and line.yaml does not say why."
    return "prompt_template_changed", item.place, says


def _schema(item: Item, before: str, now: State) -> tuple[str, Place, str]:
    says = f"What the question `{item.id}` must return has changed, and `changes` of {item.card} does not say why."
    return "answer_schema_changed", item.place, says


def _question(item: Item, before: str, now: State) -> tuple[str, Place, str]:
    says = f"The question `{item.id}` gets other instructions, unexplained: {item.text} (was: {before})."
    return "question_instructions_changed", item.place, says


OTHERS: Mapping[str, Callable[[Item, str, State], tuple[str, Place, str]]] = {
    ORDER: _order,
    BLOCK: _block,
    BLOCKS: _blocks,
    PROMPT: _prompt,
    SCHEMA: _schema,
    QUESTION: _question,
}
"""Kind of item → its code, its place and one sentence about its change; the second argument is what it was."""

EXPLAINS: Mapping[str, str] = {
    "instruction_unexplained": "an instruction that no card explains",
    "explained_twice": "an instruction that two cards explain",
    "explains_unknown": "a card that explains what does not exist",
    "instruction_changed": "an instruction with another text and no reason",
    "instruction_added": "a new instruction and no reason",
    "instruction_removed": "an instruction taken away without a reason",
    "instruction_renamed": "an instruction under another id without a reason",
    "instruction_moved": "an instruction in another block without a reason",
    "instructions_reordered": "instructions in another order without a reason",
    "block_switch_changed": "a block included by another switch without a reason",
    "block_title_changed": "a block with another title without a reason",
    "prompt_blocks_changed": "other blocks in the prompt without a reason",
    "prompt_template_changed": "another template of the prompt without a reason",
    "answer_schema_changed": "a question that must return something else, without a reason",
    "question_instructions_changed": "a question that gets other instructions, without a reason",
    "explanation_moved": "an instruction that another card explains now, without a reason",
    "chain_broken": "entries under `changes` that do not lead from one text to the next",
    "changes_rewritten": "an old entry under `changes` that was changed or taken away",
    "more_unexplained": "more instructions without a reason than before",
    "unknown_item": "an entry under `changes` about something that is not locked",
}
"""Code → what it reports, for the rules table of formats that have one."""
