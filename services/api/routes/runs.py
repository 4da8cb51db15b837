"""Runs: what came of them, their matrix, their answers, and how two of them differ."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Query

from services.api.parameters import LONGEST_RUN, Bins, CorpusName, Cursor, Hops, Id, Limit, RunName
from services.api.resources import Reading, Shared
from services.evaluate.losses import BrokenBy
from services.evaluate.run_analysis import RunAnalysis, analyse_traces
from services.report.comparisons import compare_named
from services.report.content import Compared
from services.views import answers, runs
from services.views.answers import AnswerDetail, AnswerFilters, AnswerSummary
from services.views.cursors import Slice
from services.views.missing import run_of
from services.views.runs import RunMatrix, RunSummary

router = APIRouter(prefix="/corpora/{corpus}", tags=["runs"])

Compare = Annotated[str, Query(description="Name of a run.", min_length=1, max_length=LONGEST_RUN)]


@router.get("/runs")
async def list_runs(graph: Reading, corpus: CorpusName) -> tuple[RunSummary, ...]:
    """The runs of a corpus with what came of them."""
    return await runs.list_runs(graph, corpus)


@router.get("/runs/{run}")
async def read_run(graph: Reading, corpus: CorpusName, run: RunName) -> RunSummary:
    """One run."""
    return await runs.read_run(graph, corpus, run)


@router.get("/runs/{run}/matrix")
async def read_matrix(graph: Reading, corpus: CorpusName, run: RunName) -> RunMatrix:
    """Error rates by reasoning depth and quartile of retrieval distance, with their totals."""
    return await runs.read_matrix(graph, corpus, run)


@router.get("/runs/{run}/analysis")
async def analyse_run(shared: Shared, corpus: CorpusName, run: RunName) -> RunAnalysis:
    """The run hop by hop: accuracy, depth and searches by kind of question and hops, causes of failures.

    A figure over fewer than 20 answers says little. Nothing is written.
    """
    await run_of(shared.graph, corpus, run)
    return await shared.of_runs(corpus, [run], analyse_traces, run)


@router.get("/runs/{run}/answers")
async def list_answers(
    graph: Reading,
    corpus: CorpusName,
    run: RunName,
    correct: bool | None = None,
    failed: Annotated[bool | None, Query(description="Whether the system failed to answer.")] = None,
    hops: Hops = [],  # noqa: B006
    bins: Bins = [],  # noqa: B006
    broken_by: BrokenBy | None = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> Slice[AnswerSummary]:
    """The answers of a run, also the wrong ones only, or those of one cell of the matrix."""
    filters = AnswerFilters(correct, failed, hops, bins, broken_by or "")
    return await answers.list_answers(graph, corpus, run, filters, cursor, limit)


@router.get("/answers/{answer}")
async def read_answer(graph: Reading, corpus: CorpusName, answer: Id) -> AnswerDetail:
    """An answer with what was retrieved for it, the steps that led to it, and the verdicts on it."""
    return await answers.read_answer(graph, corpus, answer)


@router.get("/compare")
async def compare(shared: Shared, corpus: CorpusName, first: Compare, second: Compare) -> Sequence[Compared]:
    """How the accuracy of two runs differs on the questions that both answered, over all and at each depth.

    Intervals and tests take only clusters of questions that share an article for independent.
    """
    for name in (first, second):
        await run_of(shared.graph, corpus, name)
    return await shared.of_runs(corpus, [first, second], compare_named, first, second)
