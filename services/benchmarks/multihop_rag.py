"""MultiHop-RAG's experiments over its own files: tables 5 and 6 and figure 3 (Tang and Yang 2024, section 4).

    asked = check_experiment(corpus, questions)          # reads all files, before anything takes time
    ground = open_experiment(graph, settings, asked, ...)
    found = rank_all(ground, ...)                        # table 5, and what the best of it retrieved

Table 6 and figure 3 are of `services.benchmarks.multihop_rag_readers`. What the paper prints stands in
`multihop_rag_published.json`, with its places.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from kg.corpus import require_corpus
from kg.embed.choose import Embedder, make_embedder
from kg.errors import InputError
from kg.ids import content_hash
from kg.model import Reject
from kg.progress import Progress
from kg.settings import Settings
from kg.store.graph import Graph
from kg.text.chunks import ChunkSize
from services.benchmarks.embedders import (
    NO_RERANKER,
    Cell,
    Pool,
    SupportedQuestion,
    find_supported,
    make_pool,
    measure_pool,
    rank_pool,
)
from services.benchmarks.retrieval_sets import ReadySet, SetFiles, check_set, prepare_set
from services.datasets.choose import read_questions, tell_format
from services.datasets.match_gold import MatchedQuestion
from services.datasets.question import BenchmarkQuestion
from services.rag.protocol import Passage, Reranker

CHUNKS = ChunkSize(128, 256, 0)
"""Chunks of up to 256 tokens (section 4.1)."""
CANDIDATES = 20
"""Chunks that a reranker is given (section 4.1)."""
READ = 6
"""Chunks that are read for an answer; with 256 tokens each they stay below 2,048 (section 4.2)."""
_FORMATS = ("multihop-rag", "multihop-rag-sample")
_PUBLISHED = Path(__file__).with_name("multihop_rag_published.json")


@dataclass(frozen=True, slots=True)
class Experiment:
    """The files, and what can be asked of them: `sample` is a part of `questions` where a limit was given."""

    files: SetFiles
    questions: tuple[BenchmarkQuestion, ...]
    sample: tuple[BenchmarkQuestion, ...]
    rejected: tuple[Reject, ...]


@dataclass(frozen=True, slots=True)
class Ground:
    """The corpus in the graph, and the evidence of the questions asked: by place, and as it was matched."""

    experiment: Experiment
    ready: ReadySet
    supported: tuple[SupportedQuestion, ...]
    matched: Mapping[str, MatchedQuestion]


@dataclass(frozen=True, slots=True)
class Ranking:
    """Table 5, its best cell by MRR@10 of the script, and what that retrieved: passages by question's id."""

    cells: tuple[Cell, ...]
    best: Cell
    retrieved: Mapping[str, tuple[Passage, ...]]


@dataclass(frozen=True, slots=True)
class PublishedResults:
    """What the paper prints. `retrieval` has MRR@10, MAP@10, Hits@10 and Hits@4 by embedder and then "none"
    or "reranked", `accuracy` those of retrieved chunks and of ground-truth evidence by model; `places` tell
    where each stands, `by_type` why figure 3 has no numbers here."""

    paper: str
    articles: int
    questions: int
    reranker: str
    places: Mapping[str, str]
    by_type: str
    retrieval_columns: Sequence[str]
    retrieval: Mapping[str, Mapping[str, Sequence[float]]]
    accuracy_columns: Sequence[str]
    accuracy: Mapping[str, Sequence[float]]


@cache
def published_results() -> PublishedResults:
    """What the paper prints."""
    return PublishedResults(**json.loads(_PUBLISHED.read_text(encoding="utf-8")))


def check_experiment(corpus: Path, questions: Path, limit: int | None = None, seed: int = 0) -> Experiment:
    """Read the questions and look at the articles; with a limit, so many questions, of all types alike.

    Raises:
        InputError: a file is missing or is none of MultiHop-RAG's.
    """
    files = SetFiles("multihop-rag", corpus, questions)
    check_set(files)
    form = tell_format(questions)
    if form not in _FORMATS:
        raise InputError(
            f"{questions} holds questions of the form {form!r}, not of MultiHop-RAG.",
            "Give MultiHopRAG.json, or the sample of 500 queries.",
        )
    rows = list(read_questions(questions, form))
    usable = tuple(row for row in rows if isinstance(row, BenchmarkQuestion))
    rejected = tuple(row for row in rows if isinstance(row, Reject))
    if not any(question.gold for question in usable):
        raise InputError(f"{questions} has no query with evidence.", "Give MultiHopRAG.json as it came.")
    return Experiment(replace(files, format=form), usable, tuple(_sample(usable, limit, seed)), rejected)


def _sample(
    questions: Sequence[BenchmarkQuestion], limit: int | None, seed: int
) -> Iterable[BenchmarkQuestion]:
    """Questions of each type in turn, within a type by chance, in the order of the file."""
    if limit is None or limit >= len(questions):
        return questions
    by_type: defaultdict[str, list[BenchmarkQuestion]] = defaultdict(list)
    for question in sorted(questions, key=lambda one: content_hash((str(seed), one.id, one.text))):
        by_type[question.type].append(question)
    turns = [(place, name, one.id) for name, some in by_type.items() for place, one in enumerate(some)]
    taken = {id_ for _, _, id_ in sorted(turns)[:limit]}
    return [question for question in questions if question.id in taken]


def open_experiment(
    graph: Graph,
    settings: Settings,
    experiment: Experiment,
    embedder: str,
    chunks: ChunkSize,
    progress: Progress,
) -> Ground:
    """Bring the articles into a corpus of their own, which is found again the next time; match evidence.

    Raises:
        NothingToDoError: no question has evidence among the articles.
    """
    ready = prepare_set(graph, settings, experiment.files, embedder, chunks, progress)
    wanted = {question.id for question in experiment.sample}
    matched = {one.question.id: one for one in ready.questions if one.question.id in wanted}
    return Ground(experiment, ready, tuple(find_supported(graph, list(matched.values()))), matched)


def rank_all(
    graph: Graph,
    settings: Settings,
    ground: Ground,
    embedders: Sequence[str],
    rerankers: Mapping[str, Reranker | None],
    chunks: ChunkSize,
    seed: int,
    progress: Progress,
) -> Ranking:
    """Every embedder with every reranker, and what the best retrieved for all questions, null ones too."""
    corpus = ground.ready.corpus
    own = require_corpus(graph, corpus)
    cells: list[Cell] = []
    chosen: tuple[Pool, Embedder, Cell] | None = None
    for option in embedders:
        used = ground.ready.embedder if option == own.embedder else make_embedder(option, settings)
        progress.begin(f"embedder {option}")
        pool = make_pool(graph, corpus, own, used, chunks, progress)
        made = measure_pool(pool, used, rerankers, ground.supported, CANDIDATES, seed, progress)
        cells += made
        best = max(made, key=_worth)
        if chosen is None or _worth(best) > _worth(chosen[2]):
            chosen = (pool, used, best)
        progress.end(f"{len(pool.passages):,} chunks, {len(ground.supported):,} questions")
    if chosen is None:
        raise ValueError("No embedder is measured.")
    pool, used, best = chosen
    asked = ground.experiment.sample
    ranked = rank_pool(
        pool, used, rerankers[best.reranker], [one.text for one in asked], CANDIDATES, progress
    )
    return Ranking(
        tuple(cells),
        best,
        {one.id: tuple(found[:READ]) for one, found in zip(asked, ranked, strict=True)},
    )


def _worth(cell: Cell) -> float:
    if cell.official is not None:
        return cell.official.mrr_at_10
    return cell.means["MRR@10"].value


def differences(ground: Ground, ranking: Ranking, readers: Sequence[str], chunks: ChunkSize) -> list[str]:
    """What differs from the paper's experiments, a sentence each."""
    paper, asked = published_results(), len(ground.experiment.sample)
    articles = len({passage.article for passage in ground.ready.passages})
    said = []
    if articles != paper.articles:
        said.append(f"{articles:,} articles, where the paper has {paper.articles:,}.")
    if asked != paper.questions:
        said.append(f"{asked:,} queries, where the paper has {paper.questions:,}.")
    if strange := sorted({one.embedder for one in ranking.cells if not paper_name(one.embedder)}):
        said.append(f"Embedders that the paper does not have: {', '.join(strange)}.")
    rerankers = {one.reranker for one in ranking.cells} - {NO_RERANKER}
    if other := sorted(name for name in rerankers if paper.reranker not in name):
        said.append(f"Rerankers in place of {paper.reranker}: {', '.join(other)}.")
    said.append(
        f"Chunks of {chunks} tokens (least-most/overlap), cut at sentences with our tokeniser; the paper "
        "cuts at 256 tokens with LlamaIndex. Title and text are embedded together."
    )
    said.append(
        f"Table 6 reads the first {READ} chunks of {ranking.best.embedder} with reranker "
        f"{ranking.best.reranker}, the best of table 5 here; the paper's best is voyage-02 reranked. Read by "
        f"{', '.join(readers)}, with our own prompt where it is a model; the paper's are models of 2023."
    )
    said.append(
        "Right is what shares a word with the answer, as in the authors' script; a null query is right also "
        "where the reader abstains in other words. Match is our stricter rule."
    )
    if ground.ready.not_found:
        said.append(
            f"{ground.ready.not_found:,} queries of the file have no evidence among the articles, and are "
            "left out of table 5."
        )
    return said


def paper_name(embedder: str) -> str:
    """The paper's name of an embedder, by the last part of both names; "" where it has none such."""
    last = embedder.casefold().replace(":", "/").rsplit("/", 1)[-1]
    return next(
        (name for name in published_results().retrieval if name.casefold().rsplit("/", 1)[-1] == last), ""
    )
