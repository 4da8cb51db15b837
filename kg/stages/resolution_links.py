"""Links within clusters of claims: claims are clustered softly, and each cluster is searched for equivalents.

A finder says which entities are one thing: always, which makes them one entity over the whole corpus, or
within a cluster, where each gets the edges of the other as mirrored edges (GRADE, section 3.1). The rules
find the second kind only; a model that reads the claims finds both.
"""

from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np

from kg.corpus import count_rejects
from kg.ids import content_id, node_id
from kg.ledger import reopen_stages
from kg.model import Reject
from kg.progress import Progress
from kg.queries import query
from kg.resolve.bonds import Bond
from kg.resolve.cluster_context import ContextLink, EntityCard, Fact, FoundLinks, mirrored_edges
from kg.resolve.contextual import contextual_links
from kg.stages.resolution_names import CorpusTriple, Merged
from kg.store.graph import ROWS_A_BATCH, Graph, Row, batches, vector_of

if TYPE_CHECKING:
    from kg.resolve.clusters import Clusters, Vectors

ALWAYS_SCORE = 0.9
"""The score of a model's verdict that two names are always one thing."""


class LinkFinder(Protocol):
    """Finds equivalent entities in clusters of claims."""

    @property
    def name(self) -> str:
        """What it is called in the key of the stage; another name redoes the resolution."""
        ...

    def find(
        self,
        clusters: Mapping[str, Sequence[Fact]],
        cards: Mapping[str, EntityCard],
        claim_texts: Mapping[str, str],
        progress: Progress,
    ) -> FoundLinks:
        """Links between the entities of `cards`, by the facts of each cluster and their claims' texts.

        Whoever asks for something tells `progress` a step of its own.
        """
        ...


@dataclass(frozen=True, slots=True)
class RuleLinks:
    """The finder that needs no model: `kg.resolve.contextual`."""

    name: str = "rules"

    def find(
        self,
        clusters: Mapping[str, Sequence[Fact]],
        cards: Mapping[str, EntityCard],
        claim_texts: Mapping[str, str],
        progress: Progress,
    ) -> FoundLinks:
        """Contextual links by rules; the texts of the claims are not looked at, and it takes no time."""
        found: list[ContextLink] = []
        for cluster, facts in clusters.items():
            inside = sorted({end for fact in facts for end in (fact.subject, fact.object)} & cards.keys())
            found += contextual_links(cluster, [cards[entity] for entity in inside], facts)
        return FoundLinks((), tuple(found))


@dataclass(frozen=True, slots=True)
class ClusteredClaims:
    """The claims of each cluster by its id, the clusters themselves, and the text of every claim."""

    members: Mapping[str, frozenset[str]]
    clusters: Sequence[Row]
    memberships: Sequence[Row]
    texts: Mapping[str, str]


def cluster_corpus(graph: Graph, corpus: str, seed: int) -> ClusteredClaims:
    """Cluster the claims of a corpus by their vectors."""
    texts: dict[str, str] = {}
    blocks: deque[Vectors] = deque()
    rows = graph.stream(query("search/read_claims"), corpus=corpus)
    for some in batches(rows, ROWS_A_BATCH):
        texts.update((row["id"], row["text"]) for row in some)
        blocks.append(np.stack([vector_of(row["vector"]) for row in some]))
    if not texts:
        return ClusteredClaims({}, [], [], {})
    # scikit-learn takes half a second to import, which every command would pay.
    from kg.resolve.clusters import cluster_claims  # noqa: PLC0415

    return _clustered(corpus, list(texts), texts, cluster_claims(join_blocks(blocks), seed=seed))


def join_blocks(blocks: "deque[Vectors]") -> "Vectors":
    """The rows of all blocks, (n, d), which are given up one by one: only one of them is ever held twice."""
    joined = np.empty((sum(map(len, blocks)), blocks[0].shape[1]), np.float32)
    first = 0
    while blocks:
        block = blocks.popleft()
        joined[first : first + len(block)] = block
        first += len(block)
    return joined


def facts_of(merged: Merged, triples: Iterable[CorpusTriple]) -> list[Fact]:
    """The triples as facts between entities."""
    return [
        Fact(
            id=triple.id,
            subject=merged.entity_for(triple.subject, triple.subject_type, triple.article),
            predicate=triple.predicate,
            object=merged.entity_for(triple.object, triple.object_type, triple.article),
            claim=triple.claim,
            negated=triple.negated,
        )
        for triple in triples
    ]


def find_links(
    finder: LinkFinder,
    merged: Merged,
    facts: Iterable[Fact],
    clustered: ClusteredClaims,
    progress: Progress,
    *,
    concepts: bool = False,
) -> FoundLinks:
    """What a finder says of all clusters, each with its facts in the order of their claims.

    With `concepts` paths may go through noun phrases, so that it matters which of them are one thing.
    """
    of_claim: dict[str, list[Fact]] = defaultdict(list)
    for fact in facts:
        of_claim[fact.claim].append(fact)
    clusters = {
        cluster: [fact for claim in sorted(clustered.members[cluster]) for fact in of_claim[claim]]
        for cluster in sorted(clustered.members)
    }
    cards = {
        entity: EntityCard(
            entity,
            row["name"],
            row["type"],
            frozenset(merged.articles[entity]),
            in_paths=concepts and row["type"] == "CONCEPT",
        )
        for entity, row in sorted(merged.entities.items())
    }
    return finder.find(clusters, cards, clustered.texts, progress)


def always_bonds(found: FoundLinks, merged: Merged) -> list[Bond]:
    """The pairs that are always one thing as bonds between names, for another round of merging.

    A name that has another sense in some articles is no such name there.
    """
    bound = set(merged.other_sense.values())
    sure = [pair for pair in found.always if not {pair.a, pair.b} & bound]
    pairs = ((merged.entities.get(pair.a), merged.entities.get(pair.b), pair) for pair in sure)
    return [
        Bond(tuple(sorted((a["name"], b["name"]))), ALWAYS_SCORE, pair.evidence)
        for a, b, pair in pairs
        if a is not None and b is not None
    ]


def links_between(
    links: Iterable[ContextLink], before: Merged, after: Merged, apart: Collection[tuple[str, str]]
) -> list[ContextLink]:
    """Contextual links between the entities of another round of merging, without those split by hand.

    Of several links that have become one in their cluster the best stays; a link whose ends have become one
    entity is gone.
    """
    bound = set(before.other_sense.values())
    split = {frozenset(after.entity_of[name] for name in pair) for pair in apart}
    best: dict[tuple[str, str, str], ContextLink] = {}
    for link in links:
        a, b = sorted(
            end if end in bound else after.entity_of[before.entities[end]["name"]] for end in (link.a, link.b)
        )
        if a == b or frozenset((a, b)) in split:
            continue
        moved = replace(link, a=a, b=b)
        known = best.get((link.cluster, a, b), moved)
        best[link.cluster, a, b] = max(known, moved, key=lambda one: (one.score, one.evidence))
    return [best[key] for key in sorted(best)]


def write_links(
    graph: Graph,
    corpus: str,
    clustered: ClusteredClaims,
    facts: Sequence[Fact],
    links: Sequence[ContextLink],
    found: FoundLinks,
) -> None:
    """Write clusters, contextual links, their mirrored edges, and what could not be read."""
    graph.write_rows(query("links/write_clusters"), clustered.clusters, corpus=corpus)
    graph.write_rows(query("links/write_memberships"), clustered.memberships)
    graph.write_rows(
        query("links/write_context_links"),
        [{name: getattr(link, name) for name in ContextLink.__slots__} for link in links],
    )
    mirrors = mirrored_edges(facts, links, clustered.members)
    graph.write_rows(
        query("links/write_mirrors"),
        (
            {
                "from": edge.subject,
                "to": edge.object,
                "mirror": {
                    name: getattr(edge, name)
                    for name in ("id", "predicate", "claim", "mirror_of", "via", "cluster")
                },
            }
            for edge in mirrors
        ),
        corpus=corpus,
    )
    rejects = [
        *_reject_rows(corpus, "failed link", found.failures),
        *_reject_rows(corpus, "dropped link", found.dropped),
    ]
    graph.write_rows(query("articles/write_rejects"), rejects, corpus=corpus)


def retry_failed_links(graph: Graph, corpus: str) -> int:
    """Let the next run look for links again if parts of clusters could not be searched; how many they are.

    What was answered before comes from the model's cache.
    """
    failed = count_rejects(graph, corpus, "failed link")
    if failed:
        reopen_stages(graph, corpus, "resolution")
    return failed


def _clustered(corpus: str, ids: Sequence[str], texts: dict[str, str], found: "Clusters") -> ClusteredClaims:
    cluster_ids = [content_id(corpus, "cluster", str(number)) for number in range(found.size)]
    members: dict[str, set[str]] = {cluster: set() for cluster in cluster_ids}
    for membership in found.memberships:
        members[cluster_ids[membership.cluster]].add(ids[membership.claim])
    return ClusteredClaims(
        members={cluster: frozenset(claims) for cluster, claims in members.items()},
        clusters=[
            {
                "id": cluster,
                "size": len(members[cluster]),
                "weight": found.weights[number],
                "seed": found.seed,
            }
            for number, cluster in enumerate(cluster_ids)
        ],
        memberships=[
            {"claim": ids[m.claim], "cluster": cluster_ids[m.cluster], "probability": m.probability}
            for m in found.memberships
        ],
        texts=texts,
    )


def _reject_rows(corpus: str, kind: str, rejects: Iterable[Reject]) -> Iterator[Row]:
    for reject in rejects:
        yield {
            "id": node_id(corpus, "reject", kind, reject.place, reject.reason),
            "kind": kind,
            "place": reject.place,
            "file": "",
            "line": 0,
            "reason": reject.reason,
        }
