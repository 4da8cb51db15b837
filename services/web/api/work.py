"""What jobs do: answer, judge, report, compute, export, compose questions, take reviews."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZIP_DEFLATED, ZipFile

from kg.embed.choose import Embedder, embedder_of
from kg.errors import CorpusError
from kg.ids import run_id
from kg.llm.budget import Budget
from kg.llm.roles import role_budget
from kg.progress import Progress
from kg.settings import Settings
from kg.store.graph import Graph
from kg.store.leases import Waiting, answering_in, reading_whole, writing_to
from services.datasets.choose import choose_format
from services.datasets.export_dataset import ExportOptions, export_dataset
from services.datasets.graph_content import GraphContent
from services.datasets.graph_write import choose_graph_format, export_graph
from services.evaluate.judge import JudgeOptions, verdict_source
from services.evaluate.judge_by_hand import read_judge_pairs
from services.preflight.asking import judge_answers, prepare, prepare_run
from services.preflight.job_needs import compose_needs
from services.questions.choice import WorkerOption
from services.questions.composed.estimate import estimate_stage
from services.questions.composed.pipeline import ComposeSize
from services.questions.composed.selection import read_composed_funnel
from services.questions.composed.stage import ComposeJob, compose_stage
from services.questions.dataset import dataset_version
from services.questions.review import Embed
from services.questions.review_files import take_lines
from services.rag.run_options import RunOptions
from services.report.content import report_json
from services.report.html import render_html
from services.report.make import make_report
from services.runs.records import Loss, read_loss
from services.runs.start import RunPlan, plan_run, start_run
from services.web.api.jobs import Watched, Work

JUDGING_FILE = "judging.json"
COMPOSED_FILE = "composed.json"

Result = Mapping[str, str | int]


def answering(
    graph: Graph, settings: Settings, corpus: str, several: Sequence[RunOptions], anew: bool
) -> Work:
    """Start runs one after another, or go on with them; `anew` allows to delete answers that other settings
    gave. All draw on one budget; the result has the name of the first."""

    def work(progress: Watched, _: Path) -> Result:
        embedder = embedder_of(graph, corpus, settings)
        budget = role_budget("answer", settings) if several[0].generator == "model" else None
        started = [answer(progress, embedder, budget, options) for options in several]
        return {"run": started[0].settings.name, "questions": started[0].questions, "runs": len(started)}

    def answer(progress: Watched, embedder: Embedder, budget: Budget | None, options: RunOptions) -> RunPlan:
        name = plan_run(graph, corpus, options, settings, embedder).settings.name
        with answering_in(graph, corpus, name, _waiting(progress)) as mine:
            plan = plan_run(mine, corpus, options, settings, embedder)
            if plan.anew:
                _refuse_loss(corpus, plan.settings.name, read_loss(mine, corpus, plan.settings), anew)
            prepare_run(mine, corpus, options, plan, settings, embedder, progress, budget)
            start_run(mine, corpus, options, settings, embedder, progress, budget, plan)
        return plan

    return work


def judging(
    graph: Graph, settings: Settings, corpus: str, run: str, judge: str, options: JudgeOptions
) -> Work:
    """Let a model, or a rule by its name, judge the answers of a run; it leaves judging.json.

    An empty `judge` is the model of the settings.
    """

    def work(progress: Watched, folder: Path) -> Result:
        by = judge or None
        found = judge_answers(graph, corpus, run, by, options, settings, progress, _waiting(progress))
        follows = verdict_source(graph, corpus, run)
        agreements = [pair.as_dict() for pair in read_judge_pairs(graph, run_id(corpus, run))]
        told = {
            "corpus": corpus,
            **(asdict(found) if found else {"run": run}),
            "follows": follows,
            "agreements": agreements,
        }
        _write_json(folder / JUDGING_FILE, told)
        return {"run": run, "follows": follows}

    return work


def composing(
    graph: Graph, settings: Settings, corpus: str, size: ComposeSize, generator: WorkerOption, again: bool
) -> Work:
    """Compose questions; it leaves composed.json, where they fell."""

    def work(progress: Watched, folder: Path) -> Result:
        budget = role_budget("generate", settings) if generator == "model" else None
        with writing_to(graph, corpus, _waiting(progress)) as mine:
            embedder = embedder_of(mine, corpus, settings)
            job = ComposeJob(mine, corpus, size, generator, settings, embedder, progress, budget)
            if generator == "model":
                prepare(compose_needs(), partial(estimate_stage, job), settings, progress, budget)
            compose_stage(job, again)
        found = read_composed_funnel(graph, corpus)
        told = {"corpus": corpus, "dataset": dataset_version(graph, corpus), **asdict(found)}
        _write_json(folder / COMPOSED_FILE, {**told, "max_domain_share": size.max_domain_share})
        return {"questions": sum(column.kept for column in found.columns)}

    return work


def taking_reviews(
    graph: Graph,
    settings: Settings,
    corpus: str,
    annotator: str,
    lines: Sequence[tuple[str, Mapping[str, object]]],
    now: datetime,
) -> Work:
    """Take the lines of a review sheet, each with its place, in the name of an annotator."""

    def work(progress: Watched, _: Path) -> Result:
        with writing_to(graph, corpus, _waiting(progress)) as mine:
            loaded = cache(lambda: embedder_of(mine, corpus, settings))
            embed: Embed = lambda texts: loaded().embed_queries(texts)  # noqa: E731
            return {"reviews": take_lines(mine, corpus, annotator, lines, now, embed)}

    return work


def reporting(graph: Graph, corpus: str, runs: Sequence[str], seed: int) -> Work:
    """Report on runs: a page, and the same as JSON."""

    def work(progress: Watched, folder: Path) -> Result:
        with reading_whole(graph, corpus, _waiting(progress)) as mine:
            made = make_report(mine, corpus, runs, progress, seed)
        (folder / "report.html").write_text(render_html(made), encoding="utf-8")
        _write_json(folder / "report.json", report_json(made))
        return {"runs": len(made.runs), "comparisons": len(made.comparisons)}

    return work


def computing(name: str, compute: Callable[[Progress], Mapping[str, object]]) -> Work:
    """Compute something, and leave it as a JSON file of this name."""

    def work(progress: Watched, folder: Path) -> Result:
        _write_json(folder / name, compute(progress))
        return {}

    return work


def _write_json(path: Path, told: object) -> None:
    path.write_text(json.dumps(told, ensure_ascii=False, indent=2, default=str), encoding="utf-8")


def exporting_dataset(graph: Graph, corpus: str, format_: str, options: ExportOptions) -> Work:
    """Export the questions of a corpus with their articles: the folder as one archive.

    Raises:
        SettingsError: there is no such format.
    """
    chosen = choose_format(format_)

    def work(progress: Watched, folder: Path) -> Result:
        with _export_of(graph, corpus, folder, progress) as (mine, place):
            done = export_dataset(mine, corpus, chosen, place, options, progress)
            return {"format": done.format, **_archived(done.folder, folder, f"{chosen.name}.zip", progress)}

    return work


def exporting_graph(graph: Graph, corpus: str, format_: str, content: GraphContent, licence: str) -> Work:
    """Export the graph of a corpus: the folder as one archive.

    Raises:
        SettingsError: there is no such format.
    """
    chosen = choose_graph_format(format_)

    def work(progress: Watched, folder: Path) -> Result:
        with _export_of(graph, corpus, folder, progress) as (mine, place):
            done = export_graph(mine, corpus, chosen, content, place, progress, licence)
            facts = {"nodes": sum(done.nodes.values()), "edges": sum(done.edges.values())}
            return {
                "format": chosen.name,
                **facts,
                **_archived(place, folder, f"{chosen.name}.zip", progress),
            }

    return work


def _waiting(progress: Watched) -> Waiting:
    """Tell for whom a job waits; a job that is stopped ends here."""
    return lambda other: progress.step(f"waiting for {other}")


@contextmanager
def _export_of(graph: Graph, corpus: str, folder: Path, progress: Watched) -> Iterator[tuple[Graph, Path]]:
    """The graph of a corpus that stays as it is, and a place for its export that goes afterwards."""
    with (
        reading_whole(graph, corpus, _waiting(progress)) as mine,
        TemporaryDirectory(dir=folder) as place,
    ):
        yield mine, Path(place) / "export"


def _archived(export: Path, folder: Path, name: str, progress: Progress) -> Result:
    """Put an export into an archive, file by file, so that memory does not grow with it."""
    files = sorted(path for path in export.rglob("*") if path.is_file())
    progress.step("archive", len(files))
    with ZipFile(folder / name, "x", ZIP_DEFLATED) as archive:
        for path in files:
            archive.write(path, path.relative_to(export).as_posix())
            progress.advance()
    return {"files": len(files), "bytes": (folder / name).stat().st_size}


def _refuse_loss(corpus: str, name: str, loss: Loss, anew: bool) -> None:
    """Keep answers that other settings gave, unless the caller allowed to delete them; verdicts always.

    Raises:
        CorpusError: they would be deleted.
    """
    if loss.verdicts:
        raise CorpusError(
            f"run {name!r} of corpus {corpus!r} was made otherwise, and has {loss.verdicts:,} verdicts.",
            "Give this one another name.",
        )
    if loss.answers and not anew:
        raise CorpusError(
            f"run {name!r} of corpus {corpus!r} was made otherwise: {loss.answers:,} answers would go.",
            'Give this one another name, or send "anew": true.',
        )
