"""Question sets with the passages that they are asked of: found, read into a graph of their own, matched."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from kg.embed.choose import Embedder
from kg.errors import InputError, NothingToDoError, SettingsError
from kg.ids import content_hash
from kg.ingest.read import check_files
from kg.model import Reject
from kg.progress import Progress
from kg.queries import query
from kg.settings import Settings
from kg.stages.articles import ArticleLimits, ingest_articles
from kg.stages.build import Tools, build_graph
from kg.stages.extraction import ARTICLES_A_BATCH
from kg.store.graph import Graph, batches
from kg.store.leases import writing_to
from kg.text.chunks import ChunkSize
from services.benchmarks.contenders import BenchmarkPassage, read_passages
from services.benchmarks.given_extractor import (
    FileCoverage,
    GivenExtractor,
    GivenTriples,
    extractor_name,
    match_triples,
    read_triples,
)
from services.datasets.choose import read_questions
from services.datasets.match_gold import MatchedQuestion, match_gold, unmatched_evidence
from services.datasets.question import BenchmarkQuestion
from services.pipeline import make_tools, open_for_job
from services.settled_options import GivenOptions, settle_options

ONE_CHUNK = ChunkSize(1, 4096, 0)
"""Passages come cut already: each is one chunk, unless it is longer than any article is meant to be."""

ANY_LENGTH = ArticleLimits(1, 1_000_000)

DEVELOPMENT: Sequence[tuple[str, str, str]] = (
    (
        "kg_rag",
        "kg_rag_multihop/data__processed__corpus.jsonl",
        "kg_rag_multihop/gold__questions_dev.jsonl",
    ),
    ("musique", "musique/musique_train100_corpus.json", "musique/musique_train100.json"),
    ("hotpotqa", "hotpotqa/hotpotqa_train100_corpus.json", "hotpotqa/hotpotqa_train100.json"),
)
"""Name, passages and questions of each development set, below the folder of the data."""


@dataclass(frozen=True, slots=True)
class SetFiles:
    """A question set on disk; `format` empty leaves it to the reader to tell.

    `triples` are given besides what the rules read in the passages.
    """

    name: str
    corpus: Path
    questions: Path
    format: str = ""
    triples: Path | None = None


@dataclass(frozen=True, slots=True)
class ReadySet:
    """A question set whose passages are in the graph.

    `questions` have evidence that was found, at least in part; they are what is measured. `without_gold` had
    none to find, `not_found` had some that the corpus does not hold. `unmatched` and `rejected` say which
    piece and which row, and why. `given_triples` are the triples that came with the set, `given_for` tells
    which passages they are for.
    """

    files: SetFiles
    corpus: str
    sha256: str
    passages: tuple[BenchmarkPassage, ...]
    questions: tuple[MatchedQuestion, ...]
    without_gold: int
    not_found: int
    unmatched: tuple[Reject, ...]
    rejected: tuple[Reject, ...]
    embedder: Embedder
    given_triples: GivenTriples | None = None
    given_for: FileCoverage | None = None

    @property
    def partly_found(self) -> int:
        """Questions measured of which some evidence is missing; it counts as never retrieved."""
        return sum(bool(question.missing) for question in self.questions)


def pair_files(
    corpora: Sequence[Path],
    questions: Sequence[Path],
    names: Sequence[str],
    format_: str,
    triples: Sequence[Path] = (),
) -> list[SetFiles]:
    """The sets that a user named, pair by pair; a set is called after its questions' file by default.

    Raises:
        SettingsError: there are not as many of one as of the other.
    """
    if len(corpora) != len(questions):
        raise SettingsError(
            f"there are {len(corpora)} --corpus and {len(questions)} --questions.",
            "Give both for each set: --corpus passages.json --questions questions.json.",
        )
    if names and len(names) != len(corpora):
        raise SettingsError(
            f"there are {len(names)} --name for {len(corpora)} sets.", "Give one each, or none."
        )
    if triples and len(triples) != len(corpora):
        raise SettingsError(
            f"there are {len(triples)} --triples for {len(corpora)} sets.",
            "Give one for each --corpus, or none.",
        )
    named = names or [path.stem for path in questions]
    given: Sequence[Path | None] = triples or [None for _ in corpora]
    return [
        SetFiles(name, corpus, asked, format_, of)
        for name, corpus, asked, of in zip(named, corpora, questions, given, strict=True)
    ]


def development_sets(folders: Sequence[Path]) -> list[SetFiles]:
    """The development sets that lie below the first of these folders that holds any.

    Raises:
        InputError: none of the folders holds one.
    """
    for folder in folders:
        found = [
            SetFiles(name, folder / corpus, folder / questions)
            for name, corpus, questions in DEVELOPMENT
            if (folder / corpus).is_file() and (folder / questions).is_file()
        ]
        if found:
            return found
    raise InputError(
        f"no development set lies in {' or '.join(map(str, folders))}.",
        "Name a set: --corpus passages.json --questions questions.json; or set HOPGRADE_SHARED to the "
        "folder that holds data/.",
    )


def check_set(files: SetFiles) -> None:
    """Make sure that the files are there and the passages can be read, before anything takes time.

    Raises:
        InputError: one is missing, or its passages or questions have no form that is known.
    """
    if not files.questions.exists():
        raise InputError(f"{files.questions}: there is no such file.", "Check the spelling of the path.")
    if files.triples is not None and not files.triples.exists():
        raise InputError(f"{files.triples}: there is no such file.", "Check the spelling of the path.")
    check_files([files.corpus], {})
    # The form is told before the first row is read.
    read_questions(files.questions, files.format)


def corpus_name(sha256: str, embedder: str, size: ChunkSize, given: GivenTriples | None = None) -> str:
    """The name of the corpus that a file becomes: the same files and settings find it again."""
    parts = [sha256, embedder, str(size), *([given.sha256] if given else [])]
    return f"benchmark-{content_hash(parts)[:12]}"


def prepare_set(
    graph: Graph,
    settings: Settings,
    files: SetFiles,
    embedder: str,
    size: ChunkSize,
    progress: Progress,
    limit: int | None = None,
) -> ReadySet:
    """Bring the passages of a set into the graph, as far as they are not; match its first `limit` questions.

    Raises:
        InputError: a file can't be read.
        NothingToDoError: there is no passage, or no question with evidence in the corpus.
    """
    questions, rejected = _questions(files, limit)
    sha256 = file_hash(files.corpus)
    given = None if files.triples is None else read_triples(files.triples)
    corpus = corpus_name(sha256, embedder, size, given)
    with writing_to(graph, corpus) as mine:
        chosen, job = settle_options(mine, corpus, GivenOptions(embedder, size))
        tools = _with_triples(make_tools(chosen.embedder, settings), given)
        open_for_job(mine, corpus, job, tools)
        ingest_articles(mine, corpus, [files.corpus], {}, ANY_LENGTH, progress)
        build_graph(mine, corpus, job.build, tools, progress, until="resolution")
    matched = match_gold(graph, corpus, questions)
    measured = tuple(question for question in matched if question.gold_found)
    if not measured:
        raise NothingToDoError(
            f"no question of {files.questions} has evidence among the passages of {files.corpus}.",
            "Give the passages and the questions of the same set.",
        )
    passages = tuple(read_passages(graph, corpus))
    without_gold = sum(not question.gold for question in questions)
    return ReadySet(
        files=files,
        corpus=corpus,
        sha256=sha256,
        passages=passages,
        questions=measured,
        without_gold=without_gold,
        not_found=len(questions) - without_gold - len(measured),
        unmatched=unmatched_evidence(matched),
        rejected=rejected,
        embedder=tools.embedder,
        given_triples=given,
        given_for=None if given is None else match_triples(given, _articles(graph, passages)),
    )


def file_hash(path: Path) -> str:
    """The SHA-256 of a file, or of the files of a folder with their names."""
    if not path.is_dir():
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    parts = sorted(one for one in path.rglob("*") if one.is_file())
    return content_hash((f"{one.relative_to(path)} {file_hash(one)}" for one in parts), 64)


def _with_triples(tools: Tools, given: GivenTriples | None) -> Tools:
    """The tools of a build that adds what is given to what the extractor reads."""
    if given is None:
        return tools
    return replace(
        tools,
        extractor_name=extractor_name(tools.extractor_name, given),
        make_extractor=lambda: GivenExtractor(tools.make_extractor(), given),
    )


def _articles(graph: Graph, passages: Iterable[BenchmarkPassage]) -> Iterator[tuple[str, str]]:
    """Title and body of each article."""
    for ids in batches(sorted({passage.article for passage in passages}), ARTICLES_A_BATCH):
        for row in graph.rows(query("articles/read_bodies"), ids=ids):
            yield row["title"], row["body"]


def _questions(files: SetFiles, limit: int | None) -> tuple[list[BenchmarkQuestion], tuple[Reject, ...]]:
    rows = list(read_questions(files.questions, files.format))
    questions = [row for row in rows if isinstance(row, BenchmarkQuestion)]
    return questions[:limit], tuple(row for row in rows if isinstance(row, Reject))
