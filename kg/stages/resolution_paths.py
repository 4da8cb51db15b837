"""Which edges a hop path may take, and why others are kept out; hubs among the reasons."""

from kg.queries import query
from kg.resolve.hubs import EntityUse, HubPolicy, find_hubs
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
