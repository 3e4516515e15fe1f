"""The decision log: what is written comes back, probes are not counted, texts pass the line's cards, masks keep relations."""

from __future__ import annotations

import asyncio
import dataclasses
import datetime as dt
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from path_parts import GUARD, NOW, Scripted, at_work, decided, support

from engine.decision import Decision
from engine.evidence.messages import facts_of
from engine.language.extract import extract
from engine.language.line import Line
from engine.language.turn import Failed
from engine.log import DecisionLog, LogUnavailable
from engine.log.codec import decode, encode
from engine.log.files import BadImport, export, import_jsonl
from engine.log.masking import KINDS, Mask, masked

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


def test_a_decision_comes_back_as_it_was() -> None:
    found = dataclasses.replace(_full(), facts={**_full().facts, "order.page": Failed("orders")})
    again = decode(encode(found))
    assert encode(again) == encode(found) and again.facts["order.page"] == Failed("orders")
    assert (again.verdicts[0].card, again.calls[1].raw, again.at) == (found.verdicts[0].card, found.calls[1].raw, NOW)


@pytest.mark.parametrize("text", ["[]", "7", '{"id": "x", "trace": 7}'])
def test_what_is_no_decision_is_refused(text: str) -> None:
    with pytest.raises((ValueError, TypeError)):
        decode(text)


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


def test_a_file_is_imported_whole_or_not_at_all(tmp_path: Path) -> None:
    log, file = DecisionLog(tmp_path / "log.sqlite"), tmp_path / "in.jsonl"
    rows: list[dict[str, Any]] = [
        {"id": "a", "text": "hi", "outcome": "send", "sent": "Hello."},
        {"id": 2, "text": "x", "at": "2026-12-01T10:00:00+00:00", "answer": "y"},
    ]
    file.write_text("\n".join(map(json.dumps, rows)) + "\n\n")
    assert import_jsonl(log, file, "demo") == (2, 0) and import_jsonl(log, file, "demo") == (0, 2)
    assert log.get("a").origin == "in.jsonl" and log.get("2").decision.calls[0].fields == {"text": "y"}
    out = list(export(log.rows()))
    (tmp_path / "out.jsonl").write_text("\n".join(out))
    other = DecisionLog(tmp_path / "other.sqlite")
    assert import_jsonl(other, tmp_path / "out.jsonl", "demo") == (2, 0)
    assert list(export(other.rows())) == out


@pytest.mark.parametrize(
    "row", ["{", "[]", '{"text": "x"}', '{"id": "b", "text": 7}', '{"id": "b", "text": "x", "outcome": "sent"}',
            '{"id": "b", "text": "x", "at": "today"}', '{"id": "b", "text": "x", "at": "2026-12-01T10:00:00"}', '{"decision": 7}'],
)  # fmt: skip
def test_a_bad_row_is_named_with_its_line_and_nothing_is_imported(row: str, tmp_path: Path) -> None:
    log, file = DecisionLog(tmp_path / "log.sqlite"), tmp_path / "in.jsonl"
    file.write_text('{"id": "a", "text": "fine"}\n' + row + "\n")
    with pytest.raises(BadImport, match=r"in\.jsonl:2: "):
        import_jsonl(log, file, "demo")
    assert not log.rows()


# masking


@pytest.fixture(scope="module")
def shop() -> Line:
    return support(Scripted("x")).line


WORDS = ("ring +44 7700 900123 or +1 415 555 0132, mail me@some.example, order LM-104233, see https://orders.larkfield.example/o/7Kq2?a=b, "
         "evil.example/track, card 4111 1111 1111 1111, IBAN GB82 WEST 1234 5698 7654 32. At 14:30 for £5")  # fmt: skip


def test_a_mask_keeps_kinds_relations_and_what_the_line_owns(shop: Line) -> None:
    mask = Mask(b"k" * 32, shop)
    hidden = mask.text(WORDS)
    context = shop.context(None)
    for kind in (kind for kind in KINDS if kind != "ids"):
        before, after = extract(kind, WORDS, context), extract(kind, hidden, context)
        assert len(before) == len(after), kind
        if kind != "links":
            assert all(one.value == two.value or one.text not in hidden for one, two in zip(before, after, strict=True))
    assert mask.text("Ring us on +44 20 7946 0142.") == "Ring us on +44 20 7946 0142."
    assert "14:30" in hidden and "£5" in hidden and "orders.larkfield.example" in hidden
    assert "7Kq2" not in hidden and mask.text(WORDS) == hidden == Mask(b"k" * 32, shop).text(WORDS)
    assert Mask(b"j" * 32, shop).text(WORDS) != hidden


@given(st.integers(7700900000, 7700900999), st.integers(7700900000, 7700900999))
def test_numbers_that_differ_differ_under_the_mask(one: int, other: int) -> None:
    mask = _MASKS.setdefault("mask", Mask(b"k" * 32, support(Scripted("x")).line))
    a, b = (mask.text(f"ring +44 {number} now") for number in (one, other))
    assert (a == b) is (one == other) and str(one) not in a


_MASKS: dict[str, Mask] = {}


def test_a_masked_decision_holds_nothing_of_a_person_anywhere(shop: Line) -> None:
    line = support(Scripted(ANSWER))
    facts = {
        "customer.name": "Robin Example",
        "sender.id": "+447700900123",
        "order.page": "https://orders.larkfield.example/o/7Kq2",
    }
    found = asyncio.run(line.answer(facts_of(shop, f"Robin Example here, {WORDS}", "m1", NOW, facts), now=NOW))
    text = encode(masked(found, Mask(b"k" * 32, shop)))
    for private in (
        "Robin",
        "7700900123",
        "7700 900123",
        "me@some",
        "LM-104233",
        "7Kq2",
        "4111 1111 1111 1111",
        "WEST",
    ):
        assert private not in text, private


def test_the_key_of_a_project_is_made_once(tmp_path: Path, shop: Line) -> None:
    one, other = Mask.of(tmp_path, shop), Mask.of(tmp_path, shop)
    assert one.key == other.key and (tmp_path / "mask.key").stat().st_mode & 0o777 == 0o600
