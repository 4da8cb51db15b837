"""Ablation of cluster-aware retrieval: `python -m benchmarks.cluster_spread --corpus NAME [--top 10]`.

The hybrid ranking as it is, and spread over clusters of claims, on every kept question with gold evidence
(null questions have none). `hops` is the share of hops with a gold chunk among the first --top, `all` that of
questions with every hop, `clusters` the share of the gold chunks' clusters from which one was found. Below
each factor its difference to the plain ranking, with its 95 % interval by cluster of questions and the p of
flipped signs; GADMEC's ablation is told in points of Cluster Recall.
"""

import argparse
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from kg.connect import open_graph
from kg.corpus import require_corpus
from kg.embed.choose import make_embedder
from kg.progress import Silent
from kg.queries import query
from kg.settings import Settings
from kg.store.graph import Graph
from services.answers import NULL, counted_kind, question_cluster
from services.datasets.source import open_dataset
from services.questions.spans.evidence_clusters import read_chunk_clusters
from services.rag.answering import asked_of
from services.rag.protocol import Hit
from services.rag.retrieval.choose import DEPTH, HybridRetriever, spread
from services.statistics.paired import compare_paired

FACTORS = (0.75, 0.5, 0.25)
MEASURES = ("hops", "all", "clusters")


@dataclass(frozen=True, slots=True)
class Case:
    """A question with its hybrid ranking, its gold chunks by hop, and the cluster that it counts in."""

    hits: Sequence[Hit]
    hops: Mapping[int, frozenset[str]]
    cluster: str


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpus", required=True)
    parser.add_argument("--top", type=int, default=10)
    given = parser.parse_args()
    with open_graph(Settings(), Silent()) as graph:
        cases = read_cases(graph, given.corpus)
        chunks = {hit.chunk for case in cases for hit in case.hits}
        gold = {chunk for case in cases for found in case.hops.values() for chunk in found}
        clusters = read_chunk_clusters(graph, given.corpus, "claims", sorted(chunks | gold))
        rows = graph.read_in_batches(query("claims/read_clusters"), sorted(chunks))
        known = {row["chunk"]: row["cluster"] for row in rows}
    plain = [found_of(case, case.hits[: given.top], clusters) for case in cases]
    print(f"{len(cases):,} questions, the first {given.top} chunks, {len(set(known.values())):,} clusters")
    print(f"{'':<10}" + "".join(f"{name:>9}" for name in MEASURES))
    print(f"{'plain':<10}" + "".join(f"{fmean(column):>9.3f}" for column in zip(*plain, strict=True)))
    for factor in FACTORS:
        tried = [found_of(case, spread(case.hits, known, factor)[: given.top], clusters) for case in cases]
        print(f"{factor:<10}" + "".join(f"{fmean(column):>9.3f}" for column in zip(*tried, strict=True)))
        for name, before, after in zip(
            MEASURES, zip(*plain, strict=True), zip(*tried, strict=True), strict=True
        ):
            print(f"  {name:<9} {_difference(before, after, [case.cluster for case in cases])}", flush=True)


def found_of(case: Case, hits: Sequence[Hit], clusters: Mapping[str, str]) -> tuple[float, float, float]:
    """The measures of a question, in the order of `MEASURES`."""
    shown = {hit.chunk for hit in hits}
    found = [bool(gold & shown) for gold in case.hops.values()]
    gold = frozenset[str]().union(*case.hops.values())
    wanted = {clusters[chunk] for chunk in gold}
    return fmean(found), float(all(found)), len({clusters[chunk] for chunk in gold & shown}) / len(wanted)


def _difference(before: Sequence[float], after: Sequence[float], clusters: Sequence[str]) -> str:
    paired = compare_paired(before, after, clusters)
    if paired is None or paired.interval is None or paired.test is None:
        return "nothing to compare"
    low, high = 100 * paired.interval.low, 100 * paired.interval.high
    p = paired.test.p_value
    return f"{100 * paired.difference:+.1f} points ({low:+.1f} to {high:+.1f}), p {p:.3f}"


def read_cases(graph: Graph, corpus: str) -> list[Case]:
    """Every kept question that has gold evidence, with its hybrid ranking."""
    gold: dict[str, dict[int, set[str]]] = {}
    places: dict[str, str] = {}
    for row in open_dataset(graph, corpus, {}, 0).question_rows():
        question = row["question"]
        hops = defaultdict[int, set[str]](set)
        for one in row["gold"]:
            hops[one["hop"]].add(one["chunk"])
        if hops and counted_kind(question["kind"], question.get("query_type")) != NULL:
            gold[question["id"]] = hops
            evidence = ((one["hop"], one["article"]) for one in row["gold"])
            places[question["id"]] = question_cluster(question["id"], evidence)
    embedder = make_embedder(require_corpus(graph, corpus).embedder, Settings())
    asked = asked_of(graph.rows(query("questions/read_queries"), ids=sorted(gold)), embedder)
    ranked = HybridRetriever(graph, corpus, DEPTH).retrieve(asked)
    return [
        Case(hits, {hop: frozenset(found) for hop, found in gold[one.id].items()}, places[one.id])
        for one, hits in zip(asked, ranked, strict=True)
    ]


if __name__ == "__main__":
    main()
