"""How well the hop that a query asks for is told, by words and by embeddings.

    python -m benchmarks.hop_matching --corpus NAME [--run decomposition]

Uses the graph that `kg` uses, and a run whose queries are for one hop each by construction: of each chain
question that was taken apart into as many searches as it has hops, search i asks for hop i, if it names where
that hop begins. A false pair is such a query beside another fact that begins at the same name, with another
predicate and another end. Embeddings compare the query with the fact's sentence, as they are and without the
names of the hop, at the threshold that serves them best here.
"""

import argparse
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from kg.connect import open_graph
from kg.embed.choose import Embedder, embedder_of
from kg.ids import run_id
from kg.progress import Silent
from kg.settings import Settings
from services.evaluate.hop_states import (
    HopWords,
    holds,
    hop_words,
    longest_first,
    match_query,
    without_names,
    words_in,
)
from services.evaluate.hop_traces import GoldHop, Trace, read_traces


@dataclass(frozen=True, slots=True)
class Pair:
    """A query, and a hop that it asks for or doesn't."""

    query: str
    hop: GoldHop
    words: HopWords


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpus", required=True)
    parser.add_argument("--run", default="decomposition")
    given = parser.parse_args()
    settings = Settings()
    with open_graph(settings, Silent()) as graph:
        embedder = embedder_of(graph, given.corpus, settings)
        traces = [one for one in read_traces(graph, run_id(given.corpus, given.run)) if one.kind == "chain"]
    true = _true_pairs(traces)
    false = _false_pairs(traces, true)
    print(f"{len(true)} queries that ask for a hop, {len(false)} pairs with another fact of the same start")
    print(f"{'told by':<34}{'true ones told':>16}{'false ones taken':>18}")
    _line("names and relation words", *(sum(map(_asks, some)) / len(some) for some in (true, false)))
    for name, text in (("embedding of the sentence", _plain), ("the same without names", _without)):
        _line(name, *_best(_likeness(true, text, embedder), _likeness(false, text, embedder)))


def _line(name: str, told: float, taken: float) -> None:
    print(f"{name:<34}{told:>16.1%}{taken:>18.1%}")


def _true_pairs(traces: Sequence[Trace]) -> list[Pair]:
    found: dict[tuple[str, tuple[str, ...]], Pair] = {}
    for trace in traces:
        words = hop_words(trace)
        if len(trace.searches) != len(words):
            continue
        for step, hop, one in zip(trace.searches, trace.chain, words, strict=True):
            # A part in brackets stands for an answer that was not found.
            if "(" not in step.query and any(holds(words_in(step.query), name) for name in one.anchors):
                found.setdefault((step.query, hop.sentences), Pair(step.query, hop, one))
    return list(found.values())


def _false_pairs(traces: Sequence[Trace], true: Sequence[Pair]) -> list[Pair]:
    facts: defaultdict[str, dict[tuple[str, ...], tuple[GoldHop, HopWords]]] = defaultdict(dict)
    for trace in traces:
        for hop, words in zip(trace.chain, hop_words(trace), strict=True):
            facts[hop.starts[0]][hop.sentences] = (hop, words)
    return [
        Pair(pair.query, hop, words)
        for pair in true
        for hop, words in facts[pair.hop.starts[0]].values()
        if hop.predicate != pair.hop.predicate and not set(hop.ends) & set(pair.hop.ends)
    ]


def _asks(pair: Pair) -> bool:
    return pair.words.number in match_query(pair.query, "the whole question", [pair.words]).hops


def _plain(text: str, _pair: Pair) -> str:
    return text


def _without(text: str, pair: Pair) -> str:
    names = longest_first([*pair.words.anchors, *pair.words.ends])
    return without_names(text, names).replace("|", "it")


def _likeness(pairs: Sequence[Pair], text: Callable[[str, Pair], str], embedder: Embedder) -> list[float]:
    queries = np.asarray(embedder.embed([text(one.query, one) for one in pairs]))
    facts = np.asarray(embedder.embed([text(one.hop.sentences[0], one) for one in pairs]))
    return [float(value) for value in (queries * facts).sum(axis=1)]


def _best(true: Sequence[float], false: Sequence[float]) -> tuple[float, float]:
    """Shares of both at or above the threshold that sets them farthest apart."""
    positive, negative = np.asarray(true), np.asarray(false)
    shares = [
        (float((positive >= cut).mean()), float((negative >= cut).mean()))
        for cut in np.unique(np.concatenate([positive, negative]))
    ]
    return max(shares, key=lambda both: both[0] - both[1])


if __name__ == "__main__":
    main()
