"""Live state, in a file and in memory: marks by whom they concern, switches with their history, claims taken once."""

from __future__ import annotations

import datetime as dt
import multiprocessing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from one_card import line_of
from path_parts import CARDS, LINE, NOW

from engine.language.line import Line
from engine.language.turn import Failed, MarkEntry
from engine.store import Memory, State, StateUnavailable
from engine.store.values import dumped, loaded

MARKS = {
    "marks/one": "scope: sender\ncarries: {kind: text, day: date}\nlasts: 1 h\n",
    "marks/all": "scope: line\nlasts: 1 min\n",
    "marks/order": "scope: order\n",
}


@pytest.fixture(scope="module")
def line() -> Line:
    return line_of({**CARDS, **MARKS}, LINE)


@pytest.fixture(params=["file", "memory"])
def state(request: Any, tmp_path: Path) -> Any:
    return State(tmp_path / "state" / "state.sqlite") if request.param == "file" else Memory()


def _mark(name: str, ago: float, **keys: str) -> MarkEntry:
    given = {path.replace("_", "."): value for path, value in keys.items()}
    return MarkEntry(name, NOW - dt.timedelta(seconds=ago), given, {"kind": "x", "day": dt.date(2026, 12, 1)})


def test_a_mark_is_found_by_whom_it_concerns_and_while_it_lasts(state: Any, line: Line) -> None:
    marks = state.marks(line)
    mine, other, over = (
        _mark("one", 10, sender_id="a"),
        _mark("one", 10, sender_id="b"),
        _mark("one", 4000, sender_id="a"),
    )
    whole, order = _mark("all", 5, sender_id="b"), _mark("order", 9, order_number="AB-1234", sender_id="a")
    marks.write([mine, other, over, whole, order], [])
    assert marks.live({"sender.id": "a"}, NOW) == [mine, whole]
    assert marks.live({"sender.id": "c", "order.number": "AB-1234"}, NOW) == [order, whole]
    assert marks.live({}, NOW) == [whole]


def test_a_clear_takes_away_what_was_set_until_then_for_whom_it_concerns(state: Any, line: Line) -> None:
    marks = state.marks(line)
    old, new, other = _mark("one", 60, sender_id="a"), _mark("one", 1, sender_id="a"), _mark("one", 60, sender_id="b")
    marks.write([old, new, other], [])
    marks.write([], [("one", {"sender.id": "a"}, NOW - dt.timedelta(seconds=30))])
    assert marks.live({"sender.id": "a"}, NOW) == [new]
    assert marks.live({"sender.id": "b"}, NOW) == [other]


def test_a_claim_is_given_once(state: Any, line: Line) -> None:
    seen = state.seen(line)
    assert [seen.claim("m1", NOW), seen.claim("m1", NOW), seen.claim("m2", NOW)] == [True, False, True]


def test_a_switch_keeps_its_history_and_is_seen_by_whoever_reads_next(tmp_path: Path, line: Line) -> None:
    one, other = State(tmp_path / "s.sqlite"), State(tmp_path / "s.sqlite")
    assert other.switches(line).values() == {}
    one.switches(line).set("send", "off", "The prices are wrong.", NOW)
    assert other.switches(line).values() == {"send": "off"}
    one.switches(line).set("send", "on", "They are right again.", NOW)
    assert other.switches(line).values() == {"send": "on"}
    assert [(change.value, change.why) for change in other.switches(line).history()] == [
        ("off", "The prices are wrong."),
        ("on", "They are right again."),
    ]


def test_state_is_for_its_owner_alone_and_a_broken_file_is_named(tmp_path: Path, line: Line) -> None:
    path = tmp_path / "private" / "state.sqlite"
    State(path).seen(line).claim("m1", NOW)
    assert path.stat().st_mode & 0o777 == 0o600 and path.parent.stat().st_mode & 0o777 == 0o700
    path = tmp_path / "broken.sqlite"
    path.write_bytes(b"no database at all, but long enough to be looked at" * 100)
    with pytest.raises(StateUnavailable, match="Move the file away"):
        State(path).switches(line).values()


def _claimer(path: str, name: str, found: Any) -> None:
    line = line_of({**CARDS, **MARKS}, LINE)
    seen = State(Path(path)).seen(line)
    found.put((name, [what for what in range(200) if seen.claim(f"m{what}", NOW)]))


def test_two_processes_never_both_get_a_claim(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    found = context.Queue()
    workers = [context.Process(target=_claimer, args=(str(tmp_path / "s.sqlite"), name, found)) for name in "ab"]
    for worker in workers:
        worker.start()
    (_, one), (_, two) = found.get(timeout=60), found.get(timeout=60)
    for worker in workers:
        worker.join()
    assert sorted([*one, *two]) == list(range(200))


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**40), 2**40)
    | st.text()
    | st.dates()
    | st.datetimes(timezones=st.just(dt.UTC))
    | st.decimals(allow_nan=False, allow_infinity=False)
    | st.builds(Failed, st.text()),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(), inner, max_size=3).filter(
            lambda one: not any(name.startswith("$") for name in one)
        )
    ),
)


@given(VALUES)
def test_what_is_kept_comes_back_as_it_was(value: Any) -> None:
    assert loaded(dumped(value)) == value
