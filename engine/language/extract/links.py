"""Links and their hosts.

A link has a scheme, or begins with `www.`, or is a bare host with a known ending (`endings`). Our own matcher and no
library: those that there are take `label.py` for a link, miss full-width dots, or are not linear in the text.

Where we differ from others, on purpose:
- a defanged `evil[.]example` or `evil dot example` is no link: nobody can follow it;
- a scheme makes a link of any host (`http://localhost`, `ftp://…`);
- a link's path ends before an ideograph, a double quote, an angle bracket, a backslash, a bracket it did not open;
- endings that are more often files or words (`label.py`, `call.now`) need a path, a port or `www.`, unless the line's
  region is that ending's country; an ending with a capital (`Thanks.It`) is the next sentence;
- two everyday words with a dot between (`order.page`, `thanks.so`) are a field's name or a missing space, unless a path,
  a port or `www.` says link;
- `7.am` is a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import unquote, urlsplit

import regex

from engine.language.extract.emails import EMAIL
from engine.language.extract.endings import (
    ENDINGS,
    FILE_ENDINGS,
    PLAIN_ENDINGS,
    PROSE_ENDINGS,
    PROSE_WORDS,
    WORD_ENDINGS,
)
from engine.language.extract.flat import UNSPACED, Flat, flat
from engine.language.extract.found import Context, Found
from engine.language.extract.lazy import lazily

_OPENING = "tel|mailto|sms|smsto|whatsapp|viber|skype|tg|facetime|callto"
_DIALLED = ("tel", "sms", "smsto", "callto", "facetime", "viber", "whatsapp")
_HAVE_HOSTS = frozenset(("http", "https", "ftp", "ftps", "ws", "wss", ""))
_A = rf"[[\p{{L}}\p{{M}}\p{{N}}_]--[{UNSPACED}]]"
_MORE = rf"[[\p{{L}}\p{{M}}\p{{N}}_\-]--[{UNSPACED}]]*+"
_LABEL = rf"(?:{_A}{_MORE}|[{UNSPACED}]++)"
_START = lazily(
    rf"(?<![a-z0-9+])(?P<scheme>[a-z][a-z0-9+\-]{{1,15}})://|(?P<scheme>https?)://"
    rf"|(?<![\p{{L}}\p{{N}}])(?P<opens>{_OPENING}):(?=[^\s<>\"/:])"
    rf"|(?<!{_A}|[@\-]|{_A}\.)(?:(?P<www>www\.)(?=[^\s.])|(?P<local>localhost)(?=:\d)"
    rf"|(?P<bare>(?<![{UNSPACED}])(?>{_LABEL}(?:\.{_LABEL})++)))"
    rf"|(?<=[{UNSPACED}])(?P<glued>(?>{_A}{_MORE}(?:\.{_LABEL})++))",
    regex.I | regex.V1,
)
_USER = lazily(r"(?:[^\s/?#@\\<>\"`()\[\]{}|]*+@)*+")
_AUTHORITY = lazily(
    r"(?:\[[0-9a-f:.]{2,45}\]|[[\p{L}\p{M}\p{N}\p{S}._\-%]--[\ufffc\ufffd<>|+=~`\^$]]++)(?::\d{1,5}+)?",
    regex.I | regex.V1,
)
_GLUED_ENDING = lazily(rf"\.([a-z]{{2,24}})(?=[{UNSPACED}])", regex.I)
_GLUED_SCHEME = lazily(r"[a-z0-9]+(?=https?$)")
_PORT = lazily(r":\d{1,5}+(?!\d)")
_PATH = lazily(rf"(?:[^\s<>\"`|\\\x00-\x1f\ufffc\ufffd{UNSPACED}\u3000-\u303f]|(?<=\d)\"(?=[NSEW]\b))*+")
"""With the double quote of seconds of arc: maps put them into their links."""
_BRACKETS = lazily(r"[()\[\]{}]")
_CLOSES = {")": "(", "]": "[", "}": "{"}
_TRAILING = ".,;:!?…'*_~([{»”"
_LAST_LABEL = lazily(r"\p{L}[\p{L}\p{N}\p{M}\-]*[\p{L}\p{N}\p{M}]")
_FIELDS = lazily(r"(?<=.)\?\w+=")
_CLOCK = lazily(r"(?:0?\d|1[0-2])\.[ap]m", regex.I)
_ADDRESS = lazily(r"(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}")


@dataclass(frozen=True)
class Link:
    """A link in a text, with places in the flat text; `host` is an empty span where it leads to no host."""

    start: int
    end: int
    host: tuple[int, int]
    value: str


def links(text: Flat, context: Context) -> Iterator[Found]:
    """Links with a normalised value: host in ASCII and lower case, without http(s):// and a closing slash."""
    for link in read_links(text.original, context.region):
        a, b = text.span(link.start, link.end)
        yield Found("links", link.value, a, b, text.original[a:b])


def hosts(text: Flat, context: Context) -> Iterator[Found]:
    """The hosts of the links, where they have one."""
    for link in read_links(text.original, context.region):
        if link.host[0] < link.host[1]:
            a, b = text.span(*link.host)
            yield Found("hosts", _in_ascii(text.text[slice(*link.host)]), a, b, text.original[a:b])


def bare_link(text: str, context: Context) -> bool:
    """Nothing but one link."""
    found = list(links(flat(text), context))
    return len(found) == 1 and found[0].text == text.strip().removeprefix("<").removesuffix(">")


@lru_cache(maxsize=64)
def read_links(original: str, region: str) -> tuple[Link, ...]:
    """The links of a text in order; `region` is the line's country (ISO 3166)."""
    text = flat(original).text
    if "." not in text and ":" not in text:
        return ()
    addresses = [match.span() for match in EMAIL.finditer(text)] if "@" in text else []
    found: list[Link] = []
    at, next_address = 0, 0
    while match := _START.search(text, at):
        at = match.end()
        try:
            if match["scheme"] or match["www"] or match["local"]:
                link = _schemed(text, match)
            elif match["opens"]:
                link = _opening(text, match)
            else:
                while next_address < len(addresses) and addresses[next_address][1] <= match.start():
                    next_address += 1
                inside = next_address < len(addresses) and addresses[next_address][0] < match.end()
                link = None if inside else _bare(text, match, region)
        except ValueError:
            link = None
        if link:
            found.append(link)
            at = max(at, link.end) if match["www"] is None and match["scheme"] is None else link.end
        elif text.startswith("://", at):
            at = text.rfind(".", 0, at) + 1  # `the 5th.https://…`
    return tuple(found)


def _schemed(text: str, match: regex.Match[str]) -> Link | None:
    """A link that says it is one: its host may be any."""
    start, scheme = match.start(), (match["scheme"] or "").lower()
    if glued_to := _GLUED_SCHEME.match(scheme):
        start, scheme = start + glued_to.end(), scheme[glued_to.end() :]  # `seehttps://…`
    first = match.end() if scheme else start
    user = _USER.match(text, first)
    begins = user.end() if user else first
    authority = _AUTHORITY.match(text, begins)
    if authority is None:
        end = _path_end(text, first, start)
        if scheme in _HAVE_HOSTS or end <= first:
            return None
        return Link(start, end, (first, first), f"{scheme}://{text[first:end]}")  # `file:///etc/motd`
    glued = next((m for m in _GLUED_ENDING.finditer(authority[0]) if m[1].lower() in ENDINGS), None)
    ends = begins + glued.end() if glued else authority.end()
    if text[ends : ends + 1] in ("/", "?", "#"):
        end = _path_end(text, ends, start)
    else:
        while ends > begins and text[ends - 1] in _TRAILING + "-":
            ends -= 1
        end = ends
    host = _PORT.split(text[begins:ends])[0]
    if match["www"]:
        labels = host.split(".")
        while len(labels) < 3 or not _is_ending(labels, True, ""):
            if len(labels) < 4 or not labels[-1].istitle():
                return None
            labels.pop()
            end = ends = begins + len(".".join(labels))
        host = ".".join(labels)
    if ends <= begins or not _resolvable(host):
        return None
    shown = (begins, begins + len(host)) if scheme in _HAVE_HOSTS or "." in host else (begins, begins)
    return Link(start, max(end, ends), shown, link_value(text[start : max(end, ends)]))


def _opening(text: str, match: regex.Match[str]) -> Link | None:
    """A link that opens another app: `tel:`, `mailto:` and their kind. `Tel:020…` is a heading, not a link."""
    scheme, start, first = match["opens"], match.start(), match.end()
    end = _path_end(text, first, start)
    rest = text[first:end]
    heading = scheme[0].isupper() and scheme[1:].islower() and scheme.lower() != "mailto"
    if not rest or heading:
        return None
    if scheme.lower() in _DIALLED and sum(character.isdigit() for character in rest) < 5:
        return None
    if scheme.lower() == "mailto" and "@" not in rest[1:] and not _FIELDS.search(rest):
        return None
    return Link(start, end, (first, first), link_value(text[start:end]))


def _bare(text: str, match: regex.Match[str], region: str) -> Link | None:
    """A host that stands alone, if its last label is an ending."""
    start = match.start()
    if text[match.end() : match.end() + 1] == "@":
        return None
    host = text[start : match.end()].rstrip("-_")
    port = _PORT.match(text, start + len(host))
    after = port.end() if port else start + len(host)
    path = text[after : after + 1] in ("/", "?", "#") and after < len(text)
    labels = host.split(".")
    while not _is_ending(labels, path or port is not None, region):
        if len(labels) < 3 or not labels[-1].istitle():
            return None
        labels.pop()  # `evil.example.Thanks`: the next sentence
        path, port, after = False, None, start + len(".".join(labels))
    host = ".".join(labels)
    end = _path_end(text, after, start) if path else after
    return Link(start, end, (start, start + len(host)), link_value(text[start:end])) if _resolvable(host) else None


def _is_ending(labels: list[str], more: bool, region: str) -> bool:
    """Whether these labels end as hosts do; `more`: a port or a path follows."""
    last = labels[-1]
    ending = last.lower()
    if _ADDRESS.fullmatch(".".join(labels)):
        return more
    if len(labels) < 2 or _LAST_LABEL.fullmatch(last) is None or _CLOCK.fullmatch(".".join(labels)):
        return False
    if "_" in labels[-2] or (ending not in ENDINGS and not ending.startswith("xn--")):
        return False
    if more:
        return True
    if last[0].isupper() and not last.isupper() and ending not in PLAIN_ENDINGS:
        return False
    if len(labels) == 2 and ending in PROSE_ENDINGS and labels[0].lower() in PROSE_WORDS:
        return False
    return ending.upper() == region or (ending not in FILE_ENDINGS and ending not in WORD_ENDINGS)


def _path_end(text: str, first: int, start: int) -> int:
    """Where path, query and fragment from `first` on end; the link begins at `start`."""
    match = _PATH.match(text, first)
    end = match.end() if match else first
    if start and text[start - 1] == "'":
        quote = text.find("'", first, end)
        end = quote if quote >= 0 else end
    still_open: list[str] = []
    for bracket in _BRACKETS.finditer(text, first, end):
        if bracket[0] not in _CLOSES:
            still_open.append(bracket[0])
        elif still_open and still_open[-1] == _CLOSES[bracket[0]]:
            still_open.pop()
        else:
            end = bracket.start()
            break
    while end > first and text[end - 1] in _TRAILING:
        end -= 1
    return end - 2 if text[max(first, end - 2) : end] == "'s" else end


def _resolvable(host: str) -> bool:
    """Whether a name can be a host's: labels of 1 to 63 letters in ASCII, 253 in all, no dash at an end of one
    (RFC 1035); an underscore only in the middle of a third or earlier label; no last label of one letter or with a dash."""
    if host.startswith("["):
        return True
    spelled = host.rstrip(".").split(".")
    last = spelled[-1].lower()
    if len(spelled) > 1 and (
        (len(last) == 1 and last.isascii() and last.isalpha()) or ("-" in last and last[:4] != "xn--")
    ):
        return False
    for place, label in enumerate(reversed(spelled)):
        if label.lower().startswith("xn--") and not label.isascii():
            return False
        if label.startswith(("-", "_")) or label.endswith(("-", "_")) or ("_" in label and place < 2):
            return False
    name = _in_ascii(host)
    return len(name) <= 253 and all(0 < len(label) <= 63 for label in name.split("."))


def link_value(raw: str) -> str:
    """A link in the form in which links are compared. Raises ValueError when it is none."""
    spelled = flat(raw.strip()).text
    scheme, colon, rest = spelled.partition(":")
    if colon and regex.fullmatch(_OPENING, scheme.lower()) and not rest.startswith("//"):
        digits = regex.sub(r"[^\d+]", "", rest) if scheme.lower() in _DIALLED else rest.lower()
        return f"{scheme.lower()}:{digits}"
    told = regex.match(r"[a-z][a-z0-9+\-]*://", spelled, regex.I) is not None
    try:
        parts = urlsplit(spelled if told else f"http://{spelled}")
        host, port = parts.hostname, parts.port
    except ValueError:
        raise ValueError(f"`{raw[:60]}` is no link.") from None
    if not host or regex.search(r"\s", spelled) or (not told and "." not in host and not port):
        raise ValueError(f"`{raw[:60]}` is no link.")
    default = {"http": 80, "https": 443}.get(parts.scheme)
    shown = _in_ascii(host) + (f":{port}" if port and port != default else "")
    shown = shown if parts.scheme in ("http", "https") else f"{parts.scheme}://{shown}"
    path = parts.path.rstrip("/")
    return shown + path + (f"?{parts.query}" if parts.query else "") + (f"#{parts.fragment}" if parts.fragment else "")


def host_value(raw: str) -> str:
    """A host in ASCII (IDNA) and lower case, without a closing dot. Raises ValueError when it is none."""
    spelled = flat(raw.strip().lower()).text
    host = regex.split(r"[/?#]", spelled.partition("://")[2] or spelled, maxsplit=1)[0].rpartition("@")[2]
    host = regex.sub(r":\d+$", "", host).rstrip(".")
    if not regex.search(r"[\p{L}\p{N}]", host) or regex.search(r"[\s\\<>\"'`|()\[\]{},;!*:&=+^]", host):
        raise ValueError(f"`{raw[:60]}` is no host.")
    return _in_ascii(host)


def _in_ascii(host: str) -> str:
    """The ASCII form of a name (IDNA 2003, as Python's codec has it); what has none stays as it is, in lower case."""
    plain = unquote(host.strip("[]")).lower().rstrip(".")
    try:
        return plain.encode("idna").decode("ascii")
    except UnicodeError:
        return plain
