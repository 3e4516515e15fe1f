"""Masks: nobody is named, kinds and relations stay, what the line owns stays, and a masked log decides as it did."""

from __future__ import annotations

import asyncio
import datetime as dt
import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from one_card import line_of
from path_parts import CARDS, LINE, NOW, ROOT, Scripted, support

from engine.compiled import CompiledLine
from engine.decision import Call, Decision, Pending
from engine.evidence.again import again
from engine.evidence.ask import decide_row
from engine.evidence.messages import Row, facts_of, read_rows
from engine.knowledge import load_knowledge
from engine.language.extract import extract
from engine.language.line import Line
from engine.language.turn import Failed, MarkEntry
from engine.log.codec import decode, encode
from engine.log.decisions import DecisionLog
from engine.log.fictional import PHONES, card, iban
from engine.log.files import export
from engine.log.masking import KINDS, Mask, masked, masked_rows
from engine.model import choose_models

KEY = b"k" * 32


@cache
def _mask(key: bytes = KEY) -> Mask:
    return Mask(key, _line())


@cache
def _line() -> Line:
    return support(Scripted("x")).line


def _values(kind: str, text: str) -> list[Any]:
    return [found.value for found in extract(kind, text, _mask().context)]


def _all_values(texts: tuple[str, ...]) -> dict[str, list[Any]]:
    return {kind: [value for text in texts for value in _values(kind, text)] for kind in KINDS}


def _masked(facts: Mapping[str, Any], **more: Any) -> Decision:
    return masked(Decision("d1", "support", "hold", "r", facts=facts, **more), _mask())


# one value


@pytest.mark.parametrize(
    "text, kind, keeps",
    [
        ("ring +44 808 157 0123 now", "phones", "ring +44 "),
        ("ring +448081570123 now", "phones", "ring +44"),
        ("ring 0808 157 0123 now", "phones", "ring "),
        ("(415) 555-0132", "phones", "+44 "),
        ("+1 415 555 0132", "phones", "+1 "),
        ("+61 2 9374 4000", "phones", "+61 "),
        ("+49 30 901820", "phones", "+49 "),
        ("+34 612 345 678", "phones", "+44 "),
        ("０８０８ １５７ ０１２３", "phones", "+44 "),
        ("tel:+448081570123", "phones", "tel:+44"),
        ("https://wa.me/448081570123?text=hi", "phones", "https://wa.me/44"),
        ("mail me@some.example please", "emails", "mail m"),
        ("mailto:me@some.example", "emails", "mailto:m"),
        ("sales@larkfield.example", "emails", ""),
        ("see evil.example/track?a=b", "links", "see h"),
        ("see http://evil.example:8080/track", "links", "see http://h"),
        ("see https://orders.larkfield.example/o/7Kq2", "links", "see https://orders.larkfield.example/"),
        ("order LM-104233", "order_numbers", "order LM-"),
        ("order lm-104233", "order_numbers", "order lm-"),
        ("card 4111 1111 1111 1111", "cards", "card 4"),
        ("card 4111-1111-1111-1111", "cards", "card 4"),
        ("card 378282246310005", "cards", "card 37"),
        ("card 3056 930902 5904", "cards", "card 36"),
        ("IBAN GB82 WEST 1234 5698 7654 32", "ibans", "IBAN GB"),
        ("customer 1234567890", "ids", "customer "),
    ],
)
def test_a_value_becomes_another_of_its_kind_spelled_as_it_was(text: str, kind: str, keeps: str) -> None:
    hidden = _mask().text(text)
    (before,), (after,) = _values(kind, text), _values(kind, hidden)
    assert before != after and hidden.startswith(keeps) and Mask(KEY, _line()).text(text) == hidden
    if kind in ("cards", "order_numbers", "ids"):
        assert [character.isdigit() for character in text] == [character.isdigit() for character in hidden]
    if kind == "links":
        assert [before.count(sign) for sign in "/?=:"] == [after.count(sign) for sign in "/?=:"]


@pytest.mark.parametrize(
    "text",
    [
        "Ring us on +44 20 7946 0142 or 020 7946 0142.",
        "help@larkfield.example",
        "https://larkfield.example/help",
        "larkfield.example",
        "At 14:30 on 3 December for £5, in 20 minutes.",
        "No value at all.",
        "2026-12-01",
    ],
)
def test_what_the_line_owns_and_what_rules_stand_on_stays(text: str) -> None:
    assert _mask().text(text) == text


def test_an_account_number_that_holds_a_card_number_stays_an_account_number() -> None:
    spelled = "GB91DOZN68376802260797"
    assert _values("cards", spelled) and len(_values("ibans", _mask().text(spelled))) == 1


def test_another_key_makes_another_mask() -> None:
    assert _mask(b"j" * 32).text("LM-104233 me@some.example") != _mask().text("LM-104233 me@some.example")


def test_a_text_too_long_to_be_read_at_once_is_masked_to_its_end() -> None:
    text = "some words " * 4000 + "me@some.example and 4111 1111 1111 1111"
    hidden = _mask().text(text)
    assert "me@some" not in hidden and "4111 1111" not in hidden and hidden.startswith("some words some")


def test_every_number_for_fiction_is_read_as_itself() -> None:
    for code, ranges in PHONES.items():
        for head, free in ranges:
            number = f"+{code}{head}{'7' * free}"
            assert _values("phones", f"ring {number} now") == [number]


# one decision

_FREE = st.integers(0, 999).map(lambda one: f"+44 808 157 0{one:03d}")
_SPANISH = st.integers(0, 999).map(lambda one: f"+34 612 345 {one:03d}")
_DRAW = st.builds(lambda seed: _mask().draw("test", str(seed)), st.integers(0, 10**6))
_PARTS = {
    "phones": _FREE | _SPANISH,
    "emails": st.builds("{}@{}.example".format, st.sampled_from(["ann", "bo", "c.d"]), st.sampled_from(["post", "mail"])),
    "links": st.builds("https://{}.example/{}".format, st.sampled_from(["shop", "track"]), st.sampled_from(["a", "a/b", "c?d=1"])),
    "cards": st.builds(lambda length, draw: card("0" * length, draw), st.sampled_from([13, 14, 15, 16, 19]), _DRAW),
    "ibans": st.builds(lambda draw: iban("GB82WEST12345698765432", draw), _DRAW).filter(lambda one: not _values("cards", one)),
    "order_numbers": st.integers(0, 999_999).map(lambda one: f"LM-{one:06d}"),
}  # fmt: skip
_TEXTS = st.lists(st.one_of(*_PARTS.values()), min_size=1, max_size=6).map(lambda parts: " and then ".join(parts))


@given(_TEXTS, _TEXTS)
def test_kinds_and_equalities_stay_over_message_facts_and_answers(message: str, answer: str) -> None:
    raw = json.dumps({"text": answer})
    facts = {
        "message.text": message,
        "order.phones": _values("phones", answer),
        "customer.orders": [{"number": "LM-000001"}],
    }
    hidden = _masked(facts, text=answer, calls=(Call("answer", "model", "answered", {"text": answer}, raw),))
    shown, said = hidden.facts["message.text"], hidden.text or ""
    before, after = _all_values((message, answer)), _all_values((shown, said))
    for kind in KINDS:
        assert len(before[kind]) == len(after[kind])
        for one, two in zip(before[kind], after[kind], strict=True):
            assert one != two
            assert [one == other for other in before[kind]] == [two == other for other in after[kind]]
    assert hidden.facts["order.phones"] == _values("phones", said)
    assert json.loads(hidden.calls[0].raw) == hidden.calls[0].fields == {"text": said}
    whole = encode(hidden)
    assert not [value for kind in KINDS for value in before[kind] if str(value) in whole]
    assert (
        encode(_masked(facts, text=answer, calls=(Call("answer", "model", "answered", {"text": answer}, raw),)))
        == whole
    )


def test_a_typed_fact_is_read_whole_as_its_type_says() -> None:
    facts = {"message.text": "My telephone is 1234567.", "order.phones": ["1234567", "020 7946 0142"],
             "order.page": "orders.larkfield.example/o/7Kq2", "customer.orders": [{"number": "LM-104233", "status": "sent"}],
             "order.number": "lm-104233", "order.times": ["14:30"], "store.open": True, "order.links": Failed("orders")}  # fmt: skip
    hidden = _masked(facts).facts
    assert hidden["order.phones"] == [*_values("phones", hidden["message.text"]), "020 7946 0142"]
    assert hidden["order.number"].upper() == hidden["customer.orders"][0]["number"] != "LM-104233"
    assert hidden["order.page"].startswith("orders.larkfield.example/") and "7Kq2" not in hidden["order.page"]
    assert (hidden["order.times"], hidden["store.open"], hidden["order.links"]) == (["14:30"], True, Failed("orders"))
    assert hidden["customer.orders"][0]["status"] == "sent"


def test_people_become_tokens_wherever_they_stand() -> None:
    facts = {"customer.name": "Robin Sample", "sender.id": "user-77231x", "chat.id": "+44 808 157 0123",
             "group.members": ["user-77231x", "other"], "message.text": "robin sample here (user-77231x), +44 808 157 0123"}  # fmt: skip
    at = NOW - dt.timedelta(hours=1)
    entry = MarkEntry("m", at, {"sender.id": "user-77231x", "chat.id": "+44 808 157 0123", "order.number": "LM-104233"})
    hidden = _masked(
        facts, text="Hello Robin, a robin sang.", marks=(entry,),
        pending=Pending((entry,), (("m", {"sender.id": "user-77231x"}, at),)),
    )  # fmt: skip
    token = hidden.facts["sender.id"]
    assert token in hidden.facts["group.members"] and token in hidden.facts["message.text"]
    assert (hidden.text or "").endswith(", a robin sang.")
    assert hidden.marks[0].keys["sender.id"] == hidden.pending.clears[0][1]["sender.id"] == token
    assert hidden.marks[0].keys["chat.id"] == hidden.facts["chat.id"] != facts["chat.id"]
    whole = encode(hidden)
    assert not [one for one in ("Robin", "Sample", "sample", "77231x", "808 157", "104233", '"d1"') if one in whole]


def test_an_escape_in_a_raw_answer_hides_nothing_from_the_mask() -> None:
    said = {"text": "Call\n0808 157 0123\u00a0or\u00a00808\u00a0157\u00a00124"}
    for raw in (json.dumps(said), f"```{json.dumps(said)}", json.dumps(said)[:-1]):
        hidden = _masked({}, calls=(Call("answer", "model", "failed", raw=raw),)).calls[0].raw
        assert not [one for one in ("0808", "157", "0123", "0124") if one in hidden.replace("\u00a0", " ")], hidden


def test_a_probe_stays_a_probe(tmp_path: Path) -> None:
    log = DecisionLog(tmp_path / "log.sqlite")
    log.write(Decision("probe-1", "support", "hold", "r", facts={"message.id": "probe-2", "message.text": "x"}))
    (row,) = masked_rows(log.rows(probes=True), _mask())
    assert row.decision.id == "probe-1" and row.decision.facts["message.id"].startswith("probe")
    assert json.loads(next(export([row])))["id"] == "probe-1"


def test_the_key_of_a_project_is_made_once(tmp_path: Path) -> None:
    one, other = Mask.of(tmp_path, _line()), Mask.of(tmp_path, _line())
    assert one.key == other.key and (tmp_path / "mask.key").stat().st_mode & 0o777 == 0o600


# a whole log


def _offline() -> CompiledLine:
    line = support(Scripted("x"))
    models = choose_models(line.line.config.models, {}, ROOT)
    return line.with_rooms(models=models, knowledge=load_knowledge(ROOT, line.line.source, line.line.config.knowledge))


def _what(decision: Decision) -> tuple[Any, ...]:
    """What must be the same under a mask: how it ended, and every card that spoke on the way."""
    verdicts = tuple((one.card, one.round, one.ending) for one in decision.verdicts)
    spoke = tuple((step.stage, one.card, one.ending) for step in decision.trace for one in step.spoke)
    return decision.outcome, decision.reason, decision.card, decision.wave, decision.topic, verdicts, spoke


def _rows() -> Iterator[Row]:
    yield from read_rows(ROOT / "reference" / "support" / "log.jsonl")
    text = "Robin Sample, LM-104233, +44 808 157 0123, me@some.example: where is my order?"
    order = {"customer.name": "Robin Sample", "customer.orders": [{"number": "LM-104233", "status": "on_the_way"}],
             "order.number": "LM-104233", "order.page": "https://orders.larkfield.example/o/7Kq2"}  # fmt: skip
    for said in ("On its way: https://orders.larkfield.example/o/7Kq2", "Ring +44 808 157 0123, Robin.", "Order LM-104234 is.",
                 "Pay at https://pay.evil.example/7", "Write to me@some.example, or help@larkfield.example."):  # fmt: skip
        yield Row("m-own", text, order, said)


def _replayed(rows: list[Row]) -> list[str]:
    line, found = _offline(), []
    for row in rows:
        logged = decode(encode(asyncio.run(decide_row(line, row))))
        if _what(again(line, masked(logged, _mask()), {}, {}).decision) != _what(logged):
            found.append(f"{row.id}: {row.text}")
    return found


def test_a_masked_log_decides_as_it_did() -> None:
    rows = list(_rows())
    assert not _replayed([*rows[::18], *rows[-5:]])


@pytest.mark.slow
def test_the_whole_shipped_log_decides_masked_as_it_did() -> None:
    assert not _replayed(list(_rows()))


def test_a_masked_decision_of_the_path_names_nobody() -> None:
    line = support(Scripted({"text": "Hi Robin: https://orders.larkfield.example/o/7Kq2.", "topic": "none", "person": False,
                             "confidence": "low", "reason": "r"}))  # fmt: skip
    facts = {
        "customer.name": "Robin Sample",
        "sender.id": "+448081570123",
        "order.page": "orders.larkfield.example/o/7Kq2",
    }
    words = (
        "Robin Sample, +44 808 157 0123, me@some.example, LM-104233, 4111 1111 1111 1111, GB82 WEST 1234 5698 7654 32"
    )
    found = asyncio.run(line.answer(facts_of(_line(), words, "m1", NOW, facts), now=NOW))
    whole = encode(masked(found, _mask()))
    private = ("Robin", "8081570123", "808 157 0123", "me@some", "LM-104233", "7Kq2", "4111 1111", "WEST")
    assert not [one for one in private if one in whole]


def test_an_id_that_the_line_itself_names_stays_so_that_its_rules_still_know_it() -> None:
    line = line_of(CARDS, LINE + "      line.allowlist: {value: [owner-1]}\n")
    hidden = masked(
        Decision("d1", "demo", "hold", "r", facts={"sender.id": "owner-1", "chat.id": "c-1"}), Mask(KEY, line)
    )
    assert hidden.facts["sender.id"] == "owner-1" and hidden.facts["chat.id"] != "c-1"
