"""What conditions answer: operators, lists, three values and failure, references, terms, marks."""

from __future__ import annotations

from typing import Any

import pytest
from one_card import asked, compiled

MARKS = {"marks/hit": "scope: sender\nlasts: 1 h\ncarries: {kind: text}\n", "marks/row": "scope: chat\n",
         "limits/rate": "value: 3\nwithin: 10 min\n", "limits/often": "value: 3\n"}  # fmt: skip
ORDERS = [{"number": "AB-1001", "status": "on_the_way"}, {"number": "AB-1002", "status": "delivered"}]

HOLDS: list[tuple[str, dict[str, Any], str]] = [
    # condition, facts, what it answers
    ("{message.kind: text}", {"message.kind": "text"}, "PASS"),
    ("{message.kind: photo}", {"message.kind": "text"}, "FAIL"),
    ("{message.kind: {in: [photo, voice]}}", {"message.kind": "voice"}, "PASS"),
    ("{message.kind: {not_in: [photo, voice]}}", {"message.kind": "voice"}, "FAIL"),
    ("{sender.known: true}", {"sender.known": False}, "FAIL"),
    ("{topic.score: {at_least: 0.8}}", {"topic.score": 0.8}, "PASS"),
    ("{topic.score: {over: 0.8}}", {"topic.score": 0.8}, "FAIL"),
    ("{topic.score: {under: 0.8}}", {"topic.score": 0.8}, "FAIL"),
    ("{topic.score: {at_most: 0.8}}", {"topic.score": 0.8}, "PASS"),
    ("{topic.score: {over: 0.2, under: 0.4}}", {"topic.score": 0.3}, "PASS"),
    ("{topic.score: {between: [0.2, 0.4]}}", {"topic.score": 0.4}, "PASS"),
    ("{staff.replied_ago: {under: 15 min}}", {"staff.replied_ago": "14 min"}, "PASS"),
    ("{staff.replied_ago: {under: 15 min}}", {"staff.replied_ago": "15 min"}, "FAIL"),
    ("{staff.last_line_at: {within: 15 min}}", {"staff.last_line_at": "2026-09-21T11:50"}, "PASS"),
    ("{staff.last_line_at: {within: 15 min}}", {"staff.last_line_at": "2026-09-21T11:40"}, "FAIL"),
    ("{staff.last_line_at: {over: $message.sent_at}}",
     {"staff.last_line_at": "2026-09-21T11:50", "message.sent_at": "2026-09-21T11:40"}, "PASS"),
    ("{message.sent_at: {within: 1 min}}", {"message.sent_at": "2026-09-21T12:00:30+01:00"}, "FAIL"),
    ("{message.text: {empty: true}}", {"message.text": "  \u200b "}, "PASS"),
    ("{message.phones: {empty: true}}", {"message.text": "no number"}, "PASS"),
    ("{customer: {empty: true}}", {}, "PASS"),
    ("{customer: {empty: true}}", {"customer.name": "a customer"}, "FAIL"),
    ("{topic.nearest: {empty: true}}", {}, "PASS"),
    ("{decision.text: $chat.last_sent}", {"decision.text": "Good morning", "chat.last_sent": "good morning"}, "PASS"),
    ("{chat.last_sent: {like: {to: [the parcel arrives today], at_least: 0.8}}}",
     {"chat.last_sent": "The parcel arrives today!"}, "PASS"),
    ("{chat.last_sent: {like: {to: $chat.bot_lines, at_least: 0.8}}}",
     {"chat.last_sent": "The parcel is late", "chat.bot_lines": ["Hello there"]}, "FAIL"),
    ("{message.mentions: {has: ana}}", {"message.mentions": ["ben", "ana"]}, "PASS"),
    ("{chat.last_sent: {has: parcel}}", {"chat.last_sent": "your parcel"}, "PASS"),
    # lists: some item, unless every, none, count
    ("{answer.phones: {not_in: $line.phones}}", {"answer.text": "Call 020 7946 0100"}, "FAIL"),
    ("{answer.phones: {not_in: $line.phones}}", {"answer.text": "Call 020 7946 0100 or 020 7946 0999"}, "PASS"),
    ("{customer.orders.number: AB-1002}", {"customer.orders": ORDERS}, "PASS"),
    ("{customer.orders.status: {in: [cancelled]}}", {"customer.orders": ORDERS}, "FAIL"),
    ("{customer.orders: {some: {it.status: delivered, it.number: AB-1001}}}", {"customer.orders": ORDERS}, "FAIL"),
    ("{customer.orders: {some: {it.status: delivered, it.number: AB-1002}}}", {"customer.orders": ORDERS}, "PASS"),
    ("{customer.orders: {none: {it.status: on_the_way}}}", {"customer.orders": ORDERS}, "FAIL"),
    ("{customer.orders: {none: {it.status: on_the_way}}}", {}, "PASS"),
    ("{customer.orders: {every: {it.status: {in: [on_the_way, delivered]}}}}", {"customer.orders": ORDERS}, "PASS"),
    ("{customer.orders: {every: {it.status: on_the_way}}}", {"customer.orders": ORDERS}, "FAIL"),
    ("{customer.orders: {every: {it.status: on_the_way}}}", {}, "FAIL"),
    ("{customer.orders: {count: {at_least: 2}}}", {"customer.orders": ORDERS}, "PASS"),
    ("{customer.orders: {count: {at_least: 2, where: {it.status: delivered}}}}", {"customer.orders": ORDERS}, "FAIL"),
    ("{message.mentions: {every: {in: [ana, ben]}}}", {"message.mentions": ["ben", "ana"]}, "PASS"),
    ("{message.mentions: {every: {in: [ana]}}}", {"message.mentions": ["ben", "ana"]}, "FAIL"),
    # times
    ("{answer.times: {not_in: $order.times}}", {"answer.text": "at 12:00", "order.times": ["10:00-14:00"]}, "FAIL"),
    ("{answer.times: {not_in: $order.times}}", {"answer.text": "at 15:00", "order.times": ["10:00-14:00"]}, "PASS"),
    ("{answer.times: {not_in: $order.times, tolerance: 5 min}}", {"answer.text": "at 14:04", "order.times": ["14:00"]}, "FAIL"),
    ("{answer.times: {not_in: $order.times, tolerance: 5 min}}", {"answer.text": "at 14:06", "order.times": ["14:00"]}, "PASS"),
    # absent: every operator but empty is unknown, and so is its not
    ("{topic.score: {over: 0.8}}", {}, "UNKNOWN"),
    ("{not: {topic.score: {over: 0.8}}}", {}, "UNKNOWN"),
    ("{topic.nearest: {not_in: [a]}}", {}, "UNKNOWN"),
    ("{any: [{topic.score: {over: 0.8}}, {message.kind: text}]}", {"message.kind": "text"}, "PASS"),
    ("{any: [{topic.score: {over: 0.8}}, {message.kind: text}]}", {"message.kind": "photo"}, "UNKNOWN"),
    ("{all: [{topic.score: {over: 0.8}}, {message.kind: text}]}", {"message.kind": "photo"}, "FAIL"),
    ("{all: [{topic.score: {over: 0.8}}, {message.kind: text}]}", {"message.kind": "text"}, "UNKNOWN"),
    ("{topic.score: {over: $answer.steps}}", {"topic.score": 3}, "UNKNOWN"),
    ("{answer.links: {not_in: [$order.page]}}", {"answer.text": "see https://shop.example/x"}, "PASS"),
    # failed: the condition fails unless a true branch of `any` or a false one of `all` suffices
    ("{topic.score: {over: 0.8}}", {"topic.score": {"failed": "knowledge"}}, "FAILED"),
    ("{not: {topic.score: {over: 0.8}}}", {"topic.score": {"failed": "knowledge"}}, "FAILED"),
    ("{any: [{topic.score: {over: 0.8}}, {message.kind: text}]}",
     {"topic.score": {"failed": "knowledge"}, "message.kind": "text"}, "PASS"),
    ("{all: [{topic.score: {over: 0.8}}, {message.kind: text}]}",
     {"topic.score": {"failed": "knowledge"}, "message.kind": "photo"}, "FAIL"),
    ("{answer.phones: {not_in: [$line.phones, $order.phones]}}",
     {"answer.text": "Call 020 7946 0999", "order.phones": {"failed": "orders"}}, "FAILED"),
    ("{answer.phones: {not_in: [$line.phones, $order.phones]}}",
     {"answer.text": "Call 020 7946 0100", "order.phones": {"failed": "orders"}}, "FAIL"),
    ("{order.phones: {empty: true}}", {"order": {"failed": "orders"}}, "FAILED"),
]  # fmt: skip


@pytest.mark.parametrize(("when", "facts", "state"), HOLDS, ids=[f"{row[0]}-{row[2]}" for row in HOLDS])
def test_condition_answers(when: str, facts: dict[str, Any], state: str) -> None:
    assert asked(when, facts=facts).state.value == state


CLOCK = [
    ("[08:00, 23:00]", "08:00", "PASS"), ("[08:00, 23:00]", "23:00", "PASS"), ("[08:00, 23:00]", "23:01", "FAIL"),
    ("[22:00, 06:00]", "23:30", "PASS"), ("[22:00, 06:00]", "05:59", "PASS"), ("[22:00, 06:00]", "12:00", "FAIL"),
    ("[09:00, 09:00]", "03:00", "PASS"),
]  # fmt: skip


@pytest.mark.parametrize(("ends", "now", "state"), CLOCK)
def test_times_of_day_wrap_midnight_and_equal_ends_mean_all_day(ends: str, now: str, state: str) -> None:
    assert asked(f"{{now.time: {{between: {ends}}}}}", now=now).state.value == state


@pytest.mark.parametrize(
    ("at", "now", "state"),
    [("active hours", "22:00", "FAIL"), ("active hours", "12:00", "PASS"), ("a bad setting", "12:00", "FAILED")],
)
def test_a_bad_setting_fails_the_condition_and_not_the_line(at: str, now: str, state: str) -> None:
    facts = {"line.active_from": "08:00", "line.active_to": "20:00"}
    if at == "a bad setting":
        facts["line.active_to"] = "late"
    assert (
        asked("{now.time: {between: [$line.active_from, $line.active_to]}}", facts=facts, now=now).state.value == state
    )


MARKED: list[tuple[str, list[dict[str, Any]], str]] = [
    ("{marks.hit: true}", [], "FAIL"),
    ("{marks.hit: false}", [], "PASS"),
    ("{marks.hit: true}", [{"mark": "hit", "ago": "59 min"}], "PASS"),
    ("{marks.hit: true}", [{"mark": "hit", "ago": "61 min"}], "FAIL"),
    ("{marks.hit: true}", [{"mark": "hit", "ago": "1 min", "sender": "another"}], "FAIL"),
    ("{marks.row: true}", [{"mark": "row", "ago": "1 min", "sender": "another"}], "PASS"),
    ("{marks.row: true}", [{"mark": "row", "ago": "1 min", "chat": "another"}], "FAIL"),
    ("{marks.hit: {at_least: 3}}", [{"mark": "hit", "ago": "20 min", "times": 3}], "PASS"),
    ("{marks.hit: {within: 10 min, at_least: 3}}", [{"mark": "hit", "ago": "20 min", "times": 3}], "FAIL"),
    ("{marks.hit: {at_least: $limits.rate}}", [{"mark": "hit", "ago": "20 min", "times": 3}], "FAIL"),
    ("{marks.hit: {at_least: $limits.rate}}", [{"mark": "hit", "ago": "9 min", "times": 3}], "PASS"),
    ("{marks.hit: {at_least: $limits.often}}", [{"mark": "hit", "ago": "20 min", "times": 3}], "PASS"),
    ("{marks.hit: {over: $limits.rate}}", [{"mark": "hit", "ago": "9 min", "times": 3}], "FAIL"),
    ("{marks.row: {within: 1 h, distinct: sender, over: 1}}", [{"mark": "row", "times": 5}], "FAIL"),
    ("{marks.row: {within: 1 h, distinct: sender, over: 1}}", [{"mark": "row"}, {"mark": "row", "sender": "b"}], "PASS"),
    ("{marks.hit: {within: 10 min, share_of: marks.row, over: 25 %}}",
     [{"mark": "hit", "times": 1}, {"mark": "row", "times": 4}], "FAIL"),
    ("{marks.hit: {within: 10 min, share_of: marks.row, over: 25 %}}",
     [{"mark": "hit", "times": 2}, {"mark": "row", "times": 4}], "PASS"),
    ("{marks.hit.kind: cancel}", [{"mark": "hit", "with": {"kind": "cancel"}}], "PASS"),
    ("{marks.hit.kind: cancel}", [{"mark": "hit", "ago": "5 min", "with": {"kind": "cancel"}},
                                  {"mark": "hit", "with": {"kind": "address"}}], "FAIL"),
    ("{marks.hit.kind: cancel}", [], "UNKNOWN"),
    ("{marks.hit.ago: {under: 10 min}}", [{"mark": "hit", "ago": "9 min"}], "PASS"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("when", "history", "state"), MARKED, ids=[f"{row[0]}-{row[2]}-{n}" for n, row in enumerate(MARKED)]
)
def test_marks_answer(when: str, history: list[dict[str, Any]], state: str) -> None:
    assert asked(when, cards=MARKS, history=history).state.value == state


QUESTIONS = {
    "questions/audit": "calls: judge\nfields: {stop: yes_no, sure: number}\nelse: absent\n",
    "questions/rating": "calls: router\nfields: {directed: yes_no, chat_in: number}\nelse: {directed: false, chat_in: 0}\n",
    "questions/check": "calls: judge\nfields: {fine: yes_no}\n",
}


@pytest.mark.parametrize(
    ("when", "given", "state"),
    [
        ("{audit.stop: true}", {"audit": {"stop": True}}, "PASS"),
        ("{audit.stop: true}", {"audit": "failed"}, "UNKNOWN"),
        ("{audit.state: failed}", {"audit": "failed"}, "PASS"),
        ("{audit.state: unasked}", {}, "PASS"),
        ("{audit.state: answered}", {"audit": {"stop": True}}, "PASS"),
        ("{audit.stop: true}", {}, "UNKNOWN"),
        ("{rating.directed: false, rating.chat_in: 0}", {"rating": "failed"}, "PASS"),
        ("{check.fine: false}", {"check": "failed"}, "FAILED"),
    ],
)
def test_a_question_that_failed_reads_as_its_else(when: str, given: dict[str, Any], state: str) -> None:
    assert asked(when, cards=QUESTIONS, asked=given).state.value == state


def test_evidence_slices_the_original_text() -> None:
    text = "👞 call 020 7946 0999 or write"
    answer = asked("{answer.phones: {not_in: $line.phones}}", answer=text)
    assert [(one.text, text[one.start : one.end]) for one in answer.evidence] == [("020 7946 0999", "020 7946 0999")]


def test_evidence_of_a_list_is_the_items_that_are_outside() -> None:
    answer = asked("{answer.phones: {not_in: $line.phones}}", answer="Call 020 7946 0100 or 020 7946 0999")
    assert [one.text for one in answer.evidence] == ["020 7946 0999"]


REFUSED = [
    # condition, code, part of the sentence or cure
    ("{message.txt: x}", "unknown_path", "`message.text`"),
    ("{message.kind: pohto}", "wrong_type", "`photo`"),
    ("{topic.score: '0.9'}", "wrong_type", "quotes"),
    ("{topic.score: {above: 0.9}}", "unknown_operator", "is no operator"),
    ("{topic.score: [1, 2]}", "wrong_type", "in: [a, b]"),
    ("{topic.score: {in: 1}}", "wrong_type", "list"),
    ("{sender.known: yes}", "wrong_type", "true"),
    ("{staff.replied_ago: {under: 15}}", "wrong_type", "15 min"),
    ("{staff.replied_ago: {under: $topic.score}}", "wrong_type", "duration"),
    ("{staff.replied_ago: {under: $staff.replied_gao}}", "unknown_path", "`staff.replied_ago`"),
    ("{answer.phones: {not_in: $line.emails}}", "wrong_type", "phone"),
    ("{message.phones: {matches: '\\d'}}", "wrong_type", "matches"),
    ("{message.mentions: {every: {in: [x]}}, message.text: {every: {in: [x]}}}", "wrong_type", "every"),
    ("{terms.none: true}", "unknown_term", "terms/none"),
    ("{marks.none: true}", "unknown_mark", "marks/none"),
    ("{topic.score: {over: $limits.none}}", "unknown_limit", "limits/none"),
    ("{message.sent_at: {tolerance: 5 min}}", "wrong_type", "tolerance"),
    ("{item.text: x}", "not_known_here", "memory"),
    ("{now.time: {between: ['25:00', '08:00']}}", "wrong_type", "25:00"),
    ("{now.time: {between: ['08:00']}}", "wrong_type", "two ends"),
    ("{any: {message.kind: text}}", "wrong_type", "list"),
    ("{}", "wrong_type", "mapping"),
    ("{customer.orders: {some: {it.colour: red}}}", "unknown_path", "it.colour"),
    ("{customer.orders: some}", "wrong_type", "record"),
    ("{message.kind: {}}", "wrong_type", "Nothing is asked"),
]


@pytest.mark.parametrize(("when", "code", "part"), REFUSED, ids=[row[0] for row in REFUSED])
def test_a_wrong_condition_is_refused_at_its_place(when: str, code: str, part: str) -> None:
    _, problems = compiled({"gates/probe": f"at: outcome\nwhen: {when}\nthen: hold\n"})
    assert [problem.code for problem in problems] == [code], [str(problem) for problem in problems]
    problem = problems[0]
    assert part in problem.says + problem.cure
    assert (problem.place.file, problem.place.line) == ("cards/demo/gates/probe.yaml", 5)


def test_all_mistakes_are_named_at_once() -> None:
    body = "at: outcome\nwhen:\n  message.txt: x\n  topic.score: '1'\nunless: {terms.nope: true}\nthen: hodl\non_error: nxt\n"
    _, problems = compiled({"gates/probe": body})
    assert sorted(problem.code for problem in problems) == [
        "unknown_ending", "unknown_ending", "unknown_path", "unknown_term", "wrong_type",
    ]  # fmt: skip


def test_a_fact_is_refused_where_it_cannot_be_known() -> None:
    _, problems = compiled({"gates/probe": "when: {order.status: delivered}\nthen: hold\n"})
    assert [problem.code for problem in problems] == ["not_known_here"]
    assert "known from `orders` on" in problems[0].says


def test_a_fact_read_by_a_term_is_refused_where_it_cannot_be_known() -> None:
    cards = {
        "gates/probe": "when: {terms.closed: true}\nthen: hold\n",
        "terms/closed": "when: {order.status: delivered}\n",
    }
    _, problems = compiled(cards)
    assert [problem.code for problem in problems] == ["not_known_here"]
    assert "order.status" in problems[0].says


def test_terms_that_lead_back_to_themselves_are_refused() -> None:
    cards = {"terms/a": "when: {terms.b: true}\n", "terms/b": "when: {terms.a: true}\n"}
    _, problems = compiled(cards)
    assert {problem.code for problem in problems} == {"ring"}
