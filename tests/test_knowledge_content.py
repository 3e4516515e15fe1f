"""What the support line knows: topics that its answer can name, questions that people ask, answers it may give."""

from __future__ import annotations

import datetime as dt
from functools import cache
from typing import Any

import pytest
from support_line import ROOT, alike, strangers, support, worn_openings

from engine.files import read_tree
from engine.knowledge import Topic, read_topics
from engine.language.kinds import Limit
from engine.language.run import run_point
from engine.language.turn import Turn

NOW = dt.datetime(2026, 10, 20, 12, tzinfo=dt.UTC)
NAMES = [file.stem for file in sorted((ROOT / "knowledge" / "support").glob("*.yaml"))]
TOPICS = pytest.mark.parametrize("name", NAMES)


@cache
def topics() -> dict[str, Topic]:
    """The topics as the engine reads them; an AssertionError with every mistake when there is one."""
    read, problems = read_topics(read_tree(ROOT).texts("knowledge"), support().source)
    assert not problems, "\n".join(map(str, problems))
    return {topic.id: topic for topic in read}


def questions(name: str) -> list[str]:
    return [sample.question for sample in topics()[name].samples]


def every_question() -> list[str]:
    return [question for name in topics() for question in questions(name)]


def test_there_are_twelve_topics_that_the_answer_can_name() -> None:
    assert len(topics()) >= 12
    assert list(topics()) == NAMES
    assert "none" not in topics()


def test_topics_of_live_data_and_others_are_both_there() -> None:
    assert {topic.live_data for topic in topics().values()} == {True, False}


@TOPICS
def test_a_topic_has_fifteen_questions_that_differ(name: str) -> None:
    assert len(questions(name)) >= 15
    assert not list(alike(questions(name), 0.6))


def test_no_question_stands_under_two_topics() -> None:
    folded = [question.casefold() for question in every_question()]
    assert len(folded) == len(set(folded))


def test_questions_are_cut_from_no_mould() -> None:
    assert not worn_openings(every_question(), 0.03)


@TOPICS
def test_an_answer_is_short_enough_to_be_sent(name: str) -> None:
    limit = support().source.cards["limits/answer_length"].body
    assert isinstance(limit, Limit)
    for sample in topics()[name].samples:
        assert "{" not in sample.answer
        assert len(sample.answer) <= int(str(limit.value))


@TOPICS
def test_the_guard_lets_every_answer_out_to_each_of_its_questions(name: str) -> None:
    stopped = [
        (sample.question, [spoken.rule.card.name for spoken in result.spoken])
        for channel in support().config.channels
        for sample in topics()[name].samples
        if (result := guarded(sample.question, sample.answer, name, channel)).ended
    ]
    assert not stopped


def guarded(question: str, words: str, topic: str, channel: str) -> Any:
    facts = {
        "message.text": question, "message.kind": "text", "message.from": "user", "channel.name": channel,
        "topic.nearest": topic, "topic.answer": words, "answer.text": words, "answer.source": "knowledge",
    }  # fmt: skip
    return run_point("answer", Turn(support(), facts, NOW))


def test_the_guard_would_have_stopped_a_wrong_answer() -> None:
    assert guarded("can I pay cash", "The driver is on the way and will be with you soon.", "refund", "web").ended


@TOPICS
def test_numbers_and_addresses_are_invented(name: str) -> None:
    texts = [*questions(name), *(sample.answer for sample in topics()[name].samples)]
    assert not [found for text in texts for found in strangers(text, support())]
