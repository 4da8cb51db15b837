"""How retrieved chunks are shown: one ranking, or several side by side."""

from collections.abc import Mapping, Sequence

from cli.console import out, say, table
from services.rag.protocol import Passage
from services.rag.retrieval.found import Found

SHOWN_CHARACTERS = 100
TITLE_CHARACTERS = 40


def print_found(name: str, found: Found) -> None:
    """A ranking as a table: score, article with source and date, and below it how the chunk begins."""
    if not found.hits:
        say(f"{name} found nothing.", "bold")
        return
    rows = [
        [rank, number(hit.score), f"{_article(passage)}\n{cut(passage.text, SHOWN_CHARACTERS)}"]
        for rank, (hit, passage) in enumerate(zip(found.hits, found.passages, strict=True), start=1)
    ]
    out.print(table(f"Found by {name}", ("rank", "score", "article and text"), rows, one_line=True))
    say(f"in {1000 * found.seconds:,.0f} ms", "dim")


def print_comparison(named: Mapping[str, Found]) -> None:
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


def _cell(found: Found, rank: int, others: Sequence[dict[str, int]]) -> str:
    if rank >= len(found.hits):
        return ""
    chunk = found.hits[rank].chunk
    places = ", ".join(str(ranks.get(chunk, "-")) for ranks in others)
    return f"{cut(_line(found.passages[rank]), 2 * TITLE_CHARACTERS)} ({places})"


def _article(passage: Passage) -> str:
    origin = ", ".join(filter(None, (passage.source, passage.published)))
    return " ".join(filter(None, (cut(passage.title, TITLE_CHARACTERS), origin and f"({origin})")))


def _line(passage: Passage) -> str:
    return f"{passage.title}: {cut(passage.text, TITLE_CHARACTERS)}"


def number(value: float) -> str:
    """A score or a mass, with three digits that tell something."""
    return f"{value:.3g}" if abs(value) < 0.001 and value else f"{value:.3f}"


def cut(text: str, most: int) -> str:
    """The beginning of a text in one line, up to the end of a word."""
    plain = " ".join(text.split())
    return plain if len(plain) <= most else plain[:most].rsplit(" ", 1)[0] + " ..."
