"""Jobs: answering, reporting, computing and exporting; started here, followed, stopped, their files sent."""

import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import asdict, replace
from datetime import date
from functools import partial
from typing import Annotated, Literal

from fastapi import APIRouter, Header, Path, Response
from fastapi.responses import FileResponse
from pydantic import BaseModel, ConfigDict, Field
from sse_starlette import EventSourceResponse, ServerSentEvent

from kg.llm.roles import role_budget
from kg.progress import Progress
from services.answers import RULES
from services.benchmarks.sweep import pending_links, plan_settings, sweep, sweep_costs
from services.datasets.choose import FORMATS
from services.datasets.contamination import PublishedSet, read_contamination
from services.datasets.description import UNKNOWN_LICENCE
from services.datasets.export_dataset import ExportOptions
from services.datasets.graph_content import GraphContent
from services.datasets.graph_write import GRAPH_FORMATS
from services.datasets.splits import parse_splits
from services.evaluate.judge import JudgeOptions, Scale
from services.preflight.asking import check_rule, prepare
from services.preflight.job_needs import sweep_needs
from services.rag.context import LEAST_EVIDENCE_TOKENS
from services.rag.retrieval.choose import check_retriever
from services.rag.run_options import (
    MOST_REPEATS,
    RETRIEVER,
    EvidenceOption,
    GeneratorOption,
    RunOptions,
    SystemName,
    check_limits,
    repeat_options,
)
from services.settled_options import GivenOptions, settle_options
from services.web.api.jobs import Job, Jobs, JobState, Work, follow
from services.web.api.parameters import (
    CANDIDATES,
    LONGEST_ID,
    LONGEST_RUN,
    LONGEST_TEXT,
    RERANKER,
    CorpusName,
    Id,
    RerankerOption,
    RunName,
)
from services.web.api.resources import Resources, Shared
from services.web.api.work import (
    answering,
    computing,
    exporting_dataset,
    exporting_graph,
    judging,
    reporting,
)
from services.web.views.corpora import read_corpus
from services.web.views.cursors import MissingError, require_known, run_of

router = APIRouter(tags=["jobs"])

ACCEPTED = 202
MAX_SEED = 2**32 - 1
MOST_ITERATIONS = 100


class Body(BaseModel):
    """What a request sends: nothing but what is known, and nothing read as another type."""

    model_config = ConfigDict(extra="forbid", strict=True)


class RunWanted(Body):
    """A run to start, or to go on with."""

    system: SystemName = "single-step"
    generator: GeneratorOption = Field(default="rules", description="model: HOPGRADE_ANSWER_MODEL answers.")
    name: str = Field(default="", max_length=80, description="Empty: made of system, retriever and model.")
    retriever: str = Field(default=RETRIEVER, max_length=40)
    top: int = Field(default=10, ge=1, le=100, description="Chunks retrieved for a question.")
    reranker: RerankerOption | None = RERANKER
    candidates: int | None = CANDIDATES
    evidence: EvidenceOption = Field(
        default="retrieved",
        description="gold: the chunks that support a question in place of a search; none: from memory.",
    )
    limit: int | None = Field(default=None, ge=1, le=10**9, description="Questions at most; null for all.")
    retry_failed: bool = False
    prefixes: bool = Field(default=False, description="Ask the questions' first hops too, one by one.")
    most_iterations: int | None = Field(
        default=None, ge=1, le=MOST_ITERATIONS, description="Of an agent alone; null for its own limit."
    )
    evidence_tokens: int | None = Field(
        default=None,
        ge=LEAST_EVIDENCE_TOKENS,
        le=10**9,
        description="Tokens of text that may be read for a question, over all readings; null for no limit.",
    )
    repeat: int | None = Field(
        default=None,
        ge=2,
        le=MOST_REPEATS,
        description="So many runs, NAME-seed-0 and on, that differ in the model's seed; null for one.",
    )
    seed: int = Field(default=0, ge=0, le=MAX_SEED, description="Seed of the model; of repeat the first.")
    temperature: float = Field(default=0, ge=0, le=2, strict=False, description="Temperature of the model.")
    anew: bool = Field(default=False, description="Answers that other settings gave may be deleted.")


class JudgingWanted(Body):
    """Who is to judge a run, and how."""

    judge: str = Field(
        default="",
        max_length=LONGEST_TEXT,
        description="A model of the server's endpoint, empty for its HOPGRADE_JUDGE_MODEL; match or exact: a "
        "rule, which asks no model.",
    )
    scale: Scale = Field(default="binary", description="binary: right or wrong; 0-2: right from 1.")
    second: bool = Field(default=False, description="Compare only: what counts as right stays as it is.")
    prefer: bool = Field(default=False, description="This judge decides, whoever judged before.")
    same_judge: bool = Field(default=False, description="A model may judge its own answers.")
    exact_too: bool = Field(default=False, description="Exact matches are asked about too.")
    limit: int | None = Field(default=None, ge=1, le=10**9, description="Answers at most; null for all.")
    seed: int = Field(default=0, ge=0, le=MAX_SEED, description="Of the sample of second with a limit.")


class ReportWanted(Body):
    """A report to make."""

    runs: list[str] = Field(default=[], max_length=20, description="None for all runs of the corpus.")
    seed: int = Field(default=0, ge=0, le=MAX_SEED, description="Seed of the sign-flips.")


class SweepWanted(Body):
    """Chain questions to answer anew under other settings."""

    system: SystemName = "single-step"
    generator: GeneratorOption = Field(default="rules", description="model: HOPGRADE_ANSWER_MODEL answers.")
    retriever: str = Field(default=RETRIEVER, max_length=40)
    embedders: list[Literal["builtin"]] = Field(
        default=[],
        max_length=1,
        description="None for the corpus' own; other models only at the command line.",
    )
    chunks: list[Annotated[str, Field(max_length=40)]] = Field(
        default=[], max_length=10, description="Sizes, such as small or 128-256/50; none for the corpus' own."
    )
    top: list[Annotated[int, Field(ge=1, le=100)]] = Field(
        default=[10], min_length=1, max_length=10, description="Numbers of chunks retrieved for a question."
    )
    reranker: RerankerOption | None = RERANKER
    candidates: int | None = CANDIDATES
    limit: int | None = Field(default=None, ge=1, le=10**9, description="Questions at most; null for all.")


class QuestionsWanted(Body):
    """Questions of a published set."""

    name: str = Field(min_length=1, max_length=LONGEST_TEXT)
    questions: list[Annotated[str, Field(min_length=1, max_length=2_000)]] = Field(
        min_length=1, max_length=20_000
    )


class ContaminationWanted(Body):
    """What to hold a corpus against."""

    cutoff: date | None = Field(
        default=None,
        strict=False,
        description="Last day of what a model was trained on; null for HOPGRADE_MODEL_CUTOFF.",
    )
    sets: list[QuestionsWanted] = Field(default=[], max_length=10)
    show: int = Field(default=5, ge=0, le=1_000, description="Pairs most alike to tell of each set.")


class DatasetWanted(Body):
    """A dataset to export."""

    format: str = Field(max_length=40, description="A name from /api/formats.", examples=["beir"])
    splits: str = Field(
        default="",
        max_length=LONGEST_TEXT,
        description="Shares, such as train=.8,dev=.1,test=.1; empty for one.",
    )
    seed: int = Field(default=0, ge=0, le=MAX_SEED)
    licence: str = Field(default="", max_length=LONGEST_TEXT, description="Licence of the articles.")


class GraphExportWanted(Body):
    """A graph to export."""

    format: str = Field(max_length=40, description="A name from /api/formats.", examples=["graphml"])
    part: Literal["all", "knowledge"] = "all"
    texts: bool = True
    vectors: bool = False
    licence: str = Field(default="", max_length=LONGEST_TEXT, description="Licence of the articles.")


class ExportFormat(BaseModel):
    """A format that can be exported."""

    name: str
    kind: Literal["dataset", "graph"]
    summary: str


@router.post("/corpora/{corpus}/runs", status_code=ACCEPTED)
async def start_run(shared: Shared, corpus: CorpusName, wanted: RunWanted, response: Response) -> JobState:
    """Let a RAG system answer the questions of a corpus, as a job."""
    check_retriever(wanted.retriever)
    options = RunOptions(
        system=wanted.system,
        generator=wanted.generator,
        name=wanted.name,
        retriever=wanted.retriever,
        top=wanted.top,
        question_limit=wanted.limit,
        retry_failed=wanted.retry_failed,
        prefixes=wanted.prefixes,
        most_iterations=wanted.most_iterations,
        evidence_tokens=wanted.evidence_tokens,
        reranker=wanted.reranker,
        candidates=wanted.candidates,
        evidence=wanted.evidence,
        seed=wanted.seed,
        temperature=wanted.temperature or None,
    )
    check_limits(options)
    found = await read_corpus(shared.graph, corpus)
    shared.require_spending(options.generator, found.embedder)
    several = repeat_options(options, wanted.repeat, shared.settings) if wanted.repeat else [options]
    work = answering(shared.lent, shared.settings, corpus, several, wanted.anew)
    return await start_job(shared, corpus, "run", work, response)


@router.post("/corpora/{corpus}/runs/{run}/judging", status_code=ACCEPTED)
async def judge_run(
    shared: Shared, corpus: CorpusName, run: RunName, wanted: JudgingWanted, response: Response
) -> JobState:
    """Let a model judge the answers of a run, as a job; it leaves judging.json.

    The first judge of a run decides what counts as right. What is judged already is not asked about again.
    """
    options = JudgeOptions(
        wanted.scale,
        wanted.second,
        wanted.prefer,
        wanted.same_judge,
        wanted.exact_too,
        wanted.limit,
        wanted.seed,
    )
    if wanted.judge in RULES:
        check_rule(RULES[wanted.judge], options)
    await run_of(shared.graph, corpus, run)
    shared.require_spending("rules" if wanted.judge in RULES else "model", "")
    work = judging(shared.lent, shared.settings, corpus, run, wanted.judge, options)
    return await start_job(shared, corpus, "judging", work, response)


@router.post("/corpora/{corpus}/reports", status_code=ACCEPTED)
async def start_report(
    shared: Shared, corpus: CorpusName, wanted: ReportWanted, response: Response
) -> JobState:
    """Report on runs, as a job; it leaves report.html and report.json."""
    for name in wanted.runs:
        await run_of(shared.graph, corpus, name[:LONGEST_RUN])
    work = reporting(shared.lent, corpus, wanted.runs, wanted.seed)
    return await start_job(shared, corpus, "report", work, response)


@router.post("/corpora/{corpus}/sweeps", status_code=ACCEPTED)
async def start_sweep(
    shared: Shared, corpus: CorpusName, wanted: SweepWanted, response: Response
) -> JobState:
    """Answer chain questions anew under other chunk sizes and numbers of chunks, as a job.

    It leaves sweep.json, and a corpus for each setting beside this one.
    """
    check_retriever(wanted.retriever)
    run = RunOptions(
        system=wanted.system,
        generator=wanted.generator,
        retriever=wanted.retriever,
        reranker=wanted.reranker,
        candidates=wanted.candidates,
        question_limit=wanted.limit,
    )
    for top in wanted.top:
        check_limits(replace(run, top=top))
    await require_known(shared.graph, corpus)
    settings = shared.settings
    built, _ = await shared.in_thread(settle_options, shared.lent, corpus, GivenOptions())
    workers = {run.generator, built.extractor, built.links} - {"rules"}
    shared.require_spending("model" if workers else "rules", built.embedder)
    chosen = await shared.in_thread(plan_settings, shared.lent, corpus, wanted.embedders, wanted.chunks)

    def compute(progress: Progress) -> Mapping[str, object]:
        budget = role_budget("answer", settings) if run.generator == "model" else None
        if needs := sweep_needs(run, pending_links(shared.lent, corpus, chosen)):
            costs = partial(sweep_costs, shared.lent, corpus, chosen, wanted.top, run, settings)
            prepare(needs, costs, settings, progress, budget)
        rows = sweep(shared.lent, corpus, chosen, wanted.top, run, settings, progress, budget)
        return {"corpus": corpus, "rows": [asdict(row) for row in rows]}

    return await start_job(shared, corpus, "sweep", computing("sweep.json", compute), response)


@router.post("/corpora/{corpus}/contamination", status_code=ACCEPTED)
async def start_contamination(
    shared: Shared, corpus: CorpusName, wanted: ContaminationWanted, response: Response
) -> JobState:
    """Tell what a model could have known before, as a job; it leaves contamination.json.

    That is articles older than its data, what runs without evidence got right by cell of the difficulty
    matrix, and how like the questions are to those of published sets.
    """
    found = await read_corpus(shared.graph, corpus)
    if wanted.sets:
        shared.require_spending("rules", found.embedder)
    sets = [PublishedSet(one.name, tuple(one.questions)) for one in wanted.sets]

    def compute(progress: Progress) -> Mapping[str, object]:
        told = read_contamination(
            shared.lent, corpus, shared.settings, wanted.cutoff, sets, progress, wanted.show
        )
        return {"corpus": corpus, **told.as_dict()}

    return await start_job(
        shared, corpus, "contamination", computing("contamination.json", compute), response
    )


@router.post("/corpora/{corpus}/exports/dataset", status_code=ACCEPTED)
async def export_dataset(
    shared: Shared, corpus: CorpusName, wanted: DatasetWanted, response: Response
) -> JobState:
    """Export the questions of a corpus with their articles, as a job; it leaves an archive."""
    splits = parse_splits(wanted.splits) if wanted.splits else {}
    options = ExportOptions(splits, wanted.seed, wanted.licence or UNKNOWN_LICENCE)
    work = exporting_dataset(shared.lent, corpus, wanted.format, options)
    return await start_job(shared, corpus, "export", work, response)


@router.post("/corpora/{corpus}/exports/graph", status_code=ACCEPTED)
async def export_graph(
    shared: Shared, corpus: CorpusName, wanted: GraphExportWanted, response: Response
) -> JobState:
    """Export the graph of a corpus, as a job; it leaves an archive."""
    content = GraphContent(part=wanted.part, texts=wanted.texts, vectors=wanted.vectors)
    work = exporting_graph(shared.lent, corpus, wanted.format, content, wanted.licence)
    return await start_job(shared, corpus, "export", work, response)


@router.get("/formats")
async def list_formats() -> list[ExportFormat]:
    """The formats that datasets and graphs can be exported in."""
    datasets = [ExportFormat(name=one.name, kind="dataset", summary=one.summary) for one in FORMATS.values()]
    graphs = [
        ExportFormat(name=one.name, kind="graph", summary=one.purpose) for one in GRAPH_FORMATS.values()
    ]
    return datasets + graphs


@router.get("/jobs")
async def list_jobs(shared: Shared) -> tuple[JobState, ...]:
    """The jobs of this process, the newest first."""
    return shared.jobs.list()


@router.get("/jobs/{job}")
async def read_job(shared: Shared, job: Id) -> JobState:
    """How far a job is."""
    return _known(shared.jobs, job).now


@router.delete("/jobs/{job}")
async def stop_job(shared: Shared, job: Id) -> JobState:
    """Stop a job at its next step. What is done stays; started again, the same job goes on from there."""
    found = _known(shared.jobs, job)
    found.stop()
    return found.now


@router.get(
    "/jobs/{job}/events",
    response_class=EventSourceResponse,
    responses={200: {"description": "Its state at every change.", "content": {"text/event-stream": {}}}},
)
async def follow_job(
    shared: Shared,
    job: Id,
    last_event_id: Annotated[int, Header(description="The last event that was seen.", ge=-1, le=2**53)] = -1,
) -> EventSourceResponse:
    """A job at every change, as server-sent events: "progress", and "end" as the last one."""
    return EventSourceResponse(_events(_known(shared.jobs, job), last_event_id))


@router.get(
    "/jobs/{job}/files/{name}",
    response_class=FileResponse,
    responses={200: {"description": "The file.", "content": {"application/octet-stream": {}}}},
)
async def fetch_file(
    shared: Shared, job: Id, name: Annotated[str, Path(min_length=1, max_length=LONGEST_ID)]
) -> FileResponse:
    """A file that a job left, as a download."""
    found = _known(shared.jobs, job)
    # Only names that the job itself told lead to files.
    if name not in found.now.files:
        raise MissingError(f"job {job!r} has no file {name!r}.", "See the files of the job.")
    return FileResponse(found.folder / name, media_type="application/octet-stream", filename=name)


async def start_job(shared: Resources, corpus: str, kind: str, work: Work, response: Response) -> JobState:
    """Start a job over a corpus that must exist; the response says where it is."""
    await require_known(shared.graph, corpus)
    state = shared.jobs.start(kind, corpus, work)
    response.headers["Location"] = f"/api/jobs/{state.id}"
    return state


def _known(jobs: Jobs, id_: str) -> Job:
    job = jobs.find(id_)
    if job is None:
        raise MissingError(f"there is no job {id_!r}.", "Jobs are forgotten when the server stops.")
    return job


async def _events(job: Job, version: int) -> AsyncIterator[ServerSentEvent]:
    async for state in follow(job, version):
        event = "progress" if not state.ended_at else "end"
        yield ServerSentEvent(json.dumps(asdict(state)), event=event, id=str(state.version))
