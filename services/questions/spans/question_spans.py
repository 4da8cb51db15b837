"""How many clusters the evidence of each kept question spans, as properties of the question.

`spans_F` is the least number of clusters of facet F that its evidence lies in, `crossings_F` the least number
of borders between them that its hops cross. Both are absent where the corpus tells nothing of F, and of null
questions, whose evidence is not there. They are no part of the dataset's version: the questions are the same
with and without. The corpus remembers of which graph they tell, so that they are made anew when it changed.

How many clusters the evidence of a question must span, and how many of their borders its hops must cross.

A hop may be shown by any one of its supporting chunks, so both are the least over all choices of one chunk a
hop. A chunk whose cluster is unknown could be in any: a hop with such a chunk demands nothing.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from kg.corpus import corpus_id, remember
from kg.ledger import read_ledger, stage_key
from kg.queries import query
from kg.store.graph import Graph, Row
from services.questions.spans.evidence_clusters import open_chunk_clusters
from services.questions.spans.facets import FACET_NAMES, FACETS, UNKNOWN, ClusterFacet

MOST_EXACT = 16
"""Hops with a choice up to which the least number of clusters is searched for; a question has a few."""


def labels_of_hops(
    hops: Sequence[Collection[str]], clusters: Mapping[str, str | None]
) -> list[frozenset[str]]:
    """The clusters of each hop's chunks; none for a hop that demands nothing.

    `hops` are the supporting chunks of each hop, in order; `clusters` has None for an unknown cluster.
    """
    found = []
    for chunks in hops:
        labels = {clusters.get(chunk) for chunk in chunks}
        found.append(frozenset(label for label in labels if label is not None and None not in labels))
    return found


def least_clusters(hops: Sequence[Collection[str]]) -> int | None:
    """The size of the smallest set of clusters that has one of each hop's; None where no hop demands any.

    >>> least_clusters([{"north"}, {"north", "south"}, {"south", "west"}])
    2
    """
    demanding = {frozenset(labels) for labels in hops if labels}
    if not demanding:
        return None
    # What a smaller set of labels demands, a larger one around it demands as well.
    needed = [labels for labels in demanding if not any(other < labels for other in demanding)]
    forced = {label for labels in needed if len(labels) == 1 for label in labels}
    open_ = [labels for labels in needed if not labels & forced]
    return len(forced) + (_cover(open_) if len(open_) <= MOST_EXACT else _greedy_cover(open_))


def least_crossings(hops: Sequence[Collection[str]]) -> int | None:
    """How often the cluster must change from one hop to the next; None where no hop demands any.

    To stay in a cluster as long as possible is best, since any later cluster can be changed to as well.

    >>> least_crossings([{"2031-01"}, {"2031-02"}, {"2031-01", "2031-02"}, {"2031-01"}])
    2
    """
    demanding = [frozenset(labels) for labels in hops if labels]
    if not demanding:
        return None
    crossings, here = 0, demanding[0]
    for labels in demanding[1:]:
        if here & labels:
            here &= labels
        else:
            crossings, here = crossings + 1, labels
    return crossings


def _cover(hops: Sequence[frozenset[str]]) -> int:
    """How many labels it takes at least to have one of each hop: breadth first over the sets of hops met."""
    met_by: dict[str, int] = {}
    for at, labels in enumerate(hops):
        for label in labels:
            met_by[label] = met_by.get(label, 0) | 1 << at
    steps, all_met = set(met_by.values()), (1 << len(hops)) - 1
    reached, number = {0}, 0
    while all_met not in reached:
        reached = {met | step for met in reached for step in steps}
        number += 1
    return number


def _greedy_cover(hops: Sequence[frozenset[str]]) -> int:
    """The same where a search would take too long: at each step the label that most hops share."""
    left, number = list(hops), 0
    while left:
        labels = sorted(set().union(*left))
        best = max(labels, key=lambda label: sum(label in one for one in left))
        left, number = [one for one in left if best not in one], number + 1
    return number


SPANS = "spans-1"
"""The version of what is written; a change writes it anew."""
REST_ON = ("articles", "chunks", "claims", "resolution")
"""The stages from whose output the clusters of chunks follow."""


@dataclass(frozen=True, slots=True)
class Span:
    """How many clusters of a facet the evidence of a question spans at least, and what its hops cross."""

    clusters: int
    crossings: int


def write_spans(graph: Graph, corpus: str) -> None:
    """Note on every question of a corpus, null ones aside, what its evidence spans in each facet.

    Dropped questions have it too, for a reviewer may want them back. What a dataset that was imported says of
    facets of which the graph tells nothing stays as it is.
    """
    questions = graph.rows(query("questions/read_span_support"), corpus=corpus)
    found: dict[str, dict[str, int | None]] = {row["id"]: {} for row in questions}
    chunks = sorted({chunk for row in questions for hop in row["hops"] for chunk in hop})
    for facet in FACETS if chunks else ():
        labels = open_chunk_clusters(graph, corpus, facet)(chunks)
        if all(label == UNKNOWN[facet] for label in labels.values()):
            continue
        for row in questions:
            span = span_of(row["hops"], facet, labels)
            found[row["id"]] |= {
                f"spans_{facet}": span.clusters if span else None,
                f"crossings_{facet}": span.crossings if span else None,
            }
    rows = ({"id": id_, "properties": spans} for id_, spans in found.items() if spans)
    graph.write_rows(query("corpus/write_properties"), rows)
    remember(graph, corpus, {"spans_of": _graph_key(graph, corpus)})


def renew_spans(graph: Graph, corpus: str) -> bool:
    """Do so where questions lack it, or the graph is another than they tell of; whether it was done.

    So it is with questions of an older version, of a dataset, and of another set that came before the facts.
    """
    (found,) = graph.rows(query("questions/read_span_state"), corpus=corpus, id=corpus_id(corpus))
    if not found["questions"] or (found["graph"] == _graph_key(graph, corpus) and not found["lacking"]):
        return False
    write_spans(graph, corpus)
    return True


def _graph_key(graph: Graph, corpus: str) -> str:
    keys = [(line["name"], line["key"]) for line in read_ledger(graph, corpus) if line["name"] in REST_ON]
    return stage_key(SPANS, keys)


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


def told_spans(question: Row) -> str:
    """The same in words: "3 regions (2 crossings), 1 month (0 crossings)"; empty where nothing is known."""
    return ", ".join(
        f"{span.clusters} {FACET_NAMES[facet][span.clusters != 1]} "
        f"({span.crossings} {'crossing' if span.crossings == 1 else 'crossings'})"
        for facet, span in spans_of_row(question).items()
    )
