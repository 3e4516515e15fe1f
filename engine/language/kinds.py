"""The card kinds as pydantic models: one place that loader and JSON Schema are both made from."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Any, Literal, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    Strict,
    StringConstraints,
    WithJsonSchema,
)

from engine.language.points import OUTCOMES, POINTS
from engine.language.problems import nearest

ID = r"^[a-z][a-z0-9_]*$"
INSTRUCTION_ID = r"^[a-z][a-z0-9_]*\.[a-z][a-z0-9_-]*$"


def _form(name: str) -> WithJsonSchema:
    """A part with a grammar of its own; the schema builder puts that grammar in its place."""
    return WithJsonSchema({"x-form": name})


def _one_of(names: tuple[str, ...], what: str) -> AfterValidator:
    def check(value: str) -> str:
        if value not in names:
            raise ValueError(f"`{value}` is no {what}.\n{nearest(value, names)}")
        return value

    return AfterValidator(check)


Text = Annotated[str, StringConstraints(min_length=1, pattern=r"\S")]
Id = Annotated[str, StringConstraints(pattern=ID)]
InstructionId = Annotated[str, StringConstraints(pattern=INSTRUCTION_ID)]
Date = Annotated[dt.date, Strict(False), WithJsonSchema({"type": "string", "format": "date"})]
Condition = Annotated[Any, _form("condition")]
Then = Annotated[Any, _form("then")]
Also = Annotated[Any, _form("also")]
Edit = Annotated[Any, _form("edit")]
Repair = Annotated[Any, _form("repair")]
Value = Annotated[Any, _form("value")]
Measure = Annotated[Any, _form("measure")]
Duration = Annotated[Any, _form("duration")]
Operators = Annotated[Any, _form("operators")]
Fields = Annotated[Any, _form("fields")]
Else = Annotated[Any, _form("else")]
Rungs = Annotated[Any, _form("rungs")]
Words = Annotated[Any, _form("words")]
Facts = Annotated[dict[str, Any], _form("facts")]
PointName = Annotated[
    str,
    _one_of(tuple(POINTS), "point"),
    WithJsonSchema({"enum": [*POINTS], "description": "the point of the path at which the card runs"}),
]
Scope = Literal["sender", "chat", "sender_in_chat", "line", "order", "bot", "round", "chain", "lane"]

Scopes = Annotated[
    list[Scope],
    Field(min_length=1),
    BeforeValidator(lambda value: [value] if isinstance(value, str) else value),
    WithJsonSchema(
        {
            "anyOf": [
                {"enum": [*get_args(Scope)]},
                {"type": "array", "items": {"enum": [*get_args(Scope)]}, "minItems": 1},
            ]
        }
    ),
]


class Strictly(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, populate_by_name=True)


class Expect(Strictly):
    """What a change of behaviour is expected to do to the past messages of a log."""

    log: Text
    flips: int = Field(ge=0)
    from_: Text | None = Field(None, alias="from")
    to: Text | None = None


class Change(Strictly):
    """One dated entry under `changes`. With `instruction` (or `item`) it explains one step of the lock's chain."""

    date: Date
    why: Text
    instruction: InstructionId | None = None
    item: Text | None = Field(
        None, description="another locked thing: `order B`, `block B`, `blocks`, `prompt`, `schema Q`, `question Q`"
    )
    from_: Text | None = Field(None, alias="from", description="hash before, or `none`")
    to: Text | None = Field(None, description="hash after, or `none`")
    was: Text | None = Field(None, description="the former id of a renamed instruction")
    expect: Expect | None = None


class Example(Strictly):
    """One example: a subject and facts, and what must come of it."""

    message: str | None = None
    answer: str | None = None
    item: Any = Field(None, description="the text of the item, or a mapping of its facts")
    facts: Facts = Field(default_factory=dict)
    asked: dict[Id, Any] = Field(default_factory=dict, description="a question's fields, or `failed`")
    history: list[Any] = Field(default_factory=list, description="marks set before: {mark, ago, times, with}")
    now: Text | None = None
    error: Text | None = Field(None, description="a ladder's error class")
    rung: int | None = Field(None, ge=1)
    fires: bool | None = None
    then: Any = Field(None, description="the ending that must come")
    reason: Text | None = None
    becomes: Any = Field(None, description="the text or value that must come out")
    sets: list[Id] | None = None
    alerts: list[Id] | None = None
    note: Text | None = None


class Common(Strictly):
    title: Text = Field(description="a sentence a person on shift understands")
    why: Text = Field(description="the reason the rule exists")
    since: Date
    changes: list[Change] = Field(default_factory=list)
    owner: Text | None = None
    explains: list[InstructionId] = Field(default_factory=list)
    examples: list[Example] = Field(default_factory=list)


class Situation(Common):
    """What the line does when…"""


class Background(Common):
    """What is true."""


class Style(Common):
    """How the line writes."""


class Ruled(Common):
    """What gates and guard cards have in common."""

    at: PointName
    when: Condition = None
    unless: Condition = None
    then: Then = None
    also: Also = None
    reason: Id | None = None
    on_error: Then = None


class Gate(Ruled):
    at: PointName = "pre-gate"


class Guard(Ruled):
    at: PointName = "answer"
    repair: Repair = None
    edit: Edit = None
    counts_as: Id | None = Field(None, description="the error class under which this verdict enters a ladder")


class TextCase(Strictly):
    when: Condition = None
    words: Words


class TextCard(Common):
    words: Words = None
    cases: list[TextCase] | None = None


class LimitCase(Strictly):
    when: Condition = None
    value: Measure


class Limit(Common):
    value: Measure = None
    cases: list[LimitCase] | None = None
    unit: Text | None = None
    within: Duration = None
    per: Text | None = None
    of: Annotated[str, StringConstraints(pattern=r"^\$[a-z]")] | None = None
    at_least: Measure = None
    at_most: Measure = None


class Term(Common):
    when: Condition = None
    patterns: list[Text] | None = None


class Mark(Common):
    scope: Scopes = Field(description="for whom it counts; several: for each combination")
    carries: dict[Id, Any] = Field(default_factory=dict, description="typed values: kind: text")
    lasts: Duration = None


class Question(Common):
    calls: Text = Field(description="a model profile, or a port: store.apply_change")
    instructions: list[Id] = Field(default_factory=list, description="blocks of instructions it gets")
    adds: list[InstructionId] = Field(default_factory=list, description="single instructions appended")
    reads: list[Text] = Field(default_factory=list, description="fact paths it is given")
    fields: Fields
    at: PointName | None = None
    when: Condition = None
    fills: Literal["answer"] | None = None
    limits: list[Id] = Field(default_factory=list)
    ladder: Id | None = None
    else_: Else = Field("hold", alias="else")


class Ladder(Common):
    for_: Text = Field(alias="for", description="what it answers for: model, store, delivery, queue, state")
    scope: Scope | None = None
    window: Duration = None
    errors: Rungs


class Role(Common):
    who: Condition = None
    may: list[Id] = Field(default_factory=list)
    may_not: list[Id] = Field(default_factory=list)
    reads: list[Literal["own", "shared", "members", "all"]] = Field(default_factory=list)


class Measured(Strictly):
    """One measurement of a wave: before, after, expected and seen."""

    date: Date
    says: Text
    expected: Annotated[float, Strict(False)] | None = None
    seen: list[Annotated[float, Strict(False)]] | None = None


class Wave(Common):
    opens: Condition = None
    switch: Text = Field(description="its switch in line.yaml, or `always`")
    closed: Annotated[str, _one_of(OUTCOMES, "outcome"), WithJsonSchema({"enum": [*OUTCOMES]})] = "draft"
    measured: list[Measured] = Field(default_factory=list)


KINDS: dict[str, type[Common]] = {
    "situations": Situation,
    "background": Background,
    "style": Style,
    "gates": Gate,
    "guard": Guard,
    "texts": TextCard,
    "questions": Question,
    "limits": Limit,
    "ladders": Ladder,
    "roles": Role,
    "waves": Wave,
    "marks": Mark,
    "terms": Term,
}
EXPLAINING = ("situations", "background", "style")
FIRING = ("gates", "guard", "waves", "terms", "roles", "ladders")
"""Kinds whose cards must carry an example that fires and one that does not."""


class SwitchSetting(Strictly):
    value: Literal["on", "off"]
    why: Text | None = None


class FactSetting(Strictly):
    """A fact of the line's own (`type`, `source`, `from`), or a constant value of a declared one."""

    type: Text | None = None
    source: Id | None = None
    from_: PointName | None = Field(None, alias="from")
    at: list[PointName] | None = None
    value: Any = None
    says: Text | None = None


class PromptSetting(Strictly):
    """Which blocks the model reads, in order, and how a heading and an item are written."""

    blocks: list[Id] = Field(default_factory=list)
    opening: str = ""
    heading: Text = "# {title}"
    item: Text = "- {text}"
    at_most: Id | None = Field(None, description="the limit of a prompt's characters: one that is longer is refused")


Variable = Annotated[str, StringConstraints(pattern="^[A-Z][A-Z0-9_]*$")]
"""The name of an environment variable: a key itself has no place in a file."""


class ModelSetting(Strictly):
    """What a model profile is: the offline model, one behind the API of `openai`, a recorded one, or none."""

    use: Literal["offline", "openai", "recorded", "none"]
    name: Text | None = Field(None, description="the provider's name of the model")
    base_url: Text | None = Field(None, description="where the API is served, if not at the provider's own address")
    key: Variable | None = Field(None, description="the environment variable that holds the key")
    second_key: Variable | None = Field(None, description="the one that holds the second key, for ladders")
    api: Literal["chat", "responses"] = "chat"
    file: Text | None = Field(None, description="the JSONL file of recorded answers")
    sure: Annotated[float, Field(ge=0, le=1)] | None = Field(
        None, description="offline: similarity of the nearest question from which it is sure"
    )
    fair: Annotated[float, Field(ge=0, le=1)] | None = Field(
        None, description="offline: similarity from which it answers without asking for a person"
    )


class KnowledgeSetting(Strictly):
    """How sample questions and messages become vectors."""

    embedding: Text = "ngram"
    base_url: Text | None = None
    key: Variable | None = None
    dimensions: Annotated[int, Field(ge=1, le=4096)] = 512


class Exclusion(Strictly):
    """A finding that is accepted: which, on which card, why and since when."""

    finding: Id
    card: Text
    why: Text
    date: Date


class Refusal(Strictly):
    """One thing the line does not do."""

    title: Text
    why: Text


class LineFile(Strictly):
    rulecard: Literal[1] = Field(description="the format version of these cards")
    title: Text
    why: Text | None = None
    languages: list[Text] = Field(min_length=1)
    zone: Text = Field(description="time zone, an IANA name; required: there is no server-local fallback")
    region: Annotated[str, StringConstraints(pattern="^[A-Z]{2}$")] = Field(
        description="default region of phone numbers"
    )
    channels: list[Text] = Field(default_factory=list)
    order_number: Text | None = Field(None, description="pattern of the line's order numbers")
    stages: list[PointName] | None = None
    order: dict[PointName, list[Id]] = Field(default_factory=dict)
    waves: list[Id] = Field(default_factory=list)
    roles: list[Id] = Field(default_factory=list)
    switches: dict[Id, SwitchSetting] = Field(default_factory=dict)
    facts: dict[Text, FactSetting] = Field(default_factory=dict)
    prompt: PromptSetting = PromptSetting()
    uses: dict[Id, Id] = Field(default_factory=dict, description="setting of the engine: the limit or ladder it reads")
    models: dict[Id, ModelSetting] = Field(default_factory=dict, description="profile that questions call: its model")
    knowledge: KnowledgeSetting | None = None
    exclusions: list[Exclusion] = Field(default_factory=list)
    does_not: list[Refusal] = Field(default_factory=list)
    changes: list[Change] = Field(default_factory=list)
    owner: Text | None = None


class InstructionItem(Strictly):
    id: InstructionId
    text: Text


class BlockFile(Strictly):
    title: Text
    switch: Id | None = Field(None, description="the switch that includes this block; none: always")
    heading: Text | None = Field(None, description="its heading if not as line.yaml says: `## {title}`, or `none`")
    instructions: list[InstructionItem] = Field(min_length=1)
