"""What came out of a path with a model, as figures that tell no time: what tests and tables compare."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from kg.ids import run_id
from kg.queries import query
from kg.store.graph import Graph
from kg.text.opinion import FACTUAL_FROM
from services.evaluate.matrix import Cell
from services.evaluate.write_back import read_matrix
from services.questions.filters.choose import CLOSED_BOOK
from services.questions.funnel import read_funnel
from tests.model_path import Replay
from tests.recorded_replies import UNKNOWN, Recording

Json = dict[str, Any]

ALL = 1_000_000_000
STAGES = {
    "extraction": ("write-claims", "check-claims", "find-triples"),
    "links": ("match-entities",),
    "writing questions": (
        *("write-question", "reword-question", "mend-question", "list-answer-forms", "shorten-answer"),
    ),
    "composing questions": ("write-atomic-", "join-", "check-sequential", "check-parallel"),
    "checking questions": ("check-question-", "answer-closed-book", "compare-", "answer-from-evidence"),
    "answering": (
        *("answer-question", "decompose-", "intermediate-", "goal-", "react-", "search-", "walk-"),
        UNKNOWN,  # a bare question, without a prompt
    ),
    "judging": ("judge-",),
    "other": ("",),
}
"""The stages in their order; a prompt belongs to the first that has a beginning of its name."""


def results(graph: Graph, replay: Replay) -> Json:
    """The figures of a corpus that was made by a manifest's commands, and of its recording.

    Answers that the commands did not take, as of a preflight, don't count.
    """
    manifest, used, by_place = replay.manifest, replay.replies.used, replay.replies.by_place
    corpus = manifest.corpus
    return {
        "recording": manifest.name,
        "commands": list(manifest.commands),
        "requests": requests_by_prompt(one for one in by_place.values() if one.place in used),
        "spending": [asdict(one) for one in replay.spending],
        "counts": counts(graph, corpus),
        "funnel": [_funnel_column(asdict(column)) for column in read_funnel(graph, corpus)],
        "kept": kept_questions(graph, corpus),
        "runs": [_run(graph, corpus, row) for row in graph.rows(query("runs/list_runs"), corpus=corpus)],
    }


def requests_by_prompt(recordings: Iterable[Recording]) -> list[Json]:
    """How many requests each prompt took, in the order of stages, with tokens and words."""
    found: dict[str, Json] = {}
    for one in recordings:
        row = found.setdefault(
            one.prompt,
            {"stage": stage_of(one.prompt), "prompt": one.prompt, "requests": 0}
            | dict.fromkeys(("input_tokens", "output_tokens", "words", "repeated_words"), 0),
        )
        row["requests"] += 1
        for name in ("input_tokens", "output_tokens", "words", "repeated_words"):
            row[name] += getattr(one, name)
    order = list(STAGES)
    return sorted(found.values(), key=lambda row: (order.index(row["stage"]), row["prompt"]))


def stage_of(prompt: str) -> str:
    """The stage that a prompt, given by its id, is of."""
    return next(stage for stage, starts in STAGES.items() if prompt.startswith(starts))


def counts(graph: Graph, corpus: str) -> Json:
    """The sizes of the graph's parts."""
    (of_corpus,) = [row for row in graph.rows(query("corpus/list_corpora")) if row["name"] == corpus]
    claims = graph.rows(query("claims/count_claims"), corpus=corpus, factual_from=FACTUAL_FROM)[0]
    merged = [row["id"] for row in graph.rows(query("links/list_merged"), corpus=corpus)]
    names = graph.read_in_batches(query("links/read_merged"), merged, sentences=0)
    return {
        "articles": of_corpus["articles"],
        "chunks": of_corpus["chunks"],
        "claims": claims["claims"],
        "facts": claims["triples"],
        "failed": claims["failed"],
        "entities": of_corpus["entities"],
        "merged names": sum(len(row["aliases"]) for row in names),
        "links by context": len(graph.rows(query("links/count_contexts"), corpus=corpus)),
        "kept questions": of_corpus["questions"],
    }


def kept_questions(graph: Graph, corpus: str) -> list[Json]:
    """The kept questions of all kinds, by their ids."""
    return _listed_questions(graph, corpus, "kept", "")


def known_questions(graph: Graph, corpus: str) -> list[Json]:
    """Those that fell because the model knew the answer by heart, by their ids."""
    return _listed_questions(graph, corpus, "rejected", CLOSED_BOOK)


def _listed_questions(graph: Graph, corpus: str, status: str, rejected_by: str) -> list[Json]:
    rows = graph.rows(
        query("questions/list_questions"),
        corpus=corpus,
        hops=[],
        kinds=[],
        status=status,
        rejected_by=rejected_by,
        limit=ALL,
    )
    fields = ("id", "kind", "hops", "text", "answer")
    return sorted(({name: row[name] for name in fields} for row in rows), key=lambda row: str(row["id"]))


def _funnel_column(column: Json) -> Json:
    return {name: column[name] for name in ("kind", "hops", "drawn", "fell", "dropped", "kept")}


def _run(graph: Graph, corpus: str, row: Json) -> Json:
    matrix = read_matrix(graph, corpus, row["name"])
    record = graph.rows(query("runs/read_record"), run=run_id(corpus, row["name"]))[0]["run"]
    told = {
        name: row[name] for name in ("name", "system", "generator", "judge", "answers", "right", "errors")
    }
    return told | {
        "retriever": record["retriever"],
        "scale": record.get("judge_scale") or "",
        "cells": [_cell(cell) for cell in matrix.cells],
        "by_depth": [_cell(cell) for cell in matrix.by_depth],
        "by_bin": [_cell(cell) for cell in matrix.by_bin],
        "total": _cell(matrix.total),
    }


def _cell(cell: Cell) -> Json:
    spread = cell.clustered or cell.interval
    return {
        "hops": cell.hops,
        "bin": cell.bin,
        "n": cell.n,
        "errors": cell.errors,
        "interval": None if spread is None else [round(spread.low, 6), round(spread.high, 6)],
    }


def differences(recorded: Json, found: Json) -> Sequence[str]:
    """What two results differ in, a line for each part."""
    return [
        f"{name}: {recorded.get(name)} was recorded, {found.get(name)} came out"
        for name in recorded | found
        if recorded.get(name) != found.get(name)
    ]
