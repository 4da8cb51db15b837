"""Ablation of cluster-aware retrieval: what spreading over clusters and places in the graph add.

    cases = made_cases(graph, corpus, embedder, 400)
    ablate_spread(graph, corpus, embedder, cases, top=10)

Of the evidence of questions it is measured which pieces are among the first chunks, and from how many of the
clusters of claims that hold it some is found: Cluster Recall, in which GADMEC's ablation is told. Each
retriever is held against the one that lacks what it adds.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from kg.embed.choose import Embedder
from kg.errors import NothingToDoError, command
from kg.queries import query
from kg.store.graph import Graph
from services.answers import NULL, counted_kind, question_cluster
from services.datasets.source import open_dataset
from services.questions.spans.evidence_clusters import read_chunk_clusters
from services.rag.answering import rag_questions
from services.rag.protocol import Hit, RagQuestion
from services.rag.retrieval.choose import DEPTH, REPEATED, HybridRetriever, open_retriever, spread_clusters
from services.statistics.paired import PairedComparison, compare_paired
from services.statistics.several_tests import holm

AGAINST: Mapping[str, str] = {
    "vector": "",
    "graph-embedding": "vector",
    "hybrid": "vector",
    "clustered, 0.75": "hybrid",
    "clustered": "hybrid",
    "clustered, 0.25": "hybrid",
    "graph": "vector",
}
"""Retrievers, each with the one that lacks what it adds."""


@dataclass(frozen=True, slots=True)
class Case:
    """A question with its gold chunks by piece of evidence, and the cluster of questions it counts in."""

    question: RagQuestion
    gold: Sequence[frozenset[str]]
    cluster: str


@dataclass(frozen=True, slots=True)
class Change:
    """A measure's difference to another retriever's, question by question, in shares, with its interval of
    95 % by cluster of questions and the p of flipped signs after Holm's correction over the ablation."""

    difference: float
    low: float
    high: float
    p_holm: float


@dataclass(frozen=True, slots=True)
class SpreadRow:
    """What a retriever finds: `hops` is the share of a question's pieces of evidence that were found, `whole`
    the share of questions of which every piece was, `clusters` the share of the evidence's clusters from
    which some was (Cluster Recall). The changes are those to the retriever `against`, "" for none; None
    where there is nothing to compare."""

    retriever: str
    hops: float
    whole: float
    clusters: float
    against: str
    hops_change: Change | None
    clusters_change: Change | None


Measures = tuple[float, float, float]
"""`hops`, `whole` and `clusters` of one question."""


def made_cases(graph: Graph, corpus: str, embedder: Embedder, most: int) -> list[Case]:
    """Kept questions with evidence in chunks, at most so many by id; null questions have none.

    Raises:
        NothingToDoError: the corpus has no such question.
    """
    gold: dict[str, list[frozenset[str]]] = {}
    places: dict[str, str] = {}
    for row in open_dataset(graph, corpus, {}, 0).question_rows():
        question = row["question"]
        hops = defaultdict[int, set[str]](set)
        for one in row["gold"]:
            hops[one["hop"]].add(one["chunk"])
        if hops and counted_kind(question["kind"], question.get("query_type")) != NULL:
            gold[question["id"]] = [frozenset(found) for found in hops.values()]
            evidence = ((one["hop"], one["article"]) for one in row["gold"])
            places[question["id"]] = question_cluster(question["id"], evidence)
    if not gold:
        raise NothingToDoError(
            f"corpus {corpus!r} has no question with evidence.",
            f"Make some: {command('questions make --corpus', corpus)}",
        )
    asked = rag_questions(graph.rows(query("questions/read_queries"), ids=sorted(gold)[:most]), embedder)
    return [Case(one, gold[one.id], places[one.id]) for one in asked]


def ablate_spread(
    graph: Graph, corpus: str, embedder: Embedder, cases: Sequence[Case], top: int
) -> list[SpreadRow]:
    """Every retriever of `AGAINST` by what is among its first `top` chunks.

    Raises:
        NothingToDoError: the corpus has no vectors or no clusters yet.
    """
    questions = [case.question for case in cases]
    gold = sorted({chunk for case in cases for piece in case.gold for chunk in piece})
    clusters = read_chunk_clusters(graph, corpus, "claims", gold)
    found = {
        name: [_measure(case, hits[:top], clusters) for case, hits in zip(cases, each, strict=True)]
        for name, each in _rankings(graph, corpus, embedder, questions)
    }
    places = [case.cluster for case in cases]
    compared = {
        (name, at): compare_paired(_column(found[base], at), _column(found[name], at), places)
        for name, base in AGAINST.items()
        if base
        for at in (0, 2)
    }
    corrected = holm([one.test.p_value if one and one.test else None for one in compared.values()])
    changes = {
        place: _change(one, p_value)
        for (place, one), p_value in zip(compared.items(), corrected, strict=True)
    }
    return [
        SpreadRow(
            retriever=name,
            hops=fmean(_column(found[name], 0)),
            whole=fmean(_column(found[name], 1)),
            clusters=fmean(_column(found[name], 2)),
            against=base,
            hops_change=changes.get((name, 0)),
            clusters_change=changes.get((name, 2)),
        )
        for name, base in AGAINST.items()
    ]


def _change(paired: PairedComparison | None, p_value: float | None) -> Change | None:
    if paired is None or paired.interval is None or p_value is None:
        return None
    return Change(paired.difference, paired.interval.low, paired.interval.high, p_value)


def format_change(change: Change) -> str:
    """A difference in points with its interval and p-value: "+3.7 (+1.6 to +5.9), p 0.004"."""
    points = (100 * one for one in (change.difference, change.low, change.high))
    difference, low, high = (f"{one:+.1f}" for one in points)
    return f"{difference} ({low} to {high}), p {change.p_holm:.3f}"


def _rankings(
    graph: Graph, corpus: str, embedder: Embedder, questions: Sequence[RagQuestion]
) -> Iterator[tuple[str, Sequence[Sequence[Hit]]]]:
    """What each row finds for each question, best first; `clustered` is made of the hits of `hybrid`."""
    for name in ("vector", "graph-embedding", "graph"):
        yield name, open_retriever(name, graph, corpus, embedder, DEPTH).retrieve(questions)
    hybrid = HybridRetriever(graph, corpus, DEPTH).retrieve(questions)
    yield "hybrid", hybrid
    chunks = sorted({hit.chunk for hits in hybrid for hit in hits})
    rows = graph.read_in_batches(query("claims/read_clusters"), chunks)
    known = {row["chunk"]: row["cluster"] for row in rows}
    for name in AGAINST:
        kind, _, factor = name.partition(", ")
        if kind == "clustered":
            yield name, [spread_clusters(hits, known, float(factor or REPEATED)) for hits in hybrid]


def _measure(case: Case, hits: Sequence[Hit], clusters: Mapping[str, str]) -> Measures:
    """The measures of a question; `clusters` holds those of gold chunks."""
    shown = {hit.chunk for hit in hits}
    found = [bool(piece & shown) for piece in case.gold]
    gold = frozenset[str]().union(*case.gold)
    wanted = {clusters[chunk] for chunk in gold}
    return fmean(found), float(all(found)), len({clusters[chunk] for chunk in gold & shown}) / len(wanted)


def _column(found: Sequence[Measures], at: int) -> list[float]:
    return [one[at] for one in found]
