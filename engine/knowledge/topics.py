"""Topics as written: knowledge/<line>/<topic>.yaml, read as strictly as cards. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field, StringConstraints

from engine.files import content_hash
from engine.language.kinds import Strictly
from engine.language.problems import Place, Problem, nearest
from engine.language.project import LineSource
from engine.language.shape import shaped
from engine.language.slots import fill, slots_of
from engine.language.yaml_source import Source, parse
from engine.prompt import Constants

Words = Annotated[str, StringConstraints(min_length=1, pattern=r"\S")]
LEAST = 3
"""Fewest sample questions of a topic: a majority of three needs as many."""


class Kept(Strictly):
    """One answer, the same to all of its questions."""

    language: Words
    answer: Words
    questions: list[Words] = Field(min_length=1)


class TopicFile(Strictly):
    title: Words
    live_data: bool = Field(description="whether its answers depend on live data: then none goes out word for word")
    answers: list[Kept] = Field(min_length=1)


@dataclass(frozen=True)
class Sample:
    """A sample question with the answer kept for it, slots filled."""

    question: str
    answer: str
    language: str


@dataclass(frozen=True)
class Topic:
    id: str
    title: str
    live_data: bool
    samples: tuple[Sample, ...]


def read_topics(files: Mapping[str, str], line: LineSource) -> tuple[list[Topic], list[Problem]]:
    """The topics of a line, by name, and every mistake with its place. `files`: all files of the project by name."""
    topics, problems, asked = [], list[Problem](), dict[str, Place]()
    names = _choices(line)
    for name in sorted(files):
        if not name.startswith(f"knowledge/{line.name}/") or not name.endswith(".yaml"):
            continue
        before = len(problems)
        source, found = parse(files[name], name)
        problems += found
        body = shaped(TopicFile, source, problems) if source is not None else None
        if source is None or body is None:
            continue
        id = name.rpartition("/")[2].removesuffix(".yaml")
        problems += _mistakes(id, body, source, line, names, asked)
        if len(problems) == before:
            topics.append(Topic(id, body.title, body.live_data, tuple(_samples(body, line))))
    return topics, problems


def content_of(topics: list[Topic]) -> str:
    """The hash of everything that an answer or a vector depends on."""
    return content_hash("\0".join(repr(topic) for topic in topics))


def _choices(line: LineSource) -> tuple[str, ...]:
    """The topics that the answering question may name; empty when it has no such field."""
    for card in line.of("questions").values():
        fields = getattr(card.body, "fields", None)
        if getattr(card.body, "fills", None) and isinstance(fields, Mapping) and isinstance(fields.get("topic"), list):
            return tuple(map(str, fields["topic"]))
    return ()


def _mistakes(
    id: str, body: TopicFile, source: Source, line: LineSource, names: tuple[str, ...], asked: dict[str, Place]
) -> Iterator[Problem]:
    if names and id not in names:
        says = f"`{id}` is no topic that the line's answer may name."
        yield Problem(Place(source.file), "unknown_topic", says, nearest(id, names))
    if sum(len(one.questions) for one in body.answers) < LEAST:
        says = f"The topic has fewer than {LEAST} sample questions."
        yield Problem(source.place_of(("answers",)), "too_few_questions", says, "Add some, in customers' own words.")
    constants = Constants(line)
    for index, one in enumerate(body.answers):
        at = ("answers", index)
        if one.language not in line.config.languages:
            says = f"The line does not speak `{one.language}`."
            cure = nearest(one.language, line.config.languages)
            yield Problem(source.place_of((*at, "language")), "unknown_value", says, cure)
        for slot in slots_of(one.answer):
            if constants.value(slot.path) is None:
                place = source.place_of((*at, "answer"), slot.start)
                yield Problem(place, "unfilled_slot", constants.why(slot.path), constants.cure(slot.path))
        for number, question in enumerate(one.questions):
            place = source.place_of((*at, "questions", number))
            key = " ".join(question.casefold().split())
            if key in asked:
                yield Problem(place, "question_twice", f"The question stands at {asked[key]} too.", "Keep one of them.")
            asked.setdefault(key, place)


def _samples(body: TopicFile, line: LineSource) -> Iterator[Sample]:
    constants = Constants(line)
    for one in body.answers:
        answer = fill(one.answer, constants.value) or ""
        for question in one.questions:
            yield Sample(question, answer.strip(), one.language)
