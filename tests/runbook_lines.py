"""Lines whose documents are tested, and readers of those documents: what the tests of runbook and page share."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

from small import SMALL
from test_language_page import files_of_page

from engine.language.project import LineSource, read_project
from engine.language.yaml_write import document
from runbook.markdown import visible

HOSTILE = (
    "<script>alert(1)</script>", "</script></style><img src=x onerror=alert(1)>", "{{7*7}} {% raw %} {# no #}",
    "[here](javascript:alert(1)) ![](https://evil.example/x.png)", "a | b \\| c || --- |", "`tick` ``` ~~~ ``two`` `",
    "# not a heading", "> not a quote", "1. not a list - nor + this", "*bold* _under_ __both__ ~~gone~~ snake_case_word",
    "&lt;b&gt; &amp; &#60; &nbsp;", "$x$ and $$y$$ cost $5", "https://evil.example/?a=1 www.evil.example",
    "\u202egnp.exe\u202c \u2066x\u2069 \u200b|", "\u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627 1, 2",
    "\U0001f469\u200d\U0001f469\u200d\U0001f467 \U0001f1ea\U0001f1f8 e\u0301", "\"quoted\" 'so' --> <!-- -->", "<a id='gates-twin'>",
    "--- === ***", "\\", "{found} {order.number} {limits.wait} {nothing", "x" * 300,
)  # fmt: skip
"""Texts that would break a document, or run in it, if they were anything but data."""


BOTH_WAVES = """\
title: Nothing is open
why: With both waves closed a person answers.
since: 2026-09-21
at: live
when: {waves.status: closed, waves.changes: closed}
then: hold
"""


def language_line() -> LineSource:
    """The line of the page of the language, every form once, with one more card that names two waves."""
    return read_project({**files_of_page(), "cards/shop/gates/both_waves.yaml": BOTH_WAVES}).lines["shop"]


def small_line() -> LineSource:
    return read_project(SMALL).lines["shop"]


def hostile_files(text: str) -> dict[str, str]:
    """A line that holds `text` wherever a card, a rule or a setting may hold words."""
    common = {"title": text, "why": text, "since": "2026-09-21", "owner": text}
    change = {"date": "2026-09-22", "why": text}
    fires = {"message": text, "facts": {"chat.id": text}, "now": "14:30", "fires": True, "note": text}
    example = {**fires, "then": {"say": "$topic.answer"}, "becomes": text}
    cards = {
        "gates/gate": {"when": {"message.text": {"matches": [text, text, text, text]}, "chat.id": text},
                       "unless": {"any": [{"chat.id": {"in": [text]}}, {"message.text": {"has": text}}]},
                       "then": [{"say": "words"}, "hold"], "also": [{"notice": "words", "to": "sender"}, {"set": "mark"}],
                       "explains": ["block.one"], "changes": [change], "examples": [example]},
        "guard/verdict": {"when": {"answer.text": {"like": {"to": "$chat.bot_lines", "at_least": 0.9}}}, "repair": text,
                          "edit": {"replace": "sentence", "with": text}, "then": "hold", "examples": [{"answer": text}]},
        "texts/words": {"words": {"en": text, "es": text}},
        "texts/cases": {"cases": [{"when": {"chat.id": text}, "words": text}, {"words": text}]},
        "terms/term": {"patterns": [text, text]},
        "limits/wait": {"value": 5, "unit": text},
        "marks/mark": {"scope": "chat", "carries": {"kind": "text"}},
        "questions/ask": {"calls": text, "fields": {"text": {"type": text}}, "reads": [text], "instructions": ["block"]},
        "ladders/ladder": {"for": text, "errors": {"bad": [{"wait": text}, {"give_up": {"say": "words"}}]}},
        "roles/role": {"who": {"sender.id": text}, "may": ["see"]},
        "waves/wave": {"opens": {"decision.card": "gate"}, "switch": "block",
                       "measured": [{"date": "2026-09-22", "says": text, "seen": [1]}]},
        "situations/situation": {"examples": [{"message": text, "then": "model"}]},
        "background/twin": {"explains": ["block.two"]}, "style/twin": {}, "gates/twin": {"at": "fast", "then": "hold"},
    }  # fmt: skip
    files = {f"cards/line/{name}.yaml": document({**common, **body}) for name, body in cards.items()}  # type: ignore[dict-item]
    setting = {
        "rulecard": 1, "title": text, "why": text, "languages": ["en", "es"], "zone": "UTC", "region": "GB", "owner": text,
        "channels": [text], "switches": {"block": {"value": "on", "why": text}},
        "facts": {"line.name": {"value": text}, "line.emails": {"value": [text, text]},
                  "own.fact": {"type": "text", "says": text}},
        "prompt": {"blocks": ["block"], "opening": text}, "does_not": [{"title": text, "why": text}],
        "exclusions": [{"finding": "unused", "card": text, "why": text, "date": "2026-09-22"}], "changes": [change],
    }  # fmt: skip
    rules = {"title": text, "switch": "block",
             "instructions": [{"id": "block.one", "text": f"One: {text}"}, {"id": "block.two", "text": f"{text}\n\n{text}"}]}  # fmt: skip
    files["cards/line/line.yaml"] = document(setting)  # type: ignore[arg-type]
    files["rules/line/block.yaml"] = document(rules)  # type: ignore[arg-type]
    return files


def hostile_line(text: str) -> LineSource:
    project = read_project(hostile_files(text))
    assert not project.problems, [str(problem) for problem in project.problems]
    return project.lines["line"]


VOID = {"meta", "link", "input", "img", "br", "hr"}


@dataclass
class Read(HTMLParser):
    """A document as a browser would read it: its tags, its ids, its links, its text without scripts and styles."""

    tags: list[str] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    attributes: list[tuple[str, str, str]] = field(default_factory=list)
    articles: list[str] = field(default_factory=list)
    raw: dict[str, str] = field(default_factory=dict)
    words: list[str] = field(default_factory=list)
    open: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in given.items()]
        if "id" in given:
            self.ids.append(given["id"])
        if tag == "article":
            self.articles.append(given["id"])
        if "href" in given:
            self.links.append(given["href"])
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open and self.open[-1] == tag, f"</{tag}> closes {self.open[-3:]}"
            self.open.pop()

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in ("script", "style"):
            self.raw[self.open[-1]] = self.raw.get(self.open[-1], "") + data
        else:
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join("".join(self.words).split())


def read_html(text: str) -> Read:
    """Parse a document; fails when its tags are not balanced."""
    found = Read()
    found.feed(text)
    found.close()
    assert not found.open, f"never closed: {found.open}"
    return found


def read_markdown(text: str) -> Read:
    """Parse Markdown as a code host does: CommonMark with HTML, tables and `~~`."""
    from markdown_it import MarkdownIt

    return read_html(MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(text))


def plain(text: str) -> str:
    """A text as a document shows it: white space folded, characters that nobody sees by their number."""
    return " ".join(visible(text).split())
