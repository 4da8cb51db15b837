"""`kg standard run`: a judged comparison, from its lock to its archive."""

from contextlib import ExitStack
from dataclasses import asdict
from functools import partial
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from cli.console import out, print_json, say, table
from cli.model_remarks import spending_told
from cli.options import AsJson, NoPreflight
from cli.preflight import preflight
from cli.session import Session, existing_corpus, open_session
from kg.corpus import require_corpus
from kg.embed.choose import make_embedder
from kg.settings import Settings
from kg.store.leases import answering_in
from services.preflight.job_needs import run_needs, standard_needs
from services.report.html_values import points, points_range
from services.standard.analysis.content import HypothesisResult, results_json
from services.standard.checks import check_standard
from services.standard.folder import folder_of
from services.standard.planned_calls import answering_cost, judging_cost
from services.standard.protocol import MOST_LOOKS, Protocol
from services.standard.protocol_file import read_protocol
from services.standard.rejudging import judge_of
from services.standard.run import Budgets, Ran, RunOrder, open_budgets, run_standard


def run(
    folder: Annotated[
        Path,
        typer.Argument(metavar="[FOLDER]", help="Folder of the comparison, as made by kg standard init."),
    ] = Path("standard"),
    look: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=MOST_LOOKS,
            help="Judge and analyse only as far as this look, by its number. Default: the last, after all "
            "questions.",
            show_default=False,
        ),
    ] = None,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Ask the systems again what failed before.")
    ] = False,
    no_preflight: NoPreflight = False,
    as_json: AsJson = False,
) -> None:
    """Lock the protocol, let every system answer, judge twice, and write archive and report.

    Stopped half-way, the same command goes on where it was. From the lock on the protocol can't change. A run
    that breaks it (evidence outside the pools or above the budget, too long answers, missing questions,
    another dataset or generator, begun before the lock) is refused with the reason and exit code 2.
    """
    protocol = read_protocol(folder)
    with open_session() as session, ExitStack() as told:
        found = existing_corpus(session.graph, protocol.dataset.corpus)
        settings = session.settings
        embedder = make_embedder(require_corpus(session.graph, found).embedder, settings)
        budgets = open_budgets(protocol, settings)
        for budget in (budgets.answer, *budgets.judges.values()):
            told.enter_context(spending_told(budget))
        with answering_in(session.graph, found, f"standard {protocol.name}") as graph:
            if budgets.answer is not None or budgets.judges:
                _try_prompts(protocol, folder, settings, session, budgets, skip=no_preflight)
            ran = run_standard(
                graph,
                protocol,
                folder_of(folder),
                RunOrder(look, retry_failed),
                settings,
                embedder,
                session.progress,
                budgets,
            )
    if as_json:
        print_json({"archive": str(ran.archive), "lock": asdict(ran.lock), **results_json(ran.results)})
        return
    _print_ran(ran)


def _try_prompts(
    protocol: Protocol,
    folder: Path,
    settings: Settings,
    session: Session,
    budgets: Budgets,
    *,
    skip: bool,
) -> None:
    """Tell what each model would take, and try its prompts; nothing is locked yet where one fails."""
    calls = check_standard(session.graph, protocol, folder_of(folder), settings).calls
    if (answer := budgets.answer) is not None:
        named = settings.model_copy(update={"hopgrade_answer_model": protocol.generator.name})
        needs = run_needs(one.system for one in protocol.systems if one.run is None)
        cost = answering_cost(protocol, calls, answer.money_of)
        preflight(named, needs, lambda: {"answers": cost}, session.progress, answer, skip=skip)
    for role, budget in budgets.judges.items():
        name = judge_of(protocol, role).name
        judge = settings.model_copy(update={"hopgrade_judge_model": name})
        parts = judging_cost(protocol, calls, budget.money_of)
        told = {f"{step} by {name}": part for step, part in parts.items()}
        preflight(judge, standard_needs(), partial(dict, told), session.progress, budget, skip=skip)


def _print_ran(ran: Ran) -> None:
    results, looks = ran.results, ran.protocol.inference.looks
    say(f"Comparison {ran.protocol.name!r}, locked at {ran.lock.locked_at}", "bold")
    at = "" if ran.look.number == len(looks) else f" at look {ran.look.number} of {len(looks)}"
    say(
        f"{ran.look.questions:,} of {ran.look.planned:,} questions in {results.clusters.clusters:,} "
        f"clusters, {len(results.systems)} systems, each answer judged twice{at}."
    )
    columns = ("", "hypothesis", "points", "by the first judge", "by both")
    out.print(table("Hypotheses", columns, [_line(one) for one in results.hypotheses]))
    say(f"Archive written: {ran.archive}")
    say(f"Next: kg standard report {quote(str(ran.archive))}, kg standard verify {quote(str(ran.archive))}")


def _line(one: HypothesisResult) -> list[object]:
    first = one.by[0]
    difference = "" if first.estimate is None else points(first.estimate)
    if first.t_interval is not None and difference:
        difference += f" ({points_range(first.t_interval)})"
    survives = {None: "", True: "yes", False: "no"}[one.survives]
    return [one.id, one.claim, difference, one.decision, survives]


def register(app: typer.Typer) -> None:
    """Add the command to the group."""
    app.command(epilog="Example: kg standard run first")(run)
