"""A run as other tools read it: rankings and judgements for TREC's, answers for the set's own scorer.

Rankings and judgements as TREC files, which `trec_eval` and `ir_measures` read.

A run's line is `query Q0 document rank score tag`, a judgement's `query 0 document 1`. Scores count down from
the length of the ranking, so that no tool orders ties in its own way.

Judgements know documents, our measures pieces of evidence: a piece that several ids hold is found with any of
them, and only the first time. So such a piece is a document of its own, named after its ids, and the first of
them that a ranking has is written under that name. A piece that the corpus lacks is a document that no
ranking has. Then the tools count what `services.statistics.rankings` counts, unless one id holds two pieces
that differ in others: on one rank there is room for one document, and the second piece waits for its next id.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote as quote_url

from kg.errors import NothingToDoError, command
from kg.ids import run_id
from kg.queries import query
from kg.store.graph import Graph, Row
from kg.text.sentences import sentence_spans
from services.answers import NULL
from services.rag.answering import KEPT_CHARACTERS
from services.rag.question_words import words
from services.statistics.rankings import gold_pieces

Group = tuple[str, ...]

_NOT_IN_IDS = re.compile(r"[\s\x00-\x1f\x7f%]")
_MOST_IDS_NAMED = 3


@dataclass(frozen=True, slots=True)
class QueryRanking:
    """A query's ranking, each document once and best first, and its pieces of gold, empty where missing."""

    query: str
    ranking: tuple[str, ...]
    gold: tuple[Group, ...]

    @property
    def overlapping(self) -> bool:
        """Whether a document holds two pieces, of which TREC's files can count only one on its rank."""
        return any(number > 1 for number in Counter(id_ for group in self.gold for id_ in group).values())


def run_lines(ranked: Iterable[QueryRanking], tag: str) -> Iterator[str]:
    """The lines of a run file; a query without a ranking has none."""
    for one in ranked:
        documents = _documents(one)
        for rank, document in enumerate(documents, start=1):
            yield f"{one.query} Q0 {document} {rank} {len(documents) + 1 - rank} {trec_id(tag)}\n"


def qrels_lines(ranked: Iterable[QueryRanking]) -> Iterator[str]:
    """The lines of a judgement file; a query without gold has none, so that no tool counts it."""
    for one in ranked:
        for name in _piece_names(one.gold):
            yield f"{one.query} 0 {name} 1\n"


def trec_id(id_: str) -> str:
    """An id as TREC's files can hold it: blanks, control characters and per cent signs as %XX."""
    return _NOT_IN_IDS.sub(lambda found: quote_url(found[0], safe=""), id_)


def known_ids(pairs: Iterable[tuple[str, str]]) -> Mapping[str, str]:
    """For (our id, the set's id) what a file calls each: the set's where it has one for nothing else."""
    given = dict(pairs)
    uses = Counter(trec_id(id_) for id_ in given.values() if id_)
    return {
        ours: name if (name := trec_id(theirs)) and uses[name] == 1 else trec_id(ours)
        for ours, theirs in given.items()
    }


def _documents(one: QueryRanking) -> list[str]:
    waiting = dict(enumerate(_piece_names(one.gold)))
    documents = []
    for id_ in one.ranking:
        piece = next((at for at in waiting if id_ in one.gold[at]), None)
        documents.append(id_ if piece is None else waiting.pop(piece))
    return documents


def _piece_names(gold: Sequence[Group]) -> list[str]:
    """A name for each piece: of one id, that id."""
    names: list[str] = []
    for number, group in enumerate(gold, start=1):
        name = "+".join(group[:_MOST_IDS_NAMED]) or f"missing-{number}"
        if len(group) > _MOST_IDS_NAMED:
            name += f"+{len(group) - _MOST_IDS_NAMED}-more"
        names.append(name if name not in names else f"{name}#{number}")
    return names


LEVELS = ("chunk", "article")
ANSWERS_A_BATCH = 200
SUPPORTING_ARTICLES = 2
"""Of how many articles a HotpotQA prediction names a sentence: its questions need two (section 2)."""


@dataclass(frozen=True, slots=True)
class RunExport:
    """What was written: files in order, how many answers, and questions that TREC's files count otherwise.

    `overlapping` has the number of such questions by level (`trec.Ranked.overlapping`).
    """

    files: tuple[Path, ...]
    answers: int
    overlapping: Mapping[str, int]


def read_run(graph: Graph, corpus: str, run: str) -> list[Row]:
    """The rows of `answers/read_retrieved`.

    Raises:
        NothingToDoError: there is no such run, or it has no answer to a kept question.
    """
    rows = graph.rows(query("answers/read_retrieved"), run=run_id(corpus, run))
    if not rows:
        raise NothingToDoError(
            f"corpus {corpus!r} has no run {run!r} with answers to kept questions.",
            f"See the runs: {command('run list --corpus', corpus)}",
        )
    return rows


def write_trec(graph: Graph, rows: Sequence[Row], corpus: str, run: str, folder: Path) -> RunExport:
    """Write chunk and article rankings with their judgements, and the answers, into a folder.

    Questions are called by their set's id, or ours where they have none or share it; so are articles. The
    answers are a file of answers of our own form too, so that a run that is deleted can be taken in again.
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
    ids = [
        row["answer"]
        for row in graph.rows(query("answers/list_answers"), run=run_id(corpus, run))
        if row["kept"]
    ]
    asked = {row["id"]: row for row in rows}
    whole = graph.read_in_batches(query("answers/read_whole"), ids, ANSWERS_A_BATCH)
    lines = (
        json.dumps(_answer(asked[one["question"]]) | _reported_fields(one), ensure_ascii=False) + "\n"
        for one in whole
        if one["question"] in asked
    )
    files.append(_write(folder / "answers.jsonl", lines))
    return RunExport(tuple(files), len(rows), overlapping)


def rankings(rows: Sequence[Row], level: str, questions: Mapping[str, str]) -> Iterator[QueryRanking]:
    """Each question's ranking and gold by chunk or by article, which stands where its first chunk does."""
    name = _names(rows, level)
    for row in rows:
        # What a null question begins with is no evidence for its answer, which is that there is none.
        evidence = () if row["type"] == NULL else row["evidence"]
        gold = gold_pieces(((one["hop"], name(one)) for one in evidence), int(row["unmatched"]))
        ranking = tuple(dict.fromkeys(name(one) for one in row["retrieved"]))
        yield QueryRanking(questions[row["id"]], ranking, gold)


def write_hotpotqa(graph: Graph, rows: Sequence[Row], path: Path) -> int:
    """Write HotpotQA's prediction file for the imported questions of a run; how many they are.

    `answer` maps the set's ids to answers, `sp` to [title, number of the sentence]. No system tells its
    supporting facts, so they are guessed: of the first articles retrieved the sentence that shares most words
    with question and answer, by our own split, which is HotpotQA's for 95 of 100 passages.
    """
    asked = [row for row in rows if row["given_id"]]
    heads = {row["id"]: _first_of_articles(row["retrieved"]) for row in asked}
    chunks = sorted({chunk for found in heads.values() for chunk in found})
    bodies = {row["id"]: row for row in graph.read_in_batches(query("chunks/read_shown"), chunks)}
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
        "question_id": row["id"],
        "query": row["question"],
        "question_type": row["type"],
        "gold_answer": row["gold_answer"],
        "model_answer": row["answer"],
        "error": row["error"],
    }


def _reported_fields(row: Row) -> Row:
    """What a run's answer has in our own form of answers, without what the system did not tell.

    A text stands at its place in the ranking, and after that for each other step that saw it. One that was in
    no chunk comes last, if all of it was kept.
    """
    answer = row["answer"]
    named = {(one["chunk"], one["step"]) for one in row["retrieved"]}
    more = [one for one in row["seen"] if (one["chunk"], one["step"]) not in named]
    more += [{"text": text} for text in answer["unaligned"] if len(text) < KEPT_CHARACTERS]
    numbers = ("confidence", "input_tokens", "output_tokens", "cost", "seconds")
    told: Row = {"answer": answer["text"], **{name: answer[name] for name in numbers}}
    if answer["told"]:
        told["retrieved"] = [*row["retrieved"], *more]
    if answer["steps_told"]:
        told["steps"] = [_drop_unreported(step) for step in row["steps"]]
    return _drop_unreported(told)


def _drop_unreported(row: Row) -> Row:
    """A row without what was never told."""
    return {name: value for name, value in row.items() if value is not None}


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
