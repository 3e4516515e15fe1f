"""Recorded answers: used again for exactly the prompt they were given to, and a model that records."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.ports import CallFailed, Model, Reply, Request, Usage, prompt_hash
from engine.strict import fields


@dataclass(frozen=True)
class Recorded:
    """The answers of a JSONL file by prompt hash (system, turns, schema). Raises CallFailed (`unavailable`) for a
    prompt that is not in it, byte for byte."""

    path: Path
    name: str = "recorded"
    _read: dict[str, dict[str, Any]] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, path: Path) -> Recorded:
        """Read the file. Raises ValueError with file:line for what cannot be read."""
        read: dict[str, dict[str, Any]] = {}
        try:
            lines = path.read_text("utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise ValueError(f"The recorded answers {path} cannot be read: {type(error).__name__}.") from None
        for number, line in enumerate(lines, 1):
            if line.strip():
                try:
                    one = json.loads(line)
                    read[one["prompt"]] = {"raw": str(one["raw"]), "model": str(one["model"]), "usage": one["usage"]}
                except (ValueError, KeyError, TypeError):
                    raise ValueError(f"{path}:{number}: This is no recorded answer. Record it anew.") from None
        return cls(path, _read=read)

    async def ask(self, request: Request) -> Reply:
        """The recorded answer, read as strictly as a fresh one."""
        hash = prompt_hash(request)
        one = self._read.get(hash)
        if one is None:
            raise CallFailed("unavailable", f"Nothing is recorded for this prompt ({hash[:12]}).")
        return Reply(fields(one["raw"], request.schema), one["raw"], one["model"], Usage(*one["usage"]))


@dataclass(frozen=True)
class Recorder:
    """Asks another model and appends what it answered to a file."""

    model: Model
    path: Path

    @property
    def name(self) -> str:
        return self.model.name

    async def ask(self, request: Request) -> Reply:
        reply = await self.model.ask(request)
        usage = [reply.usage.prompt, reply.usage.cached, reply.usage.answer]
        one = {"prompt": prompt_hash(request), "question": request.question, "raw": reply.raw, "model": reply.model,
               "usage": usage}  # fmt: skip
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(one, ensure_ascii=False) + "\n")
        return reply
