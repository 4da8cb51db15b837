"""How retrieved chunks are shown: one ranking, several side by side, and why each chunk is there."""

from collections.abc import Sequence

from cli.console import out, say, table
from services.rag.graph_search.explanation import Explanation, Reason, Stop
from services.rag.protocol import Hit, Passage
from services.rag.retrieval.found import Found

SHOWN_CHARACTERS = 100
TITLE_CHARACTERS = 40
ARROW = " -> "


def print_found(found: Found) -> None:
    """A ranking as a table: score, where and when it is from, and how it begins."""
    if not found.hits:
        say(f"{found.retriever} found nothing.", "bold")
        return
    rows = [
        [
            rank,
            _number(hit.score),
            _cut(passage.title, TITLE_CHARACTERS),
            ", ".join(filter(None, (passage.source, passage.published))),
            _cut(passage.text, SHOWN_CHARACTERS),
        ]
        for rank, (hit, passage) in enumerate(zip(found.hits, found.passages, strict=True), start=1)
    ]
    columns = ("rank", "score", "article", "source, date", "text")
    out.print(table(f"Found by {found.retriever}", columns, rows, one_line=True))
    say(f"in {1000 * found.seconds:,.0f} ms", "dim")


def print_comparison(compared: Sequence[Found]) -> None:
    """Rankings side by side, each chunk with its ranks in the others, then what only one of them found."""
    ranks = [{hit.chunk: rank for rank, hit in enumerate(one.hits, start=1)} for one in compared]
    rows = [
        [
            rank + 1,
            *(_cell(one, rank, ranks[:at] + ranks[at + 1 :]) for at, one in enumerate(compared)),
        ]
        for rank in range(max(len(one.hits) for one in compared))
    ]
    out.print(table("Side by side", ("rank", *(one.retriever for one in compared)), rows))
    say("in brackets: the rank in the others, - where it is not among theirs", "dim")
    for at, one in enumerate(compared):
        others = {chunk for found in ranks[:at] + ranks[at + 1 :] for chunk in found}
        alone = [
            f"  {rank}. {_line(passage)}"
            for rank, (hit, passage) in enumerate(zip(one.hits, one.passages, strict=True), start=1)
            if hit.chunk not in others
        ]
        say(f"\nOnly {one.retriever} found {len(alone)} of {len(one.hits)}{':' if alone else '.'}", "bold")
        for line in alone:
            say(line)


def print_reasons(found: Found, why: Explanation | None) -> None:
    """What the question names, and for each chunk the ways that led to it and the parts of its score."""
    if not found.hits:
        return
    say(f"\nWhy {found.retriever} found them", "bold")
    if why is not None:
        rows = [[one.words, one.name, one.type, one.chunks, _number(one.weight)] for one in why.linked]
        if rows:
            columns = ("words of the question", "entity", "type", "chunks that name it", "weight")
            out.print(table("Linked entities", columns, rows))
        else:
            say("the question names no entity of the corpus.")
    titles = {hit.chunk: passage.title for hit, passage in zip(found.hits, found.passages, strict=True)}
    reasons = {one.chunk: one for one in why.reasons} if why is not None else {}
    for rank, hit in enumerate(found.hits, start=1):
        say(f"\n{rank}. {titles[hit.chunk] or hit.chunk}: {_parts(hit)}")
        if hit.chunk in reasons:
            _print_reason(reasons[hit.chunk])


def _print_reason(reason: Reason) -> None:
    for way in reason.ways:
        say(f"   {_number(way.mass):>10}  {ARROW.join(_stop(stop, reason.chunk) for stop in way.stops)}")
    if reason.own:
        say(f"   {_number(reason.own):>10}  by itself")
    if reason.rest:
        say(f"   {_number(reason.rest):>10}  over other edges")


def _stop(stop: Stop, chunk: str) -> str:
    match stop.kind:
        case "words":
            return f'"{stop.text}"'
        case "chunk":
            return "[itself]" if stop.id == chunk else f"[{_cut(stop.text, TITLE_CHARACTERS)}]"
        case "entity" | "fact":
            return stop.text


def _cell(found: Found, rank: int, others: Sequence[dict[str, int]]) -> str:
    if rank >= len(found.hits):
        return ""
    chunk = found.hits[rank].chunk
    places = ", ".join(str(ranks.get(chunk, "-")) for ranks in others)
    return f"{_cut(_line(found.passages[rank]), 2 * TITLE_CHARACTERS)} ({places})"


def _line(passage: Passage) -> str:
    return f"{passage.title}: {_cut(passage.text, TITLE_CHARACTERS)}"


def _parts(hit: Hit) -> str:
    parts = ", ".join(f"{name} {_number(value)}" for name, value in hit.parts)
    return f"{_number(hit.score)}{f' = {parts}' if len(hit.parts) > 1 else ''}"


def _number(value: float) -> str:
    return f"{value:.3g}" if abs(value) < 0.001 and value else f"{value:.3f}"


def _cut(text: str, most: int) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= most else plain[:most].rsplit(" ", 1)[0] + " ..."
