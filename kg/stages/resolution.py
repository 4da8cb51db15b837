"""Fifth stage: names that mean one thing are merged, and claims are clustered to find links by context.

Merging moves edges instead of keeping copies: every triple and mention keeps the name that its article used,
so that the entity it should hang on can be worked out anew at any time, and only what hangs elsewhere moves.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from kg.embed.protocol import Embedder
from kg.ids import node_id
from kg.ledger import Counts
from kg.model import LITERAL_TYPES, EntityName, EntityType
from kg.progress import Progress
from kg.queries import query
from kg.resolve.cluster_context import ContextLink, EntityCard, Fact
from kg.resolve.contextual import contextual_links
from kg.resolve.exact import ExactMerges, merge_exact
from kg.resolve.mirrors import mirrored_edges
from kg.resolve.normal_form import normal_form
from kg.stages.embedding import embed_missing
from kg.stages.extraction import entity_id, entity_row
from kg.store.graph import Graph, Row, vector_of
from kg.text.opinion import FACTUAL_FROM

if TYPE_CHECKING:
    from kg.resolve.clusters import Clusters

CONFIDENT_FROM = 0.6
"""The confidence from which on a triple is taken as stated."""
MOVES_A_BATCH = 200
"""Names moved in a transaction; one name may hang on thousands of chunks."""

Named = tuple[str, EntityType]


@dataclass(slots=True)
class _Names:
    """What is known of the names of a corpus before merging, by name."""

    count: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    types: dict[str, dict[EntityType, int]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(int))
    )
    articles: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    surfaces: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def add(self, name: str, kind: EntityType, article: str, count: int, surface: str) -> None:
        self.count[name] += count
        self.types[name][kind] += count
        self.articles[name].add(article)
        self.surfaces[name].add(surface)

    def entity_names(self) -> list[EntityName]:
        return [
            EntityName(
                name=name,
                type=max(kinds, key=lambda kind: (kinds[kind], kind)),
                articles=frozenset(self.articles[name]),
                count=self.count[name],
                surfaces=frozenset(self.surfaces[name]),
            )
            for name, kinds in sorted(self.types.items())
        ]


@dataclass(frozen=True, slots=True)
class _Merged:
    """Which entity every name stands for, and the entities themselves."""

    entity_of: Mapping[str, str]
    entities: Mapping[str, Row]
    articles: Mapping[str, set[str]]
    aliases: list[Row]
    kept_apart: int


def resolve_entities(graph: Graph, corpus: str, embedder: Embedder, seed: int, progress: Progress) -> Counts:
    """Merge names, cluster claims, link by context, mirror edges, and embed what is new."""
    progress.step("merging names")
    triples = graph.rows(query("resolve/read_triples"), corpus=corpus)
    merged = _merge(corpus, _read_names(graph, corpus, triples))
    _apply_merges(graph, corpus, merged, triples)
    embed_missing(graph, corpus, "claims", embedder, progress)
    progress.step("clusters and contextual links")
    _apply_context(graph, corpus, seed, triples, merged)
    graph.rows(query("resolve/delete_orphans"), corpus=corpus)
    graph.rows(
        query("resolve/mark_edges"), corpus=corpus, factual_from=FACTUAL_FROM, confident_from=CONFIDENT_FROM
    )
    graph.rows(query("resolve/mark_mirrors"), corpus=corpus)
    graph.rows(query("resolve/write_degrees"), corpus=corpus)
    embed_missing(graph, corpus, "entities", embedder, progress)
    embed_missing(graph, corpus, "facts", embedder, progress)
    counts: Counts = dict(graph.rows(query("resolve/count_entities"), corpus=corpus)[0])
    return counts | {"kept_apart": merged.kept_apart}


def clear_resolution(graph: Graph, corpus: str) -> None:
    """Delete aliases, clusters, contextual links and mirrors; merges are worked out anew by moving."""
    graph.rows(query("resolve/delete_edges"), corpus=corpus)
    graph.rows(query("resolve/delete_nodes"), corpus=corpus)


def _read_names(graph: Graph, corpus: str, triples: Iterable[Row]) -> _Names:
    names = _Names()
    for row in graph.stream(query("resolve/read_names"), corpus=corpus):
        names.add(row["name"], row["type"], row["article"], row["count"], row["surface"])
    for triple in triples:
        for name, kind in _ends(triple):
            if kind not in LITERAL_TYPES:
                names.add(name, kind, triple["article"], 1, name)
    return names


def _ends(triple: Row) -> tuple[Named, Named]:
    return (triple["subject"], triple["subject_type"]), (triple["object"], triple["object_type"])


def _merge(corpus: str, names: _Names) -> _Merged:
    merges = merge_exact(names.entity_names())
    id_of = _canonical_ids(corpus, merges)
    entity_of = {name: id_of[canonical] for name, canonical in merges.canonical.items()}
    gathered: dict[str, set[str]] = defaultdict(set)
    for name, canonical in merges.canonical.items():
        gathered[canonical] |= {name, *names.surfaces[name]}
    entities = {
        id_of[canonical]: {
            **entity_row(corpus, canonical, merges.type_of[canonical]),
            "id": id_of[canonical],
            "aliases": sorted(found - {canonical}),
        }
        for canonical, found in gathered.items()
    }
    aliases = [
        {
            "id": node_id(corpus, "alias", merge.alias_name, merge.canonical),
            "name": merge.alias_name,
            "key": normal_form(merge.alias_name),
            "entity": id_of[merge.canonical],
            "score": merge.score,
            "evidence": merge.evidence,
        }
        for merge in merges.aliases
    ]
    articles: dict[str, set[str]] = defaultdict(set)
    for name, entity in entity_of.items():
        articles[entity] |= names.articles[name]
    return _Merged(entity_of, entities, articles, aliases, len(merges.split))


def _canonical_ids(corpus: str, merges: ExactMerges) -> dict[str, str]:
    """An id for every canonical name; names of one form that were told apart get ids of their own."""
    by_key: dict[str, list[str]] = defaultdict(list)
    for canonical in sorted(set(merges.canonical.values())):
        by_key[normal_form(canonical)].append(canonical)
    return {
        canonical: entity_id(corpus, canonical, "MISC")
        if len(sharing) == 1
        else node_id(corpus, "entity", "name", key, canonical)
        for key, sharing in by_key.items()
        for canonical in sharing
    }


def _literals(corpus: str, triples: Iterable[Row]) -> Iterator[Row]:
    """Dates and numbers in their commonest spelling, whichever article came first."""
    spellings: dict[str, Counter[Named]] = defaultdict(Counter)
    for triple in triples:
        for name, kind in _ends(triple):
            if kind in LITERAL_TYPES:
                spellings[entity_id(corpus, name, kind)][name, kind] += 1
    for found in spellings.values():
        yield entity_row(corpus, *max(found, key=lambda spelling: (found[spelling], spelling)))


def _apply_merges(graph: Graph, corpus: str, merged: _Merged, triples: Iterable[Row]) -> None:
    graph.write_rows(query("resolve/write_entities"), merged.entities.values(), corpus=corpus)
    graph.write_rows(query("resolve/write_entities"), _literals(corpus, triples), corpus=corpus)
    graph.write_rows(query("resolve/move_triples"), _triple_moves(corpus, merged, triples))
    ends = graph.rows(query("resolve/read_name_ends"), corpus=corpus)
    moves = [
        {"name": row["name"], "from": row["entity"], "to": wanted}
        for row in ends
        if not row["literal"]
        and (wanted := merged.entity_of.get(row["name"], row["entity"])) != row["entity"]
    ]
    graph.write_rows(query("resolve/move_names"), moves, size=MOVES_A_BATCH)
    graph.write_rows(query("resolve/move_mentions"), moves, size=MOVES_A_BATCH)
    graph.write_rows(query("resolve/write_aliases"), merged.aliases, corpus=corpus)


def _triple_moves(corpus: str, merged: _Merged, triples: Iterable[Row]) -> Iterator[Row]:
    for triple in triples:
        start, end = (_entity_for(corpus, merged, name, kind) for name, kind in _ends(triple))
        if (start, end) != (triple["from"], triple["to"]):
            yield {"id": triple["id"], "from": start, "to": end}


def _entity_for(corpus: str, merged: _Merged, name: str, kind: EntityType) -> str:
    return entity_id(corpus, name, kind) if kind in LITERAL_TYPES else merged.entity_of[name]


def _apply_context(graph: Graph, corpus: str, seed: int, triples: Iterable[Row], merged: _Merged) -> None:
    ids, clusters = _cluster(graph, corpus, seed)
    if clusters is None:
        return
    cluster_ids = [node_id(corpus, "cluster", str(number)) for number in range(len(clusters.weights))]
    members: dict[str, set[str]] = defaultdict(set)
    for membership in clusters.memberships:
        members[cluster_ids[membership.cluster]].add(ids[membership.claim])
    facts = [
        Fact(
            id=triple["id"],
            subject=_entity_for(corpus, merged, triple["subject"], triple["subject_type"]),
            predicate=triple["predicate"],
            object=_entity_for(corpus, merged, triple["object"], triple["object_type"]),
            claim=triple["claim"],
            negated=triple["negated"],
        )
        for triple in triples
    ]
    links = list(_links(members, facts, merged))
    _write_clusters(graph, corpus, clusters, cluster_ids, ids)
    graph.write_rows(
        query("resolve/write_context_links"),
        (
            {
                "a": link.a,
                "b": link.b,
                "cluster": link.cluster,
                "score": link.score,
                "evidence": link.evidence,
            }
            for link in links
        ),
    )
    graph.write_rows(query("resolve/write_mirrors"), _mirror_rows(facts, links, members), corpus=corpus)


def _cluster(graph: Graph, corpus: str, seed: int) -> tuple[list[str], "Clusters | None"]:
    # scikit-learn takes half a second to import, which every command would pay.
    from kg.resolve.clusters import cluster_claims  # noqa: PLC0415

    ids: list[str] = []
    vectors = []
    for row in graph.stream(query("resolve/read_claim_vectors"), corpus=corpus):
        ids.append(row["id"])
        vectors.append(vector_of(row["vector"]))
    return ids, cluster_claims(np.stack(vectors), seed=seed) if vectors else None


def _links(members: Mapping[str, set[str]], facts: Iterable[Fact], merged: _Merged) -> Iterator[ContextLink]:
    facts_of: dict[str, list[Fact]] = defaultdict(list)
    for fact in facts:
        facts_of[fact.claim].append(fact)
    for cluster in sorted(members):
        inside = [fact for claim in sorted(members[cluster]) for fact in facts_of[claim]]
        found = sorted(
            {end for fact in inside for end in (fact.subject, fact.object)} & merged.entities.keys()
        )
        cards = [_card(entity, merged) for entity in found]
        yield from contextual_links(cluster, cards, inside)


def _card(entity: str, merged: _Merged) -> EntityCard:
    row = merged.entities[entity]
    return EntityCard(entity, row["name"], row["type"], frozenset(merged.articles[entity]))


def _write_clusters(
    graph: Graph, corpus: str, clusters: "Clusters", cluster_ids: list[str], claims: list[str]
) -> None:
    sizes: dict[int, int] = defaultdict(int)
    for membership in clusters.memberships:
        sizes[membership.cluster] += 1
    graph.write_rows(
        query("resolve/write_clusters"),
        (
            {"id": cluster, "size": sizes[number], "weight": clusters.weights[number], "seed": clusters.seed}
            for number, cluster in enumerate(cluster_ids)
        ),
        corpus=corpus,
    )
    graph.write_rows(
        query("resolve/write_memberships"),
        (
            {"claim": claims[m.claim], "cluster": cluster_ids[m.cluster], "probability": m.probability}
            for m in clusters.memberships
        ),
    )


def _mirror_rows(
    facts: Iterable[Fact], links: Iterable[ContextLink], members: Mapping[str, set[str]]
) -> Iterator[Row]:
    for edge in mirrored_edges(list(facts), list(links), members):
        yield {
            "from": edge.subject,
            "to": edge.object,
            "mirror": {
                "id": edge.id,
                "predicate": edge.predicate,
                "claim": edge.claim,
                "mirror_of": edge.mirror_of,
                "via": edge.via,
                "cluster": edge.cluster,
            },
        }
