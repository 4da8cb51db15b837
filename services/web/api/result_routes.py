"""Judged comparisons: what was fixed before each of them, and what came of it.

Questions, and the funnel that they came through.

Runs: what came of them, their matrix, their answers, and how two of them differ.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Literal
from urllib.parse import quote

from fastapi import APIRouter, Query
from fastapi.responses import Response

from services.comparison.analysis.content import Results
from services.comparison.report.renderers import render_html, render_latex, render_markdown
from services.evaluate.run_analysis import RunAnalysis, analyse_traces
from services.evaluate.write_back import BrokenBy
from services.questions.draft import QuestionStatus
from services.questions.funnel import Column, read_funnel
from services.questions.review import Pool, ReviewReport, read_report
from services.questions.review_files import draw_sheet, sheet_text
from services.report.comparisons import compare_named
from services.report.content import Compared
from services.web.api.parameters import (
    LONGEST_RUN,
    LONGEST_TEXT,
    Bins,
    CorpusName,
    Cursor,
    Hops,
    Id,
    Limit,
    OptionalId,
    RunName,
    StandardName,
    Text,
)
from services.web.api.resources import Reading, Shared
from services.web.views import questions as questions_view
from services.web.views import runs as runs_view
from services.web.views import standards as standards_view
from services.web.views.cursors import Slice, require_known, run_of
from services.web.views.questions import QuestionDetail, QuestionFilters, QuestionSummary
from services.web.views.runs import AnswerDetail, AnswerFilters, AnswerSummary, RunMatrix, RunSummary
from services.web.views.standards import StandardDetail, StandardSummary

JSON_LINES = "application/jsonl"

questions_router = APIRouter(prefix="/corpora/{corpus}", tags=["questions"])


@questions_router.get("/questions")
async def list_questions(
    graph: Reading,
    corpus: CorpusName,
    status: QuestionStatus = "kept",
    hops: Hops = [],  # noqa: B006
    bins: Bins = [],  # noqa: B006
    kind: Annotated[
        list[Annotated[str, Query(max_length=LONGEST_TEXT)]],
        Query(description="Such as chain or null; none for any.", max_length=20),
    ] = [],  # noqa: B006
    rejected_by: Annotated[str, Query(description="Name of a filter.", max_length=LONGEST_TEXT)] = "",
    text: Text = "",
    entity: OptionalId = "",
    cursor: Cursor = None,
    limit: Limit = 50,
) -> Slice[QuestionSummary]:
    """Questions by depth, also those of one cell of the matrix (hops and bins), or around one entity."""
    filters = QuestionFilters(status, hops, bins, kind, rejected_by, text, entity)
    return await questions_view.list_questions(graph, corpus, filters, cursor, limit)


@questions_router.get("/questions/funnel")
async def question_funnel(shared: Shared, corpus: CorpusName) -> list[Column]:
    """How many questions of each depth and kind were drawn, fell at each filter, and are kept."""
    await require_known(shared.graph, corpus)
    return await shared.in_thread(read_funnel, shared.lent, corpus)


@questions_router.get("/reviews")
async def read_reviews(shared: Shared, corpus: CorpusName) -> ReviewReport:
    """Who decided what on questions, how far people agree (Fleiss' kappa), and which questions are open."""
    await require_known(shared.graph, corpus)
    return await shared.in_thread(read_report, shared.lent, corpus)


@questions_router.get(
    "/reviews/sheet",
    response_class=Response,
    responses={
        200: {
            "description": "A line of JSON a question.",
            "content": {JSON_LINES: {"schema": {"type": "string"}}},
        }
    },
)
async def read_review_sheet(
    shared: Shared,
    corpus: CorpusName,
    annotator: Annotated[str, Query(description="Who is to decide.", pattern=r"\S", max_length=80)],
    sample: Annotated[int | None, Query(description="Questions, drawn by seed; none for all.", ge=1)] = None,
    seed: Annotated[int, Query(description="The same for all annotators.", ge=0, le=2**32 - 1)] = 0,
    status: Annotated[Pool, Query(description="rejected: to see whether the filters are right.")] = "kept",
) -> Response:
    """Questions with their evidence for somebody to decide on; fill in `decision` and send the lines back.

    What others decided is not in it; who decided on a question before finds that.
    """
    await require_known(shared.graph, corpus)
    lines = await shared.in_thread(draw_sheet, shared.lent, corpus, annotator, status, sample, seed)
    disposition = 'attachment; filename="reviews.jsonl"'
    return Response(sheet_text(lines), media_type=JSON_LINES, headers={"Content-Disposition": disposition})


@questions_router.get("/questions/{question}")
async def read_question(graph: Reading, corpus: CorpusName, question: Id) -> QuestionDetail:
    """A question with its path, the facts it rests on, its evidence, and what each run answered."""
    return await questions_view.read_question(graph, corpus, question)


runs_router = APIRouter(prefix="/corpora/{corpus}", tags=["runs"])

Compare = Annotated[str, Query(description="Name of a run.", min_length=1, max_length=LONGEST_RUN)]


@runs_router.get("/runs")
async def list_runs(graph: Reading, corpus: CorpusName) -> tuple[RunSummary, ...]:
    """The runs of a corpus with what came of them."""
    return await runs_view.list_runs(graph, corpus)


@runs_router.get("/runs/{run}")
async def read_run(graph: Reading, corpus: CorpusName, run: RunName) -> RunSummary:
    """One run."""
    return await runs_view.read_run(graph, corpus, run)


@runs_router.get("/runs/{run}/matrix")
async def read_matrix(graph: Reading, corpus: CorpusName, run: RunName) -> RunMatrix:
    """Error rates by reasoning depth and quartile of retrieval distance, with their totals."""
    return await runs_view.read_matrix(graph, corpus, run)


@runs_router.get("/runs/{run}/analysis")
async def analyse_run(shared: Shared, corpus: CorpusName, run: RunName) -> RunAnalysis:
    """The run hop by hop: accuracy, depth and searches by kind of question and hops, causes of failures.

    A figure over fewer than 20 answers says little. Nothing is written.
    """
    await run_of(shared.graph, corpus, run)
    return await shared.of_runs(corpus, [run], analyse_traces, run)


@runs_router.get("/runs/{run}/answers")
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
    return await runs_view.list_answers(graph, corpus, run, filters, cursor, limit)


@runs_router.get("/answers/{answer}")
async def read_answer(graph: Reading, corpus: CorpusName, answer: Id) -> AnswerDetail:
    """An answer with what was retrieved for it, the steps that led to it, and the verdicts on it."""
    return await runs_view.read_answer(graph, corpus, answer)


@runs_router.get("/compare")
async def compare(shared: Shared, corpus: CorpusName, first: Compare, second: Compare) -> Sequence[Compared]:
    """How the accuracy of two runs differs on the questions that both answered, over all and at each depth.

    Intervals and tests take only clusters of questions that share an article for independent.
    """
    for name in (first, second):
        await run_of(shared.graph, corpus, name)
    return await shared.of_runs(corpus, [first, second], compare_named, first, second)


ReportFormat = Literal["html", "md", "tex"]


_FORMS: Mapping[ReportFormat, tuple[Callable[[Results], str], str]] = {
    "html": (render_html, "text/html"),
    "md": (render_markdown, "text/markdown"),
    "tex": (render_latex, "application/x-tex"),
}
"""How a report is written, and as what it is sent."""

standards_router = APIRouter(prefix="/corpora/{corpus}", tags=["standards"])


@standards_router.get("/standards")
async def list_standards(graph: Reading, corpus: CorpusName) -> tuple[StandardSummary, ...]:
    """The judged comparisons of a corpus, with how their hypotheses were decided."""
    return await standards_view.list_standards(graph, corpus)


@standards_router.get("/standards/{standard}")
async def read_standard(graph: Reading, corpus: CorpusName, standard: StandardName) -> StandardDetail:
    """One judged comparison: its locked protocol, and every figure of its report once it was run."""
    return await standards_view.read_standard(graph, corpus, standard)


@standards_router.get(
    "/standards/{standard}/report.{format}",
    response_class=Response,
    responses={
        200: {
            "description": "The report as a file.",
            "content": {media_type: {"schema": {"type": "string"}} for _, media_type in _FORMS.values()},
        }
    },
)
async def read_standard_report(
    shared: Shared,
    corpus: CorpusName,
    standard: StandardName,
    format: ReportFormat,  # noqa: A002  the name in the address
) -> Response:
    """The report of a judged comparison as a file: one page that opens anywhere, or its tables."""
    found = standards_view.results_of(await standards_view.read_standard(shared.graph, corpus, standard))
    render, media_type = _FORMS[format]
    text = await shared.in_thread(render, found)
    # The page has its style inside, which the policy for pages of this server forbids: it is for keeping.
    disposition = f"attachment; filename*=UTF-8''{quote(standard, safe='')}.{format}"
    return Response(text, media_type=media_type, headers={"Content-Disposition": disposition})
