"""Switches: which there are, what a wave's is, and which change is refused. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from engine.language.line import Line
from engine.language.problems import nearest

LEAST_WHY = 3
"""Fewest characters of a reason: whoever reads it later must learn something."""


class SwitchRefused(ValueError):
    """A change that is not made; one sentence and the cure."""


def switch_of(line: Line, wave: str) -> str:
    """The switch of a wave. Raises SwitchRefused for a wave there is not, and for one that is always open."""
    found = line.waves.get(wave)
    if found is None:
        raise SwitchRefused(f"There is no wave `{wave}`. {nearest(wave, line.waves)}".strip())
    if found.switch == "always":
        cure = f"Give cards/{line.name}/waves/{wave}.yaml a switch of line.yaml to close it."
        raise SwitchRefused(f"The wave {wave} is always open: it has no switch. {cure}")
    return found.switch


def checked(line: Line, switch: str, value: str, why: str) -> None:
    """Raises SwitchRefused for a switch there is not, a value that is none, and a change without a reason."""
    if switch not in line.switches:
        raise SwitchRefused(f"There is no switch `{switch}`. {nearest(switch, line.switches)}".strip())
    if value not in ("on", "off"):
        raise SwitchRefused(f"A switch is set to on or off, not to `{value}`.")
    if len(why.strip()) < LEAST_WHY:
        raise SwitchRefused(
            f'Say why it changes in {LEAST_WHY} letters or more: --why "…". Whoever is on shift tomorrow reads it.'
        )


def waves_with(line: Line, switch: str) -> list[str]:
    """The waves that a switch opens and closes, in order."""
    return [name for name, wave in line.waves.items() if wave.switch == switch]


def value_of(line: Line, live: Mapping[str, str], switch: str) -> str:
    """What a switch stands at: as it was last set, else as line.yaml says."""
    return live.get(switch, line.switches.get(switch, ""))
