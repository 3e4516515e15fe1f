"""Where we differ from the sets of links on purpose: each a predicate of one difference, with its reason."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import regex

from engine.language.extract.endings import ENDINGS
from engine.language.extract.flat import UNSPACED
from engine.language.extract.lazy import lazily

_SCHEME = lazily(r"([a-z][a-z0-9+\-]*)://[^\s/?#]", regex.I)
_APP = lazily(r"(?:tel|mailto|sms|smsto|callto|whatsapp):\S", regex.I)
_ENDS_PATH = lazily(rf"[{UNSPACED}\"]", regex.V1)
_BARE_SYMBOL = lazily(r"(?!www\.)[^\s/:@]*\p{Extended_Pictographic}", regex.I)
_DASHED_LABEL = lazily(r"(?:[a-z]+://)?(?:-|[^\s/?#]*(?:\.-|-[./:]))", regex.I)


@dataclass(frozen=True)
class Difference:
    """A span of a text that a set expects and we do not find (`missed`), or the other way round."""

    text: str
    start: int
    end: int
    missed: bool

    @property
    def spelled(self) -> str:
        """The text of the span."""
        return self.text[self.start : self.end]


def told_by_its_scheme(one: Difference) -> bool:
    """We find what says `scheme://`, whatever its ending, other schemes than http, and from the scheme on when it is
    glued to a word or to a mark of emphasis: a browser follows it, and the sets contradict one another here."""
    return _SCHEME.match(one.spelled) is not None if not one.missed else one.text[: one.start].endswith("://")


def opens_an_app(one: Difference) -> bool:
    """We find `mailto:` and `tel:` as links: a person who taps them leaves the conversation."""
    return not one.missed and _APP.match(one.spelled) is not None


def two_slashes_alone(one: Difference) -> bool:
    """`//` without a scheme is a link only in HTML: it neither makes a link of `localhost` nor unmakes a host that
    stands behind it."""
    return one.spelled.startswith("//") if one.missed else one.text[: one.start].endswith("//")


def path_ends_before_ideograph_or_quote(one: Difference) -> bool:
    """A path ends before a letter of a script without spaces, and before a double quote: what stands there is the rest
    of the sentence, and a link must not be hidden from an allow list by what is glued to it."""
    if one.missed:
        return _ENDS_PATH.search(one.spelled) is not None
    return _ENDS_PATH.match(one.text, one.end) is not None


def host_of_any_script(one: Difference) -> bool:
    """A bare host may be of every script: look-alike hosts are what a guard looks for."""
    host = regex.split(r"[/?#]", one.spelled, maxsplit=1)[0]
    return not one.missed and not host.isascii() and host.rpartition(".")[2].lower() in ENDINGS


def mail_of_any_ending(one: Difference) -> bool:
    """An address of an unknown ending names a person all the same."""
    return not one.missed and "@" in one.spelled and one.spelled.rpartition(".")[2].lower() not in ENDINGS


def mail_after_a_dot(one: Difference) -> bool:
    """Of `a..b@mail.example` and `.b@mail.example` we find what is an address: it is masked rather than left."""
    return not one.missed and "@" in one.spelled and one.text[: one.start].endswith(".")


def no_name_of_a_host(one: Difference) -> bool:
    """A label does not begin or end with a dash (RFC 1035), and emoji are no part of a host that has neither a scheme
    nor `www.`: they point at hosts far more often than they spell them."""
    return one.missed and bool(_DASHED_LABEL.match(one.spelled) or _BARE_SYMBOL.match(one.spelled))


CONVENTIONS: tuple[Callable[[Difference], bool], ...] = (
    told_by_its_scheme,
    opens_an_app,
    two_slashes_alone,
    path_ends_before_ideograph_or_quote,
    host_of_any_script,
    mail_of_any_ending,
    mail_after_a_dot,
    no_name_of_a_host,
)
