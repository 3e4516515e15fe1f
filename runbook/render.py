"""The two documents of a line, rendered from its view: Markdown for the repository, one self-contained page.

Pure: no clock, no environment; the templates are part of the package. Text of cards is data: it is escaped for its
target, and is never a template.
"""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from functools import cache, lru_cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from engine.language.points import POINTS
from engine.language.project import LineSource
from engine.language.slots import slots_of
from runbook import markdown as md
from runbook.build import Documents
from runbook.drawing import drawing
from runbook.view import CardView, View
from runbook.viewing import view

if TYPE_CHECKING:
    from jinja2 import Environment, Template

FOLDER = "templates/document"


def documents() -> Documents:
    """How `build` and `check` render a line."""
    return Documents(lambda line: markdown(_view(line)), lambda line: page(_view(line)))


_last: list[tuple[LineSource, View]] = []
"""The last line seen and its view: `build` asks for both documents of a line one after the other."""


def _view(line: LineSource) -> View:
    if not _last or _last[0][0] is not line:
        _last[:] = [(line, view(line))]
    return _last[0][1]


def markdown(shown: View) -> str:
    """`runbook/<line>.md`."""
    return _tidy(_template("runbook.md.j2").render(view=shown, names=_names(shown)))


def page(shown: View) -> str:
    """`runbook/<line>.html`: one file, read from disk, that loads nothing and runs only its own script."""
    style, script = _file("page.css"), _file("page.js")
    cards = list(shown.cards())
    facets = _facets(shown, cards)
    return _template("page.html.j2").render(
        view=shown, names=_names(shown), facets=facets,
        drawing=drawing(shown.path, shown.endings, dict(facets["ending"])),
        items={one.id: one.item for block in shown.blocks for one in block.instructions},
        style=_markup(style), script=_markup(script), style_hash=_hash(style), script_hash=_hash(script),
    )  # fmt: skip


def _names(shown: View) -> dict[str, str]:
    """Everything that can be linked to, with its title: cards, blocks and instructions."""
    titles = {card.name: card.title for card in shown.cards()}
    for block in shown.blocks:
        titles |= {f"blocks/{block.id}": block.title, **{one.id: one.text for one in block.instructions}}
    return titles


def _facets(shown: View, cards: list[CardView]) -> dict[str, list[tuple[str, int]]]:
    """What can be filtered by: each value with the number of its cards, in the order of the document."""
    instructions = sum(len(block.instructions) for block in shown.blocks)
    kinds = Counter(card.kind for card in cards)
    found = {
        "kind": kinds + Counter({"instructions": instructions}),
        "stage": Counter(card.stage for card in cards if card.stage),
        "wave": Counter(wave for card in cards for wave in card.waves),
        "owner": Counter(card.owner for card in cards if card.owner),
        "ending": Counter(ending for card in cards for ending in card.endings),
    }
    order = {"stage": [*POINTS], "wave": shown.waves, "ending": shown.endings, "owner": shown.owners, "kind": kinds}
    return {
        name: [(value, counted[value]) for value in dict.fromkeys([*order[name], *sorted(counted)]) if counted[value]]
        for name, counted in found.items()
    }


def _tidy(text: str) -> str:
    """No white space at the end of a line, no two blank lines, one LF at the end."""
    made: list[str] = []
    for line in (line.rstrip(" ") for line in text.strip().split("\n")):
        if line or (made and made[-1]):
            made.append(line)
    return "\n".join(made) + "\n"


def _hash(text: str) -> str:
    """What a content security policy names an inline style or script by."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@cache
def _file(name: str) -> str:
    return (resources.files("runbook") / FOLDER / name).read_text(encoding="utf-8").replace("\r\n", "\n")


@cache
def _template(name: str) -> Template:
    return _markdown_templates().get_template(name) if name.endswith(".md.j2") else _page_templates().get_template(name)


def _environment(finalize: Any, filters: dict[str, Any]) -> Environment:
    """An environment in which everything is escaped: `finalize` makes a value ready, autoescape does the rest."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    made = Environment(
        loader=FunctionLoader(_file), autoescape=True, undefined=StrictUndefined, finalize=finalize, trim_blocks=True,
        lstrip_blocks=True, keep_trailing_newline=True,
    )  # fmt: skip
    made.filters.update(filters)
    return made


def _markup(text: str) -> Any:
    from markupsafe import Markup

    return Markup(text)  # noqa: S704 - our own files and what our own escaping has made


@cache
def _markdown_templates() -> Environment:
    from markupsafe import Markup

    def finalize(value: Any) -> Any:
        return value if isinstance(value, Markup) else _literal(str(value))

    def linked(text: str, name: str) -> Any:
        return _markup(f"[{md.literal(text)}](#{_anchor(name)})")

    filters = {
        "anchor": lambda name: _markup(_anchor(name)), "code": lambda text: _markup(md.code(text)),
        "quote": lambda text, indent="": _markup(md.quote(text, indent)), "linked": linked,
        "comment": lambda text: _markup(md.comment(text)),
        "indent_by": lambda depth: _markup("  " * depth),
    }  # fmt: skip
    return _environment(finalize, filters)


@lru_cache(maxsize=8192)
def _literal(text: str) -> Any:
    """Most of what is written stands in a document more than once."""
    return _markup(md.literal(text, ends=True))


def _anchor(name: str) -> str:
    """The anchor of a card or chapter in Markdown: code hosts keep letters, digits, `-`, `_` and `.`."""
    return name.replace("/", "-")


@cache
def _page_templates() -> Environment:
    from markupsafe import Markup

    def finalize(value: Any) -> Any:
        return value if isinstance(value, Markup) else md.visible(str(value))

    return _environment(finalize, {"slots": _slots})


def _slots(text: str) -> list[tuple[str, bool]]:
    """A text in parts, each with whether it is a slot."""
    parts, at = [], 0
    for slot in slots_of(text):
        parts += [(text[at : slot.start], False), (text[slot.start : slot.end], True)]
        at = slot.end
    return [part for part in [*parts, (text[at:], False)] if part[0]]
