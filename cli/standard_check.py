"""`kg standard check`: a protocol held against everything that is known before its run."""

from dataclasses import asdict
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from cli.console import out, print_json, remark, say, table
from cli.options import AsJson
from cli.session import open_session
from services.standard.checks import Checked, check_standard
from services.standard.folder import folder_of
from services.standard.planning import ASSUMED_INTRA_CLUSTER, PlannedCalls, PlannedPower
from services.standard.protocol_file import ProtocolFileError, read_protocol

app = typer.Typer(rich_markup_mode=None)

_BROKEN = 2


@app.command(epilog="Example: kg standard check first")
def check(
    folder: Annotated[
        Path,
        typer.Argument(metavar="[FOLDER]", help="Folder of the comparison, as made by kg standard init."),
    ] = Path("standard"),
    as_json: AsJson = False,
) -> None:
    """Hold a protocol against its schema, the corpus and the pools; say what it can show and cost.

    Exit code 2 where a run would be refused. The planned power assumes how far two systems differ: plan with
    a pilot of your own by kg standard power.
    """
    try:
        protocol = read_protocol(folder)
    except ProtocolFileError as error:
        _print_mistakes(error, as_json)
        raise typer.Exit(_BROKEN) from None
    with open_session() as session:
        found = check_standard(session.graph, protocol, folder_of(folder), session.settings)
    if as_json:
        print_json(_document(found))
    else:
        _print_checked(folder, found)
    if found.breaches:
        raise typer.Exit(_BROKEN)


def _print_mistakes(error: ProtocolFileError, as_json: bool) -> None:
    if as_json:
        print_json({"mistakes": [asdict(one) for one in error.mistakes], "passed": False})
        return
    for one in error.mistakes:
        remark(f"mistake: {error.path}, {one}.")
    remark(error.remedy)


def _document(found: Checked) -> dict[str, object]:
    return {
        "name": found.protocol.name,
        "hash": found.hash,
        "lock": found.lock and asdict(found.lock),
        "questions": found.questions,
        "clusters": found.clusters,
        "pool_recall": found.recall and asdict(found.recall),
        "findings": [asdict(one) for one in found.findings],
        "power": [{**asdict(one), "seen": one.seen} for one in found.power],
        "calls": asdict(found.calls),
        "passed": not found.breaches,
    }


def _print_checked(folder: Path, found: Checked) -> None:
    protocol = found.protocol
    say(f"Protocol {protocol.name!r}: {found.hash}", "bold")
    since = "not locked yet" if found.lock is None else f"locked at {found.lock.locked_at}"
    say(
        f"{found.questions:,} questions of corpus {protocol.dataset.corpus!r} in {found.clusters:,} "
        f"clusters by {protocol.inference.clusters}; {since}."
    )
    if found.recall is not None and found.recall.hops:
        say(f"Pools hold evidence for {found.recall.found:,} of {found.recall.hops:,} hops.")
    measures = {one.id: one for one in protocol.hypotheses}
    rows = [_power_row(one, measures[one.hypothesis].measure) for one in found.power]
    assumed = ("questions", "clusters", "spread", "smallest", "chance", "seen with .8")
    out.print(table("Planned power", ("", "measure", *assumed), rows))
    say(
        "Assumed: paired differences with this spread as their standard deviation, correlated by "
        f"{ASSUMED_INTRA_CLUSTER:g} within a cluster. With a pilot: kg standard power --pilot RUN1 RUN2",
        "dim",
    )
    say(_calls_told(found.calls))
    for one in found.findings:
        remark(f"{one.kind}: {one.place}: {one.text}")
    if found.breaches:
        say("Check: FAIL")
        return
    say("Check: pass")
    say(f"Next: kg standard run {quote(str(folder))}")


def _power_row(one: PlannedPower, measure: str) -> list[object]:
    chance = "" if one.chance is None else f"{one.chance:.2f}"
    least = "" if one.detectable is None else f"{one.detectable:.3f}"
    spread, smallest = f"{one.sd:g}", f"{one.smallest:g}"
    return [one.hypothesis, measure, one.questions, one.clusters, spread, smallest, chance, least]


def _calls_told(calls: PlannedCalls) -> str:
    answering = "as many as its systems ask for" if calls.answering is None else f"{calls.answering:,}"
    told = f"{calls.answers:,} answers, each judged twice."
    if calls.answering == calls.judging == calls.calibrating == 0:
        return f"{told} No model is asked."
    return (
        f"{told} Requests to models at most: {answering} to answer, {calls.judging:,} to judge, "
        f"{calls.calibrating:,} to calibrate."
    )
