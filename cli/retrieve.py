"""`kg retrieve`: the chunks that a retriever finds for a question, and why.

Why a retriever found its chunks, in words: what the question names, the parts of a score, the ways.

How retrieved chunks are shown: one ranking, or several side by side.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from textwrap import wrap
from types import MappingProxyType
from typing import Annotated

import typer

from cli import options
from cli.completion import complete_from
from cli.console import out, print_json, remark, say, table
from cli.run_start import Candidates, Reranker
from cli.session import Session, existing_corpus, open_session
from kg.embed.choose import embedder_of
from kg.errors import SettingsError
from kg.store.graph import Row
from services.rag.graph_search.cache import SnapshotCache, SnapshotRetriever
from services.rag.graph_search.explanation import Explanation, Reason, Stop, Way
from services.rag.protocol import Filters, Hit, Passage, RagQuestion, Retriever
from services.rag.rerank import RERANKED, make_reranker
from services.rag.retrieval.choose import DEFAULT, RETRIEVERS, check_retriever, open_retriever
from services.rag.retrieval.filters import (
    Retrieval,
    Unknown,
    check_filters,
    find,
    require_searchable,
    unknown_names,
)
from services.rag.run_options import RunOptions, check_limits

app = typer.Typer(rich_markup_mode=None)

SHOWN_CHARACTERS = 100
TITLE_CHARACTERS = 40


def print_found(name: str, found: Retrieval) -> None:
    """A ranking as a table: score, article with source and date, and below it how the chunk begins."""
    if not found.hits:
        say(f"{name} found nothing.", "bold")
        return
    rows = [
        [rank, number(hit.score), f"{_article(passage)}\n{shorten(passage.text, SHOWN_CHARACTERS)}"]
        for rank, (hit, passage) in enumerate(zip(found.hits, found.passages, strict=True), start=1)
    ]
    out.print(table(f"Found by {name}", ("rank", "score", "article and text"), rows, one_line=True))
    say(f"in {1000 * found.seconds:,.0f} ms", "dim")


def print_comparison(named: Mapping[str, Retrieval]) -> None:
    """Rankings side by side, each chunk with its ranks in the others, then what only one of them found."""
    compared = list(named.values())
    ranks = [{hit.chunk: rank for rank, hit in enumerate(one.hits, start=1)} for one in compared]
    rows = [
        [
            rank + 1,
            *(_cell(one, rank, ranks[:at] + ranks[at + 1 :]) for at, one in enumerate(compared)),
        ]
        for rank in range(max(len(one.hits) for one in compared))
    ]
    out.print(table("Side by side", ("rank", *named), rows))
    say("in brackets: the rank in the others, - where it is not among theirs", "dim")
    for at, (name, one) in enumerate(named.items()):
        others = {chunk for found in ranks[:at] + ranks[at + 1 :] for chunk in found}
        alone = [
            f"  {rank}. {_line(passage)}"
            for rank, (hit, passage) in enumerate(zip(one.hits, one.passages, strict=True), start=1)
            if hit.chunk not in others
        ]
        say(f"\nOnly {name} found {len(alone)} of {len(one.hits)}{':' if alone else '.'}", "bold")
        for line in alone:
            say(line)


def _cell(found: Retrieval, rank: int, others: Sequence[dict[str, int]]) -> str:
    if rank >= len(found.hits):
        return ""
    chunk = found.hits[rank].chunk
    places = ", ".join(str(ranks.get(chunk, "-")) for ranks in others)
    return f"{shorten(_line(found.passages[rank]), 2 * TITLE_CHARACTERS)} ({places})"


def _article(passage: Passage) -> str:
    origin = ", ".join(filter(None, (passage.source, passage.published)))
    return " ".join(filter(None, (shorten(passage.title, TITLE_CHARACTERS), origin and f"({origin})")))


def _line(passage: Passage) -> str:
    return f"{passage.title}: {shorten(passage.text, TITLE_CHARACTERS)}"


def number(value: float) -> str:
    """A score or a mass, with three digits that tell something."""
    return f"{value:.3g}" if abs(value) < 0.001 and value else f"{value:.3f}"


def shorten(text: str, most: int) -> str:
    """The beginning of a text in one line, up to the end of a word."""
    plain = " ".join(text.split())
    return plain if len(plain) <= most else plain[:most].rsplit(" ", 1)[0] + " ..."


ARROW = " -> "
NARROWEST = 40
"""Columns that a line is not made narrower than."""
PARTS_SHOWN = 3
"""The strongest parts of a score that are shown for a chunk, and as many against it; --json has all."""

_OF_GRAPH: Mapping[str, str] = MappingProxyType(
    {
        "walk": "the walk from the question's names",
        "title": "a title that the question names",
        "question": "likeness to the question",
        "words": "words of the question that it holds",
        "second walk": "the walk from the chunks found first",
        "new words": "words of the question that a chunk found first lacks",
        "relation after": "likeness to the question without its names, beside a chunk found first",
        "question after": "likeness to the question, beside a chunk found first",
        "shared": "rare names shared with a chunk found first",
        "page": "the article of a name in a chunk found first",
    }
)
"""What the parts of the default retriever's score mean; parts of others go by their names."""


def print_reasons(name: str, found: Retrieval, why: Explanation | None) -> None:
    """What the question names, and for each chunk the strongest parts of its score and the ways to it."""
    if not found.hits and why is None:
        return
    say(f"\nWhy {name} found {'them' if found.hits else 'nothing'}", "bold")
    if why is None:
        say(
            "Only its scores can be told; --retriever graph tells the ways through the graph.",
            "dim",
        )
    elif why.linked:
        rows = [[one.words, one.name, one.type, one.chunks, number(one.weight)] for one in why.linked]
        out.print(table("Linked entities", ("words", "entity", "type", "chunks", "weight"), rows))
    else:
        say("The question names no entity of the corpus.")
    if any(reason.ways for reason in (why.reasons if why else ())):
        say('Masses, and the ways that brought them: "words of the question", [other chunks].', "dim")
    reasons = {one.chunk: one for one in why.reasons} if why is not None else {}
    for rank, (hit, passage) in enumerate(zip(found.hits, found.passages, strict=True), start=1):
        say(f"\n{rank}. {passage.title or hit.chunk}: {number(hit.score)}")
        _print_parts(hit)
        if hit.chunk in reasons:
            _print_ways(reasons[hit.chunk])
    if any(len(hit.parts) > 2 * PARTS_SHOWN for hit in found.hits):
        say("\nAll parts of the scores: --json", "dim")


def _print_parts(hit: Hit) -> None:
    """The strongest parts of a score in words, where it has several; those that add nothing are left out."""
    if len(hit.parts) < 2:
        return
    meanings = _OF_GRAPH if _OF_GRAPH.keys() <= {name for name, _ in hit.parts} else {}
    parts = [(meanings.get(name, name), value) for name, value in hit.parts if round(value, 3)]
    parts.sort(key=lambda part: -part[1])
    _print_side("for it", [part for part in parts if part[1] > 0][:PARTS_SHOWN])
    _print_side("against", [part for part in reversed(parts) if part[1] < 0][:PARTS_SHOWN])


def _print_side(side: str, parts: Sequence[tuple[str, float]]) -> None:
    if not parts:
        return
    _print_wrapped(f"   {side:<9}", "; ".join(f"{name} {number(value)}" for name, value in parts))


def _print_ways(reason: Reason) -> None:
    """The ways into a chunk; those that begin in the chunk itself are told together."""
    own = [way for way in reason.ways if _begins_in(way, reason.chunk)]
    for way in reason.ways:
        if way not in own:
            _print_mass(way.mass, ARROW.join(map(_stop, way.stops)))
    if own:
        over = ", ".join(dict.fromkeys(stop.text for way in own for stop in way.stops[1:]))
        _print_mass(sum(way.mass for way in own), f"from itself and back, over {over}")
    if reason.own:
        _print_mass(reason.own, "by itself")
    if reason.rest:
        _print_mass(reason.rest, "over other edges")


def _print_mass(mass: float, told: str) -> None:
    _print_wrapped(f"   {number(mass):>10}  ", told)


def _print_wrapped(begins: str, told: str) -> None:
    """A text behind its beginning, its further lines below it."""
    width = max(out.width, NARROWEST)
    for line in wrap(told, width, initial_indent=begins, subsequent_indent=" " * len(begins)):
        say(line)


def _begins_in(way: Way, chunk: str) -> bool:
    return way.stops[0].kind == "chunk" and way.stops[0].id == chunk


def _stop(stop: Stop) -> str:
    match stop.kind:
        case "words":
            return f'"{stop.text}"'
        case "chunk":
            return f"[{shorten(stop.text, TITLE_CHARACTERS)}]"
        case "entity" | "fact":
            return stop.text


MOST_COMPARED = 4

Names = list[str]


@dataclass(frozen=True, slots=True)
class _Result:
    """What one retriever, by the `name` it was asked for, found, and why where that can be told."""

    name: str
    retrieval: Retrieval
    why: Explanation | None


@app.command(epilog='Example: kg retrieve "Who coaches the Mariners?" --corpus ormelund --explain')
def retrieve(
    question: Annotated[str, typer.Argument(help="The question, in quotes.")],
    corpus: options.Corpus = None,
    retriever: Annotated[
        str,
        typer.Option(
            "--retriever",
            help=f"Who looks: {', '.join(RETRIEVERS)}.",
            autocompletion=complete_from(RETRIEVERS),
        ),
    ] = DEFAULT,
    top: Annotated[int, typer.Option("--top", min=1, max=100, help="Chunks to show.")] = 10,
    source: Annotated[
        Names, typer.Option("--source", help="Only articles of this source; may be given several times.")
    ] = [],  # noqa: B006
    category: Annotated[
        Names, typer.Option("--category", help="Only articles of this category; may be given several times.")
    ] = [],  # noqa: B006
    author: Annotated[
        Names, typer.Option("--author", help="Only articles of this author; may be given several times.")
    ] = [],  # noqa: B006
    since: Annotated[
        str, typer.Option("--since", metavar="DATE", help="Only articles of this day or later: 2024-03-31.")
    ] = "",
    until: Annotated[
        str, typer.Option("--until", metavar="DATE", help="Only articles of this day or earlier.")
    ] = "",
    reranker: Reranker = None,
    candidates: Candidates = None,
    explain: Annotated[
        bool,
        typer.Option(
            "--explain", help="Show what the question names, and which ways of the graph led to each chunk."
        ),
    ] = False,
    compare: Annotated[
        str | None,
        typer.Option(
            "--compare",
            metavar="NAMES",
            help="Show these retrievers side by side, as in vector,graph, in place of --retriever.",
            show_default=False,
        ),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Show the chunks that a retriever finds for a question, best first, with what their scores are made of.

    A score means what its retriever says: scores of different retrievers can't be compared, ranks can. A
    negative one is no mistake: more speaks against that chunk than for it, and the order is what counts.
    """
    if not question.strip():
        raise SettingsError("the question is empty.", 'Ask one: kg retrieve "Who owns the club?"')
    names = [retriever] if compare is None else _retrievers_to_compare(compare)
    for name in names:
        check_retriever(name)
    filters = _filters(source, category, author, since, until)
    check_limits(RunOptions(top=top, reranker=reranker, candidates=candidates))
    with open_session() as session:
        chosen = existing_corpus(session.graph, corpus)
        results = _results(session, chosen, names, question, filters, (top, candidates), reranker, explain)
        nothing = not any(result.retrieval.hits for result in results)
        if nothing:
            require_searchable(session.graph, chosen)
        unknown = unknown_names(session.graph, chosen, filters)
    _remark_on_filters(filters, unknown, nothing)
    if as_json:
        print_json(_as_json(chosen, question, filters, results))
        return
    if compare is None:
        print_found(results[0].name, results[0].retrieval)
    else:
        print_comparison({result.name: result.retrieval for result in results})
    if explain:
        for result in results:
            print_reasons(result.name, result.retrieval, result.why)


def _results(
    session: Session,
    corpus: str,
    names: Sequence[str],
    text: str,
    filters: Filters,
    wanted: tuple[int, int | None],
    rerank: str | None,
    explain: bool,
) -> list[_Result]:
    graph = session.graph
    reranker = None if rerank is None else make_reranker(rerank, session.settings)
    embedder = embedder_of(graph, corpus, session.settings)
    snapshots = SnapshotCache(graph, corpus, session.settings.hopgrade_cache, session.progress)
    top, candidates = wanted
    limit = top if reranker is None else candidates or RERANKED * top
    retrievers: list[Retriever] = [
        open_retriever(name, graph, corpus, embedder, limit, snapshots) for name in names
    ]
    question = RagQuestion("asked", text, embedder.embed_queries([text])[0], filters)
    results = []
    for name, retriever in zip(names, retrievers, strict=True):
        on_snapshot = retriever if isinstance(retriever, SnapshotRetriever) else None
        if on_snapshot is not None:
            # What is prepared once a snapshot is no part of the time that a question takes.
            on_snapshot.index.current()
        found = find(graph, retriever, question, top, reranker)
        why = on_snapshot.explain(question, found.hits) if explain and on_snapshot is not None else None
        results.append(_Result(name if reranker is None else f"{name} + {reranker.name}", found, why))
    return results


def _retrievers_to_compare(names: str) -> list[str]:
    chosen = list(dict.fromkeys(options.split_list(names)))
    if not 2 <= len(chosen) <= MOST_COMPARED:
        raise SettingsError(
            f"{names!r} does not name two to {MOST_COMPARED} different retrievers.",
            f"Give them with commas: --compare vector,{DEFAULT}.",
        )
    return chosen


def _filters(source: Names, category: Names, author: Names, since: str, until: str) -> Filters:
    filters = Filters(tuple(source), tuple(category), tuple(author), since, until)
    check_filters(filters)
    if since and until and since > until:
        raise SettingsError(
            f"no day is {since} or later and {until} or earlier.", "Give --since the earlier day of the two."
        )
    return filters


def _remark_on_filters(filters: Filters, unknown: Sequence[Unknown], nothing: bool) -> None:
    for one in unknown:
        offered = (
            f"there are: {', '.join(one.suggestions)}"
            if one.suggestions
            else f"none has a {one.field} at all"
        )
        remark(f"note: no article has the {one.field} {one.name!r}; {offered}.")
    if nothing and not unknown and filters != Filters():
        remark("note: nothing was found within the filters; ask with fewer of them.")


def _as_json(corpus: str, question: str, filters: Filters, results: Sequence[_Result]) -> Row:
    return {
        "corpus": corpus,
        "question": question,
        "filters": asdict(filters),
        "results": [
            {
                "retriever": result.retrieval.retriever,
                "seconds": round(result.retrieval.seconds, 4),
                "hits": [
                    {
                        "rank": rank,
                        "chunk": hit.chunk,
                        "score": hit.score,
                        "parts": dict(hit.parts),
                        "title": passage.title,
                        "source": passage.source,
                        "published": passage.published,
                        "text": passage.text,
                    }
                    for rank, (hit, passage) in enumerate(
                        zip(result.retrieval.hits, result.retrieval.passages, strict=True), start=1
                    )
                ],
                "explanation": None if result.why is None else asdict(result.why),
            }
            for result in results
        ],
    }
