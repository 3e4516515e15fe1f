"""The shipped log of invented messages: rows that can be asked, in words of their own, about nobody who exists."""

from __future__ import annotations

import datetime as dt
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from support_line import ROOT, alike, strangers, support, worn_openings

from engine.evidence.messages import Row, read_rows
from engine.language.extract import extract
from engine.language.points import OUTCOMES
from engine.language.turn import ABSENT, Failed, Turn
from engine.ports import CallFailed
from engine.prompt import answer_schema
from engine.strict import check

LOG = ROOT / "reference" / "support" / "log.jsonl"
NOW = dt.datetime(2026, 10, 20, 12, tzinfo=dt.UTC)
TEST_CARDS = {"4111111111111111"}
"""Numbers that payment providers publish for tests."""
EXAMPLE_IBANS = {"GB82WEST12345698765432"}
"""The example of the IBAN registry."""


@cache
def rows() -> tuple[Row, ...]:
    return tuple(read_rows(LOG))


def raw() -> list[dict[str, Any]]:
    return [json.loads(line) for line in LOG.read_text("utf-8").splitlines()]


def answers(row: Row) -> Iterator[Mapping[str, Any]]:
    for answer in (row.answer, row.repair):
        if answer is not None:
            yield {"text": answer} if isinstance(answer, str) else answer


def said(row: Row) -> Iterator[str]:
    """Every text of a row: the message, the answers, the texts among the facts."""
    yield row.text
    yield from (str(value) for answer in answers(row) for value in answer.values())
    yield from (json.dumps(value) for value in row.facts.values())


def test_there_are_messages_enough_and_their_ids_count_up() -> None:
    assert len(rows()) >= 260
    assert [row.id for row in rows()] == [f"m{number:04}" for number in range(1, len(rows()) + 1)]


def test_a_row_has_no_key_that_nobody_reads() -> None:
    assert {key for row in raw() for key in row} == {"id", "text", "facts", "answer", "repair", "expected"}


def test_every_row_says_what_should_become_of_it() -> None:
    for row in rows():
        assert row.expected["outcome"] in OUTCOMES, row.id
        assert set(row.expected) <= {"outcome", "reason"}, row.id
    assert {row.expected["outcome"] for row in rows()} == set(OUTCOMES)


def test_an_expected_reason_is_one_that_a_card_of_the_line_has() -> None:
    reasons = {rule.reason for rules in support().rules.values() for rule in rules}
    assert {row.expected["reason"] for row in rows() if "reason" in row.expected} <= reasons


def test_no_message_comes_twice_under_the_same_circumstances() -> None:
    counted = Counter((row.text.casefold().strip(), json.dumps(row.facts, sort_keys=True)) for row in rows())
    assert max(counted.values()) == 1


def test_no_two_messages_are_alike() -> None:
    assert not list(alike([row.text for row in rows()], 0.6, more_tokens_than=3))


def test_messages_are_cut_from_no_mould() -> None:
    assert not worn_openings([row.text for row in rows()], 0.015)


def test_customers_write_in_more_languages_than_the_line_answers_in() -> None:
    turns = [Turn(support(), {"message.text": row.text}, NOW) for row in rows()]
    languages = {str(turn.get("message.language")) for turn in turns} - {str(ABSENT)}
    assert len(languages - set(support().config.languages)) >= 3


def test_every_fact_is_one_of_the_line_and_can_be_read() -> None:
    for row in rows():
        turn = Turn(support(), {"message.text": row.text, **row.facts}, NOW)
        for path in row.facts:
            assert path in support().facts, (row.id, path)
            assert not isinstance(turn.get(path), (Failed, type(ABSENT))), (row.id, path)


def test_an_answer_has_the_fields_of_the_question_each_of_its_type() -> None:
    schema = answer_schema(support().source.cards["questions/answer"])
    needed = {"required": [name for name, one in schema["properties"].items() if "null" not in one.get("type", ())]}
    wrong = [
        (row.id, problem) for row in rows() for answer in typed(row) if (problem := misfit(answer, schema | needed))
    ]
    assert not wrong


def typed(row: Row) -> Iterator[Any]:
    """The answers that are given as fields; a repair may be words alone."""
    return (answer for answer in (row.answer, row.repair) if isinstance(answer, Mapping))


def misfit(answer: Any, schema: Mapping[str, Any]) -> str:
    try:
        check(answer, schema)
    except CallFailed as failed:
        return failed.says
    return ""


def test_a_good_part_of_the_rows_is_answered_and_some_of_them_twice() -> None:
    assert sum(row.answer is not None for row in rows()) >= 80
    assert sum(row.repair is not None for row in rows()) >= 25
    assert all(row.answer is not None for row in rows() if row.repair is not None)


def test_the_first_two_hundred_hold_every_kind() -> None:
    first = rows()[:200]
    assert {row.expected["outcome"] for row in first} >= {"send", "draft", "hold", "silent"}
    assert sum(row.repair is not None for row in first) >= 10


def test_order_numbers_of_facts_have_the_form_of_the_line() -> None:
    form = re.compile(str(support().config.order_number))
    for row in rows():
        given = [row.facts.get("order.number"), *(order["number"] for order in row.facts.get("customer.orders", ()))]
        assert all(form.fullmatch(number) for number in given if number is not None), row.id


def test_phones_hosts_and_addresses_are_invented() -> None:
    found = [(row.id, one) for row in rows() for text in said(row) for one in strangers(text, support())]
    assert not [(id, one) for id, one in found if one not in support().facts]  # `order.page` reads like a host


def test_payment_numbers_are_known_examples() -> None:
    context = support().context(NOW)
    for row in rows():
        for text in said(row):
            assert {str(one.value) for one in extract("cards", text, context)} <= TEST_CARDS, row.id
            assert {str(one.value) for one in extract("ibans", text, context)} <= EXAMPLE_IBANS, row.id
