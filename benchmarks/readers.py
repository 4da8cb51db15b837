"""How often the offline reader is right, by type of question: `python -m benchmarks.readers [--write]`.

Reads the bundled corpus' questions (kg demo makes both), and MuSiQue, HotpotQA and kg_rag where the folder of
real data is (HOPGRADE_SHARED, or ../shared beside the checkout), whose passages are read into the graph that
`kg` uses as `kg benchmark retrieval` does. Each question is read twice: from the chunks of its own evidence
alone, and from the first ten chunks of a retriever. MultiHop-RAG's articles can't be shared, so its questions
are read from the evidence sentences of all of them, without a graph. With --write the tables go into
docs/evaluation/readers.md; --limit takes the first questions of each set.
"""

import argparse
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from benchmarks.reader_answers import Accuracy, Answer, accuracy_by_type
from kg.connect import open_graph
from kg.embed.choose import Embedder, embedder_of
from kg.errors import CorpusError, InputError
from kg.progress import Silent
from kg.queries import query
from kg.settings import Settings
from kg.store.graph import Graph
from services.benchmarks.contenders import BenchmarkPassage, bm25_ranker
from services.benchmarks.retrieval_sets import ONE_CHUNK, SetFiles, development_sets, prepare_set
from services.datasets.choose import read_questions
from services.datasets.match_gold import MatchedQuestion, match_gold
from services.datasets.question import BenchmarkQuestion
from services.rag.answering import passages_of, read_passages
from services.rag.protocol import Hit, Passage, RagQuestion
from services.rag.reader import READER, read_answer
from services.rag.retrieval.choose import DEFAULT, open_retriever

ROOT = Path(__file__).resolve().parents[1]
SHARED = Path(os.environ.get("HOPGRADE_SHARED", ROOT.parent / "shared")) / "data"
GOLD = ROOT / "seed" / "gold" / "questions.jsonl"
DOCUMENT = ROOT / "docs" / "evaluation" / "readers.md"
SAMPLE = "multihop_rag/sample500_queries.json"
TOP = 10
HEAD = f"""# What the offline reader answers

Written by `python -m benchmarks.readers --write`; reader {READER}, the first {TOP} chunks of the retriever.
"Strict" is exact match after SQuAD's normalisation; abstaining is right for questions without an answer only.
Its 95 % interval is by cluster: questions that share the first title of their evidence. "Any word" is the
rule of MultiHop-RAG's own script. "From evidence" gives the reader the chunks of the question's evidence
alone: what is lost there is the reader's.
"""


def main() -> None:
    """Read, count and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpus", default="ormelund")
    parser.add_argument("--retriever", default=DEFAULT)
    parser.add_argument(
        "--sets", default="", help="names of the real sets, with commas between; default: all"
    )
    parser.add_argument("--limit", type=int)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    parts = [HEAD]
    with open_graph(Settings(), Silent()) as graph:
        for part in tables(graph, given.corpus, given.retriever, given.sets, given.limit):
            print(part, flush=True)
            parts.append(part)
    if given.write:
        DOCUMENT.write_text("\n".join(parts), encoding="utf-8")


def tables(graph: Graph, corpus: str, retriever: str, names: str, limit: int | None) -> Iterator[str]:
    """A table for each set of questions, or a line that says why there is none."""
    wanted = {name.strip() for name in names.split(",")} - {""}
    yield from seed_tables(graph, corpus, retriever, limit)
    try:
        sets = development_sets([SHARED])
    except InputError:
        yield "No real data at HOPGRADE_SHARED or ../shared: the other sets are not measured.\n"
        return
    for files in sets:
        if not wanted or files.name in wanted:
            yield set_table(graph, files, retriever, limit)
    if (SHARED / SAMPLE).is_file():
        yield sample_table(limit)


def seed_tables(graph: Graph, corpus: str, retriever: str, limit: int | None) -> Iterator[str]:
    """The questions written by hand, and those that were made from the graph, by kind."""
    try:
        embedder = embedder_of(graph, corpus, Settings())
    except CorpusError:
        yield f"There is no corpus {corpus!r}; make it with kg demo: the bundled corpus is not measured.\n"
        return
    written = match_gold(graph, corpus, read_hand_written()[:limit])
    yield matched_table("Bundled corpus, questions by hand", graph, corpus, written, embedder, retriever)
    rows = graph.rows(query("questions/list_pending"), corpus=corpus, run="", retry=False)
    ids = [row["id"] for row in rows][:limit]
    made = graph.read_in_batches(query("questions/read_queries"), ids)
    made_rows = [
        BenchmarkQuestion(row["id"], row["text"], row["answer"], tuple(row["accepted"] or ()), row["kind"])
        for row in made
    ]
    passages = retrieve_passages(graph, corpus, made_rows, embedder, retriever)
    yield table(
        "Bundled corpus, made questions",
        {retriever: answers(made_rows, passages, [one.id for one in made_rows])},
    )


def set_table(graph: Graph, files: SetFiles, retriever: str, limit: int | None) -> str:
    """A question set whose passages are read into the graph."""
    ready = prepare_set(graph, Settings(), files, "", ONE_CHUNK, Silent(), limit)
    return matched_table(files.name, graph, ready.corpus, ready.questions, ready.embedder, retriever)


def sample_table(limit: int | None) -> str:
    """MultiHop-RAG's sample of questions, read from the evidence sentences of all of them."""
    rows = [one for one in read_questions(SHARED / SAMPLE) if isinstance(one, BenchmarkQuestion)]
    sentences = evidence_sentences()
    nearest = bm25_ranker(
        [BenchmarkPassage(key, key, one.title, one.text) for key, one in sentences.items()], TOP
    )
    question = rows[:limit]
    own = {one.text: one for one in sentences.values()}
    evidence = [[own[gold.text] for gold in one.gold if gold.text in own] for one in question]
    near = [[sentences[key] for key in nearest(one.text)] for one in question]
    clusters = [
        cluster(one.id, [passage.title for passage in seen])
        for one, seen in zip(question, evidence, strict=True)
    ]
    columns = {
        "from evidence": answers(question, evidence, clusters),
        "bm25s over evidence sentences": answers(question, near, clusters),
    }
    return table("MultiHop-RAG sample, sentences without names or facts", columns)


def evidence_sentences() -> dict[str, Passage]:
    """The evidence sentences of the sample, each once, as passages."""
    truth = json.loads((SHARED / SAMPLE.replace("queries", "ground_truth")).read_text(encoding="utf-8"))
    pieces = {one["fact"]: one for row in truth.values() for one in row["evidence_list"]}
    return {
        f"sentence-{number}": Passage(
            f"sentence-{number}", fact, one["title"], one["source"], published=one["published_at"][:10]
        )
        for number, (fact, one) in enumerate(sorted(pieces.items()))
    }


def read_hand_written() -> list[BenchmarkQuestion]:
    """The bundled corpus' questions by hand, with their kinds and other answers."""
    found = [one for one in read_questions(GOLD) if isinstance(one, BenchmarkQuestion)]
    rows = [json.loads(line) for line in GOLD.read_text(encoding="utf-8").splitlines()]
    return [
        replace(one, type=row["kind"], accepted=tuple(row["aliases"]))
        for one, row in zip(found, rows, strict=True)
    ]


def matched_table(
    title: str,
    graph: Graph,
    corpus: str,
    matched: Sequence[MatchedQuestion],
    embedder: Embedder,
    retriever: str,
) -> str:
    """Questions whose evidence was found, read from it and from what the retriever finds."""
    questions = [one.question for one in matched]
    hits = [[Hit(chunk, 0.0) for chunk in chunks_of(one)] for one in matched]
    own = passages_of(partial(read_passages, graph), hits)
    found = retrieve_passages(graph, corpus, questions, embedder, retriever)
    clusters = [
        cluster(one.question.id, [passage.title for passage in seen])
        for one, seen in zip(matched, own, strict=True)
    ]
    columns = {
        "from evidence": answers(questions, own, clusters),
        retriever: answers(questions, found, clusters),
    }
    return table(title, columns)


def chunks_of(one: MatchedQuestion) -> list[str]:
    """One chunk for each piece of evidence, each once."""
    return list(dict.fromkeys(sorted(group)[0] for group in one.groups))


def retrieve_passages(
    graph: Graph, corpus: str, questions: Sequence[BenchmarkQuestion], embedder: Embedder, retriever: str
) -> list[tuple[Passage, ...]]:
    """What the retriever finds for each question."""
    vectors = embedder.embed_queries([one.text for one in questions])
    question = [RagQuestion(one.id, one.text, vector) for one, vector in zip(questions, vectors, strict=True)]
    hits = open_retriever(retriever, graph, corpus, embedder, TOP).retrieve(question)
    return passages_of(partial(read_passages, graph), hits)


def answers(
    questions: Sequence[BenchmarkQuestion], seen: Sequence[Sequence[Passage]], clusters: Sequence[str]
) -> list[Answer]:
    """What the reader makes of each question and its passages."""
    return [
        Answer(one.type or "all", read_answer(one.text, passages).answer, one.answer, group, one.accepted)
        for one, passages, group in zip(questions, seen, clusters, strict=True)
    ]


def cluster(question: str, titles: Sequence[str]) -> str:
    """The article that questions are grouped by: the first of their evidence."""
    return min(titles, default=question)


def table(title: str, columns: Mapping[str, Sequence[Answer]]) -> str:
    """A Markdown table with the rows of each column under each other."""
    lines = [
        f"## {title}\n",
        "| passages | type | n | strict | interval | F1 | any word | abstained |",
        "|---|---|---|---|---|---|---|---|",
    ]
    lines += [line(name, row) for name, given in columns.items() for row in accuracy_by_type(given)]
    return "\n".join((*lines, ""))


def line(name: str, row: Accuracy) -> str:
    """A row of a table."""
    interval = f"{row.interval.low:.2f} to {row.interval.high:.2f}" if row.interval else "-"
    shares = f"{row.strict:.2f} | {interval} | {row.f1:.2f} | {row.any_word:.2f}"
    return f"| {name} | {row.type} | {row.n} | {shares} | {row.abstained} |"


if __name__ == "__main__":
    main()
