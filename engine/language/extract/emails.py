"""E-mail addresses.

Where we differ from others, on purpose: an address of an unknown ending is one (`a@corp.local` names a person all the
same); of `a..b@mail.example` the part after the two dots; a quoted part of a name holds no space
(`"a b"@mail.example` is not read).
"""

from __future__ import annotations

from collections.abc import Iterator

import regex

from engine.language.extract.flat import UNSPACED, Flat, flat
from engine.language.extract.found import Context, Found
from engine.language.extract.lazy import lazily

_A = rf"[[\p{{L}}\p{{M}}\p{{N}}]--[{UNSPACED}]]"
_ATOM = rf"(?:(?:{_A}|[_+%])[[\p{{L}}\p{{M}}\p{{N}}_%+'&=~\-]--[{UNSPACED}]]*+)"
_PART = rf"(?:{_ATOM}|\"[^\"\s@]{{1,64}}+\")"
_LABEL = r"[\p{L}\p{N}][\p{L}\p{M}\p{N}\-]*+"
EMAIL = lazily(
    rf"(?<!{_A}|[_+%~\-]|~{_A}/)(?>(?:~{_ATOM}/)?+{_PART}(?:\.{_PART})*+)(?<!')@"
    rf"(?:(?:{_LABEL}\.)+(?=\p{{L}})(?:[[\p{{L}}\p{{M}}\p{{N}}\-]--[{UNSPACED}]]{{2,}}|[{UNSPACED}]{{1,}})"
    r"|\[\d{1,3}(?:\.\d{1,3}){3}\])",
    regex.I | regex.V1,
)


def emails(text: Flat, context: Context) -> Iterator[Found]:
    """E-mail addresses, host in ASCII and all in lower case; not the user's name before a link's host."""
    if "@" not in text.text:
        return
    from engine.language.extract.links import read_links

    taken = [(link.start, link.host[1]) for link in read_links(text.original, context.region)]
    at = 0
    for match in EMAIL.finditer(text.text):
        while at < len(taken) and taken[at][1] <= match.start():
            at += 1
        if at < len(taken) and taken[at][0] <= match.start():
            continue
        end = match.end()
        last = match[0].rpartition(".")[2]
        if last.istitle() and match[0].count(".", match[0].index("@")) > 1:
            end -= len(last) + 1  # `a@mail.example.Thanks`: the next sentence
        while text.text[end - 1] == "-":
            end -= 1
        try:
            value = email_value(text.text[match.start() : end])
        except ValueError:
            continue
        a, b = text.span(match.start(), end)
        yield Found("emails", value, a, b, text.original[a:b])


def email_value(raw: str) -> str:
    """An e-mail address in lower case, its host in ASCII. Raises ValueError when it is none."""
    from engine.language.extract.links import host_value

    name, at, host = flat(raw.strip()).text.rpartition("@")
    if not at or not name or "." not in host or regex.search(r"\s", name + host):
        raise ValueError(f"`{raw[:60]}` is no e-mail address.")
    return f"{name.lower()}@{host if host.startswith('[') else host_value(host)}"
