"""What a place is that readers know by its name: "Germany" is a country, "Ohio" a state, "Berlin" a city."""

from collections.abc import Iterable
from functools import cache, lru_cache

from kg.extract.name_tables import countries, places, sovereign, states
from services.questions.draft import Stop
from services.questions.wording.verbs import is_known_plural

_STATES = """
Alabama; Alaska; Arizona; Arkansas; California; Colorado; Connecticut; Delaware; Florida; Hawaii; Idaho;
Illinois; Indiana; Iowa; Kansas; Kentucky; Louisiana; Maine; Maryland; Massachusetts; Michigan;
Minnesota; Mississippi; Missouri; Montana; Nebraska; Nevada; New Hampshire; New Jersey; New Mexico;
North Carolina; North Dakota; Ohio; Oklahoma; Oregon; Pennsylvania; Rhode Island; South Carolina; South
Dakota; Tennessee; Texas; Utah; Vermont; Virginia; West Virginia; Wisconsin; Wyoming; New South Wales;
Queensland; South Australia; Western Australia; Tasmania; Victoria; Gujarat; Maharashtra; Kerala; Tamil
Nadu; Karnataka; Bihar; Assam; Uttar Pradesh; Madhya Pradesh; Rajasthan; West Bengal; Andhra Pradesh;
Telangana; Goa; Bavaria; Saxony; Hesse
"""
_PROVINCES = """
Ontario; Quebec; British Columbia; Alberta; Manitoba; Saskatchewan; Nova Scotia; New Brunswick; Sindh;
Balochistan; Guangdong; Sichuan; Hubei; Hunan; Yunnan
"""
_SEVERAL = frozenset({"Georgia", "New York", "Washington", "Jersey", "Jordan", "Victoria"})
"""Names that a state shares with a city, a country or a person."""
_PLACE_TYPES = frozenset({"GPE", "LOC", "NORP", "ORG", "FAC"})

ACTING = frozenset({"country", "state", "province"})
"""Places that do what organisations do: a country bans, joins and votes."""


def known_place(stop: Stop) -> str:
    """The noun of a place whose name the lists have; empty for any other."""
    if stop.type not in _PLACE_TYPES:
        return ""
    if stop.type == "LOC" and " " in stop.name and is_known_plural(stop.name.rsplit(maxsplit=1)[-1].lower()):
        return "region"
    found = {noun for noun in map(_noun, stop.names) if noun}
    return found.pop() if len(found) == 1 else ""


@lru_cache(maxsize=65_536)
def _noun(name: str) -> str:
    if name in _SEVERAL:
        return ""
    if name in sovereign() or (len(name) < 4 and name in countries()):
        return "country"
    if name in _listed(_STATES):
        return "state"
    if name in _listed(_PROVINCES):
        return "province"
    if name in states():
        return "region"
    return "city" if places().get(name) == "GPE" else ""


@cache
def _listed(text: str) -> frozenset[str]:
    names: Iterable[str] = text.replace("\n", " ").split(";")
    return frozenset(name.strip() for name in names)
