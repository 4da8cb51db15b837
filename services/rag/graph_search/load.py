"""The graph of a corpus read out of Neo4j into arrays, and what tells whether it has changed since.

Each kind of thing is streamed by one statement; beyond what the snapshot keeps, memory holds one batch of
rows and the indexes of ids. Vectors travel as the driver's vector type, a sixth of the time of lists.
"""

from array import array
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from kg.corpus import require_corpus
from kg.errors import NothingToDoError, command
from kg.ids import content_hash
from kg.ledger import LATER
from kg.progress import Progress, Silent
from kg.queries import query
from kg.store.graph import Graph, Row
from services.rag.graph_search.snapshot import (
    ROWS_AT_ONCE,
    Chunks,
    Claims,
    Entities,
    Facts,
    Floats,
    Indexes,
    QuantizedVectors,
    Snapshot,
    Spellings,
    quantize,
)

STAGES = ("chunks", "vectors", "claims", "resolution")
"""The stages of the ledger whose work a snapshot holds."""

FORMAT = 5
"""Version of what a snapshot holds; another one makes kept snapshots be read anew."""

COLUMNS = ("id", "text", "title", "article", "source", "category", "author", "published")
"""What is read of a chunk and its article, in the order of `Chunks`."""


@dataclass(frozen=True, slots=True)
class Version:
    """Which graph of a corpus this is: `place` names the database and the corpus, `key` the state of it.

    `graph` is that state without the vectors of entities and facts, which come later or never.
    """

    place: str
    key: str
    graph: str


def read_version(graph: Graph, corpus: str) -> Version:
    """Which graph the corpus has now, in one short statement.

    The key is a hash over the ledger's lines of `STAGES` and of the vectors of entities and facts, with their
    keys, counts and seconds: no stage writes into the graph without changing its line before it begins, and
    once more when it ends.

    Raises:
        NothingToDoError: the graph of the corpus is not built, or is being built.
    """
    rows = graph.rows(query("search/read_version"), corpus=corpus, stages=[*STAGES, *LATER])
    lines = {row["stage"]["name"]: row["stage"] for row in rows if row["stage"] is not None}
    if "resolution" not in lines:
        raise NothingToDoError(
            f"the graph of corpus {corpus!r} is not built yet.",
            f"Build it: {command('corpus build --corpus', corpus)}.",
        )
    if any(name not in lines or lines[name]["state"] != "done" for name in STAGES):
        raise NothingToDoError(
            f"the graph of corpus {corpus!r} is not whole: a build is at work, or was cut off.",
            f"End it: {command('corpus build --corpus', corpus)}.",
        )

    def state_of(names: Iterable[str]) -> str:
        told = [f"{name} {key}={lines[name][key]!r}" for name in names for key in sorted(lines[name])]
        return content_hash((repr(FORMAT), *told))

    known = [name for name in LATER if name in lines]
    place = _place(rows[0]["database"], corpus)
    return Version(place, state_of([*STAGES, *known]), state_of(STAGES))


def place_of(graph: Graph, corpus: str) -> str:
    """The `place` of a corpus, whether or not it has a graph, or is there at all."""
    rows = graph.rows(query("search/read_version"), corpus=corpus, stages=[])
    return _place(rows[0]["database"], corpus)


def load_snapshot(graph: Graph, corpus: str, progress: Progress | None = None) -> Snapshot:
    """The graph of a corpus as it is now.

    Raises:
        NothingToDoError: its graph is not built, is being built, or changed while it was read.
    """
    version, told = read_version(graph, corpus), progress or Silent()
    settings = require_corpus(graph, corpus)
    told.begin("snapshot of the graph")
    reading = _Reading(graph, corpus, settings.dimensions, told)
    chunks = reading.chunks()
    chunk_index = _index(chunks.ids)
    claims = reading.claims(chunk_index)
    names, entities = reading.entities()
    entity_index = _index(entities)
    facts = reading.facts(entity_index, claims)
    naming = reading.naming(chunk_index, entity_index, names)
    snapshot = Snapshot(
        corpus=corpus,
        version=version.key,
        embedder=settings.vectors,
        chunks=chunks,
        entities=names.entities(entities),
        facts=facts,
        claims=claims,
        naming=naming,
    )
    if read_version(graph, corpus).graph != version.graph:
        raise NothingToDoError(
            f"the graph of corpus {corpus!r} changed while it was read.", "Run the same command again."
        )
    told.end(f"{len(chunks.ids):,} chunks, {len(entities):,} entities, {len(facts.ids):,} facts")
    return snapshot


class _DriverVector(Protocol):
    """A vector as the driver gives it."""

    def to_numpy(self) -> NDArray[np.float32]:
        """As an array; the byte order is the wire's."""
        ...


class _Vectors:
    """Rows of vectors, gathered in one growing buffer."""

    def __init__(self, dimensions: int) -> None:
        self._dimensions = dimensions
        self._bytes = bytearray()
        self._none = bytes(4 * dimensions)

    def add(self, sent: _DriverVector | None) -> None:
        """Append a vector; what has none is near to nothing."""
        self._bytes += self._none if sent is None else sent.to_numpy().astype(np.float32).tobytes()

    def array(self) -> Floats:
        """All of them, shape (rows, dimensions)."""
        return np.frombuffer(self._bytes, dtype=np.float32).reshape(-1, self._dimensions)


class _PackedVectors(_Vectors):
    """Rows of vectors, gathered and packed in parts; where none has come, there are no rows."""

    def __init__(self, dimensions: int) -> None:
        super().__init__(dimensions)
        self._parts = list[QuantizedVectors]()
        self._any = False

    def add(self, sent: _DriverVector | None) -> None:
        """Append a vector."""
        super().add(sent)
        self._any |= sent is not None
        if len(self._bytes) >= ROWS_AT_ONCE * len(self._none):
            self._pack()

    def quantize(self) -> QuantizedVectors:
        """All of them."""
        self._pack()
        if not self._any:
            return QuantizedVectors(np.zeros((0, self._dimensions), np.int8), np.zeros(0, np.float32))
        return QuantizedVectors(
            np.concatenate([part.numbers for part in self._parts]),
            np.concatenate([part.scales for part in self._parts]),
        )

    def _pack(self) -> None:
        self._parts.append(quantize(self.array()))
        self._bytes = bytearray()


@dataclass(slots=True)
class _Pairs:
    """The entries of a sparse matrix, as they come."""

    rows: "array[int]" = field(default_factory=lambda: array("i"))
    columns: "array[int]" = field(default_factory=lambda: array("i"))
    values: "array[float]" = field(default_factory=lambda: array("f"))

    def add(self, row: int, column: int, value: float = 1.0) -> None:
        """Append an entry; entries of one cell are added up."""
        self.rows.append(row)
        self.columns.append(column)
        self.values.append(value)

    def matrix(self, shape: tuple[int, int]) -> csr_matrix:
        """The matrix of them, its indexes sorted."""
        made = csr_matrix(
            (np.array(self.values, np.float32), (_ints(self.rows), _ints(self.columns))), shape=shape
        )
        made.sum_duplicates()
        return made


class _Names:
    """What is known of the entities beside their ids, gathered from two statements."""

    def __init__(self, names: Sequence[str], types: Sequence[str], vectors: QuantizedVectors) -> None:
        self._names = tuple(names)
        self._types = tuple(types)
        self._vectors = vectors
        self._spellings: defaultdict[str, set[int]] = defaultdict(set)

    def add(self, entity: int, *spellings: str) -> None:
        """Note names that stand for an entity."""
        for spelling in spellings:
            if plain := plain_spelling(spelling):
                self._spellings[plain].add(entity)

    def entities(self, ids: Sequence[str]) -> Entities:
        """The entities with every spelling noted so far."""
        return Entities(
            ids=tuple(ids),
            names=self._names,
            types=self._types,
            spellings=spellings_of(self._spellings),
            vectors=self._vectors,
        )


@dataclass(frozen=True, slots=True)
class _Reading:
    """The statements that read a corpus, and what their rows become."""

    graph: Graph
    corpus: str
    dimensions: int
    progress: Progress

    def chunks(self) -> Chunks:
        """Every chunk with its article's columns; equal words of a column are kept once."""
        columns = {name: list[str]() for name in COLUMNS}
        vectors, once = _Vectors(self.dimensions), dict[str, str]()
        for row in self._rows("search/read_chunks"):
            for name, column in columns.items():
                column.append(once.setdefault(row[name], row[name]))
            vectors.add(row["vector"])
        ids, texts, titles, articles, sources, categories, authors, published = map(tuple, columns.values())
        return Chunks(ids, texts, titles, articles, sources, categories, authors, published, vectors.array())

    def entities(self) -> tuple[_Names, list[str]]:
        """Every entity with the names of its own, and the ids in their order."""
        ids, names, types = list[str](), list[str](), list[str]()
        others: list[Sequence[str]] = []
        vectors, once = _PackedVectors(self.dimensions), dict[str, str]()
        for row in self._rows("search/read_entities"):
            ids.append(row["id"])
            names.append(row["name"])
            types.append(once.setdefault(row["type"], row["type"]))
            others.append(row["names"])
            vectors.add(row["vector"])
        known = _Names(names, types, vectors.quantize())
        for entity, (name, more) in enumerate(zip(names, others, strict=True)):
            known.add(entity, name, *more)
        return known, ids

    def claims(self, chunks: Mapping[str, int]) -> Claims:
        """Every claim with its chunks."""
        ids, texts = list[str](), list[str]()
        pairs, vectors = _Pairs(), _PackedVectors(self.dimensions)
        for row in self._rows("search/read_claims"):
            for chunk in row["chunks"]:
                pairs.add(len(ids), chunks[chunk])
            ids.append(row["id"])
            texts.append(row["text"])
            vectors.add(row["vector"])
        return Claims(tuple(ids), tuple(texts), pairs.matrix((len(ids), len(chunks))), vectors.quantize())

    def facts(self, entities: Mapping[str, int], claims: Claims) -> Facts:
        """Every fact; its chunks are those of its claim."""
        ids, predicates = list[str](), list[str]()
        ends, claim_rows, once = (array("i"), array("i")), array("i"), dict[str, str]()
        vectors, claim_index = _PackedVectors(self.dimensions), _index(claims.ids)
        for row in self._rows("search/read_facts"):
            ids.append(row["id"])
            predicates.append(once.setdefault(row["predicate"], row["predicate"]))
            claim_rows.append(claim_index[row["claim"]])
            ends[0].append(entities[row["subject"]])
            ends[1].append(entities[row["object"]])
            vectors.add(row["vector"])
        return Facts(
            ids=tuple(ids),
            subjects=_ints(ends[0]),
            objects=_ints(ends[1]),
            predicates=tuple(predicates),
            chunks=claims.chunks[_ints(claim_rows)],
            vectors=vectors.quantize(),
        )

    def naming(self, chunks: Mapping[str, int], entities: Mapping[str, int], names: _Names) -> csr_matrix:
        """How often chunks name entities; the words by which they do are noted as spellings."""
        pairs = _Pairs()
        for row in self._rows("search/read_namings"):
            entity = entities[row["entity"]]
            pairs.add(chunks[row["chunk"]], entity, row["count"])
            names.add(entity, row["surface"], row["name"])
        return pairs.matrix((len(chunks), len(entities)))

    def _rows(self, statement: str) -> Iterable[Row]:
        self.progress.step(f"snapshot: {statement.rpartition('_')[2]}")
        for row in self.graph.stream(query(statement), corpus=self.corpus):
            self.progress.advance()
            yield row


def spellings_of(entities: Mapping[str, Iterable[int]]) -> Spellings:
    """Entities by name as a snapshot has them."""
    found = [sorted(entities[name]) for name in sorted(entities)]
    counts = np.array([len(some) for some in found], np.int32)
    return Spellings(sorted(entities), counts, np.array([one for some in found for one in some], np.int32))


def plain_spelling(text: str) -> str:
    """A name as spellings are looked up: in lower case, its words joined by single spaces."""
    return " ".join(text.lower().split())


def _place(database: str, corpus: str) -> str:
    return content_hash((database, corpus))


def _index(ids: Sequence[str]) -> dict[str, int]:
    return {found: index for index, found in enumerate(ids)}


def _ints(values: "array[int]") -> Indexes:
    return np.array(values, dtype=np.int32)
