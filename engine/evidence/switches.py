"""Switches and waves on the command line: what they stand at, since when and why; changing one."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from engine.compiled import CompiledLine
from engine.store.sqlite import Change, StateSwitches
from runbook.session import Refused
from waves.switching import SwitchRefused, checked, switch_of, value_of, waves_with

Say = Callable[[str], None]


def switch(line: CompiledLine, name: str | None, value: str | None, why: str, say: Say) -> int:
    """Set a switch, or list them all."""
    kept = _kept(line)
    if name is None:
        for one in _switches(line, kept):
            say(one)
        return 0
    if value is None:
        raise Refused(f'Say what to set it to: rulecard switch {name} off --why "…".')
    return _set(line, kept, name, value, why, say)


def waves(line: CompiledLine, action: str | None, wave: str | None, why: str, say: Say) -> int:
    """Open or close a wave by its switch, or list them all."""
    kept = _kept(line)
    if action is None:
        for one in _waves(line, kept):
            say(one)
        return 0
    if wave is None:
        raise Refused(f'Name the wave: rulecard waves {action} w5 --why "…".')
    try:
        name = switch_of(line.line, wave)
    except SwitchRefused as refused:
        raise Refused(str(refused)) from None
    return _set(line, kept, name, "on" if action == "open" else "off", why, say)


def _kept(line: CompiledLine) -> StateSwitches:
    switches = line.rooms.switches
    assert isinstance(switches, StateSwitches)
    return switches


def _set(line: CompiledLine, kept: StateSwitches, name: str, value: str, why: str, say: Say) -> int:
    try:
        checked(line.line, name, value, why)
    except SwitchRefused as refused:
        raise Refused(str(refused)) from None
    before = value_of(line.line, kept.values(), name)
    kept.set(name, value, why.strip(), line.rooms.now())
    others = waves_with(line.line, name)
    acts = f" It opens and closes {', '.join(others)}." if others else ""
    same = " It stood there already; the reason is kept." if before == value else ""
    say(f"{name} is {value}, from the next message on.{acts}{same}")
    return 0


def _switches(line: CompiledLine, kept: StateSwitches) -> Iterator[str]:
    live, last = kept.values(), _last(kept)
    for name, setting in line.line.config.switches.items():
        change = last.get(name)
        since = (
            f"since {change.at:%Y-%m-%d %H:%M}: {change.why}" if change else f"as line.yaml says: {setting.why or ''}"
        )
        yield f"{name:18} {value_of(line.line, live, name):4} {since}".rstrip()


def _waves(line: CompiledLine, kept: StateSwitches) -> Iterator[str]:
    live, last = kept.values(), _last(kept)
    for name, wave in line.line.waves.items():
        always = wave.switch == "always"
        state = "open" if always or value_of(line.line, live, wave.switch) == "on" else "closed"
        change = last.get(wave.switch)
        since = (
            f"since {change.at:%Y-%m-%d %H:%M}: {change.why}" if change else "always" if always else "as line.yaml says"
        )
        yield f"{name:16} {state:7} {wave.card.body.title} ({since})"


def _last(kept: StateSwitches) -> dict[str, Change]:
    return {change.name: change for change in kept.history()} if kept.state.path.exists() else {}
