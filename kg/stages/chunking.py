"""Second stage: articles become chunks with exact offsets."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise

from kg.engine.choose import Engine, Work, settled
from kg.engine.processes import LocalEngine
from kg.ids import bare_id, content_id, node_id
from kg.ledger import Counts
from kg.model import Chunk
from kg.progress import Progress
from kg.queries import query
from kg.shelves import shelf_marks
from kg.store.graph import Graph, Row, batches
from kg.text.chunks import ChunkSize, chunk

ARTICLES_A_BATCH = 100


def chunk_articles(
    graph: Graph, corpus: str, size: ChunkSize, progress: Progress, engine: Engine | None = None
) -> Counts:
    """Cut every article that has no chunks yet; older chunks get what chunks hold of their article by now."""
    _shelve(graph, corpus)
    pending = [row["id"] for row in graph.rows(query("articles/list_pending"), corpus=corpus, mark="chunked")]
    progress.step("chunks", len(pending))
    read: deque[list[str]] = deque()

    def bodies() -> Iterator[list[str]]:
        for ids in batches(pending, ARTICLES_A_BATCH):
            rows = graph.rows(query("articles/read_bodies"), ids=ids)
            read.append([row["id"] for row in rows])
            yield [row["body"] for row in rows]

    work: Work[list[str], list[list[Chunk]]] = Work(f"chunks/{size}", partial(_open_chunker, size))
    for outcome in (engine or LocalEngine()).map(work, bodies()):
        ids, pieces = read.popleft(), settled(outcome)
        fields = _fields(graph, corpus, ids)
        rows = [_article_row(corpus, id_, cut, fields[id_]) for id_, cut in zip(ids, pieces, strict=True)]
        graph.rows(query("chunks/write_chunks"), corpus=corpus, rows=rows)
        progress.advance(len(ids))
    return {"chunks": graph.rows(query("chunks/count_chunks"), corpus=corpus)[0]["chunks"]}


def _open_chunker(size: ChunkSize) -> Callable[[list[str]], list[list[Chunk]]]:
    """What cuts a batch of bodies; it loads nothing."""
    return lambda bodies: [chunk(body, size) for body in bodies]


def chunk_id(corpus: str, article: str, position: int) -> str:
    """The id of the chunk at a position of an article; of one from before ids had marks, as it was then."""
    make = node_id if bare_id(article) == article else content_id
    return make(corpus, "chunk", article, str(position))


def _shelve(graph: Graph, corpus: str) -> None:
    older = [row["id"] for row in graph.rows(query("chunks/list_unshelved"), corpus=corpus)]
    for ids in batches(older, ARTICLES_A_BATCH):
        rows = [
            {"article": article, "fields": fields} for article, fields in _fields(graph, corpus, ids).items()
        ]
        graph.rows(query("chunks/write_shelves"), rows=rows)


def _fields(graph: Graph, corpus: str, articles: Sequence[str]) -> dict[str, dict[str, str]]:
    """What the chunks of some articles hold of them, by article."""
    return {
        row["id"]: _chunk_fields(corpus, row)
        for row in graph.rows(query("chunks/read_articles"), ids=articles)
    }


def _chunk_fields(corpus: str, article: Row) -> dict[str, str]:
    shown = {name: article[name] for name in ("title", "source", "category", "author", "published")}
    return shown | shelf_marks(
        corpus, shown["source"], shown["category"], shown["author"], shown["published"]
    )


def _article_row(corpus: str, article: str, pieces: list[Chunk], fields: dict[str, str]) -> dict[str, object]:
    return {
        "article": article,
        "fields": fields,
        "chunks": [_chunk_row(corpus, article, piece) for piece in pieces],
        "links": list(_links(corpus, article, pieces)),
    }


def _chunk_row(corpus: str, article: str, piece: Chunk) -> dict[str, object]:
    return {
        "id": chunk_id(corpus, article, piece.position),
        "article": article,
        "position": piece.position,
        "start": piece.start,
        "end": piece.end,
        "tokens": piece.tokens,
        "text": piece.text,
    }


def _links(corpus: str, article: str, pieces: list[Chunk]) -> Iterator[dict[str, str]]:
    for before, after in pairwise(pieces):
        yield {
            "from": chunk_id(corpus, article, before.position),
            "to": chunk_id(corpus, article, after.position),
        }
