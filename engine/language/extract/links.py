"""Links, hosts and e-mail addresses.

A link has a scheme, or is a bare domain whose last label is a known ending, any two letters (a country's), or a
label in another script. File names (`label.py`) and sentences run together (`Thanks.See`) are none. A defanged
`evil[.]example` is not a link: nobody can follow it. Differs from a browser: a single label such as `localhost` is
no link.
"""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

import regex

from engine.language.extract.flat import Flat
from engine.language.extract.found import Context, Found

_ENDINGS = frozenset(
    [
        "com",
        "net",
        "org",
        "info",
        "biz",
        "edu",
        "gov",
        "mil",
        "int",
        "arpa",
        "name",
        "pro",
        "aero",
        "coop",
        "museum",
        "jobs",
        "mobi",
        "travel",
        "tel",
        "cat",
        "post",
        "asia",
        "example",
        "test",
        "invalid",
        "app",
        "dev",
        "shop",
        "store",
        "online",
        "site",
        "website",
        "web",
        "tech",
        "cloud",
        "blog",
        "xyz",
        "club",
        "live",
        "life",
        "world",
        "today",
        "news",
        "email",
        "link",
        "click",
        "space",
        "fun",
        "top",
        "vip",
        "win",
        "work",
        "agency",
        "company",
        "group",
        "team",
        "support",
        "help",
        "chat",
        "social",
        "media",
        "digital",
        "design",
        "studio",
        "solutions",
        "services",
        "finance",
        "bank",
        "money",
        "cash",
        "delivery",
        "express",
        "food",
        "cafe",
        "restaurant",
        "pizza",
        "fashion",
        "shoes",
        "games",
        "page",
        "host",
        "download",
        "review",
        "london",
        "berlin",
        "paris",
        "madrid",
        "nyc",
        "global",
        "international",
        "network",
        "systems",
        "center",
        "академия",
        "онлайн",
        "сайт",
        "рф",
    ]
)
_FILES = frozenset(["py", "js", "ts", "md", "rs", "sh", "pl", "so", "cc", "ps", "ml", "pm", "mk", "vi", "ai"])
"""Two-letter endings that are far more often files or words than hosts, when nothing else says link."""
_LABEL = r"[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}-]*[\p{L}\p{N}\p{M}])?"
_HOST = r"(?>[\p{L}\p{N}][\p{L}\p{N}\p{M}-]*+(?:\.[\p{L}\p{N}][\p{L}\p{N}\p{M}-]*+)++)\.?"
"""Taken whole or not at all, so that a long row of labels is read once; what it must be is looked at afterwards."""
_REST = r"(?::\d{1,5})?(?:[/?#][^\s<>\"'`|\\^{}]*)?"
_SCHEME = r"(?P<scheme>https?|ftp|wss?)://(?P<rest>[^\s<>\"'`|\\^{}]+)"
_OTHER = r"(?P<other>(?:tel|mailto|sms|whatsapp|tg):[^\s<>\"'`|\\^{}]+)"
_LINK = regex.compile(rf"(?<![\p{{L}}\p{{N}}@_.-])(?:{_SCHEME}|{_OTHER}|(?P<bare>{_HOST}{_REST}))", regex.I)
_EMAIL = regex.compile(
    rf"(?<![\p{{L}}\p{{N}}._%+-])[\p{{L}}\p{{N}}][\p{{L}}\p{{N}}._%+-]*@(?:{_LABEL}\.)+[\p{{L}}]{{2,}}", regex.I
)
_TRAILING = ".,;:!?…'\"*_~)]}»”’"


def links(text: Flat, context: Context) -> Iterator[Found]:
    """Links with a normalised value: host in ASCII and lower case, without http(s):// and a closing slash."""
    if "." not in text.text and ":" not in text.text:
        return
    for match in _LINK.finditer(text.text):
        end = _trimmed(text.text, match.start(), match.end())
        spelled = text.text[match.start() : end]
        if match["bare"] and not _is_host(match, text.text, end):
            continue
        try:
            value = link_value(spelled)
        except ValueError:
            continue
        a, b = text.span(match.start(), end)
        yield Found("links", value, a, b, text.original[a:b])


def hosts(text: Flat, context: Context) -> Iterator[Found]:
    """The hosts of the links, where they have one."""
    for link in links(text, context):
        if ":" in link.value.split("/")[0] and not link.value.split(":")[1][:1].isdigit():
            continue
        yield Found("hosts", host_value(link.value), link.start, link.end, link.text)


def emails(text: Flat, context: Context) -> Iterator[Found]:
    """E-mail addresses, host in ASCII and all in lower case."""
    if "@" not in text.text:
        return
    for match in _EMAIL.finditer(text.text):
        a, b = text.span(*match.span())
        yield Found("emails", email_value(match[0]), a, b, text.original[a:b])


def _trimmed(text: str, start: int, end: int) -> int:
    while end > start and text[end - 1] in _TRAILING:
        last = text[end - 1]
        opening = {")": "(", "]": "[", "}": "{"}.get(last)
        if opening and text.count(opening, start, end) >= text.count(last, start, end):
            break
        end -= 1
    return end


def _is_host(match: regex.Match[str], text: str, end: int) -> bool:
    """Whether a bare domain is one: by its last label, and by what stands beside it."""
    spelled = text[match.start() : end]
    host = regex.split(r"[:/?#]", spelled, maxsplit=1)[0].rstrip(".")
    labels = host.split(".")
    last = labels[-1].lower()
    if (
        text[end : end + 1] == "@"
        or len(labels) < 2
        or not regex.fullmatch(r"\p{L}[\p{L}\p{N}\p{M}-]*[\p{L}\p{N}\p{M}]", last)
    ):
        return False
    rest = len(spelled) > len(host) + 1 or labels[0].lower() == "www"
    if not last.isascii():
        return True
    if last in _ENDINGS:
        return labels[-1].islower() or labels[-1].isupper() or rest
    if len(last) != 2:
        return False
    sentence = labels[-1][0].isupper() and not labels[-1].isupper()
    return not sentence and (rest or last not in _FILES)


def link_value(raw: str) -> str:
    """A link in the form in which links are compared. Raises ValueError when it is none."""
    spelled = raw.strip()
    scheme, colon, rest = spelled.partition(":")
    if colon and scheme.lower() in ("tel", "mailto", "sms", "whatsapp", "tg"):
        digits = regex.sub(r"[^\d+]", "", rest) if scheme.lower() in ("tel", "sms") else rest.lower()
        return f"{scheme.lower()}:{digits}"
    if "://" not in spelled:
        spelled = f"http://{spelled}"
    try:
        parts = urlsplit(spelled)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise ValueError(f"`{raw[:60]}` is no link.") from None
    if not host or "." not in host:
        raise ValueError(f"`{raw[:60]}` is no link.")
    default = {"http": 80, "https": 443}.get(parts.scheme.lower())
    shown = host_value(host) + (f":{port}" if port and port != default else "")
    path = parts.path.rstrip("/")
    return shown + path + (f"?{parts.query}" if parts.query else "") + (f"#{parts.fragment}" if parts.fragment else "")


def host_value(raw: str) -> str:
    """A host in ASCII (IDNA) and lower case, without a closing dot. Raises ValueError when it is none."""
    host = regex.split(r"[:/?#]", raw.strip().lower().removeprefix("https://").removeprefix("http://"), maxsplit=1)[0]
    host = host.rpartition("@")[2].rstrip(".")
    if not host or not regex.fullmatch(rf"(?:{_LABEL}\.)*{_LABEL}", host):
        raise ValueError(f"`{raw[:60]}` is no host.")
    try:
        return host.encode("idna").decode("ascii")
    except UnicodeError:
        return host


def email_value(raw: str) -> str:
    """An e-mail address in lower case, its host in ASCII. Raises ValueError when it is none."""
    name, at, host = raw.strip().rpartition("@")
    if not at or not name or "." not in host:
        raise ValueError(f"`{raw[:60]}` is no e-mail address.")
    return f"{name.lower()}@{host_value(host)}"
