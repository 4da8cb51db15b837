"""Pick the extractive reader's threshold: `python -m benchmarks.reader_threshold [--corpus ormelund]`.

Reads the bundled corpus' 83 development questions from the ten nearest chunks, with thresholds from 0 to 0.7.
Picked is the one with most right answers (an abstention is right for the ten questions that have no answer)
less wrong ones, so that a guess must be right more often than not; of equals the lowest.
The corpus must be built in the graph that `kg` uses: kg demo.
"""

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from kg.connect import open_graph
from kg.embed.choose import embedder_of
from kg.progress import Silent
from kg.settings import Settings
from kg.store.graph import Graph
from services.answers import exact_match, is_abstention
from services.rag.answering import passages_of, read_passages
from services.rag.protocol import Passage, RagQuestion
from services.rag.reader import THRESHOLD, read_answer
from services.rag.retrieval.index_search import NearestRetriever

QUESTIONS = Path(__file__).resolve().parents[1] / "seed" / "gold" / "questions.jsonl"
STEPS = [round(step * 0.05, 2) for step in range(15)]


@dataclass(frozen=True, slots=True)
class Case:
    """A development question with the passages that it is read from."""

    text: str
    answer: str
    accepted: tuple[str, ...]
    passages: tuple[Passage, ...]


@dataclass(frozen=True, slots=True)
class Counts:
    """What came of the questions at one threshold."""

    threshold: float
    right: int
    abstained: int
    wrong: int


def main() -> None:
    """Read, count and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpus", default="ormelund")
    corpus = parser.parse_args().corpus
    with open_graph(Settings(), Silent()) as graph:
        near = cases(graph, corpus)
    print(f"{'threshold':>9}{'right':>8}{'abstained':>11}{'wrong':>8}")
    counted = [count(near, threshold) for threshold in STEPS]
    for one in counted:
        print(f"{one.threshold:>9}{one.right:>8}{one.abstained:>11}{one.wrong:>8}")
    best = min(counted, key=lambda one: (one.wrong - one.right, one.threshold))
    print(f"picked {best.threshold}, in use {THRESHOLD}")


def cases(graph: Graph, corpus: str) -> list[Case]:
    """The questions with their ten nearest chunks."""
    rows = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]
    embedder = embedder_of(graph, corpus, Settings())
    vectors = embedder.embed_queries([row["question"] for row in rows])
    questions = [
        RagQuestion(row["id"], row["question"], vector) for row, vector in zip(rows, vectors, strict=True)
    ]
    hits = NearestRetriever(graph, corpus, 10).retrieve(questions)
    passages = passages_of(partial(read_passages, graph), hits)
    return [
        Case(row["question"], row["answer"], tuple(row["aliases"]), seen)
        for row, seen in zip(rows, passages, strict=True)
    ]


def count(near: Sequence[Case], threshold: float) -> Counts:
    """Right, abstained and wrong answers; a rightful abstention counts as right and as abstained."""
    texts = [read_answer(case.text, case.passages, threshold).answer for case in near]
    right = [exact_match(text, case.answer, case.accepted) for text, case in zip(texts, near, strict=True)]
    abstained = [is_abstention(text) for text in texts]
    wrong = sum(not ok and not away for ok, away in zip(right, abstained, strict=True))
    return Counts(threshold, sum(right), sum(abstained), wrong)


if __name__ == "__main__":
    main()
