"""International bank account numbers (ISO 13616)."""

from __future__ import annotations

from collections.abc import Iterator

import regex

from engine.language.extract.flat import Flat
from engine.language.extract.found import Context, Found
from engine.language.extract.lazy import lazily

_SPELLED = """
AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24
FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32
LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24
RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30
"""
_LENGTHS = {word[:2]: int(word[2:]) for word in _SPELLED.split()}
"""Length by country, from the registry of ISO 13616."""
_IBAN = lazily(r"(?<![\p{L}\p{N}])[A-Z]{2}\d{2}(?:[ \-]?[A-Z0-9]){11,29}", regex.I)


def ibans(text: Flat, context: Context) -> Iterator[Found]:
    """Account numbers of their country's length whose check digits are right (remainder 1 modulo 97)."""
    for match in _IBAN.finditer(text.text):
        end = _end(match[0], _LENGTHS.get(match[0][:2].upper(), 0))
        spelled = match[0][:end]
        value = regex.sub(r"[ \-]", "", spelled)
        if not value or text.text[match.start() + end : match.start() + end + 1].isalnum() or not _one_case(value):
            continue
        value = value.upper()
        if int("".join(str(int(character, 36)) for character in value[4:] + value[:4])) % 97 == 1:
            a, b = text.span(match.start(), match.start() + end)
            yield Found("ibans", value, a, b, text.original[a:b])


def _end(spelled: str, length: int) -> int:
    """Where the first `length` letters and digits end; 0 when there are not so many."""
    seen = 0
    for at, character in enumerate(spelled):
        seen += character.isalnum()
        if seen == length:
            return at + 1
    return 0


def _one_case(value: str) -> bool:
    return value in (value.upper(), value.lower())
