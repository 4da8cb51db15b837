"""`kg standard run`: a judged comparison, from its lock to its archive.

`kg standard candidates`: what a system of one's own may show, as a file to work from.

`kg standard power`: plan how many questions and clusters it takes, before anything is asked.
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from functools import partial
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from cli import options
from cli.completion import complete_runs
from cli.console import check_place, out, print_json, remark, say, table, write_parts
from cli.options import AsJson, NoPreflight
from cli.preflight import preflight
from cli.remarks import report_spending
from cli.session import Session, existing_corpus, open_session
from kg.embed.choose import embedder_of
from kg.errors import SettingsError
from kg.settings import Settings
from kg.store.leases import answering_in
from services.comparison.analysis.content import HypothesisResult, results_json
from services.comparison.checks import check_standard
from services.comparison.folder import LOCK_FILE, POOL_FILE, PROTOCOL_FILE, folder_of
from services.comparison.planning import (
    ASSUMED_INTRA_CLUSTER,
    ASSUMED_SD,
    PER_CLUSTER,
    Aim,
    Design,
    Pilot,
    design_for,
    design_of,
    read_pilot,
)
from services.comparison.pool_systems import candidate_lines
from services.comparison.protocol import MOST_LOOKS, Protocol
from services.comparison.protocol_file import read_protocol
from services.comparison.run import Budgets, CompletedComparison, RunOrder, open_budgets, run_standard
from services.preflight.job_needs import comparison_trials
from services.report.html_values import points, points_range
from services.report.run_facts import several_tests_note
from services.statistics.paired import ALPHA, POWER, PairedSpread

app = typer.Typer(rich_markup_mode=None)

FILE = "candidates.jsonl"


@app.command(epilog="Example: kg standard candidates first --out candidates.jsonl")
def candidates(
    folder: Annotated[
        Path,
        typer.Argument(metavar="[FOLDER]", help="Folder of the comparison, as made by kg standard init."),
    ] = Path("standard"),
    file: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="FILE", help=f"Where it is written. Default: FOLDER/{FILE}.", show_default=False
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write each question with the texts that a system may show for it, for a system of your own.

    A line of JSON a question: id, question, candidates (chunk, title, text, tokens; best first), and the
    limits of evidence and answer in tokens. The gold is not in it.
    """
    protocol = read_protocol(folder)
    path = file or folder_of(folder) / FILE
    check_place(path, "--out")
    own = (PROTOCOL_FILE, POOL_FILE, LOCK_FILE)
    if path.resolve() in {(folder_of(folder) / name).resolve() for name in own}:
        raise SettingsError(f"{path} is a file of the comparison.", "Give another file: --out FILE")
    with open_session() as session:
        existing_corpus(session.graph, protocol.dataset.corpus)
        progress = session.progress
        progress.begin("candidates")
        count = write_parts(path, candidate_lines(session.graph, folder), "--out")
        progress.end(f"{count:,} questions")
    if as_json:
        print_json({"file": str(path), "questions": count})
        return
    say(f"Written: {path}, {count:,} questions")
    runs = [system.run for system in protocol.systems if system.run is not None]
    if not runs:
        say("The protocol names no run of yours: list it as a system with name and run before the lock.")
        return
    say(
        f"Next: lock with kg standard run {quote(str(folder))}, answer, then kg evaluate answers ANSWERS "
        f"--standard {quote(str(folder))} --name {quote(runs[0])} --corpus {quote(protocol.dataset.corpus)}"
    )


@app.command(epilog="Example: kg standard power --difference .05 --pilot ours single-step")
def power(
    difference: Annotated[
        float | None,
        typer.Option(min=1e-6, max=1.0, help="Difference of two means to show.", show_default=False),
    ] = None,
    chance: Annotated[float, typer.Option("--power", min=0.01, max=0.999, help="Chance to show it.")] = POWER,
    alpha: Annotated[
        float, typer.Option(min=1e-6, max=0.499, help="Chance of any false claim, over all hypotheses.")
    ] = ALPHA,
    hypotheses: Annotated[
        int, typer.Option(min=1, max=1_000, help="Hypotheses that share alpha by Holm's method.")
    ] = 1,
    one_sided: Annotated[
        bool, typer.Option("--one-sided", help="Only a difference in one direction counts.")
    ] = False,
    sd: Annotated[
        float | None,
        typer.Option(
            min=1e-6,
            max=1.0,
            help=f"Standard deviation of paired differences. Default: the pilot's, or {ASSUMED_SD}.",
            show_default=False,
        ),
    ] = None,
    icc: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            max=1.0,
            help="Correlation of two differences in a cluster. "
            f"Default: the pilot's, or {ASSUMED_INTRA_CLUSTER}.",
            show_default=False,
        ),
    ] = None,
    per_cluster: Annotated[
        float | None,
        typer.Option(
            "--per-cluster",
            min=1.0,
            max=options.MOST,
            help=f"Mean questions of a cluster. Default: the pilot's, or {PER_CLUSTER:g}.",
            show_default=False,
        ),
    ] = None,
    questions: Annotated[
        int | None,
        typer.Option(min=2, max=options.MOST, help="Questions that there are.", show_default=False),
    ] = None,
    clusters: Annotated[
        int | None,
        typer.Option(min=2, max=options.MOST, help="Clusters that they are in.", show_default=False),
    ] = None,
    pilot: Annotated[
        tuple[str, str] | None,
        typer.Option(
            metavar="RUN1 RUN2",
            help="Two runs that tell how differences vary.",
            show_default=False,
            autocompletion=complete_runs,
        ),
    ] = None,
    corpus: options.Corpus = None,
    as_json: options.AsJson = False,
) -> None:
    """Plan how many questions and clusters show a difference, or what a design can show.

    With --difference: the fewest clusters that show it. With --questions or --clusters: the smallest
    difference that they show, and with --difference too, the chance to show that one.
    """
    aim = Aim(chance, alpha, not one_sided, hypotheses)
    if aim.level >= chance:
        raise SettingsError(f"power {chance:g} is no more than alpha.", "Give a larger --power.")
    found = _read_pilot(pilot, corpus)
    spread = _spread(found, sd, icc, per_cluster)
    design = _design(spread, difference, questions, clusters, aim)
    if as_json:
        print_json({"aim": asdict(aim), "pilot": found and asdict(found), **asdict(design)})
        return
    sources = {name: _source(given, found) for name, given in (("sd", sd), ("icc", icc), ("m", per_cluster))}
    if questions and clusters:
        sources["m"] = "by the design"
    out.print(table(_title(design), ("", "value", ""), list(_lines(design, aim, sources))))
    if found:
        say(
            f"Pilot: {found.second!r} less {found.first!r} is {found.difference:+.3f} on {found.questions:,} "
            f"questions in {found.clusters:,} clusters. Its spread is an estimate too.",
            "dim",
        )
    for warning in design.warnings:
        remark(f"warning: {warning}")


def _read_pilot(pilot: tuple[str, str] | None, corpus: str | None) -> Pilot | None:
    if pilot is None:
        return None
    with open_session() as session:
        return read_pilot(session.graph, existing_corpus(session.graph, corpus), *pilot)


def _spread(
    pilot: Pilot | None, sd: float | None, icc: float | None, per_cluster: float | None
) -> PairedSpread:
    known = pilot.spread if pilot else PairedSpread(ASSUMED_SD, ASSUMED_INTRA_CLUSTER, PER_CLUSTER)
    return PairedSpread(
        known.sd if sd is None else sd,
        known.intra_cluster if icc is None else icc,
        known.per_cluster if per_cluster is None else per_cluster,
        known.uneven,
    )


def _design(
    spread: PairedSpread, difference: float | None, questions: int | None, clusters: int | None, aim: Aim
) -> Design:
    if questions is None and clusters is None:
        if difference is None:
            raise SettingsError(
                "there is nothing to plan.",
                "Give --difference, or --questions or --clusters, or all of them.",
            )
        return design_for(spread, difference, aim)
    if questions is None and clusters is not None:
        questions = round(clusters * spread.per_cluster)
    if clusters is None and questions is not None:
        clusters = max(2, round(questions / spread.per_cluster))
    return design_of(spread, questions or 0, clusters or 0, difference, aim)


def _title(design: Design) -> str:
    if design.naive_questions is not None:
        return f"To show a difference of {design.difference:g}"
    return f"What {design.questions:,} questions in {design.clusters:,} clusters show"


def _lines(design: Design, aim: Aim, sources: dict[str, str]) -> Iterator[tuple[str, str, str]]:
    spread = design.spread
    yield "questions", f"{design.questions:,}", f"{spread.per_cluster:.1f} a cluster, {sources['m']}"
    yield "clusters", f"{design.clusters:,}", "that are independent of each other"
    if design.power is not None:
        yield "power", f"{design.power:.3f}", f"for a difference of {design.difference:g}"
    yield "smallest difference", f"{design.detectable:.4f}", f"shown with a chance of {aim.power:g}"
    yield "p must not exceed", f"{aim.level:.4f}", "two-sided" if aim.two_sided else "one-sided"
    yield "spread of differences", f"{spread.sd:.3f}", f"standard deviation, {sources['sd']}"
    yield "correlation in a cluster", f"{spread.intra_cluster:.3f}", sources["icc"]
    yield "design effect", f"{design.design_effect:.2f}", f"{design.effective_n:,.0f} independent questions"
    yield "standard error", f"{design.standard_error:.4f}", "of the mean difference"
    if design.naive_questions is not None:
        yield "naive plan", f"{design.naive_questions:,}", "questions, if they were independent"


def _source(given: float | None, pilot: Pilot | None) -> str:
    if given is not None:
        return "given"
    return "by the pilot" if pilot else "assumed"


@app.command(epilog="Example: kg standard run first")
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
    """Lock the protocol, let every system answer, judge the answers, and write archive and report.

    Stopped half-way, the same command goes on where it was. From the lock on the protocol can't change. A run
    that breaks it (evidence outside the pools or above the budget, too long answers, missing questions,
    another dataset or generator, begun before the lock) is refused with the reason and exit code 2.
    """
    protocol = read_protocol(folder)
    with open_session() as session, ExitStack() as told:
        found = existing_corpus(session.graph, protocol.dataset.corpus)
        settings = session.settings
        embedder = embedder_of(session.graph, found, settings)
        budgets = open_budgets(protocol, settings)
        for budget in (budgets.answer, *budgets.judges.values()):
            told.enter_context(report_spending(budget, session.progress))
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
    for needs, parts, asked, budget in comparison_trials(protocol, calls, settings, budgets):
        preflight(asked, needs, partial(dict, parts), session.progress, budget, skip=skip)


def _print_ran(ran: CompletedComparison) -> None:
    results, looks = ran.results, ran.protocol.inference.looks
    say(f"Comparison {ran.protocol.name!r}, locked at {ran.lock.locked_at}", "bold")
    at = "" if ran.look.number == len(looks) else f" at look {ran.look.number} of {len(looks)}"
    say(
        f"{ran.look.questions:,} of {ran.look.planned:,} questions in {results.clusters.clusters:,} "
        f"clusters, {len(results.systems)} systems, each answer {ran.protocol.judging}{at}."
    )
    alone = ran.protocol.judges_share_code
    told = (f"by {ran.protocol.judge.name}",) if alone else ("by the first judge", "by both")
    columns = ("", "hypothesis", "points", *told)
    out.print(table("Hypotheses", columns, [_line(one, alone) for one in results.hypotheses]))
    if ran.protocol.inference.correction == "holm" and (note := several_tests_of(results.hypotheses)):
        say(note)
    say(f"Archive written: {ran.archive}")
    print_next(ran.archive)


def several_tests_of(hypotheses: Sequence[HypothesisResult]) -> str:
    """Why a claim of a difference may not stand although its interval leaves out 0."""
    return several_tests_note(
        [
            (one.id, one.by[0].t_interval, one.decision != "not supported")
            for one in hypotheses
            if one.direction != "equivalent"
        ]
    )


def print_next(archive: Path) -> None:
    """What is to be done with the archive of a finished comparison."""
    say(f"Next: kg standard report {quote(str(archive))}, kg standard verify {quote(str(archive))}")


def _line(one: HypothesisResult, alone: bool) -> list[object]:
    first = one.by[0]
    difference = "" if first.estimate is None else points(first.estimate)
    if first.t_interval is not None and difference:
        difference += f" ({points_range(first.t_interval)})"
    survives = () if alone else ({None: "", True: "yes", False: "no"}[one.survives],)
    return [one.id, one.claim, difference, one.decision, *survives]
