"""Kept questions drawn at random, each with the sentences that it rests on, to be read by eye.

    python -m benchmarks.questions_sample --corpus NAME [--per-depth 15] [--per-kind 8] [--seed 1] [--json]
    python -m benchmarks.questions_sample --verdicts docs/evaluation/facts/untouched_questions.jsonl

Uses the graph that `kg` uses. The questions of a depth or kind are put into the order of their ids and drawn
with the seed, so the same questions give the same sample. What was read stands in
docs/evaluation/questions-read.md. `--verdicts` counts what a reader wrote down: a JSON line a question, with
its `set`, its `hops` and the `verdict`.
"""

import argparse
import json
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from kg.connect import open_graph
from kg.corpus import require_corpus
from kg.paths.walk import DEPTHS
from kg.progress import Silent
from kg.queries import query
from kg.settings import Settings
from kg.store.graph import Graph, Row
from services.questions.choice import KINDS
from services.questions.draft import QuestionKind

ALL = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Evidence:
    """A sentence that a question rests on; `fact` is the hop of a chain that was made of it, else empty."""

    article: str
    source: str
    sentence: str
    fact: str


@dataclass(frozen=True, slots=True)
class Sampled:
    """A drawn question; `hops` counts its facts."""

    id: str
    kind: str
    hops: int
    text: str
    answer: str
    evidence: tuple[Evidence, ...]


def main() -> None:
    """Draw and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpus", help="name of the corpus")
    parser.add_argument("--verdicts", type=Path, metavar="FILE", help="count the verdicts of a file instead")
    parser.add_argument("--per-depth", type=int, default=15, metavar="N", help="chain questions of a depth")
    parser.add_argument("--per-kind", type=int, default=8, metavar="N", help="questions of each other kind")
    parser.add_argument("--seed", type=int, default=1, help="seed of the draw")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    given = parser.parse_args()
    if given.verdicts:
        print(verdict_table(given.verdicts))
        return
    if not given.corpus:
        parser.error("give --corpus or --verdicts")
    with open_graph(Settings(), Silent()) as graph:
        require_corpus(graph, given.corpus)
        drawn = draw(graph, given.corpus, given.per_depth, given.per_kind, given.seed)
        questions = [read(graph, id_) for id_ in drawn]
    if given.json:
        print(json.dumps([asdict(one) for one in questions], ensure_ascii=False, indent=1))
    else:
        print("\n\n".join(map(as_text, questions)))


def verdict_table(file: Path) -> str:
    """How many questions of each set and depth a reader found right, awkward and wrong, as Markdown."""
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    counts = Counter((row["set"], hops, row["verdict"]) for row in rows for hops in (row["hops"], "all"))
    lines = [
        "| set | hops | read | right and readable | awkward | wrong |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for name, hops in dict.fromkeys((one, depth) for one, depth, _ in sorted(counts, key=str)):
        found = [counts[name, hops, verdict] for verdict in ("right", "awkward", "wrong")]
        cells = (f"{one} ({one / sum(found):.0%})" for one in found)
        lines.append(f"| {name} | {hops} | {sum(found)} | {' | '.join(cells)} |")
    return "\n".join(lines)


def draw(graph: Graph, corpus: str, per_depth: int, per_kind: int, seed: int) -> list[str]:
    """Ids of kept questions: so many chains of each depth, then so many of each other kind."""
    generator = random.Random(seed)
    drawn: list[str] = []
    for hops in DEPTHS:
        drawn += _some(_kept(graph, corpus, "chain", [hops]), per_depth, generator)
    for kind in KINDS[1:]:
        drawn += _some(_kept(graph, corpus, kind, []), per_kind, generator)
    return drawn


def _kept(graph: Graph, corpus: str, kind: QuestionKind, hops: Sequence[int]) -> list[str]:
    rows = graph.rows(
        query("questions/list_questions"),
        corpus=corpus,
        hops=list(hops),
        kinds=[kind],
        status="kept",
        rejected_by="",
        limit=ALL,
    )
    return sorted(row["id"] for row in rows)


def _some(ids: Sequence[str], number: int, generator: random.Random) -> list[str]:
    return generator.sample(ids, min(number, len(ids)))


def read(graph: Graph, question: str) -> Sampled:
    """A question with its evidence, in the order of its facts."""
    row = graph.rows(query("questions/read_question"), id=question)[0]
    found = row["question"]
    return Sampled(
        question,
        found["kind"],
        found["hops"],
        found["text"],
        found["answer"],
        tuple(
            Evidence(hop["article"] or "", hop["source"] or "", hop["sentence"], _fact(hop))
            for hop in row["hops"]
        ),
    )


def _fact(hop: Row) -> str:
    return f"{hop['subject']} | {hop['predicate']} | {hop['object']}" if hop["predicate"] else ""


def as_text(question: Sampled) -> str:
    """The question as somebody reads it who checks it."""
    lines = [f"{question.id}  {question.kind}, {question.hops} hops", f"Q: {question.text}"]
    lines.append(f"A: {question.answer}")
    for number, one in enumerate(question.evidence, start=1):
        told = ", ".join(part for part in (one.source, repr(one.article), one.fact) if part)
        lines.append(f"  {number}. {one.sentence}  ({told})")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
