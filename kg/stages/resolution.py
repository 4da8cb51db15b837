"""Fifth stage: names that mean one thing are merged, and claims are clustered to find links by context.

The order is: corrections by hand, aliases that sentences state, and rules merge names; claims are clustered;
a finder looks for equivalents in each cluster; what it holds to be always one thing is merged in a second
round, under the same guard against unlike things; what is one thing in context gets mirrored edges; edges are
marked for paths.

Types of entities as labels: Neo4j Browser can colour nodes by label only.

Which edges a hop path may take, and why others are kept out; hubs among the reasons.
"""

from kg.embed.protocol import Embedder
from kg.ledger import Counts
from kg.progress import Progress
from kg.queries import query
from kg.resolve.corrections import Corrections
from kg.resolve.hubs import EntityUse, HubPolicy, find_hubs
from kg.stages.embedding import embed_missing
from kg.stages.resolution_corrections import read_corrections, write_effects
from kg.stages.resolution_links import (
    LinkFinder,
    RuleLinks,
    always_bonds,
    cluster_corpus,
    facts_of,
    find_links,
    links_between,
    write_links,
)
from kg.stages.resolution_names import merge_names, read_names, read_stated_aliases, write_merges
from kg.store.graph import Graph
from kg.text.opinion import FACTUAL_FROM

CONFIDENT_FROM = 0.6
"""The confidence from which on a triple is taken as stated."""


def mark_path_edges(graph: Graph, corpus: str, policy: HubPolicy | None) -> None:
    """Mark every edge with `in_paths` and, where it is false, the reason; None lets paths through hubs."""
    graph.rows(query("resolve/write_degrees"), corpus=corpus)
    graph.rows(
        query("resolve/mark_edges"), corpus=corpus, factual_from=FACTUAL_FROM, confident_from=CONFIDENT_FROM
    )
    graph.rows(query("resolve/mark_mirrors"), corpus=corpus)
    if policy is None:
        return
    uses = [EntityUse(**row) for row in graph.rows(query("resolve/read_uses"), corpus=corpus)]
    hubs = [{"id": hub, "reason": reason} for hub, reason in find_hubs(uses, policy).items()]
    graph.write_rows(query("resolve/write_hubs"), hubs)
    graph.rows(query("resolve/mark_hub_edges"), corpus=corpus)


TYPE_LABELS = ("Person", "Organisation", "Place", "People", "Event", "Thing", "Concept", "Literal")
"""The second label of an entity; literals are dates and numbers."""


def label_types(graph: Graph, corpus: str) -> None:
    """Give every entity of a corpus the label of its type, and take away that of a former type."""
    graph.rows(query("resolve/write_type_labels"), corpus=corpus)


RULES = RuleLinks()
HUBS = HubPolicy()


def resolve_entities(
    graph: Graph,
    corpus: str,
    embedder: Embedder,
    seed: int,
    progress: Progress,
    finder: LinkFinder = RULES,
    hubs: HubPolicy | None = HUBS,
) -> Counts:
    """Merge names, cluster claims, link by context, mirror edges, mark hubs, and embed what is new.

    `hubs` None lets paths go through hubs.
    """
    progress.step("merging names")
    triples = graph.rows(query("resolve/read_triples"), corpus=corpus)
    names = read_names(graph, corpus, triples)
    corrections = Corrections(read_corrections(graph, corpus), names.types)
    declared = [*corrections.bonds, *read_stated_aliases(graph, corpus, names)]
    first = merged = merge_names(corpus, names, declared, corrections.apart)
    embed_missing(graph, corpus, "claims", embedder, progress)
    progress.step("clusters and links")
    clustered = cluster_corpus(graph, corpus, seed)
    found = find_links(finder, first, facts_of(first, triples), clustered, progress)
    if found.always:
        declared += always_bonds(found, first)
        merged = merge_names(corpus, names, declared, corrections.apart)
    links = links_between(found.context, first, merged, corrections.apart)
    write_merges(graph, merged, triples)
    write_links(graph, corpus, clustered, facts_of(merged, triples), links, found)
    write_effects(graph, corrections.effects(merged.entity_of))
    graph.rows(query("resolve/delete_orphans"), corpus=corpus)
    label_types(graph, corpus)
    mark_path_edges(graph, corpus, hubs)
    embed_missing(graph, corpus, "entities", embedder, progress)
    embed_missing(graph, corpus, "facts", embedder, progress)
    counts: Counts = dict(graph.rows(query("resolve/count_entities"), corpus=corpus)[0])
    counts["kept_apart"] = len(merged.split)
    not_all = {"failed_links": len(found.failures), "dropped_links": len(found.dropped)}
    return counts | {what: number for what, number in not_all.items() if number}


def clear_resolution(graph: Graph, corpus: str) -> None:
    """Delete aliases, split groups, clusters, contextual links and mirrors; merges are worked out anew."""
    graph.rows(query("resolve/delete_edges"), corpus=corpus)
    graph.rows(query("resolve/delete_nodes"), corpus=corpus)
