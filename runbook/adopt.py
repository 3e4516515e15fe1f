"""`rulecard adopt`: an existing prompt as a line whose instructions are locked and wait to be explained."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from engine.files import CARD_BYTES, FileRefused, decode
from engine.language.compile import compile_line
from engine.language.facts import catalogue
from engine.language.project import LineSource, read_project
from engine.language.slots import slots_of
from engine.language.yaml_write import CannotWrite, document, entry, mapping, scalar
from engine.prompt import render, resolved
from runbook.items import UNEXPLAINED
from runbook.naming import Words, block_ids, instruction_ids, kind_of, read_words, title_of
from runbook.scaffold import Say, begin, filled, id_from, refuse_taken, template, there
from runbook.session import Refused
from runbook.splitting import Section, split

_EDITOR = "# yaml-language-server: $schema={up}reference/{line}/schema/{kind}.json"


def adopt(prompt: Path, name: str | None, folder: Path, today: dt.date, say: Say) -> None:
    """Adopt the prompt of a file as the line `name` (else named after the file), and lock it as it stands.

    Its words stay as they are and in their order; every instruction gets a card whose `why` is yet to be written.
    Raises Refused.
    """
    text = _prompt(prompt)
    name = name or id_from(prompt.stem, "adopted")
    refuse_taken(name, folder)
    sections = split(text)
    if not sections:
        raise Refused(f"{prompt} holds no words to adopt.")
    files = draft(text, sections, name, prompt.name, today)
    line = begin(name, folder, files, say)
    waiting = [card for card in line.source.cards.values() if card.body.why == UNEXPLAINED]
    for path in _places(text):
        say(f"`{{{path}}}` is kept as it is written, for the program that fills it: facts in cards/{name}/line.yaml.")
    if waiting:
        say(f"{len(waiting)} instructions are unexplained, and `rulecard check` lets that number only fall.")
        say(f"Next: {there(folder)}write the `why` of {waiting[0].file}, then of the others; run `rulecard build`.")


def _prompt(file: Path) -> str:
    """The text of the prompt. Raises Refused."""
    try:
        with file.open("rb") as handle:
            data = handle.read(CARD_BYTES + 1)
    except OSError as error:
        raise Refused(f"{file} cannot be read: {(error.strerror or 'it is no file').lower()}.") from None
    if len(data) > CARD_BYTES:
        raise Refused(f"{file} is larger than {CARD_BYTES:,} bytes. Name the prompt alone.")
    try:
        return decode(os.fspath(file), data)
    except FileRefused as refused:
        raise Refused(f"{refused.problem.place}: {refused.problem.says} {refused.problem.cure}") from None


def _places(text: str) -> list[str]:
    """The paths in single braces that the prompt holds, in order, each once: places that some program fills."""
    return list(dict.fromkeys(slot.path for slot in slots_of(text)))


def draft(text: str, sections: Sequence[Section], name: str, file: str, today: dt.date) -> dict[str, str]:
    """The files of the adopted line: name → text. Raises Refused for a prompt that cannot be kept word for word."""
    words = read_words()
    try:
        files = dict(_files(text, sections, name, file, today, words))
    except CannotWrite as error:
        raise Refused(f"{file} cannot be adopted: {error}") from None
    _verify(files, text, name, file)
    return files


def _files(
    text: str, sections: Sequence[Section], name: str, file: str, today: dt.date, words: Words
) -> Iterator[tuple[str, str]]:
    blocks = block_ids([section.title for section in sections], words)
    yield f"cards/{name}/line.yaml", _line_file(text, sections, name, file, blocks)
    layout: list[str] = []
    taken: set[str] = set()
    for block, section in zip(blocks, sections, strict=True):
        ids = instruction_ids(block, section, words)
        yield f"rules/{name}/{block}.yaml", _block_file(name, section, ids)
        for index, (id, said) in enumerate(zip(ids, section.texts, strict=True)):
            if index in section.layout:
                layout.append(id)
                continue
            kind = kind_of(said, words)
            card = _card_id(id, taken)
            yield f"cards/{name}/{kind}/{card}.yaml", _card_file(name, kind, said, id, today)
    if layout:
        head = filled(template("adopt", "layout.yaml").read_text("utf-8"), {"line": name, "date": today.isoformat()})
        yield f"cards/{name}/style/layout.yaml", head + "\n".join([*entry("explains", layout), ""])


def _line_file(text: str, sections: Sequence[Section], name: str, file: str, blocks: list[str]) -> str:
    title = sections[0].title if sections[0].level == 1 else next((s.title for s in sections if s.level == 1), file)
    values = {"line": name, "title": scalar(title)}
    rows = ["  " + row for row in entry("blocks", blocks)]
    facts: dict[str, Any] = {}
    for path in _places(text):
        if path in catalogue() or path.partition(".")[0] in ("limits", "texts", "line"):
            at = text[: text.index(f"{{{path}}}")].count("\n") + 1
            says = f"{file}:{at}: `{{{path}}}` is a slot that Rulecard fills itself."
            raise Refused(f"{says} Write that place otherwise.")
        facts[path] = {"type": "text", "value": f"{{{path}}}", "says": "a place that another program fills"}
    rows += mapping({"facts": facts}) if facts else []
    return filled(template("adopt", "line.yaml").read_text("utf-8"), values) + "\n".join([*rows, ""])


def _block_file(name: str, section: Section, ids: Sequence[str]) -> str:
    block: dict[str, Any] = {"title": section.title}
    if section.level != 1:
        block["heading"] = f"{'#' * section.level} {{title}}" if section.level else "none"
    block["instructions"] = [{"id": id, "text": text} for id, text in zip(ids, section.texts, strict=True)]
    return _EDITOR.format(up="../../", line=name, kind="block") + "\n" + document(block)


def _card_file(name: str, kind: str, text: str, id: str, today: dt.date) -> str:
    head = _EDITOR.format(up="../../../", line=name, kind=kind)
    card = {"title": title_of(text), "why": UNEXPLAINED, "since": today.isoformat(), "explains": [id]}
    return head + "\n" + document(card)


def _card_id(instruction: str, taken: set[str]) -> str:
    made = instruction.replace(".", "_").replace("-", "_")
    number = 1
    while made in taken:
        number += 1
        made = f"{instruction.replace('.', '_').replace('-', '_')}_{number}"
    taken.add(made)
    return made


def _verify(files: Mapping[str, str], text: str, name: str, file: str) -> None:
    """Raise Refused unless the drafted line reads without a mistake and tells the model every word in its order."""
    project = read_project(files)
    source = project.lines.get(name)
    problems = [*project.problems, *(_problems(source) if source else [])]
    if source is None or problems:
        raise Refused(f"{file} cannot be adopted. {problems[0] if problems else ''}".rstrip())
    if _words(render(source)) != _words(text):
        raise Refused(f"{file} cannot be adopted word for word. Please report this prompt.")


def _problems(source: LineSource) -> list[Any]:
    return [*compile_line(source)[1], *resolved(source)[1]]


def _words(text: str) -> list[str]:
    """The words of a text; what holds no letter and no digit (rules, underlines, bullets) is left out."""
    return [word for word in text.removeprefix("\ufeff").split() if any(map(str.isalnum, word))]
