"""Loading a project and putting a line to work: its cards compiled, its models, knowledge and stores connected."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from engine.compiled import CompiledLine, Rooms
from engine.files import short_hash
from engine.knowledge import load_knowledge
from engine.language.problems import Problem
from engine.log import DecisionLog
from engine.model import choose_models
from engine.ports import Models, Port, Source
from engine.store import State
from runbook.session import Refused, Session, open_project

STATE, LOG = ".rulecard", "log.sqlite"
"""The folder of live state in a project: log, marks, switches. Ignored by git."""


def load(folder: str | os.PathLike[str] | None = None) -> Project:
    """Read a project and compile its lines.

    `folder`: one that holds cards/ and rules/; None: this folder if it is a project, else the lines that come with
    Rulecard. Raises Refused with the first mistake and its place when the cards hold any.
    """
    session = open_project(None if folder is None else Path(folder))
    if session.problems:
        raise Refused(_first(session.problems))
    return Project(session)


def _first(problems: list[Problem]) -> str:
    more = f" And {len(problems) - 1} more; `rulecard check` lists them." if len(problems) > 1 else ""
    return f"{problems[0]}{more}"


@dataclass(frozen=True)
class Project:
    """A project that has been read and compiled."""

    session: Session

    @property
    def lines(self) -> list[str]:
        """The names of its lines."""
        return sorted(self.session.lines)

    def compile(
        self,
        name: str | None = None,
        *,
        models: Models | None = None,
        sources: Mapping[str, Source] | None = None,
        ports: Mapping[str, Port] | None = None,
        state: str | os.PathLike[str] | None = None,
        log: bool = True,
        environ: Mapping[str, str] | None = None,
    ) -> CompiledLine:
        """A line that answers.

        `name`: which line, where the project has several. `models`: instead of those that line.yaml or RULECARD_MODEL
        choose. `sources`: facts read on the way, by stage (`orders`, `live`, `staff`). `ports`: what questions may
        call, by name (`store`, `channel`). `state`: the folder of marks, switches and log (default: `.rulecard` in the
        project). `log`: whether decisions are written to the log. Raises Refused, ValueError for a bad RULECARD_MODEL.
        """

        line = self.session.lines[self.named(name)]
        where = Path(state) if state is not None else self.state
        kept = State(where / "state.sqlite")
        knowledge = load_knowledge(self.session.root, line.source, line.config.knowledge)
        written = self.log(where) if log else None
        rooms = Rooms(
            models or choose_models(line.config.models, os.environ if environ is None else environ, self.session.root),
            kept.marks(line), kept.switches(line), kept.seen(line), knowledge, sources or {}, ports or {},
            written.keeper(line) if written else None, written.delivered if written else None,
        )  # fmt: skip
        return CompiledLine(line, rooms, self.revision(line.name, knowledge.hash))

    def log(self, state: str | os.PathLike[str] | None = None) -> DecisionLog:
        """The decision log of the project."""
        return DecisionLog((Path(state) if state is not None else self.state) / LOG)

    def named(self, name: str | None) -> str:
        """The line named, or the only one. Raises Refused."""
        if name is None and len(self.lines) == 1:
            return self.lines[0]
        if name is None:
            raise Refused(f"The project has several lines; name one: {', '.join(self.lines)}.")
        return self.session.names(name)[0]

    def revision(self, name: str, knowledge: str = "") -> str:
        """The content hash of what a line is made of: its cards, its instructions, its knowledge."""
        ours = (f"cards/{name}/", f"rules/{name}/")
        files = sorted(self.session.tree.texts("cards", "rules").items())
        texts = [f"{file}\0{text}" for file, text in files if file.startswith(ours)]
        return short_hash("\0".join([*texts, knowledge]))

    @property
    def state(self) -> Path:
        """Where live state is kept: in the project, or for the lines that come with an installed Rulecard in this
        folder, because nothing is written among installed files."""
        root = self.session.root
        return (Path.cwd() if root.name == "_data" else root) / STATE
