"""Vectors for what is searched: of chunks and claims in a build, of entities and facts when first read.

There are some twenty times as many facts and entities as chunks, and no retriever but those over facts reads
their vectors, so that a build leaves them out. Who reads them calls `embed_for_search` before. The ledger has
a line for each kind, so that this costs one short statement where nothing is to be done.
"""

from collections import deque
from collections.abc import Collection, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Literal

from kg.embed.choose import Embedder, in_batches
from kg.errors import NothingToDoError, command
from kg.ids import node_id
from kg.ledger import LATER, Counts, read_ledger, run_stage, stage_key
from kg.progress import Progress
from kg.queries import query
from kg.store.graph import Graph, Row, batches
from kg.store.leases import Holder, answering_in

Searched = Literal["entities", "facts"]
"""What gets vectors only when something reads them."""

SEARCHED: Mapping[Searched, str] = dict(zip(("entities", "facts"), LATER, strict=True))
"""The ledger's line of each."""

Target = Literal["chunks", "claims", "entities", "facts"]

TEXTS_A_BATCH: dict[Target, int] = {"chunks": 64, "claims": 512, "entities": 512, "facts": 512}
"""Texts between two steps of progress: some seconds of work, as a chunk is eight times as long as a claim.

So many vectors are a transaction, too. Of 2,000 at once Neo4j's index makes a graph of neighbours while the
build waits, of these later, in the background (docs/decisions/0078).
"""


def embed_missing(graph: Graph, corpus: str, target: Target, embedder: Embedder, progress: Progress) -> int:
    """Embed everything of one kind that has no vector; how many there were."""
    pending = _pending(graph, corpus, target)
    progress.step(f"vectors of {target}", len(pending))
    read: deque[tuple[list[Row], list[str]]] = deque()

    def texts() -> Iterator[list[str]]:
        for ids in batches(pending, TEXTS_A_BATCH[target]):
            rows = graph.rows(query("search/read_embedded_text"), target=target, ids=ids)
            read.append((rows, list(dict.fromkeys(row["text"] for row in rows))))
            yield read[-1][1]

    def write(rows: list[Row]) -> int:
        graph.rows(query("search/write_embeddings"), target=target, rows=rows)
        return len(rows)

    # A batch is written while the next one is embedded, so that neither waits for the other.
    with ThreadPoolExecutor(1, "write-vectors") as writer:
        writing: Future[int] | None = None
        for vectors in in_batches(embedder, texts()):
            rows, distinct = read.popleft()
            of_text = dict(zip(distinct, vectors, strict=True))
            if writing is not None:
                progress.advance(writing.result())
            found = [{"id": row["id"], "vector": of_text[row["text"]]} for row in rows]
            writing = writer.submit(write, found)
        if writing is not None:
            progress.advance(writing.result())
    return len(pending)


def _pending(graph: Graph, corpus: str, target: Target) -> list[str]:
    """The ids of what has no vector; those of equal texts follow each other, as a batch embeds them once."""
    equal = dict[int, list[str]]()
    for row in graph.stream(query("search/list_unembedded"), corpus=corpus, target=target):
        equal.setdefault(hash(row["text"] or row["id"]), []).append(row["id"])
    return [id_ for ids in equal.values() for id_ in ids]


def embedded_text(title: str, text: str) -> str:
    """What the vector of a chunk is made of, as `cypher/search/read_embedded_text` puts it together."""
    return f"{title}\n{text}"


def list_unsearchable(
    graph: Graph, corpus: str, wanted: Collection[Searched], embedder: Embedder
) -> dict[Searched, str]:
    """Those of some kinds whose vectors are not there, or not all of them, each with its ledger key to be.

    Raises:
        NothingToDoError: the graph of the corpus is not built, or is being built.
    """
    if not wanted:
        return {}
    lines = {line["name"]: line for line in read_ledger(graph, corpus)}
    resolution = lines.get("resolution")
    if resolution is None or resolution["state"] != "done":
        raise NothingToDoError(
            f"the graph of corpus {corpus!r} is not built yet, or a build is at work.",
            f"Build it, or end its build: {command('corpus build --corpus', corpus)}.",
        )
    key = stage_key(resolution["key"], embedder.name)
    found = {kind: lines.get(SEARCHED[kind], {}) for kind in SEARCHED if kind in wanted}
    return {
        kind: key for kind, line in found.items() if (line.get("state"), line.get("key")) != ("done", key)
    }


def embed_for_search(
    graph: Graph, corpus: str, wanted: Collection[Searched], embedder: Embedder, progress: Progress
) -> None:
    """Give entities or facts their vectors, where a search is to read them and some have none.

    Several commands may ask at once: one of them works, the others wait.

    Raises:
        NothingToDoError: the graph of the corpus is not built, or is being built.
        CorpusError: another command is changing the corpus.
        EmbeddingError: the embedder fails; what is embedded stays.
    """
    missing = list_unsearchable(graph, corpus, wanted, embedder)
    if not missing:
        return
    with _adding_to(graph, corpus, progress) as mine:
        for kind, key in missing.items():
            embed = partial(_embed, mine, corpus, kind, embedder, progress)
            run_stage(mine, corpus, SEARCHED[kind], key, embed, lambda: None, progress)


def _embed(graph: Graph, corpus: str, kind: Searched, embedder: Embedder, progress: Progress) -> Counts:
    return {"embedded": embed_missing(graph, corpus, kind, embedder, progress)}


def _adding_to(graph: Graph, corpus: str, progress: Progress) -> AbstractContextManager[Graph]:
    """The graph with a lease on its vectors, beside runs; who has the whole corpus needs none."""
    if graph.fence is not None and graph.fence.params["id"] == node_id(corpus, "lease", ""):
        return nullcontext(graph)

    def wait(other: Holder) -> None:
        progress.step(f"waiting for {other}")

    return answering_in(graph, corpus, "vectors", wait)
