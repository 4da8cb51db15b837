"""A run as other tools read it: rankings and judgements for TREC's, answers for the set's own scorer."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

from kg.errors import NothingToDoError
from kg.ids import run_id
from kg.queries import query
from kg.store.graph import Graph, Row
from kg.text.sentences import sentence_spans
from services.benchmarks.trec import Ranked, known_ids, qrels_lines, run_lines, trec_id
from services.rag.question_words import words

LEVELS = ("chunk", "article")
SUPPORTING_ARTICLES = 2
"""Of how many articles a HotpotQA prediction names a sentence: its questions need two (section 2)."""


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written: files in order, how many answers, and questions that TREC's files count otherwise.

    `overlapping` has the number of such questions by level (`trec.Ranked.overlapping`).
    """

    files: tuple[Path, ...]
    answers: int
    overlapping: Mapping[str, int]


def read_run(graph: Graph, corpus: str, run: str) -> list[Row]:
    """The rows of `benchmarks/read_run`.

    Raises:
        NothingToDoError: there is no such run, or it has no answer to a kept question.
    """
    rows = graph.rows(query("benchmarks/read_run"), run=run_id(corpus, run))
    if not rows:
        raise NothingToDoError(
            f"corpus {corpus!r} has no run {run!r} with answers to kept questions.",
            f"See the runs: kg run list --corpus {quote(corpus)}",
        )
    return rows


def write_trec(rows: Sequence[Row], run: str, folder: Path) -> Exported:
    """Write chunk and article rankings with their judgements, and the answers, into a folder.

    Questions are called by their set's id, or ours where they have none or share it; so are articles.
    """
    questions = known_ids((row["id"], row["given_id"]) for row in rows)
    files: list[Path] = []
    overlapping: dict[str, int] = {}
    folder.mkdir(parents=True, exist_ok=True)
    for level in LEVELS:
        ranked = list(rankings(rows, level, questions))
        overlapping[level] = sum(one.overlapping for one in ranked)
        files.append(_write(folder / f"{level}s.run", run_lines(ranked, run)))
        files.append(_write(folder / f"{level}s.qrels", qrels_lines(ranked)))
    lines = (json.dumps(_answer(row), ensure_ascii=False) + "\n" for row in rows)
    files.append(_write(folder / "answers.jsonl", lines))
    return Exported(tuple(files), len(rows), overlapping)


def rankings(rows: Sequence[Row], level: str, questions: Mapping[str, str]) -> Iterator[Ranked]:
    """Each question's ranking and gold by chunk or by article, which stands where its first chunk does."""
    name = _names(rows, level)
    for row in rows:
        groups: defaultdict[int, set[str]] = defaultdict(set)
        for one in row["evidence"]:
            groups[one["hop"]].add(name(one))
        pieces = dict.fromkeys(tuple(sorted(groups[hop])) for hop in sorted(groups))
        missing = ((),) * int(row["unmatched"])
        ranking = tuple(dict.fromkeys(name(one) for one in row["retrieved"]))
        yield Ranked(questions[row["id"]], ranking, (*pieces, *missing))


def write_hotpotqa(graph: Graph, rows: Sequence[Row], path: Path) -> int:
    """Write HotpotQA's prediction file for the imported questions of a run; how many they are.

    `answer` maps the set's ids to answers, `sp` to [title, number of the sentence]. No system tells its
    supporting facts, so they are guessed: of the first articles retrieved the sentence that shares most words
    with question and answer, by our own split, which is HotpotQA's for 95 of 100 passages.
    """
    asked = [row for row in rows if row["given_id"]]
    heads = {row["id"]: _first_of_articles(row["retrieved"]) for row in asked}
    chunks = sorted({chunk for found in heads.values() for chunk in found})
    bodies = {row["id"]: row for row in graph.read_in_batches(query("benchmarks/read_sentences"), chunks)}
    predictions = {
        "answer": {row["given_id"]: row["answer"] for row in asked},
        "sp": {
            row["given_id"]: [
                [bodies[chunk]["title"], _best_sentence(bodies[chunk], f"{row['question']} {row['answer']}")]
                for chunk in heads[row["id"]]
            ]
            for row in asked
        },
    }
    _write(path, [json.dumps(predictions, ensure_ascii=False), "\n"])
    return len(asked)


def _names(rows: Sequence[Row], level: str) -> Callable[[Row], str]:
    """What the files call a chunk, or the article of one."""
    if level == "chunk":
        return lambda one: trec_id(one["chunk"])
    found = (one for row in rows for one in (*row["evidence"], *row["retrieved"]))
    articles = known_ids((one["article"], one["given_id"]) for one in found)
    return lambda one: articles[one["article"]]


def _answer(row: Row) -> Row:
    return {
        "id": row["given_id"] or row["id"],
        "query": row["question"],
        "question_type": row["type"],
        "gold_answer": row["gold_answer"],
        "model_answer": row["answer"],
        "error": row["error"],
    }


def _first_of_articles(retrieved: Sequence[Row]) -> list[str]:
    """The best chunk of each of the first articles."""
    first: dict[str, str] = {}
    for one in retrieved:
        first.setdefault(one["article"], one["chunk"])
    return list(first.values())[:SUPPORTING_ARTICLES]


def _best_sentence(chunk: Row, wanted: str) -> int:
    """The number in its article, from 0, of the chunk's sentence that shares most words with a text."""
    asked = set(words(wanted))
    inside = [
        (len(asked & set(words(chunk["body"][span.start : span.end]))), -at)
        for at, span in enumerate(sentence_spans(chunk["body"]))
        if span.start < chunk["end"] and chunk["start"] < span.end
    ]
    return -max(inside)[1] if inside else 0


def _write(path: Path, lines: Iterable[str]) -> Path:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(lines)
    return path
