"""`kg graph entity`: what an entity is, and corrections of it by hand."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from shlex import quote
from typing import Annotated

import typer

from cli.completion import complete_corrections, whole_id
from cli.console import out, print_json, say, table
from cli.options import AsJson, Corpus
from cli.session import existing_corpus, open_session, user_name
from kg.resolve.bonds import Correction
from kg.stages.resolution_corrections import (
    Signature,
    describe_entity,
    find_entity,
    list_corrections,
    merge_entities,
    read_corrections,
    split_entity,
    undo_correction,
)
from kg.store.graph import Graph, Row
from kg.store.leases import writing_to

Name = Annotated[str, typer.Argument(metavar="NAME", help="Any name of the entity, or its id.")]
Reason = Annotated[str, typer.Option("--reason", help="Why, for whoever reads the correction later.")]
By = Annotated[
    str | None, typer.Option("--by", help="Who says so. Default: your user name.", show_default=False)
]

MOST_ARTICLES = 12
IN_PATHS = "in paths, or why not"

app = typer.Typer(rich_markup_mode=None)


@app.command(epilog='Example: kg graph entity show "Port Averell"')
def show(name: Name, corpus: Corpus = None, as_json: AsJson = False) -> None:
    """Show an entity: its names and why they were merged, its facts, links and mirrored edges."""
    with open_session() as session:
        chosen = existing_corpus(session.graph, corpus)
        entity = find_entity(session.graph, chosen, name)
        found = describe_entity(session.graph, chosen, entity)
        names = {row["name"] for row in found["names"]} | {entity["name"]}
        made = [row for row in list_corrections(session.graph, chosen) if {row["name"], row["other"]} & names]
    if as_json:
        print_json({**found, "corrections": made})
        return
    _print_entity(found, made)


@app.command(epilog='Example: kg graph entity merge "Old University" "University of Dunmarrow"')
def merge(
    name: Name,
    other: Annotated[str, typer.Argument(metavar="OTHER", help="Any name of the other entity, or its id.")],
    reason: Reason = "",
    by: By = None,
    corpus: Corpus = None,
    as_json: AsJson = False,
) -> None:
    """Say that two entities are one thing, for good; the next build merges them."""
    signature = _signature(by, reason)
    _correct(corpus, as_json, lambda graph, chosen: merge_entities(graph, chosen, name, other, signature))


@app.command(epilog='Example: kg graph entity split "the Island" --from "Isle of Tavisk"')
def split(
    alias: Annotated[str, typer.Argument(metavar="ALIAS", help="The name that belongs elsewhere.")],
    owner: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="ENTITY",
            help="The entity that it is not. Default: the one that holds it.",
            show_default=False,
        ),
    ] = None,
    reason: Reason = "",
    by: By = None,
    corpus: Corpus = None,
    as_json: AsJson = False,
) -> None:
    """Say that a name is not the entity that it was merged with or linked to, for good."""
    signature = _signature(by, reason)
    _correct(corpus, as_json, lambda graph, chosen: split_entity(graph, chosen, alias, owner, signature))


@app.command(epilog="Example: kg graph entity undo")
def undo(
    correction: Annotated[
        str | None,
        typer.Argument(
            metavar="ID",
            help="Id of the correction, or as much of it as no other has. Default: the last one.",
            show_default=False,
            autocompletion=complete_corrections,
        ),
    ] = None,
    corpus: Corpus = None,
    as_json: AsJson = False,
) -> None:
    """Forget a correction; the next build takes back what it did."""
    with open_session() as session:
        chosen = existing_corpus(session.graph, corpus)
        with writing_to(session.graph, chosen) as graph:
            gone = undo_correction(
                graph, chosen, correction and whole_id(graph, "correction", correction, chosen)
            )
    if as_json:
        print_json(asdict(gone))
        return
    say(f"forgotten: {_sentence(asdict(gone))}. Take it back in the graph: {_build(chosen)}")


@app.command(epilog="Example: kg graph entity corrections --json")
def corrections(corpus: Corpus = None, as_json: AsJson = False) -> None:
    """List the corrections: what was said, by whom, when and why, and what came of it."""
    with open_session() as session:
        chosen = existing_corpus(session.graph, corpus)
        made = list_corrections(session.graph, chosen)
    if as_json:
        print_json(made)
        return
    if not made:
        say(f"No corrections in {chosen!r}. Make one: kg graph entity merge, or kg graph entity split.")
        return
    rows = [
        [
            row["id"],
            _sentence(row),
            row["by"],
            f"{row['created_at']:%Y-%m-%d %H:%M}",
            row["reason"],
            row["effect"],
        ]
        for row in made
    ]
    out.print(table(f"Corrections in {chosen!r}", ("id", "says", "by", "at", "reason", "effect"), rows))


def _signature(by: str | None, reason: str) -> Signature:
    return Signature(user_name() if by is None else by, datetime.now(UTC), reason)


def _correct(corpus: str | None, as_json: bool, make: Callable[[Graph, str], Correction]) -> None:
    """Make a correction in a corpus, and say what came of it."""
    with open_session() as session:
        chosen = existing_corpus(session.graph, corpus)
        with writing_to(session.graph, chosen) as graph:
            before = read_corrections(graph, chosen)
            made = make(graph, chosen)
    _print_made(made, before, chosen, as_json)


def _print_made(made: Correction, before: Sequence[Correction], corpus: str, as_json: bool) -> None:
    if as_json:
        print_json(asdict(made))
        return
    if made in before:
        say(f"known: {_sentence(asdict(made))} ({made.id}), said by {made.by or 'someone'} before.")
        return
    say(f"kept: {_sentence(asdict(made))} ({made.id}). It takes effect with: {_build(corpus)}")
    names = {made.name, made.other}
    for one in before:
        if {one.name, one.other} == names and one.kind != made.kind:
            say(f"forgotten, as it says the opposite: {_sentence(asdict(one))} ({one.id})")


def _build(corpus: str) -> str:
    return f"kg corpus build --corpus {quote(corpus)}"


def _sentence(row: Row) -> str:
    return f'"{row["name"]}" {"is" if row["kind"] == "merge" else "is not"} "{row["other"]}"'


def _print_entity(found: Row, made: Sequence[Row]) -> None:
    entity = found["entity"]
    say(f"{entity['name']}  {entity['type']}  {entity['id']}", "bold")
    hub = f"a hub: {entity['hub_reason']}" if entity["hub"] else "no hub"
    counts = (_format_count(entity["degree"], "fact"), _format_count(len(found["articles"]), "article"))
    say(f"{', '.join(counts)}, {hub}")
    evidence = {row["name"]: row for row in found["aliases"]}
    names = [[row["name"], row["articles"], *_why(evidence.get(row["name"]))] for row in found["names"]]
    _print_table("Names", ("name", "articles", "score", "merged because"), names)
    if inside := sorted(set(entity["other_names"] or ()) - {row["name"] for row in found["names"]}):
        say(f"Within articles also: {', '.join(inside)}")
    articles = [[row["title"], row["id"]] for row in found["articles"]]
    _print_table(
        _title_with_counts("Articles", MOST_ARTICLES, len(articles)),
        ("title", "id"),
        articles[:MOST_ARTICLES],
    )
    totals = found["totals"]
    for title, kind in (("Facts", "facts_out"), ("Facts about it", "facts_in")):
        facts = [[r["subject"], r["predicate"], r["object"], r["kept_out"] or "yes"] for r in found[kind]]
        columns = ("subject", "predicate", "object", IN_PATHS)
        _print_table(_title_with_counts(title, len(facts), totals[kind]), columns, facts)
    links = [[r["name"], r["type"], r["score"], r["evidence"], r["cluster"]] for r in found["links"]]
    _print_table("The same in context", ("entity", "type", "score", "because", "cluster"), links)
    mirrored = [[r["from"], r["predicate"], r["to"], r["kept_out"] or "yes"] for r in found["mirrored"]]
    title = _title_with_counts("Mirrored edges", len(mirrored), totals["mirrored"])
    _print_table(title, ("from", "predicate", "to", IN_PATHS), mirrored)
    namesakes = [[r["name"], r["type"], r["degree"], r["id"]] for r in found["namesakes"]]
    _print_table("Others of the same name", ("name", "type", "facts", "id"), namesakes)
    apart = [[", ".join(r["names"]), r["reason"]] for r in found["kept_apart"]]
    _print_table("Kept apart", ("names", "because"), apart)
    _print_table(
        "Corrections", ("says", "effect", "id"), [[_sentence(r), r["effect"], r["id"]] for r in made]
    )


def _format_count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"


def _title_with_counts(title: str, shown: int, total: int) -> str:
    """The title, and how many of how many are shown where these are not all."""
    return title if shown >= total else f"{title}: {shown} of {total}"


def _why(alias: Row | None) -> tuple[object, object]:
    return (None, None) if alias is None else (alias["score"], alias["evidence"])


def _print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    listed = list(rows)
    if listed:
        out.print()
        out.print(table(title, columns, listed))
