"""What a point decides: order, endings, effects, edits, repairs, failure, waves and roles."""

from __future__ import annotations

from typing import Any

import pytest
from one_card import LINE, compiled, line_of

from engine.language.examples import turn_of
from engine.language.kinds import Example
from engine.language.run import Result, run_point
from engine.language.turn import MarkEntry


def gate(when: str, then: str, at: str = "pre-gate", more: str = "") -> str:
    return f"at: {at}\nwhen: {when}\nthen: {then}\n{more}"


def ran(cards: dict[str, str], at: str = "pre-gate", order: str = "", **example: Any) -> Result:
    line = line_of(cards, LINE + (f"    order: {{{at}: {order}}}\n" if order else ""))
    return run_point(at, turn_of(line, Example.model_validate(example)))


FIRST = gate("{message.kind: text}", "hold")
SECOND = gate("{message.kind: text}", "silent")


@pytest.mark.parametrize(("order", "ending"), [("[first, second]", "hold"), ("[second, first]", "silent")])
def test_the_first_ending_in_the_line_s_order_wins_before_the_model(order: str, ending: str) -> None:
    result = ran({"gates/first": FIRST, "gates/second": SECOND}, order=order, message="hello")
    assert str(result.ending) == ending


@pytest.mark.parametrize(
    ("first", "second", "ending"),
    [
        ("pass", "hold", "pass"),
        ("next", "hold", "hold"),
        ("{say: hello}", "hold", "say hello"),
        ("[{say: needs_order}, silent]", "hold", "silent"),
        ("[{say: needs_order}, {say: hello}]", "hold", "say hello"),
        ("{say: needs_order}", "silent", "hold"),  # nothing can be carried out: the safe ending
        ("{say: $chat.last_sent}", "silent", "hold"),
    ],
)
def test_then(first: str, second: str, ending: str) -> None:
    cards = {
        "gates/a": gate("{message.kind: text}", first, at="fixed"),
        "gates/b": gate("{message.kind: text}", second, at="fixed"),
        "texts/hello": "words: Hello\n",
        "texts/needs_order": "words: 'Your order {order.number}'\n",
    }
    assert str(ran(cards, at="fixed", order="[a, b]", message="hello").ending) == ending


def test_a_said_fact_is_the_text() -> None:
    result = ran({"gates/a": gate("{message.kind: text}", "{say: $topic.answer}", at="verbatim")}, at="verbatim",
                 message="hello", facts={"topic.answer": "We open at eight {{x}} {order.number}"})  # fmt: skip
    assert result.text == "We open at eight {{x}} {order.number}"


@pytest.mark.parametrize(("unless", "fires"), [("{sender.known: true}", True), ("{sender.known: false}", False)])
def test_unless_excuses_only_on_true(unless: str, fires: bool) -> None:
    body = gate("{message.kind: text}", "hold", more=f"unless: {unless}\n")
    assert ran({"gates/a": body}, message="x", facts={"sender.known": False}).ended is fires
    assert ran({"gates/a": body}, message="x").ended is True  # unknown does not excuse


@pytest.mark.parametrize(
    ("on_error", "ending", "reason"),
    [("", "hold", "knowledge_unavailable"), ("on_error: pass\n", "pass", "knowledge_unavailable"),
     ("on_error: next\n", "next", ""), ("on_error: silent\n", "silent", "knowledge_unavailable")],
)  # fmt: skip
def test_a_failed_source_takes_on_error(on_error: str, ending: str, reason: str) -> None:
    body = gate("{topic.score: {over: 0.5}}", "draft", at="topic", more=on_error)
    result = ran({"gates/a": body}, at="topic", facts={"topic.score": {"failed": "knowledge"}})
    assert (str(result.ending.kind if result.ending.kind != "end" else result.ending.name), result.reason) == (
        ending,
        reason,
    )


def test_a_failed_unless_does_not_excuse() -> None:
    body = gate("{message.kind: text}", "silent", at="topic", more="unless: {topic.score: {over: 0.5}}\n")
    result = ran({"gates/a": body}, at="topic", message="x", facts={"topic.score": {"failed": "knowledge"}})
    assert (str(result.ending), result.reason) == ("hold", "knowledge_unavailable")


@pytest.mark.parametrize(
    ("at", "facts", "ending"),
    [
        ("tool", {"tool.danger": {"failed": "tool"}}, "deny"),
        ("memory", {"item.kind": {"failed": "item"}}, "drop"),
        ("state", {"state.file": {"failed": "state"}}, "read_only"),
        ("peer", {"peer.hops": {"failed": "peer"}}, "cancel"),
        ("delivery", {"send.superseded": {"failed": "send"}}, "requeue"),
    ],
)
def test_a_failure_off_the_path_takes_the_safe_ending_of_its_point(at: str, facts: dict[str, Any], ending: str) -> None:
    conditions = {"tool": "{tool.danger: true}", "memory": "{item.kind: fact}", "state": "{state.file: ok}",
                  "peer": "{peer.hops: {over: 1}}", "delivery": "{send.superseded: true}"}  # fmt: skip
    first = {"tool": "allow", "memory": "keep", "state": "write", "peer": "follow_up", "delivery": "deliver"}[at]
    assert str(ran({"gates/a": gate(conditions[at], first, at=at)}, at=at, facts=facts).ending) == ending


@pytest.mark.parametrize(
    "when", ["{message.text: {matches: '\\bpay'}}", "{message.phones: {empty: false}}", "{message.bare_link: true}"]
)
def test_a_text_too_long_to_be_read_fails_closed(when: str) -> None:
    result = ran({"gates/a": gate(when, "silent")}, message="word " * 20_000)
    assert (str(result.ending), result.reason) == ("hold", "long_text_unavailable")
    assert not ran({"gates/a": gate(when, "silent")}, message="word " * 3_000).ended


def test_the_length_of_a_text_is_known_however_long_it_is() -> None:
    assert ran({"gates/a": gate("{message.length: {over: 90000}}", "silent")}, message="word " * 20_000).reason == "a"


MARKS = {"marks/seen": "scope: sender\ncarries: {kind: text}\n", "marks/other": "scope: sender\n", "roles/shift": "may: [see]\n",
         "texts/note": "words: A note\n"}  # fmt: skip


def test_marks_set_by_a_card_are_seen_by_later_cards_of_the_turn() -> None:
    cards = MARKS | {
        "gates/a": "when: {message.kind: text}\nalso: [{set: seen, with: {kind: $message.kind}}, {alert: shift}]\n",
        "gates/b": gate("{marks.seen.kind: text}", "silent"),
    }
    result = ran(cards, order="[a, b]", message="x")
    assert str(result.ending) == "silent"
    assert [(entry.mark, entry.carries) for entry in result.sets] == [("seen", {"kind": "text"})]
    assert result.effects == [("alert", "shift", "")]


def test_a_cleared_mark_is_gone_for_later_cards() -> None:
    cards = MARKS | {
        "gates/a": "when: {message.kind: text}\nalso: {clear: other}\n",
        "gates/b": gate("{marks.other: true}", "silent"),
    }
    assert not ran(cards, order="[a, b]", message="x", history=[{"mark": "other"}]).ended
    assert ran(cards, order="[b, a]", message="x", history=[{"mark": "other"}]).ended


def test_a_bound_fact_is_known_to_later_cards() -> None:
    cards = {
        "gates/a": "at: fixed\nwhen: {message.kind: text}\nalso: {bind: {order.number: $message.order_numbers}}\n",
        "gates/b": gate("{order.number: AB-1234}", "silent", at="fixed"),
    }
    assert ran(cards, at="fixed", order="[a, b]", message="it is AB-1234").ended


def test_what_a_card_binds_fills_the_text_it_says() -> None:
    cards = {
        "gates/a": gate(
            "{message.order_numbers: {count: 1}}",
            "[{say: found}, silent]",
            at="fast",
            more="also: {bind: {order.number: $message.order_numbers}}\n",
        ),
        "texts/found": "words: 'Order {order.number}'\n",
    }
    assert ran(cards, at="fast", message="it is AB-1234").text == "Order AB-1234"
    assert not ran(cards, at="fast", message="AB-1234 or AB-1235").ended


def test_a_mark_of_several_scopes_counts_for_each_combination() -> None:
    cards = {
        "marks/turns": "scope: [bot, round]\n",
        "gates/a": gate("{marks.turns: {at_least: 2}}", "silent", at="limits"),
    }
    line = line_of(cards)
    mine, other = {"bot.id": "a", "round.id": "1"}, {"bot.id": "a", "round.id": "2"}
    turn = turn_of(line, Example.model_validate({"facts": mine}))
    turn.marks = [MarkEntry("turns", turn.now, keys) for keys in (mine, other, {"bot.id": "b", "round.id": "1"})]
    assert not run_point("limits", turn).ended
    turn.marks.append(MarkEntry("turns", turn.now, mine))
    assert run_point("limits", turn).ended


def test_a_class_of_error_may_share_another_s_rungs_and_giving_up_may_name_its_reason() -> None:
    body = "for: model\nerrors:\n  down: [{wait: 2 s}, {give_up: hold, reason: held_model_down}]\n  empty: down\n"
    ladder = line_of({"ladders/model": body}).ladders["model"]
    assert ladder.rung("empty", 2) == ladder.rung("down", 2) == {"give_up": "hold", "reason": "held_model_down"}
    for wrong in ("empty: dwon", "empty: empty", "other: [{wait: 2 s, reason: x}]"):
        assert compiled({"ladders/model": body.replace("empty: down", wrong)})[1]


GUARD = {
    "guard/phone": "when: {answer.phones: {not_in: $line.phones}}\nrepair: 'Leave {found} out.'\nthen: hold\n",
    "guard/long": "when: {answer.length: {over: 60}}\nrepair: Shorter.\nthen: {say: short}\n",
    "texts/short": "words: In short\n",
}


def test_all_verdicts_are_collected_and_the_strictest_ending_wins() -> None:
    result = ran(GUARD, at="answer", answer="Call 020 7946 0999 " + "and wait " * 8)
    assert sorted(one.rule.card.id for one in result.spoken) == ["long", "phone"]
    assert (str(result.ending), result.by.rule.card.id if result.by else "") == ("hold", "phone")


def test_among_texts_the_first_in_order_wins() -> None:
    cards = GUARD | {
        "guard/long2": "when: {answer.length: {over: 50}}\nthen: {say: other}\n",
        "texts/other": "words: Other\n",
    }
    del cards["guard/phone"]
    assert ran(cards, at="answer", order="[long2, long]", answer="word " * 20).text == "Other"
    assert ran(cards, at="answer", order="[long, long2]", answer="word " * 20).text == "In short"


@pytest.mark.parametrize(
    ("stops", "ending"),
    [
        ("draft", "draft"),
        ("hold", "hold"),
        ("silent", "silent"),
        ("[draft, hold]", "hold"),
        ("[silent, draft]", "silent"),
    ],
)
def test_at_the_outcome_all_cards_run_and_the_strictest_wins(stops: str, ending: str) -> None:
    words = stops.strip("[]").split(", ")
    cards = {f"gates/stop{n}": gate("{switches.send: on}", word, at="outcome") for n, word in enumerate(words)}
    assert str(ran(cards, at="outcome").ending) == ending


EDITS: list[tuple[str, str, str, str]] = [
    ("{remove: match}", "Pay to 4111 1111 1111 1111 now.", "Pay to  now.", "cards"),
    ("{replace: match, with: '[card]'}", "Pay to 4111 1111 1111 1111 now.", "Pay to [card] now.", "cards"),
    ("{remove: sentence}", "We came. Call 020 7946 0999 today. We left.", "We came. We left.", "phones"),
    (
        "{replace: sentence, with: Ask us.}",
        "We came. Call 020 7946 0999 today. We left.",
        "We came. Ask us. We left.",
        "phones",
    ),
    ("{remove: item}", "Call 020 7946 0999 today.", "", "phones"),
]


@pytest.mark.parametrize(("edit", "before", "after", "kind"), EDITS)
def test_edits_leave_every_other_byte(edit: str, before: str, after: str, kind: str) -> None:
    body = f"at: memory\nwhen: {{item.{kind}: {{empty: false}}}}\nedit: {edit}\n"
    result = ran({"guard/private": body}, at="memory", item=before)
    assert result.edited == after
    assert result.ended is (not after)


def test_effects_happen_once_although_an_edited_text_is_looked_at_twice() -> None:
    cards = MARKS | {
        "guard/private": "at: memory\nwhen: {item.phones: {empty: false}}\nedit: {remove: sentence}\nalso: {set: other}\n",
        "gates/b": "at: memory\nwhen: {item.text: {matches: 'tea'}}\nalso: {set: seen}\n",
    }
    line = line_of(cards)
    turn = turn_of(line, Example(item="Call 020 7946 0999. I like tea."))
    result = run_point("memory", turn)
    assert [entry.mark for entry in result.sets] == [entry.mark for entry in turn.marks] == ["seen", "other"]


def test_an_edit_that_leaves_nothing_drops_the_item() -> None:
    body = "at: memory\nwhen: {item.phones: {empty: false}}\nedit: {remove: sentence}\n"
    assert str(ran({"guard/private": body}, at="memory", item="Call 020 7946 0999 today.").ending) == "drop"


def test_an_edit_that_does_not_cure_fails_closed() -> None:
    body = "at: memory\nwhen: {item.text: {matches: '\\bsecret\\b'}}\nedit: {replace: match, with: secret word}\n"
    assert str(ran({"guard/private": body}, at="memory", item="the secret is out").ending) == "drop"


def test_longest_secrets_are_replaced_first_and_short_ones_only_alone() -> None:
    cards = {
        "guard/long": "at: request\nwhen: {item.text: {has: {of: $secrets.values, at_least: 8}}}\nedit: {replace: match, with: '[secret]'}\n",
        "guard/short": "at: request\nwhen: {item.text: {has: {of: $secrets.values, at_least: 4, at_most: 7, alone: true}}}\n"
                       "edit: {replace: match, with: '[secret]'}\n",
    }  # fmt: skip
    facts = {"secrets.values": ["hunter2", "hunter2-and-more", 'quo"te-long', "abc"]}
    text = 'run hunter2-and-more, hunter2, myhunter2x, {"a": "quo\\"te-long"}, abc'
    result = ran(cards, at="request", item=text, facts=facts)
    assert result.edited == 'run [secret], [secret], myhunter2x, {"a": "[secret]"}, abc'


@pytest.mark.parametrize(
    ("facts", "label"),
    [
        ({"decision.card": "a", "switches.w1": "on"}, ("one", "open")),
        ({"decision.card": "a"}, ("one", "closed")),
        ({"decision.card": "b"}, ("two", "open")),
        ({"decision.card": "c"}, None),
    ],
)
def test_the_first_wave_that_matches_labels_open_or_not(facts: dict[str, str], label: tuple[str, str] | None) -> None:
    cards = {
        "waves/one": "opens: {decision.card: a}\nswitch: w1\n",
        "waves/two": "opens: {decision.card: {in: [a, b]}}\nswitch: always\n",
    }
    line = line_of(cards, LINE + "    waves: [one, two]\n")
    assert line.label(turn_of(line, Example(facts=facts))) == label


def test_a_write_waits_for_its_wave() -> None:
    cards = {
        "gates/a": gate("{waves.one: open}", "draft", at="fast"),
        "waves/one": "opens: {decision.card: a}\nswitch: w1\n",
    }
    line = line_of(cards, LINE + "    waves: [one]\n")
    assert not run_point("fast", turn_of(line, Example())).ended
    assert run_point("fast", turn_of(line, Example(facts={"switches.w1": "on"}))).ended


@pytest.mark.parametrize(
    ("sender", "may", "ending"), [("boss", "owner", "pass"), ("x", "guest", "silent"), ("banned", "none", "silent")]
)
def test_a_role_is_the_first_that_matches_and_brings_what_it_may(sender: str, may: str, ending: str) -> None:
    cards = {
        "roles/owner": "who: {sender.id: boss}\nmay: [bypass_gate, speak]\nmay_not: [speak]\n",
        "roles/guest": "who: {not: {sender.id: banned}}\n",
        "roles/shift": "may: [speak]\n",
        "gates/a": gate("{sender.may: {has: bypass_gate}}", "pass", at="staff"),
        "gates/b": gate("{message.kind: text}", "silent", at="staff"),
        "gates/c": gate("{sender.may: {has: speak}}", "hold", at="staff"),
    }
    line = line_of(cards, LINE + "    roles: [owner, guest]\n    order: {staff: [c, a, b]}\n")
    turn = turn_of(line, Example.model_validate({"message": "x", "facts": {"sender.id": sender}}))
    assert (turn.get("sender.role") if may != "none" else "none") == may
    assert str(run_point("staff", turn).ending).split()[0] == ending


LIMITS = [
    ("value: 15 min\n", {}, 900.0),
    ("value: 80 %\nof: $context.usable\n", {"context.usable": 1000}, 800.0),
    ("value: 80 %\nof: $context.usable\n", {}, None),
    ("cases: [{when: {sender.known: true}, value: 5}, {value: 2}]\n", {"sender.known": True}, 5.0),
    ("cases: [{when: {sender.known: true}, value: 5}, {value: 2}]\n", {}, 2.0),
    ("value: 40\nat_most: 30\n", {}, 30.0),
    ("value: 40\nat_most: $limits.cap\n", {}, 35.0),
    ("value: 100 ms\nper: character\nat_least: 300 ms\nat_most: 6 s\n", {}, 0.3),
]


@pytest.mark.parametrize(("body", "facts", "value"), LIMITS)
def test_a_limit_is_fixed_by_case_bounded_or_a_share(body: str, facts: dict[str, Any], value: float | None) -> None:
    line = line_of({"limits/x": body, "limits/cap": "value: 35\n"})
    assert line.limits["x"].value(turn_of(line, Example(facts=facts))) == pytest.approx(value)


@pytest.mark.parametrize(("length", "seconds"), [(1, 0.3), (20, 2.0), (600, 6.0)])
def test_a_limit_per_character_is_multiplied_and_bounded(length: int, seconds: float) -> None:
    line = line_of({"limits/pace": "value: 100 ms\nper: character\nat_least: 300 ms\nat_most: 6 s\n"})
    assert line.limits["pace"].value(turn_of(line, Example()), length) == pytest.approx(seconds)


@pytest.mark.parametrize(
    ("message", "words"), [("hola, ¿dónde está mi pedido de ayer por favor?", "Buenos días"), ("hi", "Good day")]
)
def test_a_text_speaks_the_customer_s_language_where_the_line_has_it(message: str, words: str) -> None:
    line = line_of({"texts/greeting": "words: {en: Good day, es: Buenos días}\n"})
    assert line.texts["greeting"].render(turn_of(line, Example(message=message))) == words


def test_what_is_filled_in_is_never_read_as_a_slot_again() -> None:
    line = line_of({"texts/echo": "words: 'You wrote {message.text} {{order.number}} {% raw %}'\n"})
    turn = turn_of(line, Example(message="{line.name} {{7*7}} {% x %}"))
    assert line.texts["echo"].render(turn) == "You wrote {line.name} {{7*7}} {% x %} {{order.number}} {% raw %}"


REFUSED = [
    ("{say: helo}", "unknown_text", "`hello`"),
    ("hello", "unknown_ending", "{say: hello}"),
    ("hodl", "unknown_ending", "`hold`"),
    ("{sya: hello}", "unknown_ending", "say"),
    ("{ask: nothing}", "unknown_question", "questions/nothing"),
    ("{wake: everyone}", "wrong_type", "reference"),
    ("allow", "unknown_ending", "pre-gate"),
    ("[]", "empty_value", "empty"),
    ("{say: $message.links}", "wrong_type", "only a text"),
]


@pytest.mark.parametrize(("then", "code", "part"), REFUSED)
def test_a_wrong_ending_is_refused(then: str, code: str, part: str) -> None:
    _, problems = compiled({"gates/a": gate("{message.kind: text}", then), "texts/hello": "words: Hello\n"})
    assert code in [problem.code for problem in problems]
    assert any(part in problem.says + problem.cure for problem in problems), [str(problem) for problem in problems]


EFFECTS = [
    ("{set: nope}", "unknown_mark"), ("{sets: seen}", "unknown_effect"), ("{alert: nobody}", "unknown_role"),
    ("{notice: nope}", "unknown_text"), ("{set: seen, with: {colour: red}}", "unknown_key"), ("seen", "wrong_type"),
    ("{bind: {ordr.number: $message.order_numbers}}", "unknown_path"), ("{set: seen, whith: {kind: a}}", "unknown_effect"),
]  # fmt: skip


@pytest.mark.parametrize(("also", "code"), EFFECTS)
def test_a_wrong_effect_is_refused(also: str, code: str) -> None:
    _, problems = compiled(MARKS | {"gates/a": f"when: {{message.kind: text}}\nalso: {also}\n"})
    assert code in [problem.code for problem in problems], [str(problem) for problem in problems]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("value: 48 h\n", "48 h"),
        ("value: 400\n", "400"),
        ("value: 0.15 s\n", "0.15 s"),
        ("value: 80 %\n", "80 %"),
        ("value: 48 h\nat_most: 90 min\n", "90 min"),
    ],
)
def test_a_limit_is_said_as_its_card_writes_it(body: str, words: str) -> None:
    line = line_of({"limits/x": body, "texts/t": "words: 'Within {limits.x} from {line.name}'\n"})
    assert line.texts["t"].render(turn_of(line, Example())) == f"Within {words} from A line made for a test"


SAID = [
    ("{order.page}", {"order.page": "https://Orders.Example/o/7Kq2"}, "https://Orders.Example/o/7Kq2"),
    ("{line.phones}", {}, "+44 20 7946 0100"),
    ("{order.times}", {"order.times": ["10:00-14:00", "around noon, 12:00"]}, None),
    ("{order.times}", {"order.times": ["10:00-14:00", "16:00"]}, "10:00-14:00, 16:00"),
    (
        "{customer.orders.number}",
        {"customer.orders": [{"number": "ab-1001"}, {"number": "AB-1002"}]},
        "ab-1001, AB-1002",
    ),
    ("{message.phones}", {"message.text": "it is 020 7946-0999"}, "020 7946-0999"),
    ("{order.status}", {"order.status": "  "}, None),
    ("{order.status}", {"order.status": {"failed": "orders"}}, None),
    ("{topic.score}", {"topic.score": 0.25}, "0.25"),
]


@pytest.mark.parametrize(("slot", "facts", "words"), SAID)
def test_a_live_value_is_said_as_its_source_wrote_it(slot: str, facts: dict[str, Any], words: str | None) -> None:
    line = line_of({"texts/t": f"words: '{slot}'\n"})
    assert line.texts["t"].render(turn_of(line, Example.model_validate({"facts": facts}))) == words
