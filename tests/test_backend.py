"""The public door as a backend uses it: load, compile, answer, commit, wrap, with marks, switches and log in files."""

from __future__ import annotations

import asyncio
import inspect
import json
import re
import threading
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from one_card import files_of
from path_parts import CARDS, GUARD, LINE, NOW, facts_of

import rulecard
from engine.store import State

BAD, GOOD = "I promise: call +44 20 7946 0999.", "Call +44 20 7946 0100."
COUNTED = {
    "marks/seen": "scope: sender\ncarries: {number: order_number}\nlasts: 1 h\n",
    "gates/see": (
        "at: fast\nwhen: {message.order_numbers: {empty: false}}\n"
        "also: [{bind: {order.number: $message.order_numbers}}, {set: seen, with: {number: $message.order_numbers}}]\n"
    ),
    "gates/twice": "at: fixed\nwhen: {marks.seen: {at_least: 2}}\nthen: hold\n",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project of one line on disk, as somebody keeps it."""
    for name, text in files_of({**CARDS, **GUARD, **COUNTED}, LINE).items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    (tmp_path / "rules").mkdir()
    return tmp_path


def _compiled(project: Path, **more: Any) -> rulecard.CompiledLine:
    return rulecard.load(project).compile(environ={}, **more)


def test_what_the_door_gives_is_typed_and_documented() -> None:
    for name in rulecard.__all__:
        one = getattr(rulecard, name)
        assert inspect.getdoc(one) or typing.get_origin(one), name
    for method in ("answer", "commit", "wrap", "delivery"):
        one = getattr(rulecard.CompiledLine, method)
        hints = typing.get_type_hints(one)
        assert (
            inspect.getdoc(one)
            and set(inspect.signature(one).parameters) - {"self"} <= set(hints)
            and "return" in hints
        )


@pytest.mark.parametrize(
    "file, text, says",
    [
        ("cards/demo/limits/budget.yaml", "title: T\nwhy: W\nsince: 2026-09-21\nvalue: soon\n", "cards/demo/limits/budget.yaml:4:"),
        ("cards/demo/gates/see.yaml", "title: T\nwhy: W\nsince: 2026-09-21\nat: fast\nwhen: {mesage.text: hi}\nthen: hold\n", "message"),
        ("cards/demo/line.yaml", "rulecard: 1\n", "title"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_card_is_refused_with_its_place(project: Path, file: str, text: str, says: str) -> None:
    (project / file).write_text(text, "utf-8")
    with pytest.raises(rulecard.Refused) as refused:
        rulecard.load(project)
    assert says in str(refused.value) and "\n" not in str(refused.value)


def test_a_folder_that_is_no_project_and_a_line_that_is_not_there_are_refused(project: Path) -> None:
    with pytest.raises(rulecard.Refused):
        rulecard.load(project / "cards" / "demo" / "limits")
    with pytest.raises(rulecard.Refused, match="demo"):
        rulecard.load(project).compile("dmo")


@pytest.mark.parametrize("kind", ["words", "fields", "async", "object"])
def test_a_function_of_ones_own_is_wrapped_whatever_its_form(project: Path, kind: str) -> None:
    asked = list[rulecard.Request]()

    def call(request: rulecard.Request) -> Any:
        asked.append(request)
        said = BAD if len(asked) == 1 else GOOD
        return said if kind == "words" else {"text": said, "person": False, "more": 1}

    async def later(request: rulecard.Request) -> Any:
        await asyncio.sleep(0)
        return call(request)

    class Caller:
        async def __call__(self, request: rulecard.Request) -> Any:
            return call(request)

    line = _compiled(project)
    forms: dict[str, Any] = {"async": later, "object": Caller()}
    answer = line.wrap(forms.get(kind, call))
    found = asyncio.run(answer(facts_of("are you open"), now=NOW))
    assert (found.outcome, found.text, [one.card for one in found.verdicts]) == ("send", GOOD, ["phone", "promise"])
    assert json.loads(asked[1].turns[2][1])["repair"] and asked[0].schema["properties"].keys() == {
        "text",
        "person",
        "note",
    }
    assert line.commit(found).stages[-1] == "record"


def test_gates_run_before_a_wrapped_function_and_nothing_of_it_leaves_unguarded(project: Path) -> None:
    (project / "cards/demo/gates/stop.yaml").write_text(
        "title: T\nwhy: W\nsince: 2026-09-21\nwhen: {message.text: {matches: ['\\bstop\\b']}}\nthen: hold\n", "utf-8"
    )
    asked = list[str]()

    def call(request: rulecard.Request) -> str:
        asked.append(request.question)
        return BAD

    answer = _compiled(project).wrap(call)
    stopped = asyncio.run(answer(facts_of("stop it"), now=NOW))
    assert (stopped.outcome, stopped.reason, asked) == ("hold", "stop", [])
    held = asyncio.run(answer(facts_of("go on"), now=NOW))
    assert (held.outcome, held.text, asked) == ("hold", None, ["answer", "answer"])


def test_a_wrapped_function_that_hangs_ends_with_the_time_of_the_turn(project: Path) -> None:
    budget = project / "cards/demo/limits/budget.yaml"
    budget.write_text(budget.read_text("utf-8").replace("50 s", "50 ms"), "utf-8")
    go = threading.Event()

    async def turn() -> rulecard.Decision:
        found = await _compiled(project).wrap(lambda request: str(go.wait(10)))(facts_of("hi"), now=NOW)
        go.set()
        return found

    found = asyncio.run(turn())
    assert (found.outcome, found.reason, found.text) == ("hold", "budget", None)


def test_two_hundred_turns_at_once_with_files_beneath_share_nothing(project: Path) -> None:
    numbers = range(1000, 1200)

    async def call(request: rulecard.Request) -> str:
        told = json.loads(request.turns[0][1])
        await asyncio.sleep(0.001 * (int(told["order"]["number"][-1]) % 3))
        return f"{told['customer']['name']}, it is {told['order']['number']}, {told['store']['open']}."

    async def orders(facts: Mapping[str, Any], seconds: float) -> Mapping[str, Any]:
        await asyncio.sleep(0)
        return {"customer.name": f"Name {facts['sender.id']}"}

    async def live(facts: Mapping[str, Any], seconds: float) -> Mapping[str, Any]:
        await asyncio.sleep(0)
        return {"store.open": int(str(facts["order.number"])[-1]) % 2 == 0}

    line = _compiled(project, sources={"orders": orders, "live": live})
    answer = line.wrap(call)

    async def whole(number: int) -> rulecard.Decision:
        facts = facts_of(f"Where is AB-{number}?", sender__id=f"s{number}", message__id=f"m{number}")
        found = await answer(facts, id=f"d{number}", now=NOW)
        return line.commit(found, True, NOW)

    async def all_of_them() -> list[rulecard.Decision]:
        return await asyncio.gather(*(whole(number) for number in numbers))

    log = rulecard.load(project).log()
    for number, found in zip(numbers, asyncio.run(all_of_them()), strict=True):
        assert found.text == f"Name s{number}, it is AB-{number}, {number % 2 == 0}."
        assert [(one.keys["sender.id"], str(one.carries["number"])) for one in found.pending.sets] == [
            (f"s{number}", f"AB-{number}")
        ]
        assert set(re.findall(r"AB-\d{4}", repr(found))) == {f"AB-{number}"}
        assert log.get(f"d{number}").decision.text == found.text
    assert asyncio.run(answer(facts_of("AB-1000 again", sender__id="s1000"), now=NOW)).reason == "twice"
    assert asyncio.run(answer(facts_of("AB-1000 again", sender__id="nobody"), now=NOW)).outcome == "send"


def test_marks_claims_and_switches_are_shared_with_another_process(project: Path) -> None:
    one, other = _compiled(project), _compiled(project)
    say = one.wrap(lambda request: "Fine.")
    found = asyncio.run(say(facts_of("AB-1234", message__id="m1"), now=NOW))
    assert other.commit(found, True, NOW).pending.sets and other.commit(found, True, NOW) is found
    assert one.commit(found, True, NOW) is found
    switches = State(project / ".rulecard" / "state.sqlite").switches(one.line)
    again = other.wrap(lambda request: "Fine.")
    assert asyncio.run(again(facts_of("AB-1234"), now=NOW)).reason == "twice"
    switches.set("w1", "off", "A wrong answer.", NOW)
    assert asyncio.run(again(facts_of("hello"), now=NOW)).outcome == "draft"
    switches.set("w1", "on", "It was right.", NOW)
    assert asyncio.run(again(facts_of("hello"), now=NOW)).outcome == "send"
