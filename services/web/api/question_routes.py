"""Ask a question of a corpus; let questions be composed, and take what people decided on them."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from fastapi import APIRouter, Response
from pydantic import BaseModel, ConfigDict, Field

from services.questions.choice import WorkerOption
from services.questions.composed.pipeline import ComposeSize
from services.questions.composed.protocol import Across
from services.rag.ask import AskResult, PathStep
from services.rag.protocol import Step
from services.rag.retrieval.choose import DEFAULT, check_retriever
from services.rag.run_options import RunOptions, SystemName, check_limits
from services.web.api.job_routes import ACCEPTED, MAX_SEED, Body, start_job
from services.web.api.jobs import JobState
from services.web.api.parameters import (
    CANDIDATES,
    LONGEST_ID,
    LONGEST_TEXT,
    RERANKER,
    CorpusName,
    RerankerOption,
)
from services.web.api.resources import Shared
from services.web.api.work import composing, taking_reviews
from services.web.views.corpora import read_corpus

ask_router = APIRouter(prefix="/corpora/{corpus}", tags=["ask"])


class QuestionAsked(BaseModel):
    """A question to answer."""

    model_config = ConfigDict(extra="forbid", strict=True)

    question: str = Field(
        min_length=1, max_length=2_000, pattern=r"\S", examples=["Who leads the university in Dunmarrow?"]
    )
    system: SystemName = "single-step"
    retriever: str = Field(default=DEFAULT, max_length=40, description="Who looks for chunks.")
    top: int = Field(default=10, ge=1, le=50, description="Chunks retrieved.")
    reranker: RerankerOption | None = RERANKER
    candidates: int | None = CANDIDATES


@dataclass(frozen=True, slots=True)
class SeenHit:
    """A chunk that a step saw."""

    rank: int
    score: float
    chunk: str


@dataclass(frozen=True, slots=True)
class ReadChunk(SeenHit):
    """A chunk that the answer was read from, in the order in which the system saw it."""

    title: str
    source: str
    text: str


@dataclass(frozen=True, slots=True)
class LiveStep:
    """One step of the system: what it did, with what query, why, what came of it, and what it saw.

    `thought` is what an agent said of its reasons, and `fault` what was wrong with the step, empty where
    nothing was.
    """

    index: int
    action: str
    query: str
    observation: str
    top_k: int | None
    thought: str
    fault: str
    seen: tuple[SeenHit, ...]


@dataclass(frozen=True, slots=True)
class LiveAnswer:
    """An answer with where it was read: sentence, chunk, entity (each empty where not told), and the path
    from what the question names to it, empty where there is none."""

    answer: str
    sentence: str
    chunk: str
    entity: str
    path: tuple[PathStep, ...]
    retrieved: tuple[ReadChunk, ...]
    steps: tuple[LiveStep, ...]
    system: str
    generator: str


@ask_router.post("/ask")
async def ask(shared: Shared, corpus: CorpusName, asked: QuestionAsked) -> LiveAnswer:
    """Answer a question by rules, a baseline without a model."""
    check_retriever(asked.retriever)
    check_limits(
        RunOptions(system=asked.system, top=asked.top, reranker=asked.reranker, candidates=asked.candidates)
    )
    found = await read_corpus(shared.graph, corpus)
    shared.require_spending("rules", found.embedder)
    asking = await shared.in_thread(
        shared.warm.ask,
        corpus,
        found.embedder,
        asked.question,
        asked.system,
        asked.retriever,
        asked.top,
        asked.reranker,
        asked.candidates,
    )
    return _live_answer(asking)


def _live_answer(asking: AskResult) -> LiveAnswer:
    reading = asking.reading
    return LiveAnswer(
        answer=reading.answer,
        sentence=reading.sentence,
        chunk=reading.chunk,
        entity=reading.entity,
        path=asking.path,
        retrieved=tuple(
            ReadChunk(rank, float(hit.score), hit.chunk, passage.title, passage.source, passage.text)
            for rank, (hit, passage) in enumerate(zip(asking.hits, asking.passages, strict=True), start=1)
        ),
        steps=tuple(map(_step, asking.steps)),
        system=asking.system,
        generator=asking.generator,
    )


def _step(step: Step) -> LiveStep:
    return LiveStep(
        step.index,
        step.action,
        step.query,
        step.observation,
        step.top_k,
        step.thought,
        step.fault,
        tuple(SeenHit(rank, float(hit.score), hit.chunk) for rank, hit in enumerate(step.hits, start=1)),
    )


question_jobs_router = APIRouter(tags=["jobs"])

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


@question_jobs_router.post("/corpora/{corpus}/composing", status_code=ACCEPTED)
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


@question_jobs_router.post("/corpora/{corpus}/reviews", status_code=ACCEPTED)
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
