"""The decision log: what is written comes back, probes are not counted, texts pass the line's cards."""

from __future__ import annotations

import asyncio
import dataclasses
import datetime as dt
import json
import multiprocessing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from path_parts import GUARD, NOW, Scripted, at_work, decided, support

from engine.decision import Call, Decision, Pending, Spoke, Step, Verdict
from engine.evidence.messages import facts_of
from engine.language.conditions import Evidence
from engine.language.line import Line
from engine.language.turn import Failed, MarkEntry
from engine.log import DecisionLog, LogUnavailable
from engine.log.cards import cleaned
from engine.log.codec import decode, encode
from engine.log.files import BadImport, export, import_jsonl

ANSWER = {
    "text": "It is at https://orders.larkfield.example/o/7Kq2.",
    "topic": "none",
    "person": False,
    "confidence": "low",
    "reason": "r",
}


def _full() -> Decision:
    line = at_work(GUARD, "I promise: call +44 20 7946 0999.", "Call +44 20 7946 0100.")
    return decided(line, order__times=["14:30"], order__number="AB-1234", customer__orders=[{"number": "AB-1234"}])


@pytest.fixture(scope="module")
def shop() -> Line:
    return support(Scripted("x")).line


def test_a_decision_comes_back_as_it_was() -> None:
    found = dataclasses.replace(_full(), facts={**_full().facts, "order.page": Failed("orders")})
    again = decode(encode(found))
    assert encode(again) == encode(found) and again.facts["order.page"] == Failed("orders")
    assert (again.verdicts[0].card, again.calls[1].raw, again.at) == (found.verdicts[0].card, found.calls[1].raw, NOW)


@pytest.mark.parametrize(
    "more", [{"outcome": 7}, {"trace": 7}, {"trace": [7]}, {"facts": []}, {"at": "today"}, {"at": "2026-12-01T10:00:00"},
             {"seconds": "1"}, {"seconds": True}, {"switches": {"send": 1}}, {"calls": [{"question": "q"}]}],
)  # fmt: skip
def test_what_is_no_decision_is_refused(more: dict[str, Any]) -> None:
    least = {"id": "x", "line": "demo", "outcome": "hold", "reason": "r"}
    assert decode(json.dumps({**least, "of_a_later_version": 1})) == Decision("x", "demo", "hold", "r")
    with pytest.raises(ValueError, match=r"\w"):
        decode(json.dumps({**least, **more}))
    for text in ("[]", "7", "{}"):
        with pytest.raises(ValueError, match=r"\w"):
            decode(text)


_WORDS = st.text(max_size=8)
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | _WORDS | st.dates() | st.builds(Failed, _WORDS),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(_WORDS, inner, max_size=2),
    max_leaves=4,
)
_TIMES = st.datetimes(timezones=st.just(dt.UTC))
_MARKS = st.builds(MarkEntry, _WORDS, _TIMES, st.dictionaries(_WORDS, _WORDS, max_size=2), st.just({}))
_EVIDENCE = st.lists(st.builds(Evidence, _WORDS, _VALUES, _WORDS), max_size=2).map(tuple)
_DECISIONS = st.builds(
    Decision, _WORDS, _WORDS, st.sampled_from(["send", "hold"]), _WORDS, text=st.none() | _WORDS,
    verdicts=st.lists(st.builds(Verdict, _WORDS, _WORDS, _WORDS, _EVIDENCE, _WORDS, _WORDS), max_size=2).map(tuple),
    pending=st.builds(Pending, st.lists(_MARKS, max_size=2).map(tuple),
                      st.lists(st.tuples(_WORDS, st.dictionaries(_WORDS, _WORDS, max_size=1), _TIMES), max_size=1).map(tuple)),
    trace=st.lists(st.builds(Step, _WORDS, spoke=st.lists(st.builds(Spoke, _WORDS, _WORDS, _WORDS, _EVIDENCE), max_size=1).map(tuple)),
                   max_size=2).map(tuple),
    calls=st.lists(st.builds(Call, _WORDS, _WORDS, _WORDS, st.dictionaries(_WORDS, _VALUES, max_size=2)), max_size=2).map(tuple),
    facts=st.dictionaries(_WORDS, _VALUES, max_size=3), marks=st.lists(_MARKS, max_size=2).map(tuple), at=st.none() | _TIMES,
)  # fmt: skip


@given(_DECISIONS)
def test_whatever_a_decision_holds_comes_back_as_it_was(decision: Decision) -> None:
    assert decode(encode(decision)) == decision


def test_the_log_finds_counts_and_shortens(tmp_path: Path) -> None:
    log = DecisionLog(tmp_path / "log.sqlite")
    for number, (outcome, id) in enumerate([("send", "d1"), ("hold", "d2"), ("hold", "probe-3"), ("hold", "e4")]):
        one = dataclasses.replace(_full(), id=id, outcome=outcome, reason="r", at=NOW - dt.timedelta(days=number),
                                  facts={"message.id": f"m{number}", "message.text": "x"})  # fmt: skip
        assert log.write(one) and not log.write(one)
    assert log.get("d2").decision.id == log.get("m1").decision.id == "d2" and log.get("e").decision.id == "e4"
    for id in ("d", "nobody"):
        with pytest.raises(KeyError):
            log.get(id)
    assert log.counts("demo") == [("hold", "r", 2), ("send", "r", 1)]
    assert [one.decision.id for one in log.rows(outcome="hold")] == ["e4", "d2"]
    assert [one.probe for one in log.rows(probes=True)] == [False, True, False, False]
    log.delivered("d1", True, NOW)
    assert (log.get("d1").delivered, log.get("d1").delivered_at) == (True, NOW)
    assert log.shorten(NOW - dt.timedelta(days=1, hours=12)) == 2 and len(log.rows(probes=True)) == 2


def test_the_log_counts_time_in_instants_whatever_offset_they_were_told_with(tmp_path: Path) -> None:
    log, noon = DecisionLog(tmp_path / "log.sqlite"), dt.datetime(2026, 12, 1, 12, tzinfo=dt.UTC)
    east = dt.timezone(dt.timedelta(hours=5))
    for id, at in {"early": noon.astimezone(east) - dt.timedelta(hours=1), "late": noon, "undated": None}.items():
        log.write(Decision(id, "demo", "hold", "r", at=at))
    half_past = noon - dt.timedelta(minutes=30)
    assert [one.decision.id for one in log.rows(until=half_past)] == ["early"]
    assert log.shorten(half_past.astimezone(east)) == 1
    assert {one.decision.id for one in log.rows()} == {"late", "undated"}


def test_half_a_character_is_logged_like_any_other(tmp_path: Path) -> None:
    log = DecisionLog(tmp_path / "log.sqlite")
    odd = Decision("odd", "demo", "hold", "\udc00", facts={"message.id": "\ud800", "message.text": "a \ud800 b"})
    log.write(odd)
    assert log.get("odd").decision == odd
    assert "".join(export(log.rows())).encode()


def _logger(path: str, name: str) -> None:
    log = DecisionLog(Path(path))
    for number in range(100):
        log.write(Decision(f"{name}{number}", "demo", "hold", "r"))
        log.write(Decision(f"both{number}", "demo", "hold", "r"))


def test_two_processes_log_at_once_and_no_row_is_lost_or_doubled(tmp_path: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    workers = [spawn.Process(target=_logger, args=(str(tmp_path / "log.sqlite"), name)) for name in "ab"]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert DecisionLog(tmp_path / "log.sqlite").counts() == [("hold", "r", 300)]


def test_a_broken_log_is_named(tmp_path: Path) -> None:
    (tmp_path / "log.sqlite").write_bytes(b"not a database" * 500)
    with pytest.raises(LogUnavailable, match="Move the file away"):
        DecisionLog(tmp_path / "log.sqlite").rows()


def test_texts_pass_the_cards_of_the_log_and_the_customer_gets_them_whole(tmp_path: Path) -> None:
    log = DecisionLog(tmp_path / "log.sqlite")
    line = support(Scripted(ANSWER))
    line = line.with_rooms(keep=log.keeper(line.line))
    words = "what about larkfield.example/x and my card 4111 1111 1111 1111"
    found = asyncio.run(
        line.answer(
            facts_of(line.line, words, "m1", NOW, {"order.page": "orders.larkfield.example/o/7Kq2"}), id="d1", now=NOW
        )
    )
    kept = log.get("d1").decision
    assert found.facts["message.text"] == words
    assert kept.facts["message.text"] == "what about [link] and my card [payment]"
    assert "7Kq2" not in encode(kept) and "4111" not in encode(kept)


def test_what_stands_behind_an_escape_in_a_raw_answer_is_found(shop: Line) -> None:
    said = {"text": "It is at\nhttps://orders.larkfield.example/o/7Kq2\tor 4111\u00a01111\u00a01111\u00a01111"}
    for raw in (json.dumps(said), f"```{json.dumps(said)}", json.dumps(said)[:-2]):
        kept = cleaned(shop, Decision("d", "support", "hold", "r", calls=(Call("answer", "model", "failed", raw=raw),)))
        assert "[link]" in kept.calls[0].raw and "[payment]" in kept.calls[0].raw, raw
        assert not any(private in encode(kept) for private in ("7Kq2", "4111")), raw


def test_a_file_is_imported_whole_or_not_at_all(tmp_path: Path) -> None:
    log, file = DecisionLog(tmp_path / "log.sqlite"), tmp_path / "in.jsonl"
    rows: list[dict[str, Any]] = [
        {"id": "a", "text": "hi", "outcome": "send", "sent": "Hello."},
        {"id": 2, "text": "x", "at": "2026-12-01T10:00:00+00:00", "answer": "y"},
    ]
    file.write_text("\n".join(map(json.dumps, rows)) + "\n\n")
    assert import_jsonl(log, file, "demo") == (2, 0) and import_jsonl(log, file, "demo") == (0, 2)
    assert len(log.rows(imported=True)) == 2 and not log.rows(imported=False)
    assert log.get("a").origin == "in.jsonl" and log.get("2").decision.calls[0].fields == {"text": "y"}
    out = list(export(log.rows()))
    (tmp_path / "out.jsonl").write_text("\n".join(out))
    other = DecisionLog(tmp_path / "other.sqlite")
    assert import_jsonl(other, tmp_path / "out.jsonl", "demo") == (2, 0)
    assert list(export(other.rows())) == out


@pytest.mark.parametrize(
    "row", ["{", "[]", '{"text": "x"}', '{"id": "b", "text": 7}', '{"id": "b", "text": "x", "outcome": "sent"}',
            '{"id": "b", "text": "x", "at": "today"}', '{"id": "b", "text": "x", "at": "2026-12-01T10:00:00"}', '{"decision": 7}',
            '{"id": "b", "text": "x", "answer": 7}', '{"decision": {"id": "b", "line": "demo", "outcome": "sent", "reason": "r"}}',
            '{"decision": {"id": "b", "line": "other", "outcome": "hold", "reason": "r"}}'],
)  # fmt: skip
def test_a_bad_row_is_named_with_its_line_and_nothing_is_imported(row: str, tmp_path: Path) -> None:
    log, file = DecisionLog(tmp_path / "log.sqlite"), tmp_path / "in.jsonl"
    file.write_text('{"id": "a", "text": "fine"}\n' + row + "\n")
    with pytest.raises(BadImport, match=r"in\.jsonl:2: "):
        import_jsonl(log, file, "demo")
    assert not log.rows()
