"""Traces out of the graph."""

from collections.abc import Iterator, Sequence

from kg.errors import NothingToDoError, UserError, command
from kg.ids import run_id
from kg.model import ChunkSource
from kg.queries import query
from kg.store.graph import Graph, Row, batches
from services.answers import answered_unread
from services.evaluate.attribution.diagnose import Diagnosis, diagnose
from services.evaluate.hop_aware.traces import read_traces_of
from services.rag.answering import filters_told
from services.traces.shown import GoldHop, SeenChunk, ShownStep, ShownTrace

A_BATCH = 50
"""Answers that are read at once: their chunks' texts are in memory."""


def find_trace(graph: Graph, corpus: str, id_: str, run: str = "") -> ShownTrace:
    """The trace that is meant by an answer's id, or by a question's id and a run's name.

    Raises:
        NothingToDoError: there is no such answer.
        UserError: several runs answered the question, and none was named.
    """
    found = graph.rows(query("answers/find_answers"), corpus=corpus, id=id_, run=run)
    if not found:
        of_run = f" by run {run!r}" if run else ""
        raise NothingToDoError(
            f"corpus {corpus!r} has no answer {id_!r}, and no answer{of_run} to a question of that id.",
            f"See the questions: {command('questions list --corpus', corpus)}; the runs: "
            f"{command('run list --corpus', corpus)}",
        )
    if len(found) > 1:
        names = ", ".join(repr(row["run"]) for row in found)
        raise UserError(
            f"question {id_!r} was answered by {len(found)} runs: {names}.",
            f"Say which one: {command('run trace', id_, found[0]['run'])}",
        )
    (trace,) = read_traces(graph, run_id(corpus, found[0]["run"]), [found[0]["answer"]])
    return trace


def traces_of_run(graph: Graph, corpus: str, run: str) -> Iterator[ShownTrace]:
    """The traces of a run's answers one after the other, by kind, hops and id of the question."""
    identifier = run_id(corpus, run)
    rows = graph.rows(query("answers/list_answers"), run=identifier)
    rows.sort(key=lambda row: (row["kind"], row["hops"]))
    for ids in batches([row["answer"] for row in rows], A_BATCH):
        yield from read_traces(graph, identifier, ids)


def read_traces(graph: Graph, run: str, ids: Sequence[str]) -> list[ShownTrace]:
    """The traces of these answers of a run, given its id, in this order, with why the wrong ones failed."""
    rows = {row["answer"]["id"]: row for row in graph.rows(query("answers/read_traces"), ids=list(ids))}
    told = {one.answer: diagnose(one) for one in read_traces_of(graph, run, ids)}
    # An answer that is deleted between the two readings is in neither.
    return [_trace(rows[id_], told[id_]) for id_ in ids if id_ in rows and id_ in told]


def _trace(row: Row, diagnosis: Diagnosis) -> ShownTrace:
    answer, run, question = row["answer"], row["run"], row["question"]
    gold: dict[str, set[int]] = {}
    for one in row["evidence"]:
        gold.setdefault(one["chunk"], set()).add(one["hop"])
    steps = tuple(_step(step, gold) for step in row["steps"])
    return ShownTrace(
        answer=answer["id"],
        run=run["name"],
        system=run["system"] or "",
        generator=run["generator"] or "",
        question=question["id"],
        text=question["text"] or "",
        kind=question["kind"] or "",
        query_type=question["query_type"] or "",
        hops=question["hops"] or 0,
        gold=question["answer"] or "",
        accepted=tuple(question["accepted"] or ()),
        said=answer["text"] or "",
        correct=bool(answer["correct"]),
        abstained=bool(answer["abstained"]),
        error=answer["error"] or "",
        judged_by=answer["judged_by"] or "exact match",
        score=answer["judge_score"],
        seconds=answer["seconds"],
        input_tokens=answer["input_tokens"] or 0,
        output_tokens=answer["output_tokens"] or 0,
        cost=answer["cost"],
        prompts=tuple(answer["prompts"] or ()),
        told=answer["told"],
        steps_told=answer["steps_told"],
        steps=steps,
        chain=_chain(row, steps),
        failure=diagnosis.failure,
        behaviours=diagnosis.behaviours,
        unknown_citations=answer["unknown_citations"],
        unread=answered_unread(answer["passages_shown"], bool(answer["abstained"]), answer["error"] or ""),
    )


def _step(row: Row, gold: dict[str, set[int]]) -> ShownStep:
    # In a run from before steps had chunks of their own, those of the answer tell.
    kept = row["retrieves"] is not None
    seen = row["saw"] if kept else row["brought"]
    return ShownStep(
        index=row["index"],
        action=row["action"] or "",
        query=row["query"] or "",
        observation=row["observation"] or "",
        retrieves=bool(row["retrieves"]) if kept else bool(seen),
        top_k=row["top_k"],
        filters=filters_told(row["filters"] or ""),
        thought=row["thought"] or "",
        arguments=row["arguments"] or "",
        fault=row["fault"] or "",
        input_tokens=row["input_tokens"] or 0,
        output_tokens=row["output_tokens"] or 0,
        seconds=row["seconds"],
        seen=tuple(
            SeenChunk(
                one["chunk"],
                one["article"],
                one["title"] or "",
                rank,
                one["score"],
                one["text"] or "",
                tuple(sorted(gold.get(one["chunk"], ()))),
            )
            for rank, one in enumerate(seen, start=1)
        ),
    )


def _chain(row: Row, steps: Sequence[ShownStep]) -> tuple[GoldHop, ...]:
    hops = sorted({one["hop"] for part in ("facts", "evidence", "hop_questions") for one in row[part]})
    return tuple(_hop(row, steps, hop, last=hop == hops[-1]) for hop in hops)


def _hop(row: Row, steps: Sequence[ShownStep], hop: int, last: bool) -> GoldHop:
    fact = next((one for one in row["facts"] if one["hop"] == hop), None)
    own = next((one for one in row["hop_questions"] if one["hop"] == hop), None)
    prefix = next((one for one in row["prefixes"] if one["hop"] == hop), None)
    asked = own or prefix
    right = prefix["correct"] if prefix is not None else None
    # The question itself is the one of all hops: no prefix stands for it.
    whole = last and prefix is None and any(one["correct"] is not None for one in row["prefixes"])
    return GoldHop(
        hop=hop,
        fact=_fact_text(fact),
        question=asked["text"] if asked is not None else "",
        answer=asked["answer"] if asked is not None else row["question"]["answer"] or "" if last else "",
        evidence=tuple(
            ChunkSource(one["chunk"], one["article"], one["title"] or "")
            for one in row["evidence"]
            if one["hop"] == hop
        ),
        first_seen=next((step.index for step in steps if hop in step.gold), None),
        right=bool(row["answer"]["correct"]) if whole else right,
    )


def _fact_text(fact: Row | None) -> str:
    """What a hop states: its triple in words, or the statement where no path holds one."""
    if fact is None:
        return ""
    if fact["predicate"]:
        return f"{fact['subject']} {fact['predicate']} {fact['object']}"
    return str(fact["statement"] or "")
