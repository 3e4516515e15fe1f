"""Values that belong to nobody: numbers of ranges reserved for fiction, test cards, hosts under `.example`. Pure."""

from __future__ import annotations

import hashlib
import hmac
import re
from dataclasses import dataclass, field

_GEOGRAPHIC = (
    "113496",
    "114496",
    "115496",
    "116496",
    "117496",
    "118496",
    "121496",
    "131496",
    "141496",
    "151496",
    "161496",
)
_AMERICAN = (
    "201", "202", "203", "205", "206", "207", "208", "209", "210", "212", "213", "214", "215", "216", "217", "218",
    "219", "224", "225", "228", "229", "231", "234", "239", "240", "248", "251", "252", "253", "254", "256", "260",
    "262", "267", "269", "270", "276", "281", "301", "302", "303", "304", "305", "307", "308", "309", "310", "312",
    "313", "314", "315", "316", "317", "318", "319", "320", "321", "323", "325", "330", "334", "336", "337", "339",
    "347", "351", "352", "360", "361", "386", "401", "402", "404", "405", "406", "407", "408", "409", "410", "412",
    "413", "414", "415", "416", "417", "418", "419", "423", "425", "430", "432", "434", "435", "440", "443", "469",
)  # fmt: skip
PHONES: dict[str, tuple[tuple[str, int], ...]] = {
    "44": (*((f"{area}0", 3) for area in _GEOGRAPHIC), ("1914980", 3), ("2079460", 3), ("2896496", 3), ("2920180", 3),
           ("1632960", 3), ("7700900", 3)),
    "1": tuple((f"{area}55501", 2) for area in _AMERICAN),
    "61": (("25550", 4), ("27010", 4), ("35550", 4), ("37010", 4), ("75550", 4), ("77010", 4), ("85550", 4), ("87010", 4)),
    "353": (("2091", 5),),
    "33": (("19900", 4), ("26191", 4), ("35353", 4), ("46571", 4), ("53649", 4), ("63998", 4)),
    "49": (("3023125", 3), ("6990009", 3), ("4066969", 3), ("2214710", 3), ("8999998", 3), ("17139200", 2)),
    "46": (("8465004", 2), ("313900", 3), ("406280", 3), ("7017406", 2)),
}  # fmt: skip
"""Country's code → (first digits, how many are free): as Ofcom, NANPA, ACMA, ComReg, Arcep, BNetzA and PTS set them
aside for books and films. Countries without such a range get one of the first."""
_CARD = {12: "500000", 13: "400000", 14: "360000", 15: "370000", 16: "400000", 17: "500000", 18: "500000", 19: "500000"}
"""Length → first digits that payment providers give to tests, of an issuer with numbers of that length."""


@dataclass
class Draw:
    """Random-looking numbers that one key draws for one value, always the same."""

    key: bytes
    seed: str
    _left: bytes = b""
    _turn: int = field(default=0)

    def byte(self) -> int:
        if not self._left:
            self._left = hmac.new(
                self.key, f"{self.seed}\0{self._turn}".encode(errors="replace"), hashlib.sha256
            ).digest()
            self._turn += 1
        first, self._left = self._left[0], self._left[1:]
        return first

    def below(self, limit: int) -> int:
        return int.from_bytes(bytes(self.byte() for _ in range(6)), "big") % limit

    def digits(self, count: int) -> str:
        return "".join(str(self.below(10)) for _ in range(count))

    def hex(self, count: int) -> str:
        return "".join(f"{self.byte() % 16:x}" for _ in range(count))


def phone(value: str, draw: Draw) -> str:
    """A telephone number (E.164) of the same country, of a range reserved for fiction."""
    code = next((code for length in (1, 2, 3) if (code := value[1 : 1 + length]) in PHONES), "44")
    ranges = PHONES[code if value.startswith("+") else "44"]
    head, free = ranges[draw.below(len(ranges))]
    return f"+{code if value.startswith('+') else '44'}{head}{draw.digits(free)}"


def card(digits: str, draw: Draw) -> str:
    """A card number of the same length whose check digit is right."""
    head = _CARD[len(digits)]
    body = head + draw.digits(len(digits) - len(head) - 1)
    doubled = sum(sum(divmod(2 * int(one), 10)) for one in body[::-2]) + sum(map(int, body[-2::-2]))
    return f"{body}{-doubled % 10}"


def iban(value: str, draw: Draw) -> str:
    """An account number of the same country and form whose check digits are right."""
    body = shuffled(value[4:], draw)
    number = int("".join(str(int(character, 36)) for character in f"{body}{value[:2]}00"))
    return f"{value[:2]}{98 - number % 97:02d}{body}"


def shuffled(text: str, draw: Draw, letters: bool = True) -> str:
    """The same form with other digits and capitals; a first digit that is not 0 does not become it."""

    def other(match: re.Match[str]) -> str:
        if match[0].isalpha():
            return chr(65 + draw.below(26)) if letters else match[0]
        return str(1 + draw.below(9)) if match[0] != "0" and match.start() == 0 else str(draw.below(10))

    return re.sub(r"[0-9A-Z]", other, text)


def spelled_like(spelled: str, value: str) -> str:
    """`value` with what stands between the letters and digits of `spelled`, and its case; `value` where they differ in
    how many there are."""
    marks = [character for character in value if character.isalnum()]
    if sum(character.isalnum() for character in spelled) != len(marks):
        return value
    left = iter(marks)
    return "".join(
        (next(left).lower() if character.islower() else next(left)) if character.isalnum() else character
        for character in spelled
    )


def host(draw: Draw) -> str:
    return f"h{draw.hex(8)}.example"
