"""Which models a line asks: as line.yaml says under `models`, or RULECARD_MODEL; never by a key that happens to be set."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.ports import CallFailed, Model, Models

FORMS = "offline, recorded:FILE, or openai:NAME (with RULECARD_BASE_URL and RULECARD_KEY_VARIABLE where they differ)"
KEY = "OPENAI_API_KEY"
"""The variable that holds the key where nothing else is said."""


@dataclass(frozen=True)
class Chosen:
    """The models of a line by (profile, key). Raises CallFailed (`unavailable`, `wrong_key`) for one there is not."""

    known: Mapping[tuple[str, str], Model]

    def model(self, profile: str, key: str = "first") -> Model:
        found = self.known.get((profile, key))
        if found is not None:
            return found
        if (profile, "first") in self.known:
            raise CallFailed("wrong_key", f"The model `{profile}` has no {key} key.")
        raise CallFailed("unavailable", f"No model is connected for `{profile}`.")


def choose_models(settings: Mapping[str, Any], environ: Mapping[str, str], folder: Path) -> Models:
    """The models of `settings` (profile → its setting in line.yaml).

    RULECARD_MODEL takes the place of what every profile that uses a model says there. RULECARD_RECORD names a file to
    which every answer is added, to be used again by `recorded`. `folder`: where recorded files
    of line.yaml are looked for. Raises ValueError with one sentence for a RULECARD_MODEL of no known form.
    """
    instead, record = _instead(environ, settings, folder), environ.get("RULECARD_RECORD", "").strip()
    known: dict[tuple[str, str], Model] = {}
    for profile, setting in settings.items():
        if setting.use == "none":
            continue
        for key in ("first", "second"):
            model = instead(setting, key) if instead else _model(setting, key, environ, folder)
            if model is not None:
                known[profile, key] = _recording(model, Path(record)) if record else model
    return Chosen(known)


Make = Callable[[Any, str], Model | None]


def _instead(environ: Mapping[str, str], settings: Mapping[str, Any], folder: Path) -> Make | None:
    said = environ.get("RULECARD_MODEL", "").strip()
    if not said:
        return None
    use, _, name = said.partition(":")
    if use == "offline" and not name:
        offline = _offline(settings)
        return lambda setting, key: offline if key == "first" else None
    if use == "recorded" and name:
        from engine.model.recorded import Recorded

        recorded = Recorded.of(Path(name))
        return lambda setting, key: recorded if key == "first" else None
    if use == "openai" and name:
        from engine.model.provider import Provider

        variable, url = environ.get("RULECARD_KEY_VARIABLE", KEY), environ.get("RULECARD_BASE_URL") or None
        provider = Provider(name, variable, environ, url)
        return lambda setting, key: provider if key == "first" else None
    raise ValueError(f"RULECARD_MODEL is `{said[:60]}`; it is {FORMS}.")


def _recording(model: Model, path: Path) -> Model:
    from engine.model.recorded import Recorder

    return Recorder(model, path)


def _offline(settings: Mapping[str, Any]) -> Model:
    """The offline model with the first similarities that line.yaml gives; without any it is never sure."""
    from engine.model.offline import Offline

    given = [(one.sure, one.fair) for one in settings.values() if one.sure is not None and one.fair is not None]
    sure, fair = given[0] if given else (1.1, 1.1)
    return Offline(sure, fair)


def _model(setting: Any, key: str, environ: Mapping[str, str], folder: Path) -> Model | None:
    if setting.use == "openai":
        from engine.model.provider import Provider

        variable = (setting.key or KEY) if key == "first" else setting.second_key
        return Provider(setting.name, variable, environ, setting.base_url, setting.api) if variable else None
    if key != "first":
        return None
    if setting.use == "recorded":
        from engine.model.recorded import Recorded

        return Recorded.of(folder / setting.file)
    from engine.model.offline import Offline

    return Offline(setting.sure, setting.fair)
