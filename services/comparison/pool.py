"""The frozen pools of a comparison as a file: by whom they were drawn, and a line of JSON for each question.

    {"retriever":"hybrid","size":100}
    {"chunks":[["chunk-0a...",0.71],["chunk-4f...",0.66]],"question":"question-17..."}

The hash is over the lines, the first included, so a protocol that names it names the retriever too. It
doesn't depend on how the lines are packed; two writings of the same pools are the same file byte for byte.
"""

import gzip
import hashlib
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from sys import intern

from kg.embed.choose import Embedder
from kg.errors import InputError, NothingToDoError, command
from kg.ids import content_hash
from kg.ledger import STAGES, read_ledger
from kg.progress import Progress
from kg.queries import query
from kg.store.graph import Graph, batches
from services.comparison.archive_rows import MOST_HELD_ROWS, MOST_LINE_BYTES, MOST_LOOKED_UP_BYTES
from services.comparison.folder import KEY_DIGITS, POOL_FILE, Finding, Journal, breach
from services.comparison.protocol import CandidatePool, JsonData, Protocol, canonical_json, read_json
from services.comparison.records import Candidates, Question
from services.questions.dataset import dataset_version
from services.rag.answering import QUESTIONS_A_BATCH, rag_questions

SCORE_DIGITS = 6
"""Digits behind the point that are kept of a score."""

MOST_SCORE = 1e15
"""A score may be so large, either way; of a larger one no such digits are left."""


@dataclass(frozen=True, slots=True)
class PoolMethod:
    """How pools were drawn: by which retriever, and how many chunks of each question were kept at most."""

    retriever: str
    size: int


@dataclass(frozen=True, slots=True)
class Pools:
    """Frozen pools by the id of their question, and how they were drawn."""

    method: PoolMethod
    of: Mapping[str, Candidates]


def write_pool(path: Path, drawn: PoolMethod, candidates: Iterable[Candidates]) -> str:
    """Write pools in the order of their questions' ids; their hash.

    Raises:
        InputError: two are of the same question.
    """
    digest = hashlib.sha256()
    # No name and no time in the packed file: the same pools make the same file.
    with (
        path.open("wb") as file,
        gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0, compresslevel=6) as packed,
    ):
        for line in _lines(drawn, candidates):
            digest.update(line)
            packed.write(line)
    return digest.hexdigest()


def pool_hash(drawn: PoolMethod, candidates: Iterable[Candidates]) -> str:
    """The SHA-256 over the pools of all questions, in whatever order they come, as 64 hex digits.

    Raises:
        InputError: two are of the same question.
    """
    digest = hashlib.sha256()
    for line in _lines(drawn, candidates):
        digest.update(line)
    return digest.hexdigest()


def read_pool(path: Path) -> Pools:
    """The pools in a file.

    Raises:
        InputError: it can't be read, is cut off, doesn't say how they were drawn, holds a line that is no
            pool, or two of one question, or is larger than any pools are.
    """
    lines = enumerate(_unpacked(path), 1)
    drawn = _read_header(path, next(lines, (1, b""))[1])
    pools: dict[str, Candidates] = {}
    for number, line in lines:
        pool = _parsed(path, number, line)
        if pool.question in pools:
            raise InputError(f"{path}:{number}: a second pool of question {pool.question!r}.", _REMEDY)
        if len(pools) == MOST_HELD_ROWS:
            raise InputError(f"{path} holds pools of over {MOST_HELD_ROWS:,} questions.", _REMEDY)
        pools[pool.question] = pool
    return Pools(drawn, pools)


_REMEDY = f"Take the file as it was written, or make the folder anew: {command('standard init')}."


def _lines(drawn: PoolMethod, candidates: Iterable[Candidates]) -> Iterator[bytes]:
    yield _line({"retriever": drawn.retriever, "size": drawn.size})
    before: str | None = None
    for pool in sorted(candidates, key=lambda pool: pool.question):
        if pool.question == before:
            raise InputError(f"there are two pools of question {pool.question!r}.", _REMEDY)
        before = pool.question
        yield _line(_row(pool))


def _line(row: JsonData) -> bytes:
    return f"{canonical_json(row)}\n".encode("ascii")


def _row(pool: Candidates) -> dict[str, str | list[list[str | float]]]:
    return {
        "question": pool.question,
        "chunks": [[chunk, round(float(score), SCORE_DIGITS)] for chunk, score in pool.chunks],
    }


def _unpacked(path: Path) -> Iterator[bytes]:
    unpacked = 0
    try:
        with gzip.open(path, "rb") as file:
            # A line is not asked for whole: a small file may unpack to one that fills the memory.
            while line := file.readline(MOST_LINE_BYTES + 1):
                if len(line) > MOST_LINE_BYTES:
                    raise InputError(f"{path} holds a line of over {MOST_LINE_BYTES:,} bytes.", _REMEDY)
                unpacked += len(line)
                if unpacked > MOST_LOOKED_UP_BYTES:
                    raise InputError(f"{path} unpacks to over {MOST_LOOKED_UP_BYTES:,} bytes.", _REMEDY)
                yield line
    except (OSError, EOFError, zlib.error) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InputError(f"{path} can't be read as pools: {reason}.", _REMEDY) from error


def _read_header(path: Path, line: bytes) -> PoolMethod:
    match _read(path, 1, line):
        case {"retriever": str(retriever), "size": int(size), **others} if not others and type(size) is int:
            return PoolMethod(retriever, size)
        case _:
            raise InputError(f"{path}:1 doesn't tell by which retriever the pools were drawn.", _REMEDY)


def _parsed(path: Path, number: int, line: bytes) -> Candidates:
    match _read(path, number, line):
        case {"question": str(question), "chunks": list(chunks)} if all(map(_is_hit, chunks)):
            # The same chunk is in many pools; its id is kept once.
            return Candidates(question, tuple((intern(chunk), float(score)) for chunk, score in chunks))
        case _:
            raise InputError(f"{path}:{number} is no pool of a question.", _REMEDY)


def _read(path: Path, number: int, line: bytes) -> object:
    try:
        return read_json(line)
    except ValueError as error:
        raise InputError(f"{path}:{number} is no JSON: {error}.", _REMEDY) from error


def _is_hit(one: object) -> bool:
    match one:
        case [str(), score]:
            return isinstance(score, int | float) and not isinstance(score, bool) and abs(score) <= MOST_SCORE
        case _:
            return False


def chunks_of(pools: Mapping[str, Candidates]) -> set[str]:
    """The ids of all chunks that some pool holds."""
    return {chunk for pool in pools.values() for chunk, _ in pool.chunks}


def drawn_by(pool: CandidatePool) -> PoolMethod:
    """How the pools of a protocol were drawn, as it says."""
    return PoolMethod(pool.retriever, pool.size)


def frozen_pools(folder: Path, protocol: Protocol) -> tuple[Mapping[str, Candidates], list[Finding]]:
    """The pools by the id of their question, none where they can't be read; and where they are others.

    A protocol whose retriever or size was edited names a way in which they were not drawn.
    """
    try:
        pools = read_pool(folder / POOL_FILE)
    except InputError as error:
        return {}, [breach("pool", f"{error}")]
    said, drawn = protocol.pool, pools.method
    if (found := pool_hash(drawn, pools.of.values())) != said.hash:
        text = f"{POOL_FILE} holds other pools, of hash {found}: put the file back as it was written."
        return pools.of, [breach("pool.hash", text)]
    findings = []
    if drawn.retriever != said.retriever:
        text = f"the pools were drawn by {drawn.retriever!r}, not by {said.retriever!r}: put it back."
        findings.append(breach("pool.retriever", text))
    if drawn.size != said.size:
        text = f"the pools were drawn with at most {drawn.size:,} chunks, not {said.size:,}: put it back."
        findings.append(breach("pool.size", text))
    if larger := next((one.question for one in pools.of.values() if len(one.chunks) > drawn.size), None):
        text = (
            f"the pool of {larger} has more than {drawn.size:,} chunks: put the file back as it was written."
        )
        findings.append(breach("pool", text))
    return pools.of, findings


@dataclass(frozen=True, slots=True)
class PoolRecall:
    """How much of the gold evidence lies in the pools: no system can show what does not.

    `hops` are those that have gold evidence, over all questions, and `found` those of them with a supporting
    chunk in the pool of their question; `questions` have gold evidence, and `whole` of them for every hop.
    """

    hops: int
    found: int
    questions: int
    whole: int


def draw_pools(
    graph: Graph,
    corpus: str,
    retriever: str,
    size: int,
    questions: Sequence[str],
    embedder: Embedder,
    progress: Progress,
    journal: Journal[Candidates],
) -> dict[str, Candidates]:
    """The pool of each question by its id, best first, with scores as they are kept.

    Each is in `journal` as soon as it is drawn; what is there from the same graph is not drawn again.

    Raises:
        SettingsError: there is no such retriever.
        NothingToDoError: it finds nothing for a question, or the graph is not built.
    """
    # Retrievers take a while to import, and whoever verifies an archive draws nothing.
    from services.rag.retrieval.choose import open_retriever  # noqa: PLC0415

    searching = open_retriever(retriever, graph, corpus, embedder, size)
    source = _source(graph, corpus, searching.name)
    keys = {question: content_hash((source, question), KEY_DIGITS) for question in questions}
    pending = [question for question in questions if keys[question] not in journal]
    progress.step("pools", len(pending))
    for ids in batches(pending, QUESTIONS_A_BATCH):
        asked = rag_questions(graph.rows(query("questions/read_queries"), ids=ids), embedder)
        for one, hits in zip(asked, searching.retrieve(asked), strict=True):
            if not hits:
                raise NothingToDoError(
                    f"the retriever {retriever!r} finds nothing for question {one.id}.",
                    "Freeze the pools by another one, such as --pool-by vector.",
                )
            chunks = tuple((hit.chunk, round(float(hit.score), SCORE_DIGITS)) for hit in hits[:size])
            journal.add(keys[one.id], Candidates(one.id, chunks))
        progress.advance(len(ids))
    return {question: journal[key] for question, key in keys.items()}


def _source(graph: Graph, corpus: str, retriever: str) -> str:
    """A hash of what pools depend on: the graph and the questions as they are, and the retriever."""
    made = (f"{line['name']} {line['key']}" for line in read_ledger(graph, corpus) if line["name"] in STAGES)
    return content_hash((corpus, dataset_version(graph, corpus), retriever, *sorted(made)))


def pool_recall(questions: Iterable[Question], pools: Mapping[str, Candidates]) -> PoolRecall:
    """How much of the gold evidence of some questions lies in their pools."""
    found: list[list[bool]] = []
    for question in questions:
        inside = {chunk for chunk, _ in pools[question.id].chunks}
        hops = sorted({piece.hop for piece in question.gold})
        found.append(
            [any(piece.hop == hop and piece.chunk in inside for piece in question.gold) for hop in hops]
        )
    return PoolRecall(
        hops=sum(map(len, found)),
        found=sum(map(sum, found)),
        questions=sum(map(bool, found)),
        whole=sum(bool(hops) and all(hops) for hops in found),
    )


def missing_chunks(graph: Graph, corpus: str, chunks: Sequence[str]) -> list[str]:
    """Those of some chunks that are in the corpus no more, in order."""
    rows = graph.read_in_batches(query("comparisons/list_missing_chunks"), sorted(chunks), corpus=corpus)
    return [str(row["id"]) for row in rows]
