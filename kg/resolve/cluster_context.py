"""What the rules for contextual equivalence see of one cluster, and what they say about it.

What the rules for contextual equivalence share: named entities, guesses, and an index over words.

Mirrored edges: what a cluster says of one entity, it also says of its contextual equivalents.

GRADE (section 3.1): if two entities are equivalent within a cluster, each edge within that cluster that
enters or leaves one is added to the other. Mirrors are made of facts only, never of mirrors, so links do not
chain: with a ~ b and b ~ c, c gets b's facts and not a's.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from kg.ids import bare_id, content_hash
from kg.model import Entity, Reject
from kg.resolve.normal_form import DETERMINERS, FUNCTION_WORDS
from kg.text.words import PREPOSITIONS


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge between two entities that a claim is behind; `subject` and `object` are entity ids."""

    id: str
    subject: str
    predicate: str
    object: str
    claim: str


@dataclass(frozen=True, slots=True)
class Fact(Edge):
    """A triple of a claim between two entities."""

    negated: bool = False


@dataclass(frozen=True, slots=True)
class EntityCard(Entity):
    """An entity after exact merging, with the articles that it occurs in.

    `in_paths` tells of a noun phrase that paths of its corpus may begin, end or go through at it.
    """

    articles: frozenset[str] = frozenset()
    in_paths: bool = False


@dataclass(frozen=True, slots=True)
class ContextLink:
    """Entities `a` and `b` (ids, a < b) are one thing within `cluster`; `score` is in [0, 1]."""

    a: str
    b: str
    cluster: str
    score: float
    evidence: str


@dataclass(frozen=True, slots=True)
class ExactPair:
    """Entities `a` and `b` (ids, a < b) are one thing everywhere."""

    a: str
    b: str
    evidence: str


@dataclass(frozen=True, slots=True)
class FoundLinks:
    """What a finder found: pairs in the order of their ids, links by cluster.

    `failures` are clusters, or parts of them, that could not be read; `dropped` is what was said of entities
    that can't be one thing.
    """

    always: tuple[ExactPair, ...]
    context: tuple[ContextLink, ...]
    failures: tuple[Reject, ...] = ()
    dropped: tuple[Reject, ...] = ()


@dataclass(frozen=True, slots=True)
class NamedEntity:
    """An entity of the cluster and the words of its normal form."""

    card: EntityCard
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Guess:
    """Two entities that may be one within the cluster; `score` is in [0, 1]."""

    one: NamedEntity
    other: NamedEntity
    score: float
    evidence: str


def index_by(
    entities: Iterable[NamedEntity], keys: Callable[[NamedEntity], Iterable[tuple[str, ...]]]
) -> dict[tuple[str, ...], list[NamedEntity]]:
    """Entities under each of their keys, in order."""
    index: defaultdict[tuple[str, ...], list[NamedEntity]] = defaultdict(list)
    for entity in entities:
        for key in dict.fromkeys(keys(entity)):
            index[key].append(entity)
    return index


def content_words(words: Iterable[str]) -> list[str]:
    """The words that tell something."""
    ignored = FUNCTION_WORDS | PREPOSITIONS | DETERMINERS
    return [word for word in words if word not in ignored]


def share_an_article(one: NamedEntity, other: NamedEntity) -> bool:
    """Whether an article has both."""
    return bool(one.card.articles & other.card.articles)


def is_always_beside(phrase: NamedEntity, name: NamedEntity) -> bool:
    """Whether `name` stands in each article that has `phrase`."""
    articles = phrase.card.articles
    return bool(articles) and articles <= name.card.articles


@dataclass(frozen=True, slots=True)
class MirroredEdge(Edge):
    """A fact said again of an equivalent entity: `mirror_of` is the fact's id, `via` the replaced entity."""

    mirror_of: str
    via: str
    cluster: str


def mirrored_edges(
    facts: Sequence[Fact], links: Sequence[ContextLink], claims_in_cluster: Mapping[str, Collection[str]]
) -> list[MirroredEdge]:
    """The mirrors of `facts` along `links`; the order of the input has no influence.

    There is no edge from an entity to itself, and none whose subject, predicate, object and claim a fact or
    another mirror has already; of two clusters that give the same mirror, the first by name keeps it.
    """
    taken = {_statement(fact) for fact in facts}
    links_of: defaultdict[str, list[ContextLink]] = defaultdict(list)
    for link in sorted(set(links), key=lambda link: (link.cluster, link.a, link.b)):
        links_of[link.cluster].append(link)
    facts_of_claim: defaultdict[str, list[Fact]] = defaultdict(list)
    for fact in sorted(facts, key=lambda fact: fact.id):
        facts_of_claim[fact.claim].append(fact)

    edges: list[MirroredEdge] = []
    for cluster, cluster_links in links_of.items():
        incident: defaultdict[str, list[Fact]] = defaultdict(list)
        for claim in sorted(set(claims_in_cluster.get(cluster, ()))):
            for fact in facts_of_claim[claim]:
                for entity in {fact.subject, fact.object}:
                    incident[entity].append(fact)
        for link in cluster_links:
            for via, instead in ((link.a, link.b), (link.b, link.a)):
                for fact in incident[via]:
                    mirrored = _replace_entity(fact, via, instead)
                    if mirrored.subject != mirrored.object and _statement(mirrored) not in taken:
                        taken.add(_statement(mirrored))
                        edges.append(_edge(mirrored, via, cluster))
    return edges


def _replace_entity(fact: Fact, entity: str, instead: str) -> Fact:
    return replace(
        fact,
        subject=instead if fact.subject == entity else fact.subject,
        object=instead if fact.object == entity else fact.object,
    )


def _statement(fact: Fact) -> tuple[str, str, str, str]:
    return fact.subject, fact.predicate, fact.object, fact.claim


def _edge(mirrored: Fact, via: str, cluster: str) -> MirroredEdge:
    of = mirrored.id, via, mirrored.subject, mirrored.object, cluster
    return MirroredEdge(
        id=f"mirrored-{content_hash(map(bare_id, of))}{cluster.removeprefix(bare_id(cluster))}",
        subject=mirrored.subject,
        predicate=mirrored.predicate,
        object=mirrored.object,
        claim=mirrored.claim,
        mirror_of=mirrored.id,
        via=via,
        cluster=cluster,
    )
