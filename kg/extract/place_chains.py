"""Chains of places, each within the next: "St. Clair, Ontario, in the south of Canada"."""

import re
from bisect import bisect_left
from dataclasses import replace
from itertools import pairwise

from kg.extract.entities import ROMAN, EntitySpan
from kg.extract.reading import Reading, Sentence
from kg.model import PLACE_TYPES, REGION_TYPES, EntityType
from kg.text.lexicon import SETTLEMENT_NOUNS, countries, is_country, places, states, towns

_LIST_WORDS = frozenset({"and", "or", "&", "etc", "etc."})
_MAY_BE_PLACE: frozenset[EntityType] = frozenset({"GPE", "LOC", "FAC", "MISC", "ORG"})
_LINKS = frozenset({",", "in", "within", "of", "located", "situated"})
_MAY_BE_NATION: frozenset[EntityType] = frozenset({"NORP", "GPE"})

_SIDE = r"(?:(?:north|south|east|west|central|mid)(?:[\s-]*(?:east|west))?(?:ern)?|upper|lower|rural|coastal)"
_KIND = (
    rf"(?:{'|'.join(sorted(SETTLEMENT_NOUNS))}|area|part|corner|end|side|half|parish|department|prefecture)"
)
_WITHIN = re.compile(
    rf",?\s+(?:(?:located|situated)\s+)?(?:in|within)\s+(?:the\s+)?(?:{_SIDE}[\s-]+)*"
    rf"(?:(?:administrative\s+)?(?:{_KIND}\s+)?of\s+(?:the\s+)?(?:{_SIDE}[\s-]+)*)?",
    re.IGNORECASE,
)
"""What leads from a place to one that it lies in: ", within the administrative district of "."""
_OF = re.compile(rf"\s+of\s+(?:the\s+)?(?:{_SIDE}[\s-]+)*", re.IGNORECASE)
_KIND_OF = re.compile(rf"\s+{_KIND}\s+of\s+(?:the\s+)?", re.IGNORECASE)


def place_chains(reading: Reading, sentence: Sentence) -> list[list[EntitySpan]]:
    """The chains of a sentence, each from the inner place to the outer; lists are no chains."""
    first, after = (
        bisect_left(reading.spans, place, key=lambda span: span.start)
        for place in (sentence.first, sentence.end)
    )
    spans = list(reading.spans[first:after])
    nations = _nations(reading, spans)
    spans = [span for span in spans if span.type in _MAY_BE_PLACE and span not in nations.values()]
    spans = [span for span in spans if not is_parallel(reading, span)]
    chains: list[list[EntitySpan]] = []
    chain: list[EntitySpan] = []
    for part in _comma_chains(reading, spans):
        if not (chain and _is_within(reading, chain[-1], part[0], nations)):
            chain = []
            chains.append(chain)
        chain += part
    chains = [_with_nations(chain, nations) for chain in chains]
    return [chain for chain in chains if len(chain) > 1]


def _comma_chains(reading: Reading, spans: list[EntitySpan]) -> list[list[EntitySpan]]:
    """All spans in order, those of one chain of commas together."""
    parts: list[list[EntitySpan]] = []
    i = 0
    while i < len(spans):
        part = [spans[i]]
        while i + 1 < len(spans) and _comma_between(reading, spans[i], spans[i + 1]):
            i += 1
            part.append(spans[i])
        i += 1
        parts += [part] if len(part) > 1 and _is_chain(reading, part) else [[span] for span in part]
    return parts


def _nations(reading: Reading, spans: list[EntitySpan]) -> dict[EntitySpan, EntitySpan]:
    """The country by the place that it is told of: "the U.S. state of Ohio"."""
    return {
        place: nation
        for nation, place in pairwise(spans)
        if nation.type in _MAY_BE_NATION
        and place.type in REGION_TYPES
        and nation.text in countries()
        and _KIND_OF.fullmatch(_between(reading, nation, place))
    }


def _is_within(
    reading: Reading, inner: EntitySpan, outer: EntitySpan, nations: dict[EntitySpan, EntitySpan]
) -> bool:
    """Whether a preposition says that one place lies in the next."""
    if inner.type not in PLACE_TYPES or outer.type not in REGION_TYPES:
        return False
    if (inner in nations or inner.text in states()) and outer.text not in states():
        return False  # "in the Australian state of New South Wales in Brewarrina Shire"
    between = _between(reading, inner, nations.get(outer, outer))
    named_after_kind = inner.text.rsplit(maxsplit=1)[-1].lower() in SETTLEMENT_NOUNS
    return _WITHIN.fullmatch(between) is not None or (named_after_kind and _OF.fullmatch(between) is not None)


def _with_nations(chain: list[EntitySpan], nations: dict[EntitySpan, EntitySpan]) -> list[EntitySpan]:
    told = [nations[span] for span in chain if span in nations]
    return chain + [replace(span, text=countries()[span.text], type="GPE") for span in told]


def _between(reading: Reading, left: EntitySpan, right: EntitySpan) -> str:
    end = reading.doc[left.end - 1]
    return reading.text[end.idx + len(end) : reading.doc[right.start].idx]


def outer_places(reading: Reading, inner: EntitySpan) -> list[EntitySpan]:
    """The places that a place lies in by the chain that it begins or continues."""
    if inner.type not in _MAY_BE_PLACE or not _may_continue(reading, inner):
        return []
    number = reading.sentence_of[inner.start]
    sentence = next(found for found in reading.sentences if found.index == number)
    for chain in place_chains(reading, sentence):
        if inner in chain:
            outer = chain[chain.index(inner) + 1 :]
            return [span for span in outer if span.type in REGION_TYPES and span in reading.spans]
    return []


def _may_continue(reading: Reading, inner: EntitySpan) -> bool:
    """A glance that spares most places the search for chains."""
    return inner.end < len(reading.doc) and reading.doc[inner.end].lower_ in _LINKS


def _comma_between(reading: Reading, left: EntitySpan, right: EntitySpan) -> bool:
    return _between(reading, left, right).strip() == ","


def _is_chain(reading: Reading, chain: list[EntitySpan]) -> bool:
    doc = reading.doc
    # "Ana Brel, Ohio's first senator"
    possessive = doc[chain[-1].end : chain[-1].end + 1].text in {"'s", "'"}
    # "Apart from London, Scotland agreed"
    acts = (
        doc[chain[-1].root].dep_ in {"nsubj", "nsubjpass"}
        and doc[chain[-1].end : chain[-1].end + 1].text != ","
    )
    if (
        possessive
        or acts
        or chain[-1].type not in REGION_TYPES
        or (len(chain) == 2 and chain[0].type not in PLACE_TYPES)
    ):
        return False
    if len(chain) == 2 and chain[1].text in states() and chain[0].text not in states():
        return True  # also in "Gloucester, Massachusetts and Brooklyn, New York"
    before = doc[chain[0].start - 1].lower_ if chain[0].start else ""
    after = [token.lower_ for token in doc[chain[-1].end : chain[-1].end + 2]]
    listed = before in _LIST_WORDS or (after[:1] and after[0] in _LIST_WORDS)
    if listed or any(_is_beside(inner, outer) for inner, outer in pairwise(chain)):
        return False
    if after[:1] == [","] and after[1:]:
        # "Carrascal, Cantilan, Madrid, Carmen" goes on, though Carmen was taken for a person
        following = reading.entity_at.get(chain[-1].end + 1)
        goes_on = following is not None and following.type not in {"DATE", "NUMBER"}
        return after[1] not in _LIST_WORDS and not (goes_on and chain[-1].text not in places())
    return True


def _is_beside(inner: EntitySpan, outer: EntitySpan) -> bool:
    """Whether two places are of one rank, or the first of a higher one: "Germany, Madrid, Barcelona"."""
    if is_country(inner.text):
        return outer.text not in states() and places().get(outer.text) != "LOC"
    return outer.text in towns() and (inner.text in states() or inner.text in towns())


def is_parallel(reading: Reading, span: EntitySpan) -> bool:
    """Whether a second name has a place of its own: "Brel ruled in Iberia, Tolland in Armenia"."""
    at = bisect_left(reading.spans, span.start, key=lambda other: other.start)
    if not 0 < at < len(reading.spans) - 1 or not _comma_between(reading, reading.spans[at - 1], span):
        return False
    first, after = reading.spans[at - 1].start - 1, reading.spans[at + 1]
    if first < 1 or reading.doc[first].lower_ != "in":
        return False
    named = reading.doc[first - 1].pos_ == "PROPN" or ROMAN.fullmatch(reading.doc[first - 1].text) is not None
    kind = span.text.rsplit(maxsplit=1)[-1].lower() in SETTLEMENT_NOUNS or span.text in states()
    return (
        named and not kind and after.type in REGION_TYPES and _between(reading, span, after).strip() == "in"
    )
