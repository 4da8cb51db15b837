"""What follows once it is known who answers: the run, the comparison with a baseline, the report."""

import re
import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from pathlib import Path

from cli.console import print_json, remark, say
from cli.evaluate_tables import print_standing, standing_json
from cli.model_remarks import spending_told
from cli.preflight import preflight
from cli.run_start import ERRORS_SHOWN, tell_loss
from cli.session import Session
from cli.whole_file import check_place, write_whole
from kg.corpus import require_corpus
from kg.embed.choose import make_embedder
from kg.errors import SettingsError
from kg.llm.budget import Budget
from kg.llm.protocol import Estimate
from kg.settings import Settings
from kg.store.leases import answering_in
from services.preflight.job_needs import Need
from services.rag.anew import read_loss
from services.rag.run_estimate import RunEstimate, estimate_run
from services.rag.run_options import RunOptions
from services.rag.runs import list_errors
from services.rag.start import RunPlan, plan_run, start_run
from services.rag.trace_logs import write_logs
from services.report.html import render_html
from services.report.make import make_report
from services.systems.against_baseline import choose_baseline, standing

REPORTS = Path("reports")

_NOT_IN_FILES = re.compile(r"[^\w.@+-]+")


@dataclass(frozen=True, slots=True)
class Afterwards:
    """What is done when all questions are answered: with which run to compare, and where the page goes.

    `logs` is the folder for the logs of each answer, None for none.
    """

    baseline: str | None
    report: Path | None
    no_report: bool
    seed: int
    as_json: bool
    logs: Path | None = None


@dataclass(frozen=True, slots=True)
class Trial:
    """The prompts that a run asks, to be tried before, none where a library asks by its own; `costs` of the
    answers that are pending."""

    needs: Sequence[Need]
    costs: Callable[[RunPlan], Estimate | RunEstimate]
    skip: bool = False


def reading_costs(
    session: Session, corpus: str, options: RunOptions, settings: Settings
) -> Callable[[RunPlan], RunEstimate]:
    """What answers take that a model reads from passages of a user's system: about as much as of ours."""

    def costs(plan: RunPlan) -> RunEstimate:
        embedder = make_embedder(require_corpus(session.graph, corpus).embedder, settings)
        ours = replace(options, generator="model", outside=None)
        return estimate_run(session.graph, corpus, ours, plan, settings, embedder)

    return costs


def evaluate(
    session: Session,
    corpus: str,
    options: RunOptions,
    afterwards: Afterwards,
    settings: Settings | None = None,
    budget: Budget | None = None,
    told: dict[str, object] | None = None,
    trial: Trial | None = None,
) -> None:
    """Let a system answer the questions of a corpus, compare it with a baseline, and write the report.

    `settings` and `budget` are the session's and its settings' where they are None; `told` is added to the
    JSON document. A `trial` is made where an answer is pending.

    Raises:
        UserError: the model fails a prompt; see `services.rag.start.start_run`; or a file can't be written
            at the report's place.
    """
    graph, settings = session.graph, settings or session.settings
    if afterwards.report is not None and not afterwards.no_report:
        check_place(afterwards.report, "--report")
    embedder = make_embedder(require_corpus(graph, corpus).embedder, settings)
    plan = plan_run(graph, corpus, options, settings, embedder)
    name = plan.settings.name
    baseline = choose_baseline(graph, corpus, name, afterwards.baseline)
    if plan.anew:
        tell_loss(read_loss(graph, corpus, plan.settings), name)
    with answering_in(graph, corpus, name) as mine, spending_told(budget):
        if trial is not None and plan.asks:
            costs = trial.costs
            preflight(
                settings,
                trial.needs,
                lambda: {"answers": costs(plan)},
                session.progress,
                budget,
                skip=trial.skip,
            )
        # What a user's function prints is no part of our output, least of all of a JSON document.
        with redirect_stdout(sys.stderr):
            start_run(mine, corpus, options, settings, embedder, session.progress, budget, plan)
        report = make_report(
            mine, corpus, [baseline, name] if baseline else [name], session.progress, afterwards.seed
        )
    found = standing(graph, corpus, name, baseline, afterwards.seed)
    page = None if afterwards.no_report else afterwards.report or _default_place(name)
    if page is not None:
        write_whole(page, render_html(report), "--report")
    if afterwards.logs is not None:
        remark(f"logs written: {write_logs(graph, corpus, name, afterwards.logs)}")
    if afterwards.as_json:
        document = {"corpus": corpus, **standing_json(found), "report": page and str(page), **(told or {})}
        print_json(document)
        return
    print_standing(found, corpus, asks=told is None, chosen=afterwards.baseline is None)
    for why in list_errors(graph, corpus, name, ERRORS_SHOWN) if found.errors else ():
        remark(f"  {why['answers']:,} times: {why['error']}")
    if page is not None:
        say(f"Report: {page}")


def _default_place(name: str) -> Path:
    try:
        REPORTS.mkdir(exist_ok=True)
    except OSError as error:
        raise SettingsError(
            f"the folder {REPORTS} can't be made here: {error.strerror}.",
            "Name the file: --report FILE, or leave it out: --no-report.",
        ) from error
    return REPORTS / f"{_NOT_IN_FILES.sub('-', name)}.html"
