"""Linguistic data: numbers in words, months, weekdays, parts of the day, in English and Spanish."""

from __future__ import annotations

_UNITS = (
    "one un una uno", "two dos", "three tres", "four cuatro", "five cinco", "six seis", "seven siete", "eight ocho",
    "nine nueve", "ten diez", "eleven once", "twelve doce", "thirteen trece", "fourteen catorce", "fifteen quince",
    "sixteen dieciséis dieciseis", "seventeen diecisiete", "eighteen dieciocho", "nineteen diecinueve", "twenty veinte",
)  # fmt: skip
_TENS = {30: "thirty treinta", 40: "forty cuarenta", 50: "fifty cincuenta", 60: "sixty sesenta", 90: "ninety noventa"}
_MONTHS = (
    "january jan enero ene", "february feb febrero", "march mar marzo", "april apr abril abr", "may mayo",
    "june jun junio", "july jul julio", "august aug agosto ago", "september sept sep septiembre setiembre",
    "october oct octubre", "november nov noviembre", "december dec diciembre dic",
)  # fmt: skip
_WEEKDAYS = (
    "monday mon lunes", "tuesday tues tue martes", "wednesday wed miércoles miercoles", "thursday thurs thur thu jueves",
    "friday fri viernes", "saturday sat sábado sabado", "sunday sun domingo",
)  # fmt: skip


def _numbered(names: tuple[str, ...], first: int) -> dict[str, int]:
    return {name: number for number, line in enumerate(names, first) for name in line.split()}


NUMBERS = _numbered(_UNITS, 1) | {name: tens for tens, line in _TENS.items() for name in line.split()}
NUMBERS |= {
    f"twenty{sign}{name}": 20 + NUMBERS[name] for sign in "- " for name in ("one", "two", "three", "four", "five")
}
NUMBERS |= {f"forty{sign}five": 45 for sign in "- "}
MONTHS = _numbered(_MONTHS, 1)
WEEKDAYS = _numbered(_WEEKDAYS, 0)
PARTS = {"morning": "a", "afternoon": "p", "evening": "p", "night": "p"}
PARTS |= {"mañana": "a", "madrugada": "a", "tarde": "p", "noche": "p", "mediodía": "p", "mediodia": "p"}
"""Which half of the day a part of it is; at night only hours from six on are in the second."""


def either(names: dict[str, int]) -> str:
    """The names as alternatives of a pattern, longest first."""
    return "|".join(sorted(names, key=len, reverse=True))
