"""`kg corpus`: the corpora in the graph, how far each is, figures on its graph, and what the rules read."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from cli.completion import complete_corpora
from cli.console import lead_on, number_table, out, print_json, remark, say, table
from cli.options import AsJson, Corpus
from cli.session import Session, choose_corpus, existing_corpus, open_session
from kg.corpus import has_nodes, list_corpora, require_corpus
from kg.errors import SettingsError, command
from kg.ledger import counts_of, describe, making_command, missing_stages, read_ledger
from kg.paths.protocol import DEPTHS
from kg.queries import query
from kg.stages.articles import rejects
from kg.stages.build import require_built
from kg.text.opinion import FACTUAL_FROM
from services.rag.graph_search.cache import drop_whole
from services.report.html_values import plural

if TYPE_CHECKING:
    from kg.extract.article import ExplainedSentence, ExplainedTriple
    from services.evaluate.graph_quality import GraphQuality

app = typer.Typer(rich_markup_mode=None)

Yes = Annotated[bool, typer.Option("--yes", "-y", help="Don't ask.")]
Clear = Annotated[
    bool,
    typer.Option(
        "--clear",
        "--reinit",
        help="Delete the corpus with everything made from it first, as kg corpus drop does; asks before. "
        "Default: files are added to it.",
    ),
]
DiscardWork = Annotated[
    bool,
    typer.Option(
        "--discard-work",
        "--discard-reviews",
        help="Go on although verdicts by hand, or runs of outside systems, are deleted with their questions.",
    ),
]


@app.command("list", epilog="Example: kg corpus list --json")
def list_(as_json: AsJson = False) -> None:
    """List the corpora with their sizes."""
    with open_session() as session:
        found = list_corpora(session.graph)
    if as_json:
        print_json(found)
        return
    if not found:
        remark("there is no corpus yet. Make one: kg demo, or kg corpus ingest FILE --corpus NAME.")
        return
    columns = ("name", "articles", "chunks", "entities", "questions", "embedder")
    out.print(table("Corpora", columns, [[row[column] for column in columns] for row in found]))
    lead_on("How one was made, and what comes next", "corpus status --corpus", found[0]["name"])


@app.command(epilog="Example: kg corpus drop mine --yes")
def drop(
    name: Annotated[
        str | None,
        typer.Argument(
            help="The corpus to delete; --corpus NAME says the same.",
            show_default=False,
            autocompletion=complete_corpora,
        ),
    ] = None,
    corpus: Annotated[
        str | None,
        typer.Option(help="The corpus to delete.", show_default=False, autocompletion=complete_corpora),
    ] = None,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Delete a corpus with everything made from it; asks first."""
    named = {one for one in (name, corpus) if one is not None}
    if len(named) != 1:
        raise SettingsError("one corpus is deleted at a time.", f"Name it: {command('corpus drop NAME')}")
    (name,) = named
    with open_session() as session:
        # Also where there is no corpus of the name, but something of one: what a drop that was cut off left.
        if not has_nodes(session.graph, name):
            require_corpus(session.graph, name, f"See all: {command('corpus list')}")
        _drop(session, name, yes)
    if as_json:
        print_json({"dropped": name})
        return
    remark(f"deleted corpus {name!r}.")


def clear_corpus(session: Session, name: str, yes: bool) -> None:
    """Delete what there is of a corpus, as `kg corpus drop` does; nothing where there is none.

    Raises:
        Exit: whoever was asked wants to keep it.
    """
    if has_nodes(session.graph, name):
        _drop(session, name, yes)


def _drop(session: Session, name: str, yes: bool) -> None:
    if not yes and not typer.confirm(f"Delete corpus {name!r} and everything made from it?", err=True):
        remark("kept.")
        raise typer.Exit(1)
    drop_whole(session.graph, name, session.settings.hopgrade_cache)


@app.command("rejects", epilog="Example: kg corpus rejects --corpus mine")
def rejects_(corpus: Corpus = None, as_json: AsJson = False) -> None:
    """List the rows that were set aside, and notes on those that were kept, by file and line."""
    with open_session() as session:
        name = existing_corpus(session.graph, corpus)
        found = list(rejects(session.graph, name))
    if as_json:
        print_json(found)
        return
    if not found:
        remark(f"nothing was set aside or noted in {name!r}.")
        return
    rows = [[row["place"], row["kind"], row["reason"]] for row in found]
    out.print(table(f"Set aside or noted in {name!r}", ("place", "kind", "reason"), rows))


@app.command(epilog="Example: kg corpus status --corpus ormelund")
def status(corpus: Corpus = None, as_json: AsJson = False) -> None:
    """Show which stages of a corpus ran, in which state they are, and what came of them."""
    with open_session() as session:
        name = choose_corpus(session.graph, corpus)
        known = require_corpus(session.graph, name)
        lines = read_ledger(session.graph, name)
        pending = session.graph.rows(query("articles/list_pending"), corpus=name, mark="chunked")
    if as_json:
        print_json({"corpus": name, "settings": known, "stages": lines, "articles_to_build": len(pending)})
        return
    rows = [[line["name"], line["state"], line.get("seconds"), describe(counts_of(line))] for line in lines]
    out.print(table(f"Corpus {name!r}", ("stage", "state", "seconds", "counts"), rows))
    if any(line["state"] != "done" for line in lines):
        say(
            "What is not done is at work now, was cut off, or was made from what has changed since. "
            f"Go on with kg corpus build --corpus {quote(name)}, then the command that asked: kg run-all or "
            "kg demo."
        )
    elif pending and any(line["name"] == "chunks" for line in lines):
        came = (
            "1 article came since and is"
            if len(pending) == 1
            else f"{len(pending):,} articles came since and are"
        )
        say(f"{came} not in the graph yet. Next: {command('corpus build --corpus', name)}")
    elif missing := missing_stages(line["name"] for line in lines):
        say(f"Next: {making_command(missing[0], name)}")
    say(
        f"vectors by {known.vectors}, chunks of {known.chunking} tokens, claims by {known.extractor}",
        "dim",
    )


MOST_HUBS = 15
REASONS = (
    "Kept out of paths: unnamed, an end is neither a name nor a date; self, both ends are one entity;\n"
    "literal, it starts at a date or a number, or ends at a number; hub, it starts at a hub; all others\n"
    "are doubts about what is said."
)


@app.command(epilog="Example: kg corpus graph --corpus ormelund")
def graph(corpus: Corpus = None, as_json: AsJson = False) -> None:
    """Measure the graph: who stands in several articles, pairs at each depth, missing links, hubs, gaps."""
    with open_session() as session:
        name = existing_corpus(session.graph, corpus)
        require_built(session.graph, name)
        # scipy, which only this command counts with, takes a while to import.
        from services.evaluate.graph_quality import read_graph_quality  # noqa: PLC0415

        found = read_graph_quality(session.graph, name, session.progress)
    if as_json:
        print_json({"corpus": name, **asdict(found)})
        return
    print_graph_quality(name, found)


def print_graph_quality(corpus: str, found: "GraphQuality") -> None:
    """The figures as tables."""
    parts = found.components
    say(f"Graph of {corpus!r}", "bold")
    say(
        f"{found.named_entities:,} named entities, {found.in_two_articles:,} "
        f"({_percent(found.in_two_articles, found.named_entities)}) in two or more articles"
    )
    say(
        f"{found.path_edges:,} edges for paths join {parts.entities:,} entities in {parts.count:,} "
        f"components, the largest of {parts.largest:,}"
    )
    _print_pairs(found)
    _print_drawn(found)
    _print_hubs(found)
    _print_edges(found)


def _print_pairs(found: "GraphQuality") -> None:
    crossing = found.pairs.crossing or (0,) * len(found.pairs.pairs)
    rows = []
    for depth in DEPTHS:
        pairs, need = found.pairs.pairs[depth - 1], found.need[depth - 1]
        rows.append(
            [
                f"{depth} hops",
                pairs,
                _percent(crossing[depth - 1], pairs),
                *(_percent(number, pairs) for number in (need.exact, need.context, need.either)),
                found.pairs_with_hubs.pairs[depth - 1],
            ]
        )
    columns = (
        "pairs",
        "need two articles",
        "need exact",
        "need context",
        "need either",
        "pairs without the hub policy",
    )
    out.print()
    out.print(number_table("Pairs of entities by distance", ("",), columns, rows))
    say(
        "A pair needs two articles if none holds one of its shortest paths whole, an exact link if all of "
        "them\njoin two names of one entity, and a context link if all of them take a mirrored edge. "
        "GRADE's table 4\ncounts questions, this counts pairs. Paths for questions start at no name "
        "that only context knows, so\nkg corpus status and kg graph paths draw count fewer pairs.",
        "dim",
    )


def _print_drawn(found: "GraphQuality") -> None:
    if not found.drawn:
        return
    kinds = ("crossing", "exact", "context", "either")
    rows = [
        [f"{row['hops']} hops", row["paths"], *(_percent(row[kind], row["paths"]) for kind in kinds)]
        for row in found.drawn
    ]
    out.print()
    columns = ("paths", "cross articles", "use exact", "use context", "use either")
    out.print(number_table("Drawn paths", ("",), columns, rows))


def _print_hubs(found: "GraphQuality") -> None:
    tail = found.degrees
    out.print()
    say(
        f"Facts an entity: median {tail.median:.0f}, 95 % have at most {tail.p95:.0f}, 99 % at most "
        f"{tail.p99:.0f}, one has {tail.max:,}; the top 1 % hold {_percent(tail.top_share, 1)} of all ends"
    )
    kept_out = found.path_edges_with_hubs - found.path_edges
    say(
        f"Hubs end paths, but no path goes on from one: {plural(len(found.hubs), 'hub')}, "
        f"{plural(kept_out, 'edge')} kept out"
    )
    shown = [[row["name"], row["type"], row["degree"], row["reason"]] for row in found.hubs[:MOST_HUBS]]
    if shown:
        out.print(table("Hubs with most facts", ("name", "type", "facts", "because"), shown))


def _print_edges(found: "GraphQuality") -> None:
    rows = [
        [{"RELATES": "facts", "MIRRORED": "mirrored"}[row["kind"]], row["reason"] or "in paths", row["edges"]]
        for row in found.edges
    ]
    out.print()
    out.print(table("Edges by reason", ("edges", "first reason", "number"), rows))
    say(REASONS, "dim")
    gates = [[row["gate"], row["facts"], row["alone"]] for row in found.gates]
    out.print()
    out.print(table("Facts kept out", ("by gate", "in all", "it alone"), gates))
    say("It alone: so many facts more would be in paths without that gate.", "dim")
    say(f"Not read or set aside: {_list_counts(found.failures, sorted(found.failures)) or 'nothing'}")


def _list_counts(counts: Mapping[str, int], names: Sequence[str]) -> str:
    return ", ".join(f"{name} {counts[name]:,}" for name in names)


def _percent(part: float, whole: float) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "-"


@app.command("explain", epilog='Example: kg corpus explain "Ana Brel founded Norvik." --date 2031-05-17')
def explain_text(
    text: Annotated[str, typer.Argument(help="One or more sentences, in quotes.", show_default=False)],
    title: Annotated[
        str,
        typer.Option(help="Title of the article; a name in it can explain a pronoun.", show_default=False),
    ] = "",
    date: Annotated[
        str | None,
        typer.Option(
            metavar="YYYY-MM-DD", help="Day of the article, which makes dates whole.", show_default=False
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show what the rules read in a text: claims, fact or opinion, names, and triples rule by rule."""
    if not text.strip():
        raise SettingsError("the text is empty.", 'Give a sentence: kg corpus explain "Ana won the cup."')
    published = _parse_day(date)
    # spaCy takes a second to import, which every other command would pay.
    from kg.extract.article import explain  # noqa: PLC0415
    from kg.extract.pipeline import load_model  # noqa: PLC0415

    found = explain(load_model(), text, title, published)
    if as_json:
        print_json([asdict(one) for one in found])
        return
    for one in found:
        _print(one)


def _parse_day(date: str | None) -> datetime | None:
    try:
        return datetime.fromisoformat(date).replace(tzinfo=UTC) if date else None
    except ValueError as error:
        raise SettingsError(f"--date {date} is no day.", "Write it as 2031-05-17.") from error


def _print(one: "ExplainedSentence") -> None:
    say(" ".join(one.sentence.split()), "bold")
    if not one.statement:
        say("  no claim: a question, a headline or a list, not a statement\n")
        return
    rows = [
        ["claim", one.claim],
        *(["  put in", f"{made.new} for {made.old} ({made.kind})"] for made in one.substitutions),
        ["verified", f"no: {one.doubt}" if one.doubt else "yes"],
        ["fact or opinion", _describe_sentence(one)],
        *(["names", f"{mention.name} ({mention.type})"] for mention in dict.fromkeys(one.mentions)),
    ]
    out.print(table("", ("", ""), rows))
    if one.triples:
        out.print(
            table("", ("rule", "triple", "confidence", "marks"), [_triple_row(item) for item in one.triples])
        )
    else:
        say("no triples")
    for rule in {item.rule.name: item.rule for item in one.triples if item.rule is not None}.values():
        subject, predicate, target = rule.triple
        say(f"{rule.name}: {rule.reads}. {rule.example} -> ({subject} | {predicate} | {target})", "dim")
    for refused in one.refused:
        ends = f"({refused.subject} | {refused.predicate} | {refused.object})"
        say(f"refused, as it says nothing alone: {ends} by {refused.rule}", "dim")
    out.print()


def _describe_sentence(one: "ExplainedSentence") -> str:
    kind = "fact" if one.factual >= FACTUAL_FROM else "opinion"
    found = ", ".join(f"{sign.rule} {sign.weight:+.1f}" for sign in one.signs)
    return f"{kind} ({one.factual:.2f}): {found or 'no sign either way'}"


def _triple_row(item: "ExplainedTriple") -> list[object]:
    made = item.triple
    ends = f"{made.subject} ({made.subject_type}) | {made.predicate} | {made.object} ({made.object_type})"
    marks = [word for word, is_so in (("negated", made.negated),) if is_so]
    if made.attributed_to:
        marks.append(f"says {made.attributed_to}")
    return [made.rule, ends, made.confidence, ", ".join(marks)]
