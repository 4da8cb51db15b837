"""What jobs do: answer the questions of a corpus, report on runs, export a graph."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZIP_DEFLATED, ZipFile

from kg.corpus import require_corpus
from kg.embed.choose import make_embedder
from kg.errors import CorpusError
from kg.llm.open import role_budget
from kg.progress import Progress
from kg.settings import Settings
from kg.store.graph import Graph
from kg.store.leases import Waiting, answering_in, reading_whole
from services.api.jobs import Watched, Work
from services.exports.choose import choose_format
from services.exports.graph_content import GraphContent, Part
from services.exports.graph_write import choose_graph_format, export_graph
from services.exports.write import ExportOptions, export_dataset
from services.rag.anew import Loss, read_loss
from services.rag.run_options import RunOptions
from services.rag.start import plan_run, start_run
from services.report.as_json import report_json
from services.report.html import render_html
from services.report.make import make_report

Result = Mapping[str, str | int]


@dataclass(frozen=True, slots=True)
class GraphWanted:
    """What an export of the graph holds."""

    part: Part
    texts: bool
    vectors: bool
    licence: str


def answering(graph: Graph, settings: Settings, corpus: str, options: RunOptions, anew: bool) -> Work:
    """Start a run, or go on with it; `anew` allows to delete answers that other settings gave."""

    def work(progress: Watched, _: Path) -> Result:
        embedder = make_embedder(require_corpus(graph, corpus).embedder, settings)
        name = plan_run(graph, corpus, options, settings, embedder).settings.name
        with answering_in(graph, corpus, name, _waiting(progress)) as mine:
            plan = plan_run(mine, corpus, options, settings, embedder)
            if plan.anew:
                _refuse_loss(corpus, plan.settings.name, read_loss(mine, corpus, plan.settings), anew)
            budget = role_budget("answer", settings) if options.generator == "model" else None
            start_run(mine, corpus, options, settings, embedder, progress, budget, plan)
        return {"run": name, "questions": plan.questions}

    return work


def reporting(graph: Graph, corpus: str, runs: Sequence[str], seed: int) -> Work:
    """Report on runs: a page, and the same as JSON."""

    def work(progress: Watched, folder: Path) -> Result:
        with reading_whole(graph, corpus, _waiting(progress)) as mine:
            made = make_report(mine, corpus, runs, progress, seed)
        (folder / "report.html").write_text(render_html(made), encoding="utf-8")
        told = json.dumps(report_json(made), ensure_ascii=False, indent=2, default=str)
        (folder / "report.json").write_text(told, encoding="utf-8")
        return {"runs": len(made.runs), "comparisons": len(made.comparisons)}

    return work


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


def exporting_graph(graph: Graph, corpus: str, format_: str, wanted: GraphWanted) -> Work:
    """Export the graph of a corpus: the folder as one archive.

    Raises:
        SettingsError: there is no such format.
    """
    chosen = choose_graph_format(format_)

    def work(progress: Watched, folder: Path) -> Result:
        content = GraphContent(part=wanted.part, texts=wanted.texts, vectors=wanted.vectors)
        with _export_of(graph, corpus, folder, progress) as (mine, place):
            done = export_graph(mine, corpus, chosen, content, place, progress, wanted.licence)
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
