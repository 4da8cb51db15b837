"""Places in places: "St. Clair, Lambton County, Ontario, Canada"."""

import re
from collections.abc import Iterator, Sequence
from itertools import combinations

from kg.extract.candidates import Candidate
from kg.extract.mood import PLAIN
from kg.extract.name_tables import sovereign
from kg.extract.noun_phrases import PLACING, Phrase
from kg.extract.place_chains import place_chains
from kg.extract.reading import Reading, Sentence
from kg.model import EntityType

_REGIONS: frozenset[EntityType] = frozenset({"GPE", "LOC"})
_PLACES: frozenset[EntityType] = frozenset({"GPE", "LOC", "FAC"})
_LYING = re.compile(
    r"^(?:is|was|are|were|lies|lay|sits|stands|rises|flows|runs)\b.*"
    r" (?:in|within|of|on|at|near|from|into|through)$"
)
_UNIONS = frozenset({"United Kingdom", "UK", "U.K.", "Soviet Union", "Yugoslavia", "Czechoslovakia"})


def place_chain(reading: Reading, sentence: Sentence) -> Iterator[Candidate]:
    """ "She lives in Lyon, France." -> (Lyon, is located in, France); lists with "and" are no chains."""
    for chain in place_chains(reading, sentence):
        for inner, outer in combinations(chain, 2):
            place, region = reading.names.of(inner), reading.names.of(outer)
            nation = place.text in sovereign() and region.text not in _UNIONS
            if outer.type not in _REGIONS or nation or region.type == "PERSON":
                continue
            kind = place.type if place.type in _PLACES else "GPE"
            subject, target = Phrase(place.text, kind), Phrase(region.text, "GPE")
            yield Candidate(subject, "is located in", target, "place-chain", PLAIN)


def place_beyond(reading: Reading, sentence: Sentence, found: Candidate) -> Iterator[Candidate]:
    """ "Inari is a village in Lapland, in northern Finland." -> (Inari, is located in, Finland)."""
    if found.subject.type not in _PLACES or found.object.type not in _REGIONS or found.mood.negated:
        return
    if not _LYING.search(found.predicate):
        return
    for chain in place_chains(reading, sentence):
        names = [reading.names.of(span) for span in chain]
        texts = [name.text for name in names]
        if found.object.text not in texts or found.subject.text in texts:
            continue
        listed = found.predicate.rsplit(maxsplit=1)[-1] in PLACING
        for name, span in list(zip(names, chain, strict=True))[texts.index(found.object.text) + 1 :]:
            # behind "in" all places of the chain are objects already, but for "the U.S. state of"
            if span.type in _REGIONS and not (listed and span in reading.spans):
                region = Phrase(name.text, "GPE")
                yield Candidate(found.subject, "is located in", region, "place-beyond", found.mood)


def chained(places: Sequence[Phrase]) -> Iterator[Candidate]:
    """Each place lies in all that follow."""
    for inner, outer in combinations(places, 2):
        yield Candidate(inner, "is located in", outer, "place-chain", PLAIN)
