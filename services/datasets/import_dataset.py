"""A dataset of Hopgrade's own format into a graph: articles, chunks and questions, so that runs can begin.

The graph of facts is not part of a dataset: a build makes it from the articles where it is wanted.

The settings in a manifest as a corpus takes them: only those that are known, and of the right type.

Questions of a dataset as the graph takes them in.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from datetime import datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter, ValidationError

from kg.corpus import (
    CorpusSettings,
    article_fingerprint,
    check_name,
    open_corpus,
    read_settings,
    recall,
    remember,
)
from kg.embed.choose import Embedder, make_embedder
from kg.errors import CorpusError, InputError, SettingsError, command
from kg.ids import content_hash, content_id, node_id
from kg.ledger import record_stage, run_stage, stage_key
from kg.progress import Progress
from kg.queries import query
from kg.settings import Settings
from kg.stages.articles import chunk_articles, chunk_id
from kg.stages.build import CHUNKS
from kg.stages.vectors import embed_missing
from kg.store.graph import Graph, Row, batches
from kg.text.chunks import parse_chunk_size
from services.datasets.export_dataset import verify_export
from services.datasets.folder import MANIFEST, Json, read_manifest
from services.datasets.formats.hopgrade import HOPGRADE, read_articles, read_questions
from services.datasets.records import ArticleRecord, GoldRecord, HopRecord, PrefixRecord, QuestionRecord
from services.datasets.source import (
    IMPORTED_FACTS,
    IMPORTED_PATH,
    IMPORTED_SIGNATURE,
    IMPORTED_STOPS,
    article_record,
)
from services.questions.choice import INFERENCE
from services.questions.composed.store import ATOMIC
from services.questions.dataset import renew_version
from services.questions.question_rows import PREFIX
from services.questions.spans.facets import FACETS
from services.questions.spans.question_spans import write_spans

Vector = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Places:
    """The ids in a corpus of what a dataset names: its articles, its chunks, and its questions."""

    corpus: str
    articles: Mapping[str, str]
    chunks: Mapping[str, str]
    new_ids: bool

    def question(self, id_: str) -> str:
        """The id of a question: its own, or one of this corpus."""
        return node_id(self.corpus, "question", id_) if self.new_ids else id_


def question_row(question: QuestionRecord, places: Places, vector: Vector) -> Row:
    """A question's row for `questions/write_imported`.

    Raises:
        InputError: it names an article or a chunk that the dataset lacks.
    """
    facts = [replace(fact, article=_here(places.articles, fact.article, question)) for fact in question.facts]
    told = {
        "text": question.text,
        "answer": question.answer,
        "accepted": list(question.accepted),
        "answer_type": question.answer_type or None,
        "kind": question.kind,
        "query_type": question.type,
        "hops": question.hops,
        "status": "kept",
        "bin": question.bin,
        "generator": question.generator,
        "sources": list(question.sources),
        "dates": list(question.dates),
        "absent": question.absent or None,
        "domain": question.domain or None,
        "given_id": question.given_id or (question.id if places.new_ids else None),
        IMPORTED_PATH: question.path or None,
        IMPORTED_SIGNATURE: question.signature or None,
        IMPORTED_STOPS: [json.dumps(asdict(one), ensure_ascii=False) for one in question.stops] or None,
        IMPORTED_FACTS: [json.dumps(asdict(one), ensure_ascii=False) for one in facts] or None,
        **{f"difficulty_{name}": value for name, value in question.difficulty.items()},
        **{f"spans_{facet}": question.spans.get(facet) for facet in FACETS},
        **{f"crossings_{facet}": question.crossings.get(facet) for facet in FACETS},
    }
    return {
        "id": places.question(question.id),
        "question": told,
        "vector": vector,
        "gold": [_gold(one, question, places) for one in question.gold],
        "prefixes": [{"id": places.question(one.id), "hops": one.hops} for one in question.prefixes],
        "hop_questions": [
            {"id": places.question(one.id), "hop": one.hop, "topology": one.topology}
            for one in question.hop_questions
        ],
    }


def side_rows(question: QuestionRecord, places: Places) -> Iterator[Row]:
    """The rows of the questions of its first hops and of each hop, with the evidence of these hops."""
    for prefix in question.prefixes:
        yield _side_row(question, places, prefix, PREFIX, range(1, prefix.hops + 1))
    for one in question.hop_questions:
        yield _side_row(question, places, one, ATOMIC, range(one.hop, one.hop + 1))


def _side_row(
    question: QuestionRecord, places: Places, one: PrefixRecord | HopRecord, kind: str, hops: range
) -> Row:
    gold = [replace(found, hop=found.hop - hops.start + 1) for found in question.gold if found.hop in hops]
    return {
        "id": places.question(one.id),
        "question": {
            "text": one.text,
            "answer": one.answer,
            "accepted": list(one.accepted),
            "answer_type": one.answer_type,
            "kind": kind,
            "query_type": question.type if kind == PREFIX else INFERENCE,
            "hops": len(hops),
            "status": kind,
            "generator": question.generator,
        },
        "vector": None,
        "gold": [_gold(found, question, places) | {"similarity": None} for found in gold],
        "prefixes": [],
        "hop_questions": [],
    }


def _gold(gold: GoldRecord, question: QuestionRecord, places: Places) -> Row:
    chunk = _here(places.chunks, gold.chunk, question)
    return {"hop": gold.hop, "chunk": chunk, "similarity": gold.similarity}


def _here(known: Mapping[str, str], id_: str, question: QuestionRecord) -> str:
    found = known.get(id_)
    if found is None:
        raise InputError(
            f"question {question.id} names {id_}, which the dataset lacks.", "Export the dataset anew."
        )
    return found


_OF_QUESTIONS = re.compile(r"bins|cuts|cuts_[2-5]_hops|question_\w+|questions_per_kind")
_CORPUS = TypeAdapter(CorpusSettings)


def corpus_settings(manifest: Mapping[str, Json], folder: Path) -> CorpusSettings:
    """What the corpus was made with.

    Raises:
        InputError: the manifest does not tell.
    """
    told = manifest.get("settings")
    held = told if isinstance(told, dict) else {}
    try:
        return _CORPUS.validate_python(
            {field.name: held[field.name] for field in fields(CorpusSettings) if field.name in held}
        )
    except ValidationError as error:
        raise InputError(
            f"{folder / MANIFEST} does not tell what the corpus was made with.", "Export the dataset anew."
        ) from error


def question_settings(manifest: Mapping[str, Json]) -> dict[str, Json]:
    """How the questions were made, and where their bins were cut."""
    told = manifest.get("settings")
    held = told if isinstance(told, dict) else {}
    return {name: value for name, value in held.items() if _OF_QUESTIONS.fullmatch(name)}


RECORDS_A_BATCH = 100


@dataclass(frozen=True, slots=True)
class ImportedDataset:
    """What came in, and whether the questions are the very ones that the dataset's version stands for."""

    corpus: str
    articles: int
    chunks: int
    questions: int
    dataset: str
    same_version: bool


def import_dataset(
    graph: Graph, corpus: str, folder: Path, settings: Settings, progress: Progress, new_ids: bool = False
) -> ImportedDataset:
    """Bring a dataset into a corpus that is new, or that an import of the same dataset left unfinished.

    Questions keep their ids; with `new_ids` they get ids of this corpus, and keep the others beside them.

    Raises:
        InputError: the folder is no dataset that can be imported, or not as it was written.
        CorpusError: the corpus is there already, or the questions are in another one.
        SettingsError: its embedder can't be had here in the same version.
    """
    source = _check_manifest(folder)
    made_with = corpus_settings(source, folder)
    _check_corpus(graph, check_name(corpus), source, made_with)
    if not new_ids:
        _check_ids(graph, corpus, folder)
    embedder = _embedder(made_with, settings)
    open_corpus(graph, corpus, made_with)
    remember(graph, corpus, {"imported_dataset": _sum(source), **question_settings(source)})
    _write_articles(graph, corpus, folder, progress)
    chunks = _make_chunks(graph, corpus, made_with, embedder, progress)
    places = _places(graph, corpus, folder, new_ids)
    questions = _write_questions(graph, corpus, folder, places, embedder, progress)
    write_spans(graph, corpus)
    version = renew_version(graph, corpus)
    counts: dict[str, int | float | str] = {"drawn": questions, "kept": questions}
    record_stage(graph, corpus, "questions", stage_key("dataset", _sum(source)), counts)
    return ImportedDataset(
        corpus, len(places.articles), chunks, questions, version, version == source.get("dataset")
    )


def _check_manifest(folder: Path) -> dict[str, Json]:
    """The manifest of a dataset whose files are as they were written."""
    manifest = read_manifest(folder)
    if manifest.get("format") != HOPGRADE.name:
        raise InputError(
            f"{folder} holds the format {str(manifest.get('format'))!r}, which tells too little.",
            f"Export the dataset as {HOPGRADE.name}; or read the articles with "
            f"{command('corpus ingest')}, and the "
            f"questions with {command('questions import')}.",
        )
    found = verify_export(folder)
    if not found.sound:
        raise InputError(
            f"{folder} is not what was exported.",
            f"See what changed: {command('dataset verify', str(folder))}",
        )
    return manifest


def _sum(manifest: Mapping[str, Json]) -> str:
    return content_hash([repr(manifest.get("tables"))])


def _check_corpus(graph: Graph, corpus: str, manifest: Mapping[str, Json], made_with: CorpusSettings) -> None:
    known = read_settings(graph, corpus)
    if known is None:
        return
    held = recall(graph, corpus)
    begun = held.get("imported_dataset") == _sum(manifest) and known == made_with
    if not begun and article_fingerprint(graph, corpus)[0]:
        raise CorpusError(
            f"corpus {corpus!r} is there already, and a dataset is imported into a new one.",
            f"Give another name with --corpus, or remove it: {command('corpus drop', corpus)}",
        )


def _check_ids(graph: Graph, corpus: str, folder: Path) -> None:
    ids = [id_ for question in read_questions(folder) for id_ in question.ids]
    taken = next(graph.read_in_batches(query("questions/find_exported"), ids, corpus=corpus), None)
    if taken is not None:
        raise CorpusError(
            f"questions of this dataset are in corpus {taken['corpus']!r} already, and an id stands once.",
            "Give them ids of their own with --new-ids, or import into another database.",
        )


def _embedder(made_with: CorpusSettings, settings: Settings) -> Embedder:
    embedder = make_embedder(made_with.embedder, settings)
    if embedder.name != made_with.vectors:
        raise SettingsError(
            f"the dataset was made with the embedder {made_with.vectors!r}, and here is {embedder.name!r}.",
            "Use the version of Hopgrade that exported it: its difficulties rest on these vectors.",
        )
    return embedder


def _write_articles(graph: Graph, corpus: str, folder: Path, progress: Progress) -> None:
    progress.begin("articles")
    for batch in batches(read_articles(folder), RECORDS_A_BATCH):
        rows = [_article_row(corpus, article) for article in batch]
        graph.write_rows(query("articles/write_articles"), rows, corpus=corpus)
        progress.advance(len(batch))
    total, fingerprint = article_fingerprint(graph, corpus)
    record_stage(graph, corpus, "articles", fingerprint, {"articles": total, "duplicates": 0, "set_aside": 0})
    progress.end(f"{total:,} articles")


def _article_row(corpus: str, article: ArticleRecord) -> Row:
    if hashlib.sha256(" ".join(article.body.split()).encode()).hexdigest() != article.sha256:
        raise InputError(f"article {article.id}: its text is not that of its checksum.", "Export it anew.")
    return {
        "id": article_id(corpus, article),
        "title": article.title,
        "body": article.body,
        "source": article.source,
        "category": article.category,
        "author": article.author,
        "published_at": datetime.fromisoformat(article.published_at) if article.published_at else None,
        "url": article.url,
        "tokens": article.tokens,
        "sha256": article.sha256,
        "given_id": article.given_id,
        "other_ids": list(article.other_ids) or None,
    }


def article_id(corpus: str, article: ArticleRecord) -> str:
    """The id that an article has in a corpus, by its text: the same where it was ingested."""
    return content_id(corpus, "article", article.sha256)


def _make_chunks(
    graph: Graph, corpus: str, made_with: CorpusSettings, embedder: Embedder, progress: Progress
) -> int:
    """The stages of a build as far as they go without facts, with the keys that a build would give them."""
    size = parse_chunk_size(made_with.chunking)
    _, articles = article_fingerprint(graph, corpus)

    def embed() -> dict[str, int | float | str]:
        embed_missing(graph, corpus, "chunks", embedder, progress)
        return {"dimensions": embedder.dimensions}

    chunked = run_stage(
        graph,
        corpus,
        "chunks",
        stage_key(articles, CHUNKS, str(size)),
        lambda: chunk_articles(graph, corpus, size, progress),
        lambda: None,
        progress,
    )
    run_stage(graph, corpus, "vectors", stage_key(chunked.key, embedder.name), embed, lambda: None, progress)
    return int(chunked.counts["chunks"])


def _places(graph: Graph, corpus: str, folder: Path, new_ids: bool) -> Places:
    """Where the articles and chunks of the dataset are in this corpus.

    Raises:
        InputError: an article was cut into other chunks, so that its evidence can't be told.
    """
    articles: dict[str, str] = {}
    chunks: dict[str, str] = {}
    for batch in batches(read_articles(folder), RECORDS_A_BATCH):
        here = {one.id: article_id(corpus, one) for one in batch}
        rows = graph.rows(query("articles/read_exported"), ids=list(here.values()))
        made = {one.id: one for one in map(article_record, rows)}
        for article in batch:
            found = made[here[article.id]].chunks
            if _spans(article) != [(one.position, one.start, one.end) for one in found]:
                raise InputError(
                    f"article {article.id} ({folder / MANIFEST}) is cut into other chunks here.",
                    "Import it with the version of Hopgrade that exported it.",
                )
            chunks |= {one.id: chunk_id(corpus, here[article.id], one.position) for one in article.chunks}
        articles |= here
    return Places(corpus, articles, chunks, new_ids)


def _spans(article: ArticleRecord) -> list[tuple[int, int, int]]:
    return [(one.position, one.start, one.end) for one in article.chunks]


def _write_questions(
    graph: Graph, corpus: str, folder: Path, places: Places, embedder: Embedder, progress: Progress
) -> int:
    progress.begin("questions")
    written = 0
    for batch in batches(read_questions(folder), RECORDS_A_BATCH):
        graph.write_rows(query("questions/write_imported"), _beside(batch, places), corpus=corpus)
        vectors = embedder.embed_queries([question.text for question in batch])
        rows = (question_row(one, places, vector) for one, vector in zip(batch, vectors, strict=True))
        graph.write_rows(query("questions/write_imported"), rows, corpus=corpus)
        written += len(batch)
        progress.advance(len(batch))
    progress.end(f"{written:,} questions")
    return written


def _beside(batch: Sequence[QuestionRecord], places: Places) -> Iterator[Row]:
    for question in batch:
        yield from side_rows(question, places)
