"""Expressions compiled when they are first used: compiling all of them takes longer than most commands run."""

from __future__ import annotations

from typing import Any, cast

import regex


class _Lazy:
    def __init__(self, source: str, flags: int) -> None:
        self._source, self._flags = source, flags

    def __getattr__(self, name: str) -> Any:
        compiled = regex.compile(self.__dict__["_source"], self.__dict__["_flags"])
        for method in ("search", "match", "fullmatch", "finditer", "findall", "sub", "subn", "split", "pattern"):
            self.__dict__[method] = getattr(compiled, method)
        return getattr(compiled, name)


def lazily(source: str, flags: int = 0) -> regex.Pattern[str]:
    """What `regex.compile` gives, made when it is first asked for something."""
    return cast("regex.Pattern[str]", _Lazy(source, flags))
