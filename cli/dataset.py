"""`kg dataset`: datasets in the formats that people already use, out and in."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from cli.console import out as console
from cli.console import print_json, remark, say, table
from cli.graph_export import print_comparisons
from cli.options import MAX_SEED, AsJson, Corpus, day_of
from cli.session import existing_corpus, open_session
from kg.errors import command
from kg.store.leases import writing_to
from services.datasets.choose import FORMATS, choose_format
from services.datasets.contamination import (
    ALIKE_FROM,
    Overlap,
    read_contamination,
    read_set,
)
from services.datasets.description import UNKNOWN_LICENCE, DatasetStatistics, read_statistics, statistics_json
from services.datasets.export_dataset import ExportedDataset, ExportOptions, export_dataset, verify_export
from services.datasets.import_dataset import import_dataset
from services.datasets.splits import parse_splits
from services.evaluate.matrix import BIN_NAMES, BINS, SMALL
from services.evaluate.write_back import ClosedBook, KnownCell

app = typer.Typer(
    name="dataset",
    help="Export the questions and articles of a corpus, describe them, check an export, bring one in.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Folder = Annotated[
    Path, typer.Argument(metavar="DIR", help="The folder that an export wrote.", show_default=False)
]


@app.callback()
def group() -> None:
    """Export the questions and articles of a corpus, describe them, check an export, bring one in."""


@app.command(
    epilog="Example: kg dataset export musique --out exported --splits train=.8,dev=.1,test=.1 --verify "
    "--corpus ormelund"
)
def export(
    form: Annotated[str, typer.Argument(metavar="FORMAT", help=f"One of: {', '.join(FORMATS)}.")],
    out: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="The folder to make.", show_default=False)
    ],
    corpus: Corpus = None,
    splits: Annotated[
        str | None,
        typer.Option(
            metavar="SHARES",
            help="Shares of questions, as in train=.8,dev=.1,test=.1. No article is in two splits: questions "
            "that would need one that is are left out. Default: not split.",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option(min=0, max=MAX_SEED, help="Seed of the splits and of passages beside the evidence.")
    ] = 0,
    licence: Annotated[
        str, typer.Option(help="Licence of the articles, for the dataset card, as in cc-by-4.0.")
    ] = UNKNOWN_LICENCE,
    verify: Annotated[
        bool, typer.Option("--verify", help="Read everything back and compare it before the folder appears.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace an older export in this folder.")] = False,
    as_json: AsJson = False,
) -> None:
    """Write kept questions and their articles into a new folder, with a dataset card and a manifest.

    The folder appears when it is whole. The same corpus and options give the same bytes.
    """
    chosen = choose_format(form)
    options = ExportOptions(parse_splits(splits) if splits else {}, seed, licence, verify, force)
    with open_session() as session:
        name = existing_corpus(session.graph, corpus)
        found = export_dataset(session.graph, name, chosen, out, options, session.progress)
    if as_json:
        print_json({"corpus": name, **asdict(found)})
    else:
        _tell(name, found)


@app.command(epilog="Example: kg dataset verify exported")
def verify(folder: Folder, as_json: AsJson = False) -> None:
    """Compare an export of a dataset or a graph with its manifest: checksums, and each record as it is
    read.
    """
    found = verify_export(folder)
    if as_json:
        print_json(asdict(found) | {"sound": found.sound})
    else:
        for name in found.missing:
            remark(f"missing: {name}")
        for name in found.changed:
            remark(f"changed: {name}")
        for name in found.unknown:
            remark(f"note: {name} is not part of the export.")
        files = found.whole + len(found.changed) + len(found.missing)
        say(f"{folder}: {found.format}, {found.whole:,} of {files:,} files as they were written.")
        print_comparisons(found.compared)
    if not found.sound:
        raise typer.Exit(1)


@app.command(epilog="Example: kg dataset formats")
def formats(as_json: AsJson = False) -> None:
    """List the formats that a dataset can be exported in."""
    if as_json:
        print_json(
            [{"name": one.name, "summary": one.summary, "extra": one.extra} for one in FORMATS.values()]
        )
        return
    rows = [
        (one.name, one.summary + (f" (needs the extra {one.extra})" if one.extra else ""))
        for one in FORMATS.values()
    ]
    console.print(table("Formats of datasets", ("format", "what it holds"), rows))


@app.command(epilog="Example: kg dataset contamination musique_dev.jsonl --corpus ormelund")
def contamination(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[FILE...]", help="Published question sets, as kg questions import reads them."
        ),
    ] = None,
    corpus: Corpus = None,
    cutoff: Annotated[
        datetime | None,
        typer.Option(
            formats=["%Y-%m-%d"],
            metavar="DAY",
            help="Last day of what a model was trained on. Default: HOPGRADE_MODEL_CUTOFF.",
            show_default=False,
        ),
    ] = None,
    show: Annotated[
        int, typer.Option(min=0, max=1_000, help="Pairs most alike to show of each file, made or imported.")
    ] = 5,
    as_json: AsJson = False,
) -> None:
    """Say what a model could have known before: by the age of articles, by heart, from published questions.

    By heart is what runs without evidence got right (kg run start single-step --evidence none), by cell of
    the difficulty matrix. Likeness to published questions is measured by words (TF-IDF over runs of one to
    three) and by meaning (the corpus' embedder), of questions made here and of imported ones beside them.
    """
    with open_session() as session:
        name = existing_corpus(session.graph, corpus)
        published = [read_set(file) for file in files or ()]
        day = day_of(cutoff)
        found = read_contamination(
            session.graph, name, session.settings, day, published, session.progress, show
        )
    if as_json:
        print_json({"corpus": name, **found.as_dict()})
        return
    age = found.age
    if age is None:
        say("How old the articles are to a model is not known: give --cutoff, or set HOPGRADE_MODEL_CUTOFF.")
    else:
        say(age.warning or f"No dated article is as old as the model's data ({age.cutoff}).")
        if age.undated:
            say(f"{age.undated:,} articles have no day.")
    if not found.closed_book:
        say("What a model knows by heart: kg run start single-step --model NAME --evidence none.")
    for run in found.closed_book:
        _tell_known(run)
    _tell_overlaps(found.sets)


def _tell_known(run: ClosedBook) -> None:
    lines = [run.cells[at : at + len(BINS) + 1] for at in range(0, len(run.cells), len(BINS) + 1)]
    rows = [(f"{line[0].hops} hops" if line[0].hops else "all", *map(_known_text, line)) for line in lines]
    title = f"Right without any evidence: run {run.run!r} by {run.generator}, judged by {run.judge}"
    console.print(table(title, ("", *BIN_NAMES.values(), "all"), rows))
    say(
        f"Cell: share right (chain questions), below it the 95 % interval by cluster; * fewer than {SMALL} "
        "questions. Columns: quartiles of the distance from question to its farthest evidence.",
        "dim",
    )


def _known_text(cell: KnownCell) -> str:
    if cell.share is None or cell.interval is None:
        return "-"
    mark = "*" if cell.small else ""
    return f"{cell.share:.2f} ({cell.n}){mark}\n{cell.interval.low:.2f} to {cell.interval.high:.2f}"


def _tell_overlaps(overlaps: Sequence[Overlap]) -> None:
    if not overlaps:
        return
    figures = ("measure", "mean", "median", "highest", f"from {ALIKE_FROM} on")
    rows = [
        (of_set, f"{of.questions:,} {of.origin}", of.measure, of.mean, of.median, of.highest, of.alike)
        for one in overlaps
        for of_set in [f"{one.name} ({one.questions:,})"]
        for of in one.likeness
    ]
    title = "Each kept question's cosine to the nearest one of a set"
    console.print(table(title, ("set", "questions", *figures), rows))
    for one in overlaps:
        if one.rejected:
            remark(f"note: {one.rejected:,} rows of {one.name} are no question that can be used.")
        if one.titles:
            say(f"{one.name}: {len(one.titles):,} titles of articles too: {', '.join(one.titles[:5])}")
        for pair in one.nearest:
            say(
                f"  {pair.origin}: words {pair.words:.2f}, meaning {pair.meaning:.2f}\n"
                f"    {pair.question}\n    {pair.other}",
                "dim",
            )


@app.command("import", epilog="Example: kg dataset import exported --corpus news")
def import_(
    folder: Folder,
    corpus: Annotated[str, typer.Option("--corpus", help="Name of the new corpus.", show_default=False)],
    new_ids: Annotated[
        bool,
        typer.Option("--new-ids", help="Give the questions ids of this corpus, and note their own beside."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Bring a dataset in Hopgrade's own format into a new corpus, so that runs can answer its questions.

    Articles, chunks and questions come, with kinds, hops, evidence and difficulty; not the graph of facts.
    Stopped half-way, the same command goes on.
    """
    with open_session() as session, writing_to(session.graph, corpus) as graph:
        found = import_dataset(graph, corpus, folder, session.settings, session.progress, new_ids=new_ids)
    if as_json:
        print_json(asdict(found))
        return
    say(
        f"corpus {corpus!r}: {found.articles:,} articles, {found.chunks:,} chunks, "
        f"{found.questions:,} questions; version {found.dataset}."
    )
    if not found.same_version:
        remark("note: these are not all questions of the corpus that was exported, or they have new ids.")
    say(
        f"Ask them: kg run start --corpus {quote(corpus)}\n"
        f"The graph of facts, which the rules' reader uses: kg corpus build --corpus {quote(corpus)}",
        "dim",
    )


@app.command(epilog="Example: kg dataset statistics --corpus ormelund")
def statistics(corpus: Corpus = None, as_json: AsJson = False) -> None:
    """Describe a corpus and its kept questions: categories, types, evidence, first words, answers.

    These are tables 2 to 4 of MultiHop-RAG and the shares of first words (section 3.2), and how even answers
    of opposite value are, before and after filters.
    """
    with open_session() as session:
        name = existing_corpus(session.graph, corpus)
        found = read_statistics(session.graph, name)
    if as_json:
        print_json({"corpus": name, **statistics_json(found)})
    else:
        _print_statistics(name, found)


def _print_statistics(corpus: str, found: DatasetStatistics) -> None:
    rows = [
        (row.category or "none given", f"{row.mean_tokens:,.1f}", f"{row.articles:,}")
        for row in (*found.categories, found.total)
    ]
    console.print(table(f"Articles of {corpus!r}", ("category", "mean tokens", "articles"), rows))
    tables = {
        "Questions by type": ("type", found.types),
        "Questions by evidence": ("evidence", found.evidence),
        "First words of questions": ("word", found.first_words),
    }
    if not found.types:
        say("No question is kept yet.")
    for title, (head, counts) in tables.items():
        if counts:
            shown = [(one.name, f"{one.questions:,}", f"{100 * one.share:.2f} %") for one in counts]
            console.print()
            console.print(table(title, (head, "questions", "share"), shown))
    if found.balance:
        console.print()
        balance = [
            (one.query_type, " / ".join(one.answers), _pair(one.made), _pair(one.kept), _share(one.share))
            for one in found.balance
        ]
        heads = ("type", "answers", "made", "kept", "share of the first")
        console.print(table("Answers of opposite value", heads, balance))
    if found.types:
        say("Null questions have 0 pieces of evidence: nothing holds their answer.", "dim")


def _pair(counts: tuple[int, int]) -> str:
    return f"{counts[0]:,} / {counts[1]:,}"


def _share(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.0f} %"


def _tell(corpus: str, found: ExportedDataset) -> None:
    rows = []
    for split in found.splits:
        left = split["left_out"]
        number = sum(one for one in left.values() if isinstance(one, int)) if isinstance(left, dict) else 0
        rows.append(
            (split["name"] or "all", split["articles"], split["questions"], split["straddling"], number)
        )
    columns = ("split", "articles", "questions", "straddling", "no place")
    console.print(table(f"Corpus {corpus!r} as {found.format}", columns, rows))
    if found.straddling:
        say(
            f"{found.straddling:,} questions need articles of two splits or more, and are left out; "
            "each is counted in every split that it touches.",
            "dim",
        )
    for split in found.splits:
        if isinstance(left := split["left_out"], dict):
            for reason, count in left.items():
                say(f"{split['name'] or 'all'}: {count:,} left out, as a question that {reason}.", "dim")
    size = sum(one.bytes for one in found.files)
    say(f"{found.folder}: {len(found.files):,} files, {size / 1e6:,.1f} MB, manifest.json with checksums.")
    print_comparisons(found.compared)
    say(f"Wherever it goes: {command('dataset verify', str(found.folder))}")
