"""`kg standard power`: plan how many questions and clusters it takes, before anything is asked."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Annotated

import typer

from cli import options
from cli.console import out, print_json, remark, say, table
from cli.session import existing_corpus, open_session
from kg.errors import SettingsError
from services.evaluate.statistics.power import ALPHA, POWER, PairedSpread
from services.standard.planning import (
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

app = typer.Typer(rich_markup_mode=None)


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
            metavar="RUN1 RUN2", help="Two runs that tell how differences vary.", show_default=False
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
