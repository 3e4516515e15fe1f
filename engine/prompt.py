"""What the model is told: instructions as it reads them, the rendered prompt, the schema of its answer.

Pure. The same line gives the same bytes everywhere: lines end with LF, nothing depends on file order, locale or
time. The number a card holds is filled in here, so that it stands in one place.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from engine.language.facts import Type, read_type
from engine.language.kinds import Limit, PromptSetting, Question, TextCard
from engine.language.problems import Place, Problem, nearest
from engine.language.project import Block, Card, LineSource
from engine.language.slots import fill, slots_of
from engine.language.yaml_source import Path

MAX_SWITCHES = 6
"""Most switches that blocks may use: each set of them has its own prompt, so 6 switches are 64 prompts."""
_TEMPLATES = (("heading", "title"), ("item", "text"))
"""The templates of line.yaml's `prompt`, and the slot that each must hold."""


@dataclass(frozen=True)
class Resolved:
    """One instruction as the model reads it: slots filled, lines ended with LF, outer white space removed."""

    id: str
    block: str
    text: str
    place: Place
    path: Path
    slots: tuple[str, ...] = ()
    """The paths of the slots that were filled, in order."""


def resolved(line: LineSource) -> tuple[dict[str, Resolved], list[Problem]]:
    """All instructions by id, in prompt order, and every problem of filling their slots and the templates.

    A slot that cannot be filled stays as it is written, and is a problem with its place.
    """
    constants = Constants(line)
    problems: list[Problem] = []
    texts: dict[str, Resolved] = {}
    for block in _blocks_in_order(line):
        for index, item in enumerate(block.instructions):
            path: Path = ("instructions", index, "text")
            for slot in slots_of(item.text):
                if constants.value(slot.path) is None:
                    place = block.source.place_of(path, slot.start)
                    problems.append(
                        Problem(place, "unfilled_slot", constants.why(slot.path), constants.cure(slot.path))
                    )
            if item.id in texts:
                says = f"`{item.id}` stands twice in the block `{block.id}`."
                place = block.source.place_of(("instructions", index, "id"))
                problems.append(Problem(place, "duplicate_instruction", says, "Give one of them another id."))
            slots = tuple(slot.path for slot in slots_of(item.text))
            text = _clean(constants.filled(item.text))
            texts[item.id] = Resolved(item.id, block.id, text, item.place, path, slots)
    headings = _heading_problems(line, constants)
    return texts, [*problems, *_template_problems(line, constants), *headings, *_switch_problems(line)]


def _blocks_in_order(line: LineSource) -> Iterator[Block]:
    listed = [name for name in line.config.prompt.blocks if name in line.blocks]
    for name in [*listed, *sorted(set(line.blocks) - set(listed))]:
        yield line.blocks[name]


def _clean(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()


def _template_problems(line: LineSource, constants: Constants) -> Iterator[Problem]:
    for key, needed in _TEMPLATES:
        template = getattr(line.config.prompt, key)
        names = [slot.path for slot in slots_of(template)]
        if names.count(needed) != 1:
            place = line.source.place_of(("prompt", key))
            says = f"`prompt.{key}` must hold {{{needed}}} once, or the model does not read it whole."
            yield Problem(place, "bad_template", says, f"Write it as in `{_default(key)}`.")
    for key, own in (("opening", ()), ("heading", ("title", "id")), ("item", ("text", "id"))):
        for slot in slots_of(getattr(line.config.prompt, key)):
            if slot.path not in own and constants.value(slot.path) is None:
                place = line.source.place_of(("prompt", key), slot.start)
                yield Problem(place, "unfilled_slot", constants.why(slot.path), constants.cure(slot.path))


def _heading_problems(line: LineSource, constants: Constants) -> Iterator[Problem]:
    """What is wrong with the headings that blocks have instead of the line's own."""
    for block in _blocks_in_order(line):
        if block.heading in (None, "none"):
            continue
        slots = slots_of(block.heading or "")
        if [slot.path for slot in slots].count("title") != 1:
            says = "`heading` must hold {title} once, or be `none`."
            yield Problem(block.source.place_of(("heading",)), "bad_template", says, "Write it as in `## {title}`.")
        for slot in slots:
            if slot.path not in ("title", "id") and constants.value(slot.path) is None:
                place = block.source.place_of(("heading",), slot.start)
                yield Problem(place, "unfilled_slot", constants.why(slot.path), constants.cure(slot.path))


def _switch_problems(line: LineSource) -> Iterator[Problem]:
    questions = [None, *_own_prompts(line)]
    for question in questions:
        used = block_switches(line, question)
        if len(used) > MAX_SWITCHES:
            place = line.source.place_of(("prompt", "blocks"))
            if question is not None:
                place = line.cards[f"questions/{question}"].place("instructions")
            says = f"{len(used)} switches include blocks of one prompt; the most is {MAX_SWITCHES}: {', '.join(used)}."
            yield Problem(place, "too_many_switches", says, "Let blocks that open together share a switch.")


def _default(key: str) -> str:
    return str(PromptSetting.model_fields[key].default)


class Constants:
    """What can be filled into an instruction: values that are the same for every message of the line."""

    def __init__(self, line: LineSource) -> None:
        self.line = line

    def value(self, path: str) -> str | None:
        """The value at `path` as it is written in its card; None when it is missing or differs by message."""
        return self._value(path, ())

    def filled(self, text: str) -> str:
        """The text with each slot filled that can be; the others stay as they are written."""
        return str(fill(text, lambda path: self.value(path) or f"{{{path}}}"))

    def _value(self, path: str, within: tuple[str, ...]) -> str | None:
        kind, _, name = path.partition(".")
        card = self.line.cards.get(f"{kind}/{name}")
        if kind == "limits":
            return _limit(card) if card else None
        if kind == "texts":
            words = _words(card, self.line.config.languages[0]) if card else None
            if words is None or path in within:
                return None
            return fill(words, lambda inner: self._value(inner, (*within, path)))
        setting = self.line.config.facts.get(path)
        if setting is not None and setting.value is not None:
            return self._spelled(setting.value, ("facts", path, "value"))
        if path == "line.name":
            return self.line.config.title
        if path == "line.languages":
            return ", ".join(self.line.config.languages)
        return None

    def _spelled(self, value: Any, path: Path) -> str | None:
        if isinstance(value, list):
            parts = [self._spelled(one, (*path, index)) for index, one in enumerate(value)]
            return ", ".join(part for part in parts if part) or None
        if isinstance(value, bool):
            return "yes" if value else "no"
        return None if isinstance(value, Mapping) else self.line.source.raw.get(path, str(value))

    def why(self, path: str) -> str:
        """One sentence: why the slot cannot be filled."""
        kind, _, name = path.partition(".")
        card = self.line.cards.get(f"{kind}/{name}")
        if card is not None:
            what = "value depends on the turn" if kind == "limits" else "words depend on the turn"
            return f"{{{path}}} cannot be filled into an instruction: its {what}."
        if kind in ("limits", "texts"):
            return f"{{{path}}} cannot be filled: there is no card {kind}/{name}."
        return f"{{{path}}} cannot be filled into an instruction: it is no constant value of the line."

    def cure(self, path: str) -> str:
        """What to do about it; the nearest right name where there is one."""
        if path.replace(".", "/", 1) in self.line.cards:
            return "Write it out, or name a card without cases."
        known = [f"{c.kind}.{c.id}" for c in self.line.cards.values() if c.kind in ("limits", "texts")]
        known += [p for p, setting in self.line.config.facts.items() if setting.value is not None]
        return (
            nearest(path, [*known, "line.name", "line.languages"])
            or "Write a brace as it is with `{{…}}`, or name a card."
        )


def _limit(card: Card) -> str | None:
    """A limit as written (`48 h`, `0.80`); None when it differs by case, length or fact."""
    body = card.body
    if not isinstance(body, Limit) or body.value is None or body.of or body.per:
        return None
    return card.source.raw.get(("value",), str(body.value)).strip()


def _words(card: Card, language: str) -> str | None:
    body = card.body
    if not isinstance(body, TextCard) or body.words is None:
        return None
    words = body.words.get(language) if isinstance(body.words, Mapping) else body.words
    return words.strip() if isinstance(words, str) else None


# the prompt


def render(line: LineSource, switches_on: Iterable[str] = (), question: str | None = None) -> str:
    """The system prompt under a set of switches: opening, a heading for each block, an item for each instruction.

    `question`: as that question gets it: its `instructions` instead of the line's blocks, its `adds` at the end, and
    the opening only if it fills the answer.
    Blocks whose switch is not in `switches_on` are left out. Ends with one LF; empty when there is nothing to say.
    """
    return _Prompt(line).render(frozenset(switches_on), question)


@dataclass(frozen=True)
class Part:
    """A block as the model reads it: its heading (empty for none) and its items by the id of their instruction."""

    block: str
    head: str
    items: Mapping[str, str]

    @property
    def text(self) -> str:
        return "\n".join([*([self.head] if self.head else []), *self.items.values()])


def parts(line: LineSource) -> tuple[str, list[Part]]:
    """What prompts are put together from: the opening, and every block in order, whether a prompt holds it or not."""
    prompt = _Prompt(line)
    return prompt.opening(), [prompt.part(block) for block in _blocks_in_order(line)]


class _Prompt:
    """A line's resolved texts, rendered under one set of switches after another."""

    def __init__(self, line: LineSource) -> None:
        self.line, self.constants = line, Constants(line)
        self.texts = resolved(line)[0]

    def render(self, on: frozenset[str], question: str | None) -> str:
        names, adds = told(self.line, question)
        parts = [self.opening()] if _answers(self.line, question) else []
        for block in (self.line.blocks[name] for name in names if name in self.line.blocks):
            if block.switch is None or block.switch in on:
                parts.append(self.part(block).text)
        parts.append("\n".join(self.item(id) for id in adds if id in self.texts))
        return "\n\n".join(part for part in parts if part) + "\n" if any(parts) else ""

    def opening(self) -> str:
        return _clean(self.constants.filled(self.line.config.prompt.opening))

    def part(self, block: Block) -> Part:
        heading = block.heading or self.line.config.prompt.heading
        head = "" if heading == "none" else self.template(heading, {"title": block.title, "id": block.id})
        return Part(block.id, head, {item.id: self.item(item.id) for item in block.instructions})

    def template(self, template: str, values: Mapping[str, str]) -> str:
        return str(fill(template, lambda path: values.get(path) or self.constants.value(path) or f"{{{path}}}"))

    def item(self, id: str) -> str:
        """One item; the further lines of its text are indented as far as its first, blank ones stay empty."""
        template = self.line.config.prompt.item
        before, after = (self.template(part, {"id": id}) for part in _around_text(template))
        first, *more = self.texts[id].text.split("\n")
        indent = " " * len(before.rpartition("\n")[2])
        return "\n".join([before + first, *(indent + line if line else line for line in more)]) + after


def _around_text(template: str) -> tuple[str, str]:
    """What stands before and after the text in an item's template."""
    slot = next((slot for slot in slots_of(template) if slot.path == "text"), None)
    return (template[: slot.start], template[slot.end :]) if slot else (template + " ", "")


def told(line: LineSource, question: str | None) -> tuple[list[str], list[str]]:
    """The blocks a question gets and the single instructions appended to them; None: the line's own prompt.

    A question that fills the answer and names no blocks gets the line's own.
    """
    if question is None:
        return line.config.prompt.blocks, []
    body = line.cards[f"questions/{question}"].body
    assert isinstance(body, Question)
    return body.instructions or (line.config.prompt.blocks if body.fills else []), body.adds


def _answers(line: LineSource, question: str | None) -> bool:
    return question is None or getattr(line.cards[f"questions/{question}"].body, "fills", None) is not None


def _own_prompts(line: LineSource) -> list[str]:
    """The questions that get another prompt than the line's."""
    bodies = ((id, card.body) for id, card in sorted(line.of("questions").items()))
    return [id for id, body in bodies if isinstance(body, Question) and (body.instructions or body.adds)]


def block_switches(line: LineSource, question: str | None = None) -> tuple[str, ...]:
    """The switches that include blocks of a prompt, sorted."""
    found = (line.blocks[name].switch for name in told(line, question)[0] if name in line.blocks)
    return tuple(sorted({switch for switch in found if switch}))


def switch_sets(line: LineSource, question: str | None = None) -> tuple[frozenset[str], ...]:
    """Every set of block switches that may be on, from none to all: a prompt each.

    Raises ValueError when blocks use more than MAX_SWITCHES (`resolved` reports it with its place).
    """
    used = block_switches(line, question)
    if len(used) > MAX_SWITCHES:
        raise ValueError(f"{len(used)} switches include blocks of one prompt; the most is {MAX_SWITCHES}.")
    return tuple(frozenset(on) for size in range(len(used) + 1) for on in itertools.combinations(used, size))


def golden_name(switches_on: Iterable[str] = (), question: str | None = None) -> str:
    """The name of a golden file in reference/<line>/.

    `instructions.txt` is the prompt with no block switch on, whatever line.yaml sets today, so that turning a switch
    renames nothing; `instructions.a+b.txt` has these on; a question's own prompt is `question.<id>.txt`.
    """
    on = "+".join(sorted(switches_on))
    return ".".join(
        part for part in ("instructions" if question is None else f"question.{question}", on, "txt") if part
    )


def goldens(line: LineSource) -> dict[str, str]:
    """All rendered prompts of a line by golden name: its own and those of questions that get another one."""
    prompt = _Prompt(line)
    return {
        golden_name(on, question): prompt.render(on, question)
        for question in (None, *_own_prompts(line))
        for on in switch_sets(line, question)
    }


def split(golden: str, setting: PromptSetting) -> Iterator[str]:
    """The texts of instructions in a rendered prompt, each as it was before it became an item.

    Where the template leaves open how far a text reaches (it may hold blank lines), every reach is given: who looks
    for a text knows it by its hash. A template that indents nothing is tried for texts of up to 40 lines.
    """
    before, after = _around_text(setting.item)
    begins = re.compile(_any_slots(before.rpartition("\n")[2]))
    ends = re.compile(_any_slots(after.partition("\n")[0]) + "$")
    lines = golden.split("\n")
    for at, first in enumerate(lines):
        match = begins.match(first)
        if not match:
            continue
        indent, taken = " " * match.end(), [first[match.end() :]]
        following = lines[at + 1 :] if indent else lines[at + 1 : at + 40]
        for line in itertools.chain(following, ["\0"]):
            end = ends.search(taken[-1])
            if end and taken[-1]:
                yield "\n".join([*taken[:-1], taken[-1][: end.start()]])
            if line == "\0" or (line and not line.startswith(indent)):
                break
            taken.append(line[len(indent) :])


def _any_slots(template: str) -> str:
    """A pattern for a part of a template: a slot stands for anything on the line."""
    at, parts = 0, []
    for slot in slots_of(template):
        parts += [re.escape(template[at : slot.start]), r"[^\n]*?"]
        at = slot.end
    return "".join([*parts, re.escape(template[at:])])


# the answer

_STRING: Mapping[str, dict[str, Any]] = {
    "date": {"type": "string", "format": "date"},
    "instant": {"type": "string", "format": "date-time"},
    "clock": {"type": "string", "pattern": "^([01][0-9]|2[0-3]):[0-5][0-9]$"},
    "duration": {"type": "string", "pattern": "^[0-9]+([.][0-9]+)? (ms|s|min|h|d)$"},
}


def answer_schema(card: Card) -> dict[str, Any]:
    """The strict JSON schema of what a question must return: its fields in the card's order, no others.

    Every field is required, as strict schemas ask; an optional one may be null.
    """
    body = card.body
    assert isinstance(body, Question)
    fields = body.fields if isinstance(body.fields, Mapping) else {}
    properties = {str(name): _field(spelling) for name, spelling in fields.items()}
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


def _field(spelling: Any) -> dict[str, Any]:
    more = spelling if isinstance(spelling, Mapping) else {}
    written = more.get("type") if more else spelling
    kind = Type("choice", choices=tuple(map(str, written))) if isinstance(written, list) else read_type(str(written))
    schema = _one(kind or Type("text"), more)
    if kind is not None and kind.many:
        schema = {"type": "array", "items": schema}
    if more.get("optional") is True:
        schema["type"] = [schema["type"], "null"]
        if "enum" in schema:
            schema["enum"] = [*schema["enum"], None]
    return schema


def _one(kind: Type, more: Mapping[str, Any]) -> dict[str, Any]:
    if kind.name == "choice":
        return {"type": "string", "enum": [*kind.choices]}
    if kind.name == "yes_no":
        return {"type": "boolean"}
    if kind.name == "record":
        return {"type": "object"}
    if kind.name in ("number", "percent"):
        bounds = {"minimum": more.get("from"), "maximum": more.get("to")}
        return {"type": "number", **{name: bound for name, bound in bounds.items() if bound is not None}}
    return dict(_STRING.get(kind.name, {"type": "string"}))
