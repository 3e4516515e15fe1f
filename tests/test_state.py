"""Live state, in a file and in memory: marks by whom they concern, switches with their history, claims taken once."""

from __future__ import annotations

import dataclasses
import datetime as dt
import itertools
import multiprocessing
import sqlite3
import time
from collections import Counter
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
    state = State(path)
    with pytest.raises(StateUnavailable, match="Move the file away"):
        state.switches(line).values()
    path.rename(tmp_path / "away.sqlite")
    assert state.seen(line).claim("m1", NOW)


def test_a_file_moved_away_is_begun_anew_by_whoever_works_on(tmp_path: Path, line: Line) -> None:
    state = State(tmp_path / "s.sqlite")
    state.marks(line).write([_mark("one", 10, sender_id="a")], [])
    for end in ("", "-wal", "-shm"):
        (tmp_path / f"s.sqlite{end}").rename(tmp_path / f"away{end}")
    assert state.marks(line).live({"sender.id": "a"}, NOW) == []
    state.marks(line).write([_mark("one", 5, sender_id="a")], [])
    assert State(tmp_path / "s.sqlite").marks(line).live({"sender.id": "a"}, NOW) == [_mark("one", 5, sender_id="a")]


def test_a_state_that_somebody_else_holds_is_unavailable(
    tmp_path: Path, line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.store.file.BUSY_SECONDS", 0.05)
    state, other = State(tmp_path / "s.sqlite"), sqlite3.connect(tmp_path / "s.sqlite")
    state.seen(line).claim("m1", NOW)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StateUnavailable, match="locked"):
        state.seen(line).claim("m2", NOW)
    other.rollback()
    assert state.seen(line).claim("m2", NOW)


def test_what_is_written_is_written_whole_or_not_at_all(tmp_path: Path, line: Line) -> None:
    state = State(tmp_path / "s.sqlite")
    bad = dataclasses.replace(_mark("one", 5, sender_id="a"), mark="nobody")
    with pytest.raises(KeyError):
        state.marks(line).write([_mark("one", 10, sender_id="a"), bad], [])
    assert state.marks(line).live({"sender.id": "a"}, NOW) == []


def test_a_hundred_thousand_marks_are_not_walked_for_one_customer(tmp_path: Path, line: Line) -> None:
    state = State(tmp_path / "s.sqlite")
    marks = state.marks(line)
    entry = _mark("one", 10, sender_id="a")
    marks.write([entry], [])
    with state.connected() as connection:
        row = connection.execute("SELECT line, mark, at, written, keys, carries FROM marks").fetchone()
        many = ((row[0], row[1], f"s{number}", *row[2:]) for number in range(100_000))
        connection.executemany(
            "INSERT INTO marks (line, mark, scope, at, written, keys, carries) VALUES (?,?,?,?,?,?,?)", many
        )
    steps: list[int] = []
    with state.connected() as connection:
        connection.set_progress_handler(lambda: steps.append(1), 100)
        assert marks.live({"sender.id": "a"}, NOW) == [entry]
        connection.set_progress_handler(None, 0)
    assert len(steps) < 20


def _claimer(path: str, name: str, found: Any) -> None:
    line = line_of({**CARDS, **MARKS}, LINE)
    seen = State(Path(path)).seen(line)
    found.put((name, [what for what in range(200) if seen.claim(f"m{what}", NOW)]))


def test_two_processes_never_both_get_a_claim(tmp_path: Path) -> None:
    found = _SPAWN.Queue()
    workers = [_SPAWN.Process(target=_claimer, args=(str(tmp_path / "s.sqlite"), name, found)) for name in "ab"]
    for worker in workers:
        worker.start()
    (_, one), (_, two) = found.get(timeout=60), found.get(timeout=60)
    for worker in workers:
        worker.join()
    assert sorted([*one, *two]) == list(range(200))


def _writer(path: str, name: str) -> None:
    marks = State(Path(path)).marks(line_of({**CARDS, **MARKS}, LINE))
    for number in range(100):
        marks.write([_mark("one", number, sender_id=name), _mark("order", number, order_number="AB-1234")], [])


def test_two_processes_write_marks_at_once_and_none_is_lost(tmp_path: Path, line: Line) -> None:
    path = tmp_path / "s.sqlite"
    workers = [_SPAWN.Process(target=_writer, args=(str(path), name)) for name in "ab"]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    found = State(path).marks(line).live({"sender.id": "a", "order.number": "AB-1234"}, NOW)
    assert Counter(one.mark for one in found) == {"one": 100, "order": 200}


def _endless(path: str, begun: Any) -> None:
    marks = State(Path(path)).marks(line_of({**CARDS, **MARKS}, LINE))
    for number in itertools.count():
        one = _mark("one", 0, sender_id="a")
        marks.write([dataclasses.replace(one, carries={"kind": f"{number}.{half}"}) for half in (1, 2)], [])
        begun.set()


@pytest.mark.slow
@pytest.mark.parametrize("after", [0.0, 0.01, 0.05, 0.2])
def test_a_process_killed_while_it_writes_leaves_whole_writes_alone(tmp_path: Path, line: Line, after: float) -> None:
    begun = _SPAWN.Event()
    worker = _SPAWN.Process(target=_endless, args=(str(tmp_path / "s.sqlite"), begun))
    worker.start()
    assert begun.wait(60)
    time.sleep(after)
    worker.kill()
    worker.join()
    marks = State(tmp_path / "s.sqlite").marks(line)
    found = [one.carries["kind"] for one in marks.live({"sender.id": "a"}, NOW)]
    assert found == [f"{number}.{half}" for number in range(len(found) // 2) for half in (1, 2)]
    marks.write([_mark("order", 1, order_number="AB-1234")], [])
    assert marks.live({"order.number": "AB-1234"}, NOW)


_SPAWN = multiprocessing.get_context("spawn")
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**40), 2**40)
    | st.text()
    | st.text(st.characters(categories=["Cs"]), max_size=1)
    | st.dates()
    | st.datetimes(timezones=st.just(dt.UTC))
    | st.decimals(allow_nan=False, allow_infinity=False)
    | st.builds(Failed, st.text()),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text() | st.sampled_from(["$date", "$$", "$failed"]), inner, max_size=3)
    ),
)


@given(VALUES)
def test_what_is_kept_comes_back_as_it_was(value: Any) -> None:
    assert loaded(dumped(value)) == value
