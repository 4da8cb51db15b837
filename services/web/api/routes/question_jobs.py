"""Jobs about questions: composing them, and taking what people decided on them."""

from datetime import UTC, datetime
from typing import Literal

from fastapi import APIRouter, Response
from pydantic import BaseModel, ConfigDict, Field

from services.questions.choice import WorkerOption
from services.questions.composed.pipeline import ComposeSize
from services.questions.composed.protocol import Across
from services.web.api.jobs import JobState
from services.web.api.parameters import LONGEST_ID, LONGEST_TEXT, CorpusName
from services.web.api.resources import Shared
from services.web.api.routes.jobs import ACCEPTED, MAX_SEED, Body, start_job
from services.web.api.work import composing, taking_reviews
from services.web.views.corpora import read_corpus

router = APIRouter(tags=["jobs"])

USUAL = ComposeSize()
LONGEST_NAME = 80
MOST_LINES = 10_000
LONGEST_QUESTION = 2_000


class ComposingWanted(Body):
    """Questions to compose from atomic ones."""

    generator: WorkerOption = Field(
        default="rules",
        description="model: HOPGRADE_GENERATE_MODEL writes, HOPGRADE_ANSWER_MODEL answers and "
        "HOPGRADE_JUDGE_MODEL checks.",
    )
    hops: list[Literal[2, 3, 4]] = Field(default=[2, 3, 4], min_length=1, max_length=3)
    per_hops: int = Field(
        default=USUAL.per_hops,
        ge=1,
        le=10**9,
        description="Kept questions of each number of hops at most: so many sequential, so many parallel.",
    )
    chunks: int | None = Field(
        default=None,
        ge=1,
        le=10**9,
        description="Make atomic questions of so many chunks at most, which bounds what models take; null "
        "for as many as it takes.",
    )
    across: Across = Field(
        default=USUAL.across, description="What the hops of a question come from, each from another one."
    )
    max_domain_share: float = Field(default=USUAL.max_domain_share, ge=0.01, le=1, strict=False)
    seed: int = Field(default=USUAL.seed, ge=0, le=MAX_SEED)
    again: bool = Field(
        default=False,
        description="Compose anew though nothing changed; a model is asked again where it failed.",
    )


class ReviewLine(BaseModel):
    """A line of a review sheet; what the sheet tells of the question may stay in it and is not read."""

    model_config = ConfigDict(extra="ignore", strict=True)

    id: str = Field(min_length=1, max_length=LONGEST_ID)
    decision: Literal["keep", "drop", "edit", ""] = Field(description="Empty: not decided, the line is left.")
    reason: str = Field(default="", max_length=LONGEST_TEXT)
    new_text: str = Field(default="", max_length=LONGEST_QUESTION, description="Of an edit.")
    at: str = Field(default="", max_length=40, description="When it was decided; empty for now.")


class ReviewsWanted(Body):
    """Decisions of one person."""

    annotator: str = Field(min_length=1, max_length=LONGEST_NAME, pattern=r"\S")
    lines: list[ReviewLine] = Field(min_length=1, max_length=MOST_LINES)


@router.post("/corpora/{corpus}/composing", status_code=ACCEPTED)
async def start_composing(
    shared: Shared, corpus: CorpusName, wanted: ComposingWanted, response: Response
) -> JobState:
    """Compose questions of several hops from atomic ones of single chunks, as a job; it leaves composed.json.

    They come beside the questions that the corpus has; with other options, those composed before are deleted
    with what was answered to them.
    """
    found = await read_corpus(shared.graph, corpus)
    shared.require_spending(wanted.generator, found.embedder)
    size = ComposeSize(
        tuple(sorted(set(wanted.hops))),
        wanted.per_hops,
        wanted.max_domain_share,
        wanted.seed,
        wanted.chunks,
        wanted.across,
    )
    work = composing(shared.lent, shared.settings, corpus, size, wanted.generator, wanted.again)
    return await start_job(shared, corpus, "composing", work, response)


@router.post("/corpora/{corpus}/reviews", status_code=ACCEPTED)
async def take_reviews(
    shared: Shared, corpus: CorpusName, wanted: ReviewsWanted, response: Response
) -> JobState:
    """Take what somebody decided on questions, as a job; all lines can be used, or nothing is written.

    Questions follow at once: one that more people drop than keep is not asked any more.
    """
    found = await read_corpus(shared.graph, corpus)
    if any(line.decision == "edit" for line in wanted.lines):
        shared.require_spending("rules", found.embedder)
    name = " ".join(wanted.annotator.split())
    lines = [(f"line {number}", line.model_dump()) for number, line in enumerate(wanted.lines, start=1)]
    work = taking_reviews(shared.lent, shared.settings, corpus, name, lines, datetime.now(UTC))
    return await start_job(shared, corpus, "reviews", work, response)
