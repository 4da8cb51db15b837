"""The questions of a comparison: drawn by a seed, of each kind its share, of its depths alike.

Its rows from the graph: the questions, their chunks, and what each run answered.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil

import numpy as np

from kg.corpus import read_properties
from kg.errors import NothingToDoError, SettingsError, UserError, command
from kg.ids import bare_id, content_hash, run_id
from kg.queries import query
from kg.store.graph import Graph, Row
from kg.text.tokens import count_tokens
from services.answers import NULL, counted_kind, question_cluster
from services.comparison.protocol import Protocol, SystemUnderTest
from services.comparison.records import (
    Answer,
    Candidates,
    Chunk,
    GoldHop,
    KnownAnswer,
    Question,
    RunRecord,
    Shown,
    answer_length,
)
from services.questions.spans.evidence_clusters import read_chunk_clusters
from services.questions.spans.facets import UNKNOWN, ClusterFacet


def chosen_look(protocol: Protocol, number: int | None) -> int:
    """The number of a look, from 1; the last where none was given.

    Raises:
        UserError: the protocol plans no such look.
    """
    planned = len(protocol.inference.looks)
    if number is None:
        return planned
    if not 1 <= number <= planned:
        raise UserError(
            f"the protocol plans {planned} {'look' if planned == 1 else 'looks'}, and {number} is none.",
            f"Give --look with a number from 1 to {planned}.",
        )
    return number


def questions_at(protocol: Protocol, questions: Sequence[Question], look: int) -> tuple[Question, ...]:
    """The questions that look `look`, from 1, is after: clusters as they were drawn, until its share is met.

    The last look is after all of them. They stand cluster by cluster in the order of the draw, so that those
    of an earlier look come first.
    """
    share = protocol.inference.looks[look - 1]
    needed = ceil(share * len(questions))
    chosen: list[Question] = []
    for cluster in _shuffled_clusters(questions, protocol.seeds.sample):
        if len(chosen) >= needed:
            break
        chosen.extend(cluster)
    return tuple(chosen)


def _shuffled_clusters(questions: Sequence[Question], seed: int) -> list[list[Question]]:
    clusters: dict[str, list[Question]] = defaultdict(list)
    for question in sorted(questions, key=lambda one: one.id):
        clusters[question.cluster].append(question)
    names = sorted(clusters)
    order = np.random.default_rng(seed).permutation(len(names))
    return [clusters[names[place]] for place in order]


LEAST_QUESTIONS = 2
"""With one there is nothing to compare over."""


@dataclass(frozen=True, slots=True)
class Drawable:
    """A kept question with what a draw goes by: its kind, and depth and bin there, None but for chains."""

    id: str
    kind: str
    hops: int
    bin: int | None


def draw(questions: Iterable[Drawable], count: int | None, seed: int) -> tuple[str, ...]:
    """The ids of `count` questions in order, of each kind its share among all; all without a count.

    Were every kind drawn alike, null questions, of which there are few, would be more than they are, and an
    accuracy would reward silence. Of n questions of a kind the i-th stands at (i - ½) / n, and the `count`
    first over all kinds are taken, so that each has its share to within a question or so. Within a kind they
    come in turn from every depth and bin, there by a hash of seed and id: their order doesn't matter, and a
    smaller draw with the same seed is a part of a larger one.
    """
    groups: defaultdict[str, defaultdict[tuple[int, int], list[tuple[str, str]]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for one in questions:
        groups[one.kind][one.hops, one.bin or 0].append((content_hash((str(seed), bare_id(one.id))), one.id))
    placed = []
    for parts in groups.values():
        turns = sorted(
            (rank, drawn, id_) for part in parts.values() for rank, (drawn, id_) in enumerate(sorted(part))
        )
        placed += [((place + 0.5) / len(turns), drawn, id_) for place, (_, drawn, id_) in enumerate(turns)]
    return tuple(sorted(id_ for _, _, id_ in sorted(placed)[:count]))


def sample_questions(graph: Graph, corpus: str, count: int | None, seed: int) -> tuple[str, ...]:
    """The ids of the questions of a corpus that a comparison is about, in order.

    Raises:
        NothingToDoError: the corpus has no two kept questions.
        SettingsError: it has fewer than `count`.
    """
    kept = [
        Drawable(row["id"], row["kind"], row["hops"], row["bin"])
        for row in graph.rows(query("questions/list_of_status"), corpus=corpus, status="kept")
    ]
    if len(kept) < LEAST_QUESTIONS:
        raise NothingToDoError(
            f"corpus {corpus!r} has {len(kept)} kept questions; the least are {LEAST_QUESTIONS}.",
            f"Make some: {command('questions make --corpus', corpus)}, or import: "
            f"{command('questions import FILE')}",
        )
    if count is not None and count > len(kept):
        raise SettingsError(
            f"corpus {corpus!r} has {len(kept):,} kept questions, not {count:,}.",
            f"Ask for {len(kept):,} at most, or for all by leaving the number out.",
        )
    return draw(kept, count, seed)


def protocol_questions(graph: Graph, protocol: Protocol) -> tuple[str, ...]:
    """The ids of the questions that a protocol draws from its corpus as it is now, in order.

    Raises:
        NothingToDoError, SettingsError: as `sample_questions`.
    """
    dataset = protocol.dataset
    return sample_questions(graph, dataset.corpus, dataset.questions, protocol.seeds.sample)


ANSWERS_A_BATCH = 200

_CROSSINGS = "crossings_"
"""A question's properties with this beginning tell how many borders of a facet its hops cross."""


def run_of(protocol: Protocol, system: SystemUnderTest) -> str:
    """The name of the run that has a system's answers."""
    return f"{protocol.name}/{system.name}" if system.run is None else system.run


def collect_questions(graph: Graph, protocol: Protocol, ids: Sequence[str]) -> tuple[Question, ...]:
    """The questions with these ids that are kept, in the order of their ids.

    For the cluster of a question see `answers.question_cluster`.
    """
    rows = list(graph.read_in_batches(query("comparisons/collect_questions"), sorted(ids)))
    gold = {piece["chunk"]: piece["article"] for row in rows for piece in row["gold"]}
    corpus = protocol.dataset.corpus
    evidence = _clusters(graph, corpus, protocol.evidence_clusters, gold)
    facet = protocol.inference.clusters
    clusters = evidence if facet == protocol.evidence_clusters else _clusters(graph, corpus, facet, gold)
    return tuple(_question(row, evidence, clusters) for row in rows)


def collect_chunks(
    graph: Graph, protocol: Protocol, pool: Mapping[str, Candidates], questions: Sequence[Question]
) -> dict[str, Chunk]:
    """The chunks of the pools and of the gold evidence by their ids, in the order of these."""
    ids = {chunk for one in questions for chunk, _ in pool[one.id].chunks}
    wanted = sorted(ids | {piece.chunk for one in questions for piece in one.gold})
    rows = list(graph.read_in_batches(query("chunks/read_chunks"), wanted))
    articles = {row["id"]: row["article"] for row in rows}
    clusters = _clusters(graph, protocol.dataset.corpus, protocol.evidence_clusters, articles)
    return {
        row["id"]: Chunk(
            id=row["id"],
            article=row["article"],
            title=row["title"],
            text=row["text"],
            tokens=count_tokens(row["text"]),
            cluster=clusters[row["id"]],
        )
        for row in rows
    }


def read_record(graph: Graph, protocol: Protocol, system: SystemUnderTest) -> RunRecord:
    """What is recorded of a system's run.

    Raises:
        NothingToDoError: there is no such run.
    """
    corpus, name = protocol.dataset.corpus, run_of(protocol, system)
    run = read_properties(graph, run_id(corpus, name))
    if not run:
        raise NothingToDoError(
            f"corpus {corpus!r} has no run {name!r}, which the protocol names for system {system.name!r}.",
            f"Make it now, after the lock: {command('evaluate')}, with --standard FOLDER --name "
            f"{name}, or {command('run start')}; then go on with {command('standard run')}.",
        )
    return RunRecord(
        system=system.name,
        run=name,
        ours=system.run is None,
        # Only a run of a system of ours has a retriever that is known.
        answered_here=system.run is None or bool(run.get("retriever")),
        made_by=run.get("system", ""),
        generator=run.get("generator", ""),
        prompts=tuple(run.get("prompts", ())),
        embedder=run.get("embedder", ""),
        dataset=run.get("dataset", ""),
        started_at=_iso(run.get("started_at")),
        finished_at=_iso(run.get("finished_at")),
    )


def answer_rows(graph: Graph, protocol: Protocol, run: str, ids: Sequence[str]) -> Iterator[Row]:
    """What a run answered to these questions, in their order, as the graph has it; a question that it didn't
    answer has no row."""
    statement, key = query("comparisons/collect_answers"), run_id(protocol.dataset.corpus, run)
    return graph.read_in_batches(statement, ids, ANSWERS_A_BATCH, run=key)


def known_answers(
    graph: Graph, protocol: Protocol, questions: Sequence[Question], chunks: Mapping[str, Chunk]
) -> tuple[KnownAnswer, ...]:
    """The answers of the run that judges are tried on too, each with the passages of `chunks` that it had.

    Right or wrong is what people say of a sample of them. Where they labelled none, exact matches are right,
    and of the others nothing is known. Abstentions and errors, which no judge weighs, are left out. Empty
    where the protocol names no run.
    """
    run = protocol.calibration.run
    rows = [
        row
        for row in (answer_rows(graph, protocol, run, [one.id for one in questions]) if run else ())
        if not row["error"] and not row["abstained"]
    ]
    labelled = [row for row in rows if row["labelled"] is not None]
    tokens = {chunk.id: chunk.tokens for chunk in chunks.values()}
    found = []
    for row in labelled or [row for row in rows if row["exact"]]:
        answer = answer_of(run or "", row, tokens)
        answer = replace(answer, evidence=tuple(one for one in answer.evidence if one.chunk in chunks))
        found.append(
            KnownAnswer(answer, row["labelled"], "people")
            if labelled
            else KnownAnswer(answer, True, "exact match")
        )
    return tuple(found)


def answer_of(system: str, row: Row, tokens: Mapping[str, int]) -> Answer:
    """An answer from its row; `tokens` are those of each chunk by our count."""
    shown: list[Shown] = []
    seen: set[str] = set()
    for hit in row["shown"]:
        if hit["chunk"] not in seen:
            seen.add(hit["chunk"])
            shown.append(Shown(hit["chunk"], len(shown) + 1, _search(hit["step"], row["searches"])))
    return Answer(
        system=system,
        question=row["question"],
        text=row["text"],
        error=row["error"],
        abstained=row["abstained"],
        evidence=tuple(shown),
        cited=tuple(row["cited"]),
        evidence_tokens=sum(tokens.get(chunk, 0) for chunk in seen),
        answer_tokens=answer_length(row["text"]),
        input_tokens=row["input_tokens"],
        output_tokens=row["output_tokens"],
        seconds=row["seconds"],
        cost=row["cost"],
    )


def _clusters(graph: Graph, corpus: str, facet: ClusterFacet, articles: Mapping[str, str]) -> dict[str, str]:
    """The cluster of each chunk, given with its article; where a facet tells nothing of it, its article's."""
    labels = read_chunk_clusters(graph, corpus, facet, sorted(articles))
    return {
        chunk: f"{label}, {articles[chunk]}" if label == UNKNOWN[facet] else label
        for chunk, label in labels.items()
    }


def _search(step: int, searches: Sequence[int]) -> int:
    """Which search, from 1, a step of the system was; the first where the system doesn't tell."""
    return max(1, sum(search <= step for search in searches))


def _question(row: Row, evidence: Mapping[str, str], clusters: Mapping[str, str]) -> Question:
    gold = tuple(
        GoldHop(piece["hop"], piece["chunk"], piece["claim"], evidence[piece["chunk"]])
        for piece in row["gold"]
    )
    kind = counted_kind(row["kind"], row["query_type"])
    return Question(
        id=row["id"],
        text=row["text"],
        answer=row["answer"],
        accepted=tuple(row["accepted"]),
        kind=kind,
        query_type=row["query_type"],
        hops=row["hops"],
        bin=row["bin"],
        cluster=question_cluster(row["id"], ((piece.hop, clusters[piece.chunk]) for piece in gold)),
        # What leads up to a gap is no evidence for its answer, which is that there is none.
        gold=() if kind == NULL else gold,
        crossings={
            name.removeprefix(_CROSSINGS): value
            for name, value in sorted(row["properties"].items())
            if name.startswith(_CROSSINGS)
        },
    )


def _iso(value: object) -> str:
    # The driver's times are written as ISO 8601.
    return "" if value is None else str(value)
