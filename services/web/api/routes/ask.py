"""Ask a question of a corpus, and see where its answer comes from."""

from dataclasses import dataclass

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from services.rag.ask import AskResult, PathStep
from services.rag.protocol import Step
from services.rag.retrieval.choose import DEFAULT, check_retriever
from services.rag.run_options import RunOptions, SystemName, check_limits
from services.web.api.parameters import CANDIDATES, RERANKER, CorpusName, RerankerOption
from services.web.api.resources import Shared
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
