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
    "k": 1e3, "m": 1e6, "b": 1e9, "tn": 1e12,
}  # fmt: skip
_SIGNS: Mapping[str, str] = {
    "$": "dollar",
    "US$": "dollar",
    "C$": "canadian dollar",
    "CA$": "canadian dollar",
    "A$": "australian dollar",
    "AU$": "australian dollar",
    "NZ$": "new zealand dollar",
    "HK$": "hong kong dollar",
    "S$": "singapore dollar",
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
    "per cent": ("percent", 1.0), "cent": ("dollar", 0.01), "\u00b0c": ("celsius", 1.0),
    "\u00b0f": ("fahrenheit", 1.0), "degree celsius": ("celsius", 1.0),
    "degree fahrenheit": ("fahrenheit", 1.0),
    "mph": ("length/time", 0.44704), "kph": ("length/time", 1 / 3.6), "knot": ("length/time", 1852 / 3600),
}  # fmt: skip
"""What a unit measures, and how many of the base it is; months and years are of no one length."""

_OTHER_FORMS: Mapping[str, str] = {
    "feet": "foot", "inches": "inch", "meter": "metre", "kilometer": "kilometre", "centimeter": "centimetre",
    "millimeter": "millimetre", "h": "hour", "s": "second", "degrees celsius": "degree celsius",
    "degrees fahrenheit": "degree fahrenheit",
}  # fmt: skip
_QUANTITY = re.compile(
    r"(?:(?:about|around|approximately|roughly|some|nearly|almost|circa) )?"
    r"(?P<sign>(?:US|CA?|AU?|NZ|HK|S)?\$|[\u20ac\u00a3\u00a5])?\s?"
    r"(?P<figures>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)"
    r"(?:[\s-]?(?P<scale>hundred|thousand|million|billion|trillion|bn)|(?P<letter>k|m|b|tn))?\b[\s-]?\s*"
    r"(?P<unit>%|\u00b0?[^\W\d_]+(?:[ /-][^\W\d_]+){0,2})?",
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
    """What a number with a unit measures, exact or about so much; None for a bare number, a bound ("more than
    9 boats"), a range, or anything else. "$5.2m" are millions; without a sign of money "m" is no scale."""
    found = _QUANTITY.fullmatch(text.strip().replace("\u00a0", " "))
    if found is None or not (found["sign"] or found["unit"]) or (found["letter"] and not found["sign"]):
        return None
    scale = (found["scale"] or found["letter"] or "").casefold()
    amount = float(found["figures"].replace(",", "")) * _SCALES.get(scale, 1.0)
    if found["sign"]:
        return None if found["unit"] else Measure(amount, _SIGNS[found["sign"].upper()])
    over, _, under = found["unit"].strip().casefold().replace(" per ", "/").partition("/")
    kind, factor = _base(over)
    if under:
        time, seconds = _base(under)
        return Measure(amount * factor / seconds, f"{kind}/{time}")
    return Measure(amount * factor, kind)


def _base(unit: str) -> tuple[str, float]:
    whole = _OTHER_FORMS.get(unit, unit)
    single = whole if whole in _UNITS else _singular(whole)
    return _UNITS.get(single, (single, 1.0))


def _singular(unit: str) -> str:
    single = unit[:-1] if unit.endswith("s") and not unit.endswith("ss") else unit
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
    kind = "money" if measure.kind.split()[-1] in _MONEY else measure.kind
    return _WORDS.get((predicate_key(predicate), kind))


def measure_question(subject: str, predicate: str, words: MeasuringWords) -> str:
    """A single fact asked for its figure: "How much does Ostrivax cost?"."""
    asked = inverted_words(subject.split(), predicate.split())
    return f"{words.ask[0].upper()}{words.ask[1:]} {asked}?"
