"""Agents and plain systems on the same questions, offline, with the same budget of evidence.

    python -m benchmarks.agents [--per-depth 200] [--tokens 2500,1000] [--sets kg_rag,musique] [--write]

Uses the graph that `kg` uses. On the bundled corpus (kg demo makes it; --corpus "" leaves it out) it asks the
questions that were written by hand, and so many chain questions of each depth that were made from the graph.
With --sets it asks those of other people too, whose passages are read into the graph as `kg benchmark
retrieval` does (HOPGRADE_SHARED, or ../shared beside the checkout). No answers are written to the graph. With
--write the tables go into docs/evaluation/agents.md. Intervals are of 95 % and by cluster, the article of the
last hop.
"""

import argparse
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

import numpy as np

from kg.connect import open_graph
from kg.embed.choose import Embedder, embedder_of
from kg.paths.protocol import DEPTHS
from kg.progress import Silent
from kg.queries import query
from kg.settings import Settings
from kg.store.graph import Graph, batches
from services.answers import exact_match, is_abstention
from services.benchmarks.retrieval_sets import ONE_CHUNK, development_sets, prepare_set
from services.rag.protocol import RagAnswer, RagQuestion
from services.rag.reader import READER
from services.rag.run_options import RETRIEVER, SYSTEMS, RunOptions, parse_system
from services.rag.systems import open_system
from services.statistics.clustered_means import share_interval
from services.statistics.paired import compare_paired
from services.statistics.several_tests import holm

ROOT = Path(__file__).resolve().parents[1]
SHARED = Path(os.environ.get("HOPGRADE_SHARED", ROOT.parent / "shared")) / "data"
GOLD = ROOT / "seed" / "gold" / "questions.jsonl"
DOCUMENT = ROOT / "docs" / "evaluation" / "agents.md"
AGENT = "graph-agent"
BATCH = 64
EVERY_QUESTION = 100_000

HEAD = f"""# Agents against plain systems, offline

Written by
`{{command}}`;
reader {READER}, no model. Every system is asked the same questions, and is shown at most so many tokens of
the corpus for each, over all that it reads: `services/rag/context.py` says how that is counted. A
fact that the graph agent is shown counts as a claim or a chunk does. Right is what matches exactly after
SQuAD's normalisation; abstaining is right only where there is no answer. Intervals are of 95 %, by cluster:
questions whose last hop is in the same article.

Read the sets apart. The made questions come from paths of the same graph that the graph agent walks, in words
that the rules take apart again: there it is at home. The questions by hand were written from the articles
without regard to graph or rules; but some rules of the graph agent were mended after its failures on them
were read, so its lead there may be flattering too. On sets of other people, where there are any below,
nothing was tried out.
"""


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its gold answer, its row in the tables, and its cluster."""

    query: RagQuestion
    answer: str
    accepted: tuple[str, ...]
    row: str
    cluster: str
    null: bool = False

    def is_right(self, answered: RagAnswer) -> bool:
        """Whether an answer is the gold one; without a gold answer, whether there is none."""
        if answered.error:
            return False
        if self.null:
            return is_abstention(answered.text)
        return exact_match(answered.text, self.answer, self.accepted)


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Questions about a corpus, with the embedder of both."""

    title: str
    corpus: str
    embedder: Embedder
    questions: Sequence[Question]


@dataclass(frozen=True, slots=True)
class Result:
    """What a system gave for a set of questions; `seconds` are those of all together."""

    system: str
    answers: tuple[RagAnswer, ...]
    right: tuple[bool, ...]
    seconds: float


def main() -> None:
    """Ask, count and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpus", default="ormelund")
    parser.add_argument("--per-depth", type=int, default=200)
    parser.add_argument("--tokens", default="2500,1000", help="budgets of evidence, with commas between")
    parser.add_argument("--systems", default=",".join(SYSTEMS))
    parser.add_argument("--retriever", default=RETRIEVER)
    parser.add_argument("--sets", default="", help="names of the sets of others, with commas between")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    command = (
        f"python -m benchmarks.agents --per-depth {given.per_depth} --tokens {given.tokens} "
        f"--retriever {given.retriever}" + (f" --sets {given.sets}" if given.sets else "")
    )
    parts = [HEAD.format(command=command)]
    settings = Settings()
    systems = [parse_system(name) for name in given.systems.split(",")]
    with open_graph(settings, Silent()) as graph:
        sets = [
            *(read_bundled(graph, given.corpus, given.per_depth, settings) if given.corpus else ()),
            *others(graph, given.sets, settings),
        ]
        for tokens in map(int, given.tokens.split(",")):
            for some in sets:
                results = []
                for system in systems:
                    options = RunOptions(system, retriever=given.retriever, evidence_tokens=tokens)
                    results.append(ask(graph, some, options, settings))
                    print(f"{some.title}, {tokens} tokens, {system}: {results[-1].seconds:.0f} s", flush=True)
                title = f"{some.title}, {tokens:,} tokens of evidence"
                parts.append(section(title, some.questions, results))
                print(parts[-1], flush=True)
    if given.write:
        DOCUMENT.write_text("\n".join(parts), encoding="utf-8")


def read_bundled(graph: Graph, corpus: str, per_depth: int, settings: Settings) -> list[QuestionSet]:
    """The two sets about the bundled corpus."""
    embedder = embedder_of(graph, corpus, settings)
    return [
        QuestionSet("Questions by hand", corpus, embedder, by_hand(embedder)),
        QuestionSet("Made chain questions", corpus, embedder, read_chains(graph, corpus, per_depth)),
    ]


def others(graph: Graph, names: str, settings: Settings) -> Iterator[QuestionSet]:
    """Sets of other people, whose questions nobody made from a graph."""
    wanted = {name for name in names.split(",") if name}
    for files in development_sets([SHARED]) if wanted else ():
        if files.name not in wanted:
            continue
        ready = prepare_set(graph, settings, files, "", ONE_CHUNK, Silent())
        vectors = ready.embedder.embed_queries([one.question.text for one in ready.questions])
        questions = [
            Question(
                RagQuestion(one.question.id, one.question.text, vector),
                one.question.answer,
                one.question.accepted,
                one.question.type or "all types",
                one.gold_found[-1].articles[0] if one.gold_found[-1].articles else one.question.id,
            )
            for one, vector in zip(ready.questions, vectors, strict=True)
        ]
        yield QuestionSet(files.name, ready.corpus, ready.embedder, questions)


def by_hand(embedder: Embedder) -> list[Question]:
    """The questions that were written from the bundled articles."""
    rows = [json.loads(line) for line in GOLD.read_text(encoding="utf-8").splitlines()]
    vectors = embedder.embed_queries([row["question"] for row in rows])
    return [
        Question(
            RagQuestion(row["id"], row["question"], vector),
            row["answer"],
            tuple(row.get("aliases", ())),
            f"{row['kind']}, {row['hops']} hops" if row["hops"] else row["kind"],
            row["evidence"][-1]["article"] if row["evidence"] else row["id"],
            row["kind"] == "null",
        )
        for row, vector in zip(rows, vectors, strict=True)
    ]


def read_chains(graph: Graph, corpus: str, per_depth: int) -> list[Question]:
    """The first kept chain questions of each depth, by their ids."""
    found: list[Question] = []
    for hops in DEPTHS:
        rows = graph.rows(
            query("questions/list_questions"),
            corpus=corpus,
            hops=[hops],
            kinds=["chain"],
            status="kept",
            rejected_by="",
            limit=EVERY_QUESTION,
        )
        ids = sorted(row["id"] for row in rows)[:per_depth]
        clusters = {
            row["question"]["id"]: row["evidence"][-1]["title"] if row["evidence"] else row["question"]["id"]
            for row in graph.rows(query("questions/read_with_evidence"), ids=ids)
        }
        found += [
            Question(
                RagQuestion(row["id"], row["text"], np.asarray(row["vector"], np.float32)),
                row["answer"],
                tuple(row["accepted"] or ()),
                f"{hops} hops",
                clusters[row["id"]],
            )
            for row in graph.rows(query("questions/read_queries"), ids=ids)
        ]
    return found


def ask(graph: Graph, some: QuestionSet, options: RunOptions, settings: Settings) -> Result:
    """Let a system answer all questions of a set."""
    answers: list[RagAnswer] = []
    started = monotonic()
    with open_system(graph, some.corpus, options, settings, some.embedder) as system:
        for batch in batches([question.query for question in some.questions], BATCH):
            answers += system.answer(list(batch))
    right = tuple(one.is_right(answer) for one, answer in zip(some.questions, answers, strict=True))
    return Result(options.system, tuple(answers), right, monotonic() - started)


def section(title: str, questions: Sequence[Question], results: Sequence[Result]) -> str:
    """The tables of one set of questions under one budget."""
    names = [result.system for result in results]
    rows = sorted({question.row for question in questions})
    shares = {row: [share(questions, result, row) for result in results] for row in rows}
    counts = {row: sum(question.row == row for question in questions) for row in rows}
    accuracy = {f"{row} ({counts[row]})": cells for row, cells in shares.items()}
    accuracy[f"all ({len(questions)})"] = [share(questions, result, "") for result in results]
    return "\n".join(
        (
            f"## {title}\n",
            table("exact (questions)", names, accuracy),
            table(f"{AGENT} less", _COMPARED, dict(comparisons(questions, results))),
            table("took, a question", names, dict(_took(results))),
        )
    )


def share(questions: Sequence[Question], result: Result, row: str) -> str:
    """The share of right answers with its interval by cluster; row "" stands for all."""
    chosen = [at for at, question in enumerate(questions) if row in {"", question.row}]
    hits = [result.right[at] for at in chosen]
    interval = share_interval(hits, [questions[at].cluster for at in chosen])
    rate = sum(hits) / len(hits)
    return f"{rate:.2f}, {interval.low:.2f} to {interval.high:.2f}" if interval else f"{rate:.2f}"


_COMPARED = ("difference", "interval", "p by cluster", "after Holm", "p without clusters")


def comparisons(
    questions: Sequence[Question], results: Sequence[Result]
) -> Iterator[tuple[str, Sequence[str]]]:
    """The graph agent against each other system, paired by question; p-values by cluster, after Holm over
    these comparisons, and naive."""
    agent = next((result for result in results if result.system == AGENT), None)
    if agent is None:
        return
    clusters = [question.cluster for question in questions]
    others = [result for result in results if result.system != AGENT]
    compared = [(one.system, compare_paired(one.right, agent.right, clusters)) for one in others]
    tests = [None if one is None or one.test is None else one.test.p_value for _, one in compared]
    for (name, one), p_value, adjusted in zip(compared, tests, holm(tests), strict=True):
        if one is not None and one.interval is not None and p_value is not None and adjusted is not None:
            interval = f"{one.interval.low:+.2f} to {one.interval.high:+.2f}"
            values = (f"{p:.4f}" for p in (p_value, adjusted, one.naive_p))
            yield name, (f"{one.difference:+.2f}", interval, *values)


def _took(results: Sequence[Result]) -> Iterator[tuple[str, Sequence[str]]]:
    yield "abstained", [_mean([is_abstention(one.text) for one in result.answers]) for result in results]
    yield (
        "looks for chunks",
        [_mean([sum(step.retrieves for step in one.steps) for one in result.answers]) for result in results],
    )
    yield "chunks seen", [_mean([len(one.retrieved) for one in result.answers]) for result in results]
    yield "seconds", [f"{result.seconds / max(len(result.answers), 1):.3f}" for result in results]


def _mean(values: Sequence[float]) -> str:
    return f"{sum(values) / max(len(values), 1):.2f}"


def table(corner: str, columns: Sequence[str], rows: Mapping[str, Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [f"| {corner} | {' | '.join(columns)} |", f"|---{'|---' * len(columns)}|"]
    lines += [f"| {row} | {' | '.join(cells)} |" for row, cells in rows.items()]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
