"""Which entities of a cluster might be one thing, and the facts by which a model can tell.

A pair is worth a question only where something proposes it: a fact that says one is the other, a name inside
the other's, initials, a neighbour or telling words that facts of different claims share. What more than a few
entities share tells nothing, each entity keeps only its best partners, and what no answer could put to use is
not asked about: so work and requests grow with the facts of a cluster, not with its pairs. A pair comes with
the facts that proposed it, and others only where these are few.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from kg.model import LITERAL_TYPES
from kg.resolve.cluster_context import EntityCard, Fact
from kg.resolve.contextual import (
    ALIAS_PREDICATES,
    HOLDS_PREDICATE,
    IS_PREDICATES,
    distinct_pairs,
    ordered_pair,
)
from kg.resolve.normal_form import initials, is_acronym
from kg.resolve.pair_likeness import is_description, is_plausible, may_be_one, name_words, telling_words

MOST_SHARING = 24
"""Entities that may share something before it counts as common."""
PARTNERS_AN_ENTITY = 4
WEIGHTS: Mapping[str, float] = {
    "stated": 4.0, "initials": 3.0, "name": 3.0, "relation": 1.5, "neighbour": 1.0, "claim": 0.75
}  # fmt: skip
"""How much a shared thing says: set by judgement, only their order counts."""
FACTS_A_SIDE = 2
"""Facts of each entity of a pair that are shown: those that are most like the other one's."""
PAIRS_A_REQUEST = 12
CHARACTERS_A_REQUEST = 5_000
LONGEST_CLAIM = 400
_HELPING = "are been being could did does had has have may might was were will would"
_AUXILIARIES = frozenset(_HELPING.split())
Pair = tuple[str, str]
Clusters = Mapping[str, Sequence[Fact]]


@dataclass(frozen=True, slots=True)
class LinkPair:
    """Entities `a` and `b` (ids, a < b) that might be one, the facts that speak for it, and the clusters in
    which these facts do."""

    a: str
    b: str
    facts: tuple[Fact, ...]
    clusters: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LinkBatch:
    """What a model reads at once: pairs, and the claims of their facts, each once."""

    pairs: tuple[LinkPair, ...]

    @property
    def claims(self) -> tuple[str, ...]:
        """The ids of the claims, in the order in which pairs need them."""
        return tuple(dict.fromkeys(fact.claim for pair in self.pairs for fact in pair.facts))


def link_batches(
    clusters: Clusters, cards: Mapping[str, EntityCard], claim_texts: Mapping[str, str]
) -> list[LinkBatch]:
    """The batches of all clusters; the order of clusters and facts has no influence.

    A pair that several clusters propose by the same facts is asked about once.
    """
    found: dict[tuple[Pair, tuple[Fact, ...]], list[str]] = {}
    for cluster in sorted(clusters):
        facts = sorted(clusters[cluster], key=lambda fact: fact.id)
        facts_of = _facts_of(facts)
        for pair, proposers in proposed_pairs(facts, cards, claim_texts).items():
            evidence = _evidence(pair, proposers, facts_of, claim_texts)
            found.setdefault((pair, evidence), []).append(cluster)
    pairs = [LinkPair(*pair, facts, tuple(inside)) for (pair, facts), inside in found.items()]
    return list(_pack(list(_beside_each_other(pairs)), claim_texts))


def proposed_pairs(
    facts: Sequence[Fact], cards: Mapping[str, EntityCard], claim_texts: Mapping[str, str]
) -> dict[Pair, set[str]]:
    """Pairs of ids that might be one thing, each entity with its best partners only.

    With each come the claims that proposed it; none where the two names alone did.
    """
    apart = distinct_pairs(facts)
    telling_more = _related_entities(facts)
    signs: defaultdict[Pair, Counter[str]] = defaultdict(Counter)
    claims: defaultdict[Pair, set[str]] = defaultdict(set)
    for fact in facts:
        if fact.subject != fact.object and cards.keys() >= {fact.subject, fact.object}:
            signs[pair := ordered_pair(fact.subject, fact.object)]["stated"] += 1
            claims[pair].add(fact.claim)
    for kind, sharing in _find_shared(facts, cards, claim_texts):
        for one, other in combinations(sorted(sharing), 2):
            # Two entities of one claim share its words and its verb, and are two things nonetheless.
            if kind in _OF_NAMES or len(sharing[one] | sharing[other]) > 1:
                signs[one, other][kind] += 1
                claims[one, other] |= sharing[one] | sharing[other]
    partners: defaultdict[str, list[tuple[float, Pair]]] = defaultdict(list)
    for pair, found in signs.items():
        mine, theirs = both = cards[pair[0]], cards[pair[1]]
        if pair in apart or not may_be_one(mine, theirs) or not is_plausible(mine, theirs, found):
            continue
        if any(is_description(card) and not telling_more[card.id] - {*pair} for card in both):
            continue  # nothing is told of the description that the name could be given
        points = sum(WEIGHTS[kind] * times for kind, times in found.items())
        for side in pair:
            partners[side].append((-points, pair))
    best = {pair for found in partners.values() for _, pair in sorted(found)[:PARTNERS_AN_ENTITY]}
    return {pair: claims[pair] for pair in sorted(best)}


_SAME = IS_PREDICATES | ALIAS_PREDICATES
_OF_NAMES = frozenset({"name", "initials"})


def _related_entities(facts: Iterable[Fact]) -> Mapping[str, set[str]]:
    """For each entity the other ends of what is told of it, beyond what it is."""
    others: defaultdict[str, set[str]] = defaultdict(set)
    for fact in facts:
        if not _says_what_it_is(fact):
            others[fact.subject].add(fact.object)
            others[fact.object].add(fact.subject)
    return others


def _says_what_it_is(fact: Fact) -> bool:
    predicate = " ".join(fact.predicate.casefold().split())
    return predicate in _SAME or HOLDS_PREDICATE.search(predicate) is not None


def _find_shared(
    facts: Iterable[Fact], cards: Mapping[str, EntityCard], claim_texts: Mapping[str, str]
) -> Iterator[tuple[str, dict[str, set[str]]]]:
    """What entities share, by kind: those that share it, with the claims that say so."""
    sharing: defaultdict[tuple[str, ...], defaultdict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    told_of: defaultdict[str, set[str]] = defaultdict(set)
    for fact in facts:
        ends = ((fact.subject, fact.object, "from"), (fact.object, fact.subject, "to"))
        for end, neighbour, side in ends:
            if end not in cards or cards[end].type in LITERAL_TYPES:
                continue
            told_of[fact.claim].add(end)
            if _says_what_it_is(fact):
                continue  # many are or were the president, and that makes them no president's namesake
            sharing["neighbour", neighbour][end].add(fact.claim)
            for word in telling_words(fact.predicate, shortest=3) - _AUXILIARIES:
                sharing["relation", neighbour, side, word[:5]][end].add(fact.claim)
    for claim, entities in told_of.items():
        for word in telling_words(claim_texts.get(claim, "")):
            for entity in entities:
                sharing["claim", word][entity].add(claim)
    for entity in set().union(*told_of.values()):
        for key in _keys_of_name(cards[entity].name):
            sharing[key][entity] = set()
    for (kind, *_), sharers in sharing.items():
        if 1 < len(sharers) <= MOST_SHARING:
            yield kind, sharers


def _keys_of_name(name: str) -> Iterator[tuple[str, str]]:
    for word in name_words(name):
        yield "name", word
    if is_acronym(name):
        yield "initials", name.replace(".", "").upper()
    elif " " in name:
        for letters in initials(name):
            yield "initials", letters


@dataclass(slots=True)
class _FactsOf:
    """The facts of each entity, and those that relate two, in the order of their ids."""

    of: defaultdict[str, list[Fact]] = field(default_factory=lambda: defaultdict(list))
    between: defaultdict[Pair, list[Fact]] = field(default_factory=lambda: defaultdict(list))


def _facts_of(facts: Iterable[Fact]) -> _FactsOf:
    found = _FactsOf()
    for fact in facts:
        for end in dict.fromkeys((fact.subject, fact.object)):
            found.of[end].append(fact)
        found.between[ordered_pair(fact.subject, fact.object)].append(fact)
    return found


def _evidence(
    pair: Pair, proposers: Collection[str], known: _FactsOf, claim_texts: Mapping[str, str]
) -> tuple[Fact, ...]:
    """The facts to judge a pair by: one that relates the two, and those of each in claims that proposed it,
    most like the other's first; others only where there are fewer."""
    chosen = {fact.id: fact for fact in known.between[pair][:1]}
    for one, other in (pair, pair[::-1]):
        others = [fact for fact in known.of[other] if fact.id not in chosen]
        near = {end for fact in others for end in (fact.subject, fact.object)} - {one, other}
        words = {word for fact in others for word in telling_words(fact.predicate)}
        told = {word for fact in others for word in telling_words(claim_texts.get(fact.claim, ""))}

        def likeness(
            fact: Fact,
            near: Collection[str] = near,
            words: Collection[str] = words,
            told: Collection[str] = told,
        ) -> tuple[bool, int, int, int, str]:
            neighbours = {fact.subject, fact.object} & {*near}
            verbs = telling_words(fact.predicate) & {*words}
            shared = telling_words(claim_texts.get(fact.claim, "")) & {*told}
            proposes = fact.claim in proposers
            return not proposes, -len(neighbours), -len(verbs), -len(shared), fact.id

        mine = sorted((fact for fact in known.of[one] if fact.id not in chosen), key=likeness)
        chosen.update((fact.id, fact) for fact in mine[:FACTS_A_SIDE])
    return tuple(sorted(chosen.values(), key=lambda fact: (fact.claim, fact.id)))


def _beside_each_other(pairs: Sequence[LinkPair]) -> Iterator[LinkPair]:
    """The pairs in an order in which those that share an entity are near each other, each once."""
    of: defaultdict[str, list[LinkPair]] = defaultdict(list)
    for pair in sorted(pairs, key=lambda pair: (pair.a, pair.b, pair.clusters)):
        of[pair.a].append(pair)
        of[pair.b].append(pair)
    given: set[LinkPair] = set()
    reached: set[str] = set()
    for start in sorted(of):
        waiting = [] if start in reached else [start]
        reached.add(start)
        for one in waiting:
            for pair in of[one]:
                if pair not in given:
                    given.add(pair)
                    yield pair
                other = pair.b if pair.a == one else pair.a
                if other not in reached:
                    reached.add(other)
                    waiting.append(other)


def _pack(pairs: Sequence[LinkPair], claim_texts: Mapping[str, str]) -> Iterator[LinkBatch]:
    """Pairs in as few batches as their number and their claims' lengths need, of about equal numbers."""
    at_once = -(-len(pairs) // max(1, -(-len(pairs) // PAIRS_A_REQUEST)))
    batch: list[LinkPair] = []
    claims: set[str] = set()
    for pair in pairs:
        more = {fact.claim for fact in pair.facts} | claims
        if batch and (len(batch) == at_once or _letters(more, claim_texts) > CHARACTERS_A_REQUEST):
            yield LinkBatch(tuple(batch))
            batch, more = [], {fact.claim for fact in pair.facts}
        batch.append(pair)
        claims = more
    if batch:
        yield LinkBatch(tuple(batch))


def _letters(claims: Iterable[str], claim_texts: Mapping[str, str]) -> int:
    return sum(min(len(claim_texts.get(claim, "")), LONGEST_CLAIM) for claim in claims)
