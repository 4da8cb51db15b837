"""Questions, and the funnel that they came through."""

from typing import Annotated, Literal

from fastapi import APIRouter, Query

from services.api.parameters import LONGEST_TEXT, Bins, CorpusName, Cursor, Hops, Id, Limit, OptionalId, Text
from services.api.resources import Reading, Shared
from services.questions.funnel import Column, read_funnel
from services.views import questions as questions_view
from services.views.cursors import Slice, require_known
from services.views.questions import QuestionDetail, QuestionFilters, QuestionSummary

questions_router = APIRouter(prefix="/corpora/{corpus}", tags=["questions"])


@questions_router.get("/questions")
async def list_questions(
    graph: Reading,
    corpus: CorpusName,
    status: Literal["kept", "rejected", "dropped", "prefix", "atomic"] = "kept",
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


@questions_router.get("/questions/{question}")
async def read_question(graph: Reading, corpus: CorpusName, question: Id) -> QuestionDetail:
    """A question with its path, the facts it rests on, its evidence, and what each run answered."""
    return await questions_view.read_question(graph, corpus, question)
