"""`kg standard init`: a protocol to be edited, with frozen pools beside it.

`kg standard check`: a protocol held against everything that is known before its run.

`kg standard repeat`: a folder to run a comparison again from, out of its archive.
"""

from dataclasses import asdict
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from cli import options
from cli.completion import complete_from, complete_runs
from cli.console import out, print_json, remark, say, table
from cli.options import AsJson
from cli.session import existing_corpus, open_session
from cli.standard_run import print_next
from kg.embed.choose import embedder_of
from kg.errors import SettingsError
from kg.store.leases import writing_to
from services.comparison.beginning import (
    ANSWER_TOKENS,
    ANSWERS_A_TRIAL,
    CALIBRATED,
    EVIDENCE_TOKENS,
    LEAST_CALIBRATED,
    POOL_BY,
    POOL_SIZE,
    SMALLEST,
    FirstOptions,
    NewComparison,
    begin_standard,
    repeat_standard,
)
from services.comparison.checks import Checked, check_standard
from services.comparison.folder import POOL_FILE, PROTOCOL_FILE, archive_name, folder_of
from services.comparison.planning import ASSUMED_INTRA_CLUSTER, PlannedCalls, PlannedPower
from services.comparison.protocol import protocol_hash
from services.comparison.protocol_file import ProtocolFileError, read_protocol
from services.rag.context import LEAST_EVIDENCE_TOKENS
from services.rag.retrieval.choose import RETRIEVERS

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
    say(_describe_calls(protocol.judging, found.calls))
    for one in found.findings:
        remark(f"{one.kind}: {one.place}: {one.text}")
    if found.breaches:
        say("Check: FAIL")
        return
    say("Check: pass")
    looks = len(protocol.inference.looks)
    archive = folder_of(folder) / archive_name(protocol.name, looks, looks)
    if found.lock is not None and archive.is_file():
        say(f"It is finished: {archive}")
        print_next(archive)
        return
    say(f"Next: kg standard run {quote(str(folder))}")


def _power_row(one: PlannedPower, measure: str) -> list[object]:
    chance = "" if one.chance is None else f"{one.chance:.2f}"
    least = "" if one.detectable is None else f"{one.detectable:.3f}"
    spread, smallest = f"{one.sd:g}", f"{one.smallest:g}"
    return [one.hypothesis, measure, one.questions, one.clusters, spread, smallest, chance, least]


def _describe_calls(judging: str, calls: PlannedCalls) -> str:
    answering = "as many as its systems ask for" if calls.answering is None else f"{calls.answering:,}"
    text = f"{calls.answers:,} answers, each {judging}."
    if calls.answering == calls.judging == calls.calibrating == 0:
        return f"{text} No model is asked."
    return (
        f"{text} Requests to models at most: {answering} to answer, {calls.judging:,} to judge, "
        f"{calls.calibrating:,} to calibrate."
    )


@app.command(epilog="Example: kg standard repeat selectors.zip again")
def repeat(
    archive: Annotated[
        Path,
        typer.Argument(metavar="NAME.zip", help="The archive of a judged comparison.", show_default=False),
    ],
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where it is to be run again.")],
    as_json: AsJson = False,
) -> None:
    """Write the protocol and the pools of an archive into a folder, to run the comparison again.

    That needs a corpus of the same name, with the same version of the questions; kg standard check says
    whether there is one.
    """
    protocol = repeat_standard(archive, folder)
    if as_json:
        print_json({"standard": protocol.name, "hash": protocol_hash(protocol), "folder": str(folder)})
        return
    say(f"Comparison {protocol.name!r} on corpus {protocol.dataset.corpus!r}: its protocol and pools.")
    say(f"Written: {folder}")
    say(f"Next: kg standard check {quote(str(folder))}")


@app.command(epilog="Example: kg standard init first --corpus ormelund --questions 200")
def init(
    folder: Annotated[
        Path, typer.Argument(metavar="[FOLDER]", help="Folder of the comparison; it is made when it is new.")
    ] = Path("standard"),
    corpus: options.Corpus = None,
    name: Annotated[
        str | None,
        typer.Option(help="Name of the comparison. Default: the folder's.", show_default=False),
    ] = None,
    questions: Annotated[
        int | None,
        typer.Option(
            min=2,
            max=options.MOST,
            help="Questions to draw: of each kind its share in the corpus, evenly over depths and quartiles "
            "there. Default: all.",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, max=options.MAX_SEED, help="Seed of all draws.")] = 0,
    pool_by: Annotated[
        str,
        typer.Option(
            "--pool-by",
            help=f"Retriever that fills the pools: {', '.join(RETRIEVERS)}.",
            autocompletion=complete_from(RETRIEVERS),
        ),
    ] = POOL_BY,
    pool_size: Annotated[int, typer.Option(min=1, max=1_000, help="Chunks in a pool.")] = POOL_SIZE,
    evidence_tokens: Annotated[
        int,
        typer.Option(
            min=LEAST_EVIDENCE_TOKENS,
            max=options.MOST,
            help="Tokens of a pool that a question may be shown.",
        ),
    ] = EVIDENCE_TOKENS,
    answer_tokens: Annotated[
        int, typer.Option(min=1, max=options.MOST, help="Tokens of an answer at most.")
    ] = ANSWER_TOKENS,
    model: Annotated[
        str | None, typer.Option(help="Model that answers. Default: the rules.", show_default=False)
    ] = None,
    judge: Annotated[str, typer.Option(help="Who judges: exact or overlap (rules), or a model.")] = "exact",
    second_judge: Annotated[str, typer.Option(help="Who judges everything once more; likewise.")] = "overlap",
    smallest: Annotated[
        float, typer.Option(min=0.001, max=0.999, help="Smallest difference of interest, of each hypothesis.")
    ] = SMALLEST,
    calibration: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=options.MOST,
            help="Questions that each judge is tried on before, some 22 requests each for a model. Default: "
            f"one for {ANSWERS_A_TRIAL} answers, {LEAST_CALIBRATED} to {CALIBRATED}.",
            show_default=False,
        ),
    ] = None,
    calibration_run: Annotated[
        str | None,
        typer.Option(
            "--calibration-run",
            metavar="RUN",
            help="A finished run on whose answers judges are tried too, as people labelled them (kg run "
            "sample, kg run label); without labels on its exact matches. Default: made answers alone.",
            show_default=False,
            autocompletion=complete_runs,
        ),
    ] = None,
    system: Annotated[
        list[str] | None,
        typer.Option(
            "--system",
            metavar="NAME=RUN",
            help="A system of your own, by the run that you will make after the lock; more than one is fine.",
            show_default=False,
        ),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Draw questions, freeze their pools, and write a protocol to be edited; nothing is asked.

    The protocol compares our four selectors of evidence, and the runs that you name, with top-k, each on
    Cluster Recall and accuracy. What is claimed is yours to write: edit the hypotheses in standard.yaml.
    """
    chosen = FirstOptions(
        name=folder.resolve().name if name is None else name,
        questions=questions,
        seed=seed,
        pool_by=pool_by,
        pool_size=pool_size,
        evidence_tokens=evidence_tokens,
        answer_tokens=answer_tokens,
        model=model,
        judge=judge,
        second_judge=second_judge,
        smallest=smallest,
        calibration=calibration,
        calibration_run=calibration_run,
        runs=tuple(_own(one) for one in system or ()),
    )
    with open_session() as session:
        found = existing_corpus(session.graph, corpus)
        embedder = embedder_of(session.graph, found, session.settings)
        with writing_to(session.graph, found) as graph:
            begun = begin_standard(graph, found, folder, chosen, session.settings, embedder, session.progress)
    if as_json:
        print_json(
            {
                "folder": str(folder),
                "hash": protocol_hash(begun.protocol),
                "questions": begun.questions,
                "pool_recall": asdict(begun.recall),
                "protocol": begun.protocol.model_dump(mode="json"),
            }
        )
        return
    _print_begun(folder, begun)


def _own(text: str) -> tuple[str, str]:
    name, equals, run = text.partition("=")
    if not equals or not name or not run:
        raise SettingsError(f"{text!r} names no run of a system.", "Give --system NAME=RUN.")
    return name, run


def _print_begun(folder: Path, begun: NewComparison) -> None:
    protocol, recall = begun.protocol, begun.recall
    say(f"Comparison {protocol.name!r} on corpus {protocol.dataset.corpus!r}", "bold")
    say(
        f"{begun.questions:,} questions; pools of {protocol.pool.size:,} chunks by "
        f"{protocol.pool.retriever}, of which {protocol.budget.evidence_tokens:,} tokens may be shown."
    )
    if recall.hops:
        say(
            f"The pools hold evidence for {recall.found:,} of {recall.hops:,} hops "
            f"({100 * recall.found / recall.hops:.1f} %), and for every hop of {recall.whole:,} of "
            f"{recall.questions:,} questions."
        )
    say(
        f"{len(protocol.systems)} systems, {len(protocol.hypotheses)} hypotheses; judges "
        f"{protocol.judge.name} and {protocol.second_judge.name}"
        f"{', rules that share code' if protocol.judges_share_code else ''}."
    )
    say(f"Written: {folder / PROTOCOL_FILE}, {folder / POOL_FILE}")
    say(f"Next: edit the hypotheses, then: kg standard check {quote(str(folder))}")
