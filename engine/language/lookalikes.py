"""Letters of other scripts that look like Latin ones, and when they are read as such. Pure.

The pairs are the letters for which Unicode's confusables (UTS 39) give one Latin letter, less the scripts whose letters
join by zero-width joiners, and a few that look alike in italics. Confusables: Copyright © Unicode, Inc.; Unicode License v3,
https://www.unicode.org/license.txt.
"""

from __future__ import annotations

import re
from functools import lru_cache
from unicodedata import normalize

import regex

_TWINS = {
    "Cyrillic": "аa сc ԁd еe ҽe ғf һh іi ӏi ꙇi јj оo рp ԛq ѕs ѵv ѡw ԝw хx уy үy | вb ьb ԍg нh кk мm пn гr тt",
    "Greek": "αa ιi ϳj οo ρp υu νv Νn Υy | βb εe ϝf ηh κk μm ϻm πn σo ᴦr τt χx γy ζz",
    "Coptic": "ⲥc ⲟo ⲣp ⲅr | ⲏh ⲓi ⲕk ⳑl ⲙm ⲛn ⲧt ⲭx ⲩy",
    "Armenian": "քf ցg հh ոn ռn օo գq զq սu աw | տs",
    "Georgian": "ჿo ყy",
    "Cherokee": "ꭺa ꮟb ᏼb ꮯc ꭰd ꮷd ꭼe ꮐg ᏻg ꮋh ꮒh ꭵi ꭻj ꮶk ꮮl ꮇm ꮲp ꭱr ꮢr ꮁr ꮥs ꮪs ꭲt ꮩv ꮃw ꮤw ꭹy ꮍy ꮓz",
    "Lisu": "ꓮa ꓐb ꓚc ꓒd ꓓd ꓰe ꓝf ꓖg ꓧh ꓙj ꓗk ꓡl ꓲl ꓟm ꓠn ꓳo ꓑp ꓣr ꓢs ꓔt ꓴu ꓦv ꓪw ꓫx ꓬy ꓜz",
    "Canadian_Aboriginal": "ᗅa ᑲb ᖯb ᗷb ᑯd ᗞd ᗪd ᖴf ᕼh ᒍj ᒪl ᗰm ᑭp ᖇr ᑌu ᐯv ᕁx ᕽx",
    "Deseret": "𐐽c 𐐬o 𐑈s | 𐑃l",
    "Osage": "𐓪o 𐓶u | 𐓜r",
    "Warang_Citi": "𑣂f 𑣃i 𑣈o 𑣗o 𑣁s 𑣘u 𑣀v 𑣜y 𑣄z 𑢣l 𑢼t 𑢤y | 𑣆e 𑣎e 𑣒l 𑣕o 𑣉z",
    "Carian": "𐊠a 𐊡b 𐊢c 𐊥f 𐋏h 𐊰m 𐊫o 𐊱t 𐊴x 𐊲y",
    "Lycian": "𐊂b 𐊆e 𐊇f 𐊊l 𐊒o 𐊕p 𐊖s 𐊗t 𐊐x",
    "Old_Italic": "𐌁b 𐌂c 𐌉l 𐌑m 𐌕t 𐌗x",
    "Elbasan": "𐔜c 𐔥f 𐔘k 𐔦l 𐔓n 𐔖o 𐔝v 𐔧x",
    "Tifinagh": "ⴹe ⵏl ⵔo ⵕq ⴸv ⵝx",
    "Runic": "ᛕk ᛁl ᛖm ᚷx",
    "Miao": "𖽀a 𖼖l 𖼨l 𖼵r 𖼺s 𖼊t 𖽂u 𖼈v 𖽃y",
}
"""By script: a letter and its Latin twin. Behind `|` stand those that look alike as capitals or in italics only."""

_BACK = {
    "Cyrillic": dict(zip("abcehikmoptxy", "авсенікмортху", strict=True)),
    "Greek": dict(zip("abehikmnoptuvxyz", "αβεηικμνορτυνχυζ", strict=True)),
}
"""The way back, for a Latin letter that slipped into a word of these scripts."""


def _read() -> tuple[dict[str, str], frozenset[str]]:
    latin: dict[str, str] = {}
    close: set[str] = set()
    for pairs in _TWINS.values():
        first, _, weak = pairs.partition("|")
        for pair in (*first.split(), *weak.split()):
            latin[pair[0]] = pair[1]
        close.update(pair[0] for pair in first.split())
    for letter, twin in list(latin.items()):
        for other in (letter.lower(), letter.upper()):
            latin.setdefault(other, twin)
            if letter in close:
                close.add(other)
    latin["ς"] = latin["σ"]
    return latin, frozenset(close)


_LATIN, _CLOSE = _read()
"""Letter (either case) to its Latin twin; and the letters that look alike in every case."""

LATIN_FORMS = dict(
    zip(
        "ɑᴀʙᴄᴅᴇꬲꬵꞙẝɡɢᶃʜıɪɩᴊᴋĸʟᴍɴᴏᴑꬽᴘʀꭇꭈꜱᴛᴜꞟꭎꭒᴠᴡʏᶌꭚᴢ",
        "aabcdeefffggghiiijkklmnoooprrrstuuuuvwyyyz",
        strict=True,
    )
)
"""Small capitals and phonetic letters, in which no language writes words: always read as plain. (`ı` is what Turkish
writes for a small `I`, which case folding makes `i`.)"""

_MIDST = {
    "a": "⍺",
    "c": "𑣲",
    "e": "℮⋿",
    "f": "𝈓",
    "i": "⍳",
    "l": "\u05c0∣⏽│𐌠\U0001e8c7\u05d5\u05df\u0627\u07ca𝈪",
    "o": "\u0c02\u0c82\u0d02\u0d82\u05e1\u0647\u06be\u06c1\u06d5ഠဝ〇ዐଠ",
    "p": "⍴",
    "r": "𝈖",
    "t": "⊤⟙",
    "u": "∪⋃ሀ",
    "v": "∨⋁\u05d8𑜆𝈍ꛟ",
    "w": "𑜊𑜎𑜏𑣯",
    "x": "᙮⤫⤬⨯᙭╳𐌢𑣬",
    "z": "𐋵",
}
"""Letters and signs of scripts that are otherwise left alone: read as Latin only in the midst of Latin letters, where
nobody writes them otherwise (`pa∪pal`). By the Latin letter."""

_INSERTED = {letter: latin for latin, letters in _MIDST.items() for letter in letters}
_AMID_LATIN = regex.compile(
    rf"(?<=[\p{{Latin}}&&\p{{L}}])[{re.escape(''.join(_INSERTED))}]+(?=[\p{{Latin}}&&\p{{L}}])", regex.V1
)

_ALIKE = _LATIN.keys() | _INSERTED.keys()

_FORMS = str.maketrans(LATIN_FORMS | dict(zip("ᲀᲁᲂᲃᲄᲅᲆᲇ\u0345", "вдосттъѣι", strict=True)))

_WORD = regex.compile(r"[\p{L}\p{M}]*[^\P{L}a-zA-Z][\p{L}\p{M}]*")
_HAS_LATIN = regex.compile(r"[\p{Latin}&&\p{L}]", regex.V1)
_MAYBE_LATIN = re.compile(
    "[A-Za-z\u00aa-\u02b8\u02e0-\u02e4\u1d00-\u1eff\u2071-\u2188\u2c60-\u2c7f\ua722-\uab6d"
    "\ufb00-\ufb06\uff21-\uff5a\U00010780-\U000107bf\U0001d400-\U0001dfff]"
)  # for speed: more than Latin
_MARKS = regex.compile(r"\p{M}+")


def decompose(text: str) -> str:
    """NFKD, with `LATIN_FORMS`, old forms of Cyrillic letters and the Greek iota below one for one as plain letters."""
    return normalize("NFKD", text).translate(_FORMS)


def has_lookalikes(text: str) -> bool:
    """Whether `text` holds a look-alike and a Latin letter, so that `as_latin` may change it."""
    if not _MAYBE_LATIN.search(text):
        return False
    return not _ALIKE.isdisjoint(decompose(text)) and _HAS_LATIN.search(text) is not None


def as_latin(text: str, whole_words: bool = True) -> str:
    """`text` (decomposed) with look-alikes replaced one for one; the length stays.

    A word that mixes Latin with another script is read as Latin, or, when its Latin letters are the fewer, all have
    a twin there and some other letter is unmistakable, as that script (`Ошибкa` with a Latin `a`). With
    `whole_words`, a word made wholly of look-alikes (`рау`) is Latin when the text holds Latin letters and no word
    that is plainly of that script. What looks alike in scripts that are otherwise left alone is Latin in the midst of
    Latin letters. All else stays: a Russian text is never touched.
    """
    before = ""
    while text != before and has_lookalikes(text):
        before = text
        text = _words_as_latin(_AMID_LATIN.sub(lambda found: _plainly(found[0]), text), whole_words)
    return text


def _plainly(run: str) -> str:
    return "".join(_INSERTED[letter] for letter in run)


def _words_as_latin(text: str, whole_words: bool) -> str:
    words = [(found.start(), found[0]) for found in _WORD.finditer(text)]
    plain = {start: word for start, word in words if _HAS_LATIN.search(word) is None}
    spoken = {_script(letter) for word in plain.values() for letter in _letters(word) if letter not in _CLOSE}
    pieces: list[str] = []
    end = 0
    for start, word in words:
        if start not in plain:
            new = _settle(word)
        elif whole_words and all(c in _CLOSE and _script(c) not in spoken for c in _letters(word)):
            new = _latin(word)
        else:
            new = word
        pieces += text[end:start], new
        end = start + len(word)
    return "".join(pieces) + text[end:]


def _settle(word: str) -> str:
    """A mixed word in one script as far as its letters have twins; repeated until it stays."""
    before = ""
    while word != before and _HAS_LATIN.search(word):
        before, script = word, _owner(word)
        word = _latin(word) if script is None else "".join(_BACK[script].get(c.lower(), c) for c in word)
    return word


def _owner(word: str) -> str | None:
    """The script that a mixed word belongs to, None for Latin."""
    letters = _letters(word)
    latin = [letter for letter in letters if _HAS_LATIN.match(letter)]
    others = [letter for letter in letters if not _HAS_LATIN.match(letter)]
    scripts = {_script(letter) for letter in others}
    if len(scripts) != 1 or not 0 < len(latin) < len(others):
        return None
    script = scripts.pop()
    back = _BACK.get(script, {})
    mistaken = all(letter.lower() in back for letter in latin)
    return script if mistaken and any(letter not in _CLOSE for letter in others) else None


def _latin(word: str) -> str:
    return "".join(_LATIN.get(letter, letter) for letter in word)


def _letters(word: str) -> str:
    return _MARKS.sub("", word)


@lru_cache(4096)
def _script(letter: str) -> str:
    """The script of a letter, if it is one of the table's; else an empty string."""
    return next((name for name in _TWINS if _of(name).match(letter)), "")


@lru_cache(None)
def _of(script: str) -> regex.Pattern[str]:
    return regex.compile(rf"\p{{Script={script}}}")
