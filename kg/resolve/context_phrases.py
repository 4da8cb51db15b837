"""Contextual rules for phrases: "the company", a people and its country, phrases with the same neighbours."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from types import MappingProxyType

from kg.extract.name_tables import countries
from kg.model import EntityType
from kg.resolve.cluster_context import Fact
from kg.resolve.context_guesses import Guess, NamedEntity, content_words, share_an_article
from kg.resolve.normal_form import normal_form
from kg.resolve.qualifiers import same_marks

GENERIC_SCORE = 0.7
PEOPLE_SCORE = 0.75
NEIGHBOURS_SCORE = 0.7
FEWEST_SHARED = 2
MOST_WITH_ONE_NEIGHBOUR = 8
"""Entities of which one fact says the same: among more, that tells nothing."""
_SHORTEST_WORD = 4

_NOUNS_OF_TYPE: dict[EntityType, str] = {
    "ORG": """company firm corporation manufacturer airline bank club team charity foundation university
        college agency ministry hospital newspaper union retailer supplier carrier brewery""",
    "FAC": "hospital clinic stadium airport bridge museum observatory station theatre",
    "GPE": "city town village country",
    "LOC": "island river lake mountain volcano",
    "WORK": "film movie book novel album song play",
    "PRODUCT": "ship vessel satellite spacecraft aircraft telescope drug vaccine rocket",
    "EVENT": "tournament cup race festival hurricane typhoon",
}
_NOUNS: Mapping[EntityType, frozenset[str]] = MappingProxyType(
    {kind: frozenset(nouns.split()) for kind, nouns in _NOUNS_OF_TYPE.items()}
)


def generic_phrases(entities: Sequence[NamedEntity]) -> Iterator[Guess]:
    """ "The company" and the only company of its article, where the phrase stands in one article.

    A phrase that several articles use is one node for all of them, and what one article means by it must not
    be mirrored to the others.
    """
    by_article: defaultdict[str, list[NamedEntity]] = defaultdict(list)
    for entity in entities:
        if entity.card.type not in {"CONCEPT", "MISC"}:
            for article in entity.card.articles:
                by_article[article].append(entity)
    for phrase in entities:
        words = content_words(phrase.words)
        if phrase.card.type != "CONCEPT" or len(words) != 1 or len(phrase.card.articles) != 1:
            continue
        (article,) = phrase.card.articles
        kinds = {kind for kind, nouns in _NOUNS.items() if words[0] in nouns}
        fitting = [one for one in by_article[article] if one.card.type in kinds]
        if len(fitting) == 1:
            evidence = f'only "{fitting[0].card.name}" can be "{phrase.card.name}" in its article'
            yield Guess(fitting[0], phrase, GENERIC_SCORE, evidence)


def countries_of_peoples(entities: Sequence[NamedEntity]) -> Iterator[Guess]:
    """ "Norwegian" and Norway, where one article has both.

    Only within a cluster: a people, its language and its state are not one thing everywhere, and some words
    stand for several ("Korean", "Congolese").
    """
    places = {one.words: one for one in entities if one.card.type in {"GPE", "LOC"}}
    country_of = {normal_form(word): country for word, country in countries().items()}
    for people in entities:
        if people.card.type != "NORP":
            continue
        word = " ".join(people.words)
        country = country_of.get(word) or country_of.get(word.removesuffix("s"))
        place = places.get(tuple(normal_form(country).split())) if country else None
        if place and share_an_article(people, place):
            evidence = f'"{people.card.name}" is what belongs to "{place.card.name}"'
            yield Guess(people, place, PEOPLE_SCORE, evidence)


def alike_by_neighbours(known: Mapping[str, NamedEntity], facts: Sequence[Fact]) -> Iterator[Guess]:
    """Two phrases with a telling word in common, of which at least two facts of the cluster say the same.

    Facts say the same if they have the predicate and the other end in common. At least one of the two must be
    a phrase, since two names with common neighbours are rather two things of a kind.
    """
    ends: defaultdict[tuple[str, str, str], set[str]] = defaultdict(set)
    for fact in facts:
        if not fact.negated:
            predicate = " ".join(fact.predicate.casefold().split())
            ends["from", predicate, fact.object].add(fact.subject)
            ends["to", predicate, fact.subject].add(fact.object)
    shared: Counter[tuple[str, str]] = Counter()
    for found in ends.values():
        if 1 < len(found) <= MOST_WITH_ONE_NEIGHBOUR:
            shared.update(combinations(sorted(found & known.keys()), 2))
    for (a, b), count in sorted(shared.items()):
        one, other = known[a], known[b]
        if count >= FEWEST_SHARED and _are_alike(one, other):
            evidence = f'{count} facts say the same of "{one.card.name}" and "{other.card.name}"'
            yield Guess(one, other, NEIGHBOURS_SCORE, evidence)


def _are_alike(one: NamedEntity, other: NamedEntity) -> bool:
    types = {one.card.type, other.card.type}
    telling = {word for word in content_words(one.words) if len(word) >= _SHORTEST_WORD}
    common = telling & set(content_words(other.words))
    fits = "CONCEPT" in types and not types & {"DATE", "NUMBER", "PERSON"}
    return fits and bool(common) and same_marks(one.card.name, other.card.name)
