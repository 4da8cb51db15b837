"""Numbers with units: what they measure, when one is surely more, and how rules ask for and compare them.

"5 million dollars" and "$4.2 million" measure one thing, "40 dollars" and "13 tonnes" two. Figures in news
are rounded, so that one is more than another only from a tenth on. What is counted ("12 boats") is measured
by its own noun. Rules word only verbs whose comparison is known: "costs more", "lasted longer".
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from services.questions.predicate_key import predicate_key
from services.questions.wording.verbs import inverted_words

_SCALES: Mapping[str, float] = {
    "hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "bn": 1e9,
}  # fmt: skip
_SIGNS: Mapping[str, str] = {
    "$": "dollar",
    "US$": "dollar",
    "\u20ac": "euro",
    "\u00a3": "pound",
    "\u00a5": "yen",
}
_UNITS: Mapping[str, tuple[str, float]] = {
    "millimetre": ("length", 0.001), "mm": ("length", 0.001), "centimetre": ("length", 0.01),
    "cm": ("length", 0.01), "metre": ("length", 1.0), "m": ("length", 1.0), "kilometre": ("length", 1e3),
    "km": ("length", 1e3), "inch": ("length", 0.0254), "foot": ("length", 0.3048),
    "yard": ("length", 0.9144), "mile": ("length", 1609.344),
    "gram": ("mass", 0.001), "g": ("mass", 0.001), "kilogram": ("mass", 1.0), "kilo": ("mass", 1.0),
    "kg": ("mass", 1.0), "tonne": ("mass", 1e3), "ton": ("mass", 1e3), "pound": ("pound", 1.0),
    "second": ("time", 1.0), "minute": ("time", 60.0), "hour": ("time", 3600.0), "day": ("time", 86_400.0),
    "week": ("time", 604_800.0), "%": ("percent", 1.0), "percent": ("percent", 1.0),
    "per cent": ("percent", 1.0), "cent": ("dollar", 0.01),
}  # fmt: skip
"""What a unit measures, and how many of the base it is; months and years are of no one length."""

_OTHER_FORMS: Mapping[str, str] = {
    "feet": "foot", "inches": "inch", "meter": "metre", "kilometer": "kilometre", "centimeter": "centimetre",
    "millimeter": "millimetre",
}  # fmt: skip
_QUANTITY = re.compile(
    r"(?P<sign>US\$|[$\u20ac\u00a3\u00a5])?\s?(?P<figures>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)"
    r"[\s-]?(?P<scale>hundred|thousand|million|billion|trillion|bn)?\b\s*"
    r"(?P<unit>%|[^\W\d_]+(?:[ -][^\W\d_]+){0,2})?",
    re.IGNORECASE,
)
_MONEY = frozenset(
    {"dollar", "euro", "pound", "yen", "crown", "franc", "krone", "krona", "rupee", "yuan", "rouble"}
)


@dataclass(frozen=True, slots=True)
class Measure:
    """So many of a base of what is measured: (5000.0, "length") is 5 km, (12.0, "boat") is 12 boats."""

    amount: float
    kind: str


def parse_measure(text: str) -> Measure | None:
    """What a number with a unit measures; None for a bare number, a range, or anything else."""
    found = _QUANTITY.fullmatch(text.strip().replace("\u00a0", " "))
    if found is None or not (found["sign"] or found["unit"]):
        return None
    amount = float(found["figures"].replace(",", "")) * _SCALES.get((found["scale"] or "").casefold(), 1.0)
    if found["sign"]:
        return None if found["unit"] else Measure(amount, _SIGNS[found["sign"].upper()])
    unit = _singular(found["unit"].strip().casefold())
    kind, factor = _UNITS.get(unit, (unit, 1.0))
    return Measure(amount * factor, kind)


def _singular(unit: str) -> str:
    whole = _OTHER_FORMS.get(unit, unit)
    single = whole[:-1] if whole.endswith("s") and not whole.endswith("ss") else whole
    return _OTHER_FORMS.get(single, single)


def surely_more(one: Measure, other: Measure) -> bool | None:
    """Whether one is more than the other; None where they measure two things, or less than a tenth apart."""
    if one.kind != other.kind:
        return None
    low, high = sorted((one.amount, other.amount))
    return one.amount > other.amount if high * 10 >= low * 11 and high > low else None


@dataclass(frozen=True, slots=True)
class MeasuringWords:
    """How a verb asks for what it measures, and which of two has more of it, or less."""

    ask: str
    more: str
    less: str


_MUCH = MeasuringWords("how much", "more", "less")
_MONEY_WORDS = MeasuringWords("how much money", "more money", "less money")
_FAR = MeasuringWords("what distance", "the longer distance", "the shorter distance")
_LONG = MeasuringWords("how long", "longer", "less long")
_WORDS: Mapping[tuple[str, str], MeasuringWords] = {
    ("cost", "money"): _MUCH,
    ("weigh", "mass"): _MUCH,
    **{
        (verb, "money"): _MONEY_WORDS
        for verb in ("raise", "earn", "pay", "spend", "lose", "invest", "donate")
    },
    **{(verb, "length"): _FAR for verb in ("span", "cover", "stretch", "travel")},
    **{(verb, "time"): _LONG for verb in ("last", "take")},
}


def measuring_words(predicate: str, measure: Measure) -> MeasuringWords | None:
    """The words for a predicate with such a value; None where rules have none."""
    kind = "money" if measure.kind in _MONEY else measure.kind
    return _WORDS.get((predicate_key(predicate), kind))


def measure_question(subject: str, predicate: str, words: MeasuringWords) -> str:
    """A single fact asked for its figure: "How much does Ostrivax cost?"."""
    asked = inverted_words(subject.split(), predicate.split())
    return f"{words.ask[0].upper()}{words.ask[1:]} {asked}?"
