"""Corpora: their sizes, what they were made with, and how far their pipeline is."""

from dataclasses import dataclass
from datetime import datetime

from kg.corpus import corpus_id
from kg.ledger import counts_of
from kg.queries import query
from kg.store.async_graph import AsyncGraph
from services.web.views.cursors import MissingError, require_known


@dataclass(frozen=True, slots=True)
class CorpusSummary:
    """A corpus with the numbers of its parts; `questions` are those that are asked."""

    name: str
    articles: int
    chunks: int
    entities: int
    questions: int
    embedder: str
    created_at: datetime | None


@dataclass(frozen=True, slots=True)
class StageLine:
    """A line of the pipeline's ledger: `state` is running, clearing, outdated or done."""

    name: str
    state: str
    seconds: float | None
    counts: dict[str, int | float | str]


@dataclass(frozen=True, slots=True)
class CorpusDetail:
    """What a corpus was made with, and what became of each stage."""

    name: str
    embedder: str
    vectors: str
    dimensions: int
    chunking: str
    extractor: str
    dataset: str
    created_at: datetime | None
    stages: tuple[StageLine, ...]


async def list_corpora(graph: AsyncGraph) -> tuple[CorpusSummary, ...]:
    """Every corpus, by name."""
    rows = await graph.rows(query("corpus/list_corpora"))
    return tuple(CorpusSummary(**row | {"created_at": _native(row["created_at"])}) for row in rows)


async def read_corpus(graph: AsyncGraph, corpus: str) -> CorpusDetail:
    """One corpus.

    Raises:
        MissingError: there is none of that name.
    """
    found = await graph.rows(query("corpus/read_properties"), id=corpus_id(corpus))
    if not found:
        await require_known(graph, corpus)
        raise MissingError(f"there is no corpus {corpus!r}.")
    kept = found[0]["properties"]
    ledger = [row["stage"] for row in await graph.rows(query("store/read_stages"), corpus=corpus)]
    return CorpusDetail(
        name=kept["name"],
        embedder=kept["embedder"],
        vectors=kept["vectors"],
        dimensions=kept["dimensions"],
        chunking=kept["chunking"],
        extractor=kept["extractor"],
        dataset=kept.get("dataset", ""),
        created_at=_native(kept.get("created_at")),
        stages=tuple(
            StageLine(line["name"], line["state"], line.get("seconds"), counts_of(line)) for line in ledger
        ),
    )


def _native(time: object) -> datetime | None:
    """A time of the graph as Python has it."""
    to_native = getattr(time, "to_native", None)
    native = to_native() if to_native else time
    return native if isinstance(native, datetime) else None
