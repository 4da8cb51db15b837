"""Which entities of a cluster might be one thing, and the facts by which a model can tell.

Pairs are proposed where a fact says that one is the other, or where two entities share something: a
neighbour, a word of their names, initials, or words of different claims about them. What more than a few
entities share tells nothing and is left out, and each entity keeps only its best partners, so that work and
requests grow with the facts of a cluster, not with its pairs.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from kg.model import LITERAL_TYPES
from kg.resolve.cluster_context import EntityCard, Fact
from kg.resolve.contextual import ALIAS_PREDICATES, IS_PREDICATES
from kg.resolve.name_shape import initials, is_acronym
from kg.resolve.normal_form import normal_form
from kg.resolve.qualifiers import conflict, marks
from kg.resolve.type_families import compatible
from kg.resolve.word_lists import DETERMINERS, FUNCTION_WORDS, PREPOSITIONS

MOST_SHARING = 24
"""Entities that may share something before it counts as common."""
PARTNERS_AN_ENTITY = 4
LEAST_SCORE = 1.5
"""One shared neighbour or word of the names is enough, one shared word of the claims is not."""
WEIGHTS: Mapping[str, float] = {
    "stated": 4.0, "initials": 3.0, "name": 3.0, "neighbour": 2.0, "claim": 0.75
}  # fmt: skip
"""How much a shared thing says: set by judgement, only their order counts."""

FACTS_AN_ENTITY = 3
FACTS_A_BATCH = 24
CHARACTERS_A_BATCH = 6_000
LONGEST_CLAIM = 400
SHORTEST_WORD = 4

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class LinkBatch:
    """What a model reads at once: entities that might be one, and facts about them; number `number` of its
    cluster's batches."""

    cluster: str
    number: int
    entities: tuple[EntityCard, ...]
    facts: tuple[Fact, ...]


def link_batches(
    cluster: str, facts: Sequence[Fact], cards: Mapping[str, EntityCard], claim_texts: Mapping[str, str]
) -> Iterator[LinkBatch]:
    """The batches of a cluster, each proposed pair in exactly one of them; the order of `facts` has no
    influence."""
    ordered = sorted(facts, key=lambda fact: fact.id)
    facts_of: defaultdict[str, list[Fact]] = defaultdict(list)
    for fact in ordered:
        for end in dict.fromkeys((fact.subject, fact.object)):
            facts_of[end].append(fact)
    pairs = proposed_pairs(ordered, cards, claim_texts)
    for number, (ids, chosen) in enumerate(_packed(pairs, facts_of, claim_texts), start=1):
        yield LinkBatch(cluster, number, tuple(cards[one] for one in ids), chosen)


def proposed_pairs(
    facts: Sequence[Fact], cards: Mapping[str, EntityCard], claim_texts: Mapping[str, str]
) -> list[Pair]:
    """Pairs of ids that might be one thing, each entity with its best partners only."""
    apart = kept_apart(facts)
    score: defaultdict[Pair, float] = defaultdict(float)
    for fact in facts:
        if fact.subject != fact.object and cards.keys() >= {fact.subject, fact.object}:
            score[ordered_pair(fact.subject, fact.object)] += WEIGHTS["stated"]
    for kind, sharing in _shared(facts, cards, claim_texts):
        for one, other in combinations(sorted(sharing), 2):
            # Two entities of one claim share all its words and are two things nonetheless.
            if kind != "claim" or len(sharing[one] | sharing[other]) > 1:
                score[one, other] += WEIGHTS[kind]
    partners: defaultdict[str, list[tuple[float, Pair]]] = defaultdict(list)
    for pair, points in score.items():
        if points >= LEAST_SCORE and pair not in apart and may_be_one(cards[pair[0]], cards[pair[1]]):
            for one in pair:
                partners[one].append((-points, pair))
    return sorted({pair for found in partners.values() for _, pair in sorted(found)[:PARTNERS_AN_ENTITY]})


def may_be_one(one: EntityCard, other: EntityCard) -> bool:
    """Whether types, numbers and opposites ("north", "south") let two entities be one thing.

    Two full names of people that share no word are two people.
    """
    if one.type == other.type == "PERSON":
        words, others = (set(normal_form(card.name).split()) for card in (one, other))
        if len(words) > 1 and len(others) > 1 and not words & others:
            return False
    return compatible(one.type, other.type) and not conflict(marks(one.name), marks(other.name))


def kept_apart(facts: Iterable[Fact]) -> set[Pair]:
    """Pairs of ids that a fact relates as two things, or denies to be one."""
    same = IS_PREDICATES | ALIAS_PREDICATES
    return {
        ordered_pair(fact.subject, fact.object)
        for fact in facts
        if fact.negated or " ".join(fact.predicate.casefold().split()) not in same
    }


def ordered_pair(one: str, other: str) -> Pair:
    """Two ids, the smaller first."""
    return (one, other) if one < other else (other, one)


def _shared(
    facts: Iterable[Fact], cards: Mapping[str, EntityCard], claim_texts: Mapping[str, str]
) -> Iterator[tuple[str, dict[str, set[str]]]]:
    """What entities share, by kind: those that share it, with the claims that say so."""
    sharing: defaultdict[tuple[str, str], defaultdict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    told_of: defaultdict[str, set[str]] = defaultdict(set)
    for fact in facts:
        for end, neighbour in ((fact.subject, fact.object), (fact.object, fact.subject)):
            if end in cards and cards[end].type not in LITERAL_TYPES:
                sharing["neighbour", neighbour][end].add(fact.claim)
                told_of[fact.claim].add(end)
    for claim, entities in told_of.items():
        for word in _telling_words(claim_texts.get(claim, "")):
            for entity in entities:
                sharing["claim", word][entity].add(claim)
    for entity in set().union(*told_of.values()):
        for key in _keys_of_name(cards[entity].name):
            sharing[key][entity] = set()
    for (kind, _), sharers in sharing.items():
        if 1 < len(sharers) <= MOST_SHARING:
            yield kind, sharers


def _keys_of_name(name: str) -> Iterator[tuple[str, str]]:
    for word in _telling_words(name, shortest=2):
        yield "name", word
    if is_acronym(name):
        yield "initials", name.replace(".", "").upper()
    elif " " in name:
        for letters in initials(name):
            yield "initials", letters


def _telling_words(text: str, shortest: int = SHORTEST_WORD) -> set[str]:
    ignored = FUNCTION_WORDS | PREPOSITIONS | DETERMINERS
    return {word for word in normal_form(text).split() if len(word) >= shortest and word not in ignored}


def _packed(
    pairs: Sequence[Pair], facts_of: Mapping[str, Sequence[Fact]], claim_texts: Mapping[str, str]
) -> Iterator[tuple[list[str], tuple[Fact, ...]]]:
    """Pairs that hang together in as few batches as their facts need."""
    ids: dict[str, None] = {}
    chosen: dict[str, Fact] = {}
    size = 0
    for pair in _beside_each_other(pairs):
        wanted = {fact.id: fact for one in pair for fact in facts_of[one][:FACTS_AN_ENTITY]}
        new = [fact for key, fact in wanted.items() if key not in chosen]
        more = sum(min(len(claim_texts.get(fact.claim, "")), LONGEST_CLAIM) for fact in new)
        if chosen and (len(chosen) + len(new) > FACTS_A_BATCH or size + more > CHARACTERS_A_BATCH):
            yield list(ids), tuple(chosen.values())
            ids, chosen, size = {}, {}, 0
            new = list(wanted.values())
            more = sum(min(len(claim_texts.get(fact.claim, "")), LONGEST_CLAIM) for fact in new)
        ids.update(dict.fromkeys(pair))
        chosen.update((fact.id, fact) for fact in new)
        size += more
    if ids:
        yield list(ids), tuple(chosen.values())


def _beside_each_other(pairs: Sequence[Pair]) -> Iterator[Pair]:
    """The pairs in an order in which those that share an entity are near each other, each once."""
    partners: defaultdict[str, list[str]] = defaultdict(list)
    for one, other in pairs:
        partners[one].append(other)
        partners[other].append(one)
    left = set(pairs)
    reached: set[str] = set()
    for start in sorted(partners):
        waiting = [] if start in reached else [start]
        reached.add(start)
        for one in waiting:
            for other in partners[one]:
                pair = ordered_pair(one, other)
                if pair in left:
                    left.remove(pair)
                    yield pair
                if other not in reached:
                    reached.add(other)
                    waiting.append(other)
