"""How many clusters the evidence of each kept question spans, as properties of the question.

`spans_F` is the least number of clusters of facet F that its evidence lies in, `crossings_F` the least number
of borders between them that its hops cross. Both are absent where the corpus tells nothing of F, and of null
questions, whose evidence is not there. They are no part of the dataset's version: the questions are the same
with and without.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kg.queries import query
from kg.store.graph import Graph, Row
from services.questions.spans.borders import labels_of_hops, least_clusters, least_crossings
from services.questions.spans.evidence_clusters import open_chunk_clusters
from services.questions.spans.facets import FACETS, UNKNOWN, ClusterFacet


@dataclass(frozen=True, slots=True)
class Span:
    """How many clusters of a facet the evidence of a question spans at least, and what its hops cross."""

    clusters: int
    crossings: int


def write_spans(graph: Graph, corpus: str) -> None:
    """Note on every kept question of a corpus, null ones aside, what its evidence spans in each facet.

    What a dataset that was imported says of facets of which the graph tells nothing stays as it is.
    """
    questions = graph.rows(query("spans/read_support"), corpus=corpus)
    found: dict[str, dict[str, int]] = {row["id"]: {} for row in questions}
    chunks = sorted({chunk for row in questions for hop in row["hops"] for chunk in hop})
    for facet in FACETS if chunks else ():
        labels = open_chunk_clusters(graph, corpus, facet)(chunks)
        for row in questions:
            span = span_of(row["hops"], facet, labels)
            if span is not None:
                found[row["id"]] |= {f"spans_{facet}": span.clusters, f"crossings_{facet}": span.crossings}
    rows = ({"id": id_, "spans": spans} for id_, spans in found.items() if spans)
    graph.write_rows(query("spans/write_spans"), rows)


def span_of(hops: Sequence[Sequence[str]], facet: ClusterFacet, labels: Mapping[str, str]) -> Span | None:
    """What the evidence of a question spans, from the chunks of each hop and their labels.

    None where it demands nothing: each hop has a chunk of an unknown cluster, or there is no evidence.
    """
    known = {chunk: None if label == UNKNOWN[facet] else label for chunk, label in labels.items()}
    demanded = labels_of_hops(hops, known)
    clusters, crossings = least_clusters(demanded), least_crossings(demanded)
    return None if clusters is None or crossings is None else Span(clusters, crossings)


def spans_of_row(question: Row) -> dict[ClusterFacet, Span]:
    """What the properties of a question node say."""
    return {
        facet: Span(question[f"spans_{facet}"], question[f"crossings_{facet}"])
        for facet in FACETS
        if question.get(f"spans_{facet}") is not None and question.get(f"crossings_{facet}") is not None
    }
