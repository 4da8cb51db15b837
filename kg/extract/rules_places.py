"""Places in places: "St. Clair, Lambton County, Ontario, Canada"."""

from collections.abc import Iterator
from itertools import pairwise

from kg.extract.candidates import Candidate
from kg.extract.entities import EntitySpan
from kg.extract.mood import PLAIN
from kg.extract.name_tables import countries
from kg.extract.noun_phrases import Phrase
from kg.extract.reading import Reading, Sentence
from kg.model import EntityType

_REGIONS: frozenset[EntityType] = frozenset({"GPE", "LOC"})
_PLACES: frozenset[EntityType] = frozenset({"GPE", "LOC", "FAC"})
_UNIONS = frozenset({"United Kingdom", "UK", "U.K.", "Soviet Union", "Yugoslavia", "Czechoslovakia"})
_LIST_WORDS = frozenset({"and", "or", "&"})
_MAY_BE_PLACE: frozenset[EntityType] = frozenset({"GPE", "LOC", "FAC", "MISC", "ORG"})


def places_in_places(reading: Reading, sentence: Sentence) -> Iterator[Candidate]:
    """Each place of a chain lies in the next one; lists with "and" are no chains."""
    spans = [span for span in reading.spans if sentence.first <= span.start < sentence.end]
    spans = [span for span in spans if span.type in _MAY_BE_PLACE]
    i = 0
    while i < len(spans):
        chain = [spans[i]]
        while i + 1 < len(spans) and _comma_between(reading, spans[i], spans[i + 1]):
            i += 1
            chain.append(spans[i])
        i += 1
        if len(chain) >= 2 and _is_chain(reading, chain):
            yield from _links(reading, chain)


def _links(reading: Reading, chain: list[EntitySpan]) -> Iterator[Candidate]:
    sovereign = set(countries().values())
    for inner, outer in pairwise(chain):
        place, region = reading.names.of(inner), reading.names.of(outer)
        nation = place.text in sovereign and region.text not in _UNIONS
        if outer.type not in _REGIONS or nation or reading.names.of(outer).type == "PERSON":
            continue
        kind = place.type if place.type in _PLACES else "GPE"
        subject, target = Phrase(place.text, kind), Phrase(region.text, "GPE")
        yield Candidate(subject, "is located in", target, "place-chain", PLAIN)


def _comma_between(reading: Reading, left: EntitySpan, right: EntitySpan) -> bool:
    return reading.doc[left.end : right.start].text.strip() == ","


def _is_chain(reading: Reading, chain: list[EntitySpan]) -> bool:
    if chain[-1].type not in _REGIONS or (len(chain) == 2 and chain[0].type not in _PLACES):
        return False
    doc = reading.doc
    before = doc[chain[0].start - 1].lower_ if chain[0].start else ""
    after = [token.lower_ for token in doc[chain[-1].end : chain[-1].end + 2]]
    if before in _LIST_WORDS or (after[:1] and after[0] in _LIST_WORDS):
        return False
    return not (after[:1] == [","] and after[1:] and after[1] in _LIST_WORDS)
