"""`kg questions`: the questions of a corpus, how they were made, and which filters they fell at.

`kg questions import`: questions of another set, with their evidence in the corpus.
"""

from dataclasses import asdict
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from cli.completion import whole_id
from cli.console import lead_on, out, print_json, remark, say
from cli.options import MOST, AsJson, Corpus, QuestionId, parse_depths
from cli.question_tables import border_table, funnel_tables, print_question, refusal_table
from cli.session import existing_corpus, open_session
from kg.embed.choose import embedder_of
from kg.errors import NothingToDoError, SettingsError
from kg.ledger import read_stage
from kg.model import Reject
from kg.paths.protocol import QUESTION_HOPS
from kg.queries import query
from kg.store.graph import Row
from kg.store.leases import writing_to
from services.datasets.choose import QUESTION_FORMATS
from services.datasets.import_questions import IMPORTED, ImportResult, import_questions
from services.questions.choice import parse_kinds
from services.questions.composed.selection import STAGE as COMPOSED_STAGE
from services.questions.dataset import dataset_version
from services.questions.draft import COMPOSED_KINDS, QuestionStatus
from services.questions.filters.choose import KNOWN_FILTERS
from services.questions.funnel import in_order, read_funnel
from services.questions.generate import WRITER_CHECKS
from services.questions.hand_work import read_hand_work
from services.questions.spans.facets import read_border_shares, shares_json
from services.questions.spans.question_spans import renew_spans

app = typer.Typer(rich_markup_mode=None)

SHOWN = 5
"""How many rows and pieces of evidence are named; `kg corpus rejects` lists all."""


@app.command("import", epilog="Example: kg questions import MultiHopRAG.json --corpus news")
def import_(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="The question file, or the folder of a BEIR set.", show_default=False
        ),
    ],
    corpus: Corpus = None,
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help=f"One of: {', '.join(QUESTION_FORMATS)}. Default: told from the content.",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Import questions of another set, and find their evidence among the chunks of a corpus.

    Ids of the set are kept. Runs ask imported questions beside those that were made; making questions anew
    leaves them. Rows that can't be used and evidence that is not in the corpus are listed with file and line.
    """
    with open_session() as session:
        name = existing_corpus(session.graph, corpus)
        embedder = embedder_of(session.graph, name, session.settings)
        with writing_to(session.graph, name) as graph:
            found = import_questions(graph, name, file, form or "", embedder, session.progress)
        runs = read_hand_work(session.graph, name).runs
    if as_json:
        print_json({"corpus": name, **asdict(found)})
        return
    _tell(name, found)
    if runs:
        remark(
            f"note: the questions have a new version; runs on older ones ({', '.join(runs)}) are made anew "
            "when they are started again under the same name."
        )


def _tell(corpus: str, found: ImportResult) -> None:
    types = ", ".join(f"{name} {number:,}" for name, number in sorted(found.types.items()))
    say(f"corpus {corpus!r}: {found.questions:,} questions imported as {found.form} ({types}).")
    with_gold = found.questions - found.without
    say(
        f"Evidence: {found.whole:,} of {with_gold:,} questions whole, {found.lost:,} without any of theirs; "
        f"{found.without:,} questions name none."
    )
    if found.pieces:
        ways = ", ".join(f"{way} {number:,}" for way, number in sorted(found.pieces.items()))
        say(f"Found by: {ways}.", "dim")
    _list("rows set aside", found.rejects, corpus)
    _list("pieces of evidence not found", found.unmatched, corpus)
    say(
        f"Version {found.dataset}. The difficulty matrix has no cell for imported questions: they follow no "
        "path of the graph.",
        "dim",
    )
    say("Ask them: kg run start; look at them: kg questions list --kind imported", "dim")


def _list(what: str, remarks: tuple[Reject, ...], corpus: str) -> None:
    if not remarks:
        return
    remark(f"note: {len(remarks):,} {what}:")
    for one in remarks[:SHOWN]:
        remark(f"  {one.place}: {one.reason}")
    if len(remarks) > SHOWN:
        remark(f"  ... all of them: kg corpus rejects --corpus {quote(corpus)}")


@app.command("list", epilog="Example: kg questions list --hops 3,4 --limit 10")
def list_(
    corpus: Corpus = None,
    hops: Annotated[
        str | None, typer.Option(help="Hops, 1 to 5, with commas. Default: any.", show_default=False)
    ] = None,
    kind: Annotated[
        str | None,
        typer.Option(
            help="Kinds with commas, such as chain,bridge-entity, sequential, parallel or imported. "
            "Default: any.",
            show_default=False,
        ),
    ] = None,
    status: Annotated[
        QuestionStatus | None,
        typer.Option(
            help="kept, rejected by a filter, dropped by reviewers, prefix: the first hops of another, or "
            "atomic: a hop of a composed one. Default: kept.",
            show_default=False,
        ),
    ] = None,
    rejected_by: Annotated[
        str | None,
        typer.Option("--filter", metavar="NAME", help="Those that this filter rejected.", show_default=False),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=MOST, help="How many at most.")] = 20,
    as_json: AsJson = False,
) -> None:
    """List questions with answer, difficulty and quartile; rejected ones with the reason."""
    depths = parse_depths(hops, QUESTION_HOPS) if hops is not None else []
    kinds = _kinds(kind) if kind else ()
    wanted = _status_filter(status, rejected_by)
    with open_session() as session:
        name = existing_corpus(session.graph, corpus)
        # One more than wanted tells whether there are more.
        rows = session.graph.rows(
            query("questions/list_questions"),
            corpus=name,
            hops=depths,
            kinds=list(kinds),
            status=wanted,
            rejected_by=rejected_by or "",
            limit=limit + 1,
        )
    if as_json:
        print_json(rows[:limit])
        return
    for row in rows[:limit]:
        say(f"{row['text'] or '(no question)'} -> {row['answer']}")
        place = "" if row["bin"] is None else f", quartile {row['bin']}"
        distance = "" if row["difficulty"] is None else f", distance {row['difficulty']:.3f}"
        why = f", {row['rejected_by']}: {row['rejected_why']}" if row["rejected_by"] else ""
        hops_told = {0: "hops not told", 1: "1 hop"}.get(row["hops"], f"{row['hops']} hops")
        say(f"  {row['kind']}, {hops_told}{place}{distance}, {row['id']}{why}", "dim")
    if not rows:
        chosen = bool(hops or kind or rejected_by) or wanted != "kept"
        step = (
            f"How many there are: kg questions funnel --corpus {quote(name)}"
            if chosen
            else f"Make some: kg questions make --corpus {quote(name)}"
        )
        remark(f"corpus {name!r} has no {wanted} question{' like this' if chosen else ''}. {step}")
    if len(rows) > limit:
        remark("there are more; see them with --limit, or others with --hops, --kind and --status.")


def _kinds(text: str) -> tuple[str, ...]:
    """The kinds to list: those that are made, and those that are composed or imported."""
    named = [" ".join(part.split()) for part in text.split(",")]
    apart = tuple(name for name in named if name in {*COMPOSED_KINDS, IMPORTED})
    others = ",".join(name for name in named if name not in apart)
    return (*(parse_kinds(others) if others or not apart else ()), *apart)


def _status_filter(status: QuestionStatus | None, rejected_by: str | None) -> QuestionStatus:
    """The status to list; a filter stands for what it rejected."""
    if rejected_by is None:
        return status or "kept"
    known = (*WRITER_CHECKS, *KNOWN_FILTERS)
    if rejected_by not in known:
        raise SettingsError(f"{rejected_by!r} is not a filter.", f"Use one of: {', '.join(known)}.")
    if status not in {None, "rejected"}:
        raise SettingsError(
            f"no {status} question was rejected by a filter.", "Leave --status out beside --filter."
        )
    return "rejected"


@app.command(epilog="Example: kg questions show question-0123456789abcdef")
def show(
    question: QuestionId,
    corpus: Corpus = None,
    as_json: AsJson = False,
) -> None:
    """Show one question: its path and evidence, what each filter and each reviewer said, and answers."""
    with open_session() as session:
        name = existing_corpus(session.graph, corpus) if corpus else ""
        whole = whole_id(session.graph, "question", question, name)
        rows = session.graph.rows(query("questions/read_question"), id=whole)
    if not rows:
        raise NothingToDoError(f"there is no question {question!r}.", "See the ids: kg questions list.")
    if as_json:
        print_json(rows[0])
    else:
        print_question(rows[0])
        _lead_on(rows[0])


def _lead_on(row: Row) -> None:
    """How a system came to its answer, of a wrong one first; or who could answer."""
    asked, answers = row["question"], row["answers"]
    if first := next((one for one in answers if not one["correct"]), answers[0] if answers else None):
        lead_on("Step by step", "run trace", asked["id"], first["run"], "--corpus", asked["corpus"])
    elif asked["status"] == "kept":
        lead_on("Let a system answer", "run start single-step --corpus", asked["corpus"])


@app.command(epilog="Example: kg questions funnel --corpus mine")
def funnel(corpus: Corpus = None, as_json: AsJson = False) -> None:
    """Count the questions of each depth and kind that were drawn, fell at each filter, and are kept.

    A filter sees only what passed those before it. Where a depth has fewer than wanted, it says why. Below
    stands which share of the kept ones must cross geographic, temporal and domain borders.
    """
    with open_session() as session:
        name = existing_corpus(session.graph, corpus)
        if all(read_stage(session.graph, name, stage) is None for stage in ("questions", COMPOSED_STAGE)):
            raise NothingToDoError(
                f"corpus {name!r} has no questions yet.",
                f"Make some: kg questions make --corpus {quote(name)}",
            )
        columns = read_funnel(session.graph, name)
        version = dataset_version(session.graph, name)
        renew_spans(session.graph, name)
        borders = read_border_shares(session.graph, name)
    if as_json:
        print_json(
            {
                "corpus": name,
                "dataset": version,
                "columns": [asdict(column) for column in columns],
                "borders": shares_json(borders),
            }
        )
        return
    filters = in_order({name for column in columns for name in column.fell})
    for shown in funnel_tables(name, columns, filters):
        out.print(shown)
    if (refusals := refusal_table(columns)) is not None:
        out.print(refusals)
    for column in columns:
        if column.short:
            say(f"{column.hops} hops: {column.short}")
    if borders:
        out.print(border_table(borders))
    say(f"Version {version}. Rejected ones: kg questions list --filter NAME", "dim")
