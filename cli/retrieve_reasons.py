"""Why a retriever found its chunks, in words: what the question names, the parts of a score, the ways."""

from collections.abc import Mapping, Sequence
from textwrap import wrap
from types import MappingProxyType

from cli.console import out, say, table
from cli.retrieve_tables import TITLE_CHARACTERS, cut, number
from services.rag.graph_search.explanation import Explanation, Reason, Stop, Way
from services.rag.protocol import Hit
from services.rag.retrieval.found import Found

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


def print_reasons(name: str, found: Found, why: Explanation | None) -> None:
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
            return f"[{cut(stop.text, TITLE_CHARACTERS)}]"
        case "entity" | "fact":
            return stop.text
