"""Traces made by hand: a chain of three hops from Mira Tolland, and what a system did about it."""

from collections.abc import Sequence
from dataclasses import replace

from services.evaluate.hop_traces import GoldHop, PrefixAnswer, Trace, TraceStep

QUESTION = "Who founded the company that owns the club that Mira Tolland plays for?"

CHAIN = (
    GoldHop(1, ("c1",), ("Mira Tolland", "Tolland"), ("Ostby Rovers",), "plays for"),
    GoldHop(2, ("c2", "c2b"), ("Ostby Rovers",), ("Halden Shipping",), "is owned by"),
    GoldHop(3, ("c3",), ("Halden Shipping",), ("Greta Lindqvist",), "was founded by"),
)

TRACE = Trace(
    answer="a",
    question="q",
    question_text=QUESTION,
    kind="chain",
    query_type="inference",
    hops=3,
    bin=1,
    cluster="article",
    answer_text="Insufficient information",
    gold="Greta Lindqvist",
    accepted=("Greta Lindqvist",),
    correct=False,
    exact=False,
    f1=0.0,
    score=None,
    judged_by="exact match",
    abstained=True,
    error="",
    retrieval_reported=True,
    steps=(),
    chain=CHAIN,
    prefixes=(),
)
"""An answer that failed without a step."""


def search(query: str, *seen: str) -> TraceStep:
    """A search that saw these chunks; its number is given by `made`."""
    return TraceStep(0, "search", query, f"{len(seen)} chunks", retrieves=True, top_k=2, seen=seen)


def reading(query: str, observation: str) -> TraceStep:
    """A part of the question that was answered from what was seen."""
    return TraceStep(0, "answer", query, observation)


def made(*steps: TraceStep, given: str = "", prefixes: Sequence[bool] = ()) -> Trace:
    """The trace of a wrong answer after these steps; `prefixes` tells which prefix questions were right."""
    return replace(
        TRACE,
        answer_text=given or TRACE.answer_text,
        abstained=not given,
        steps=tuple(replace(step, index=index) for index, step in enumerate(steps, start=1)),
        prefixes=tuple(PrefixAnswer(hops, "", right) for hops, right in enumerate(prefixes, start=1)),
    )
