"""`kg standard init`: a protocol to be edited, with frozen pools beside it."""

from dataclasses import asdict
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from cli import options
from cli.console import print_json, say
from cli.session import existing_corpus, open_session
from kg.corpus import require_corpus
from kg.embed.choose import make_embedder
from kg.errors import SettingsError
from kg.store.leases import writing_to
from services.rag.evidence_budget import LEAST_EVIDENCE_TOKENS
from services.rag.retrieval.choose import RETRIEVERS
from services.standard.beginning import Begun, begin_standard
from services.standard.folder import POOL_FILE, PROTOCOL_FILE
from services.standard.hashing import protocol_hash
from services.standard.template import (
    ANSWER_TOKENS,
    ANSWERS_A_TRIAL,
    CALIBRATED,
    EVIDENCE_TOKENS,
    LEAST_CALIBRATED,
    POOL_BY,
    POOL_SIZE,
    SMALLEST,
    FirstOptions,
)


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
            help="Questions to draw, evenly from every kind, depth and quartile. Default: all.",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, max=options.MAX_SEED, help="Seed of all draws.")] = 0,
    pool_by: Annotated[
        str, typer.Option("--pool-by", help=f"Retriever that fills the pools: {', '.join(RETRIEVERS)}.")
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
        runs=tuple(_own(one) for one in system or ()),
    )
    with open_session() as session:
        found = existing_corpus(session.graph, corpus)
        embedder = make_embedder(require_corpus(session.graph, found).embedder, session.settings)
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


def _print_begun(folder: Path, begun: Begun) -> None:
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
        f"{protocol.judge.name} and {protocol.second_judge.name}."
    )
    say(f"Written: {folder / PROTOCOL_FILE}, {folder / POOL_FILE}")
    say(f"Next: edit the hypotheses, then: kg standard check {quote(str(folder))}")


def register(app: typer.Typer) -> None:
    """Add the command to the group."""
    app.command(epilog="Example: kg standard init first --corpus ormelund --questions 200")(init)
