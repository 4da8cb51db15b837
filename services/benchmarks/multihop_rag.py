"""MultiHop-RAG's experiments over its own files: tables 5 and 6 and figure 3 (Tang and Yang 2024, section 4).

    asked = check_experiment(corpus, questions)          # reads all files, before anything takes time
    ground = open_experiment(graph, settings, asked, ...)
    found = rank_all(ground, ...)                        # table 5, and what the best of it retrieved
    accuracies(ground, tasks(graph, ground, found), generator)   # table 6 and figure 3

What the paper prints stands in `multihop_rag_published.json`, with its places.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Literal, get_args

from kg.corpus import require_corpus
from kg.embed.choose import Embedder, make_embedder
from kg.errors import InputError
from kg.ids import content_hash
from kg.model import Reject
from kg.progress import Progress
from kg.queries import query
from kg.settings import Settings
from kg.store.graph import Graph
from kg.text.chunks import ChunkSize
from services.answer_match import answer_match
from services.answers import NULL, any_word_match, is_abstention, is_right
from services.benchmarks.embedders import (
    NO_RERANKER,
    Cell,
    Pool,
    Supported,
    make_pool,
    measure_pool,
    rank_pool,
    support_matched,
)
from services.benchmarks.retrieval_sets import ReadySet, SetFiles, check_set, prepare_set
from services.datasets.match_gold import FoundGold, MatchedQuestion
from services.datasets.question import BenchmarkQuestion
from services.datasets.question_files import read_questions, tell_format
from services.rag.passages import read_passages
from services.rag.protocol import Generated, Generator, Passage, ReadTask, Reranker
from services.statistics.rankings import Mean, mean_of, question_clusters

CHUNKS = ChunkSize(128, 256, 0)
"""Chunks of up to 256 tokens (section 4.1)."""
CANDIDATES = 20
"""Chunks that a reranker is given (section 4.1)."""
READ = 6
"""Chunks that are read for an answer; with 256 tokens each they stay below 2,048 (section 4.2)."""
ALL = "all"

Evidence = Literal["retrieved chunks", "ground-truth evidence"]
EVIDENCE: tuple[Evidence, ...] = get_args(Evidence)
_FORMATS = ("multihop-rag", "multihop-rag-sample")
_PUBLISHED = Path(__file__).with_name("multihop_rag_published.json")


@dataclass(frozen=True, slots=True)
class Experiment:
    """The files, and what can be asked of them: `asked` is a part of `questions` where a limit was given."""

    files: SetFiles
    questions: tuple[BenchmarkQuestion, ...]
    asked: tuple[BenchmarkQuestion, ...]
    rejected: tuple[Reject, ...]


@dataclass(frozen=True, slots=True)
class Ground:
    """The corpus in the graph, and the evidence of the questions asked: by place, and as it was matched."""

    experiment: Experiment
    ready: ReadySet
    supported: tuple[Supported, ...]
    matched: Mapping[str, MatchedQuestion]


@dataclass(frozen=True, slots=True)
class Ranking:
    """Table 5, its best cell by MRR@10 of the script, and what that retrieved: passages by question's id."""

    cells: tuple[Cell, ...]
    best: Cell
    retrieved: Mapping[str, tuple[Passage, ...]]


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How often answers are right on a query type, or on all: by the script's any word, by answer match.

    Null queries are right where the reader abstains, and are none of ground-truth evidence (section 4.2).
    """

    evidence: Evidence
    query_type: str
    any_word: Mean
    matched: Mean
    errors: int


@dataclass(frozen=True, slots=True)
class Published:
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
def published() -> Published:
    """What the paper prints."""
    return Published(**json.loads(_PUBLISHED.read_text(encoding="utf-8")))


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
    wanted = {question.id for question in experiment.asked}
    matched = {one.question.id: one for one in ready.questions if one.question.id in wanted}
    return Ground(experiment, ready, tuple(support_matched(graph, list(matched.values()))), matched)


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
    asked = ground.experiment.asked
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


def reading_tasks(
    graph: Graph, ground: Ground, ranking: Ranking
) -> dict[Evidence, list[tuple[BenchmarkQuestion, ReadTask]]]:
    """What a reader is given in both settings of table 6; null queries have no ground-truth evidence."""
    chunk_of = _chunks(graph, ground, {one.chunk for some in ranking.retrieved.values() for one in some})
    gold = [chunk for one in ground.matched.values() for found in one.found for chunk in found.chunks[:1]]
    known = read_passages(graph, sorted({*chunk_of.values(), *gold}))
    tasks: dict[Evidence, list[tuple[BenchmarkQuestion, ReadTask]]] = {evidence: [] for evidence in EVIDENCE}
    for question in ground.experiment.asked:
        shown = tuple(known[chunk_of[one.chunk]] for one in ranking.retrieved[question.id])
        tasks["retrieved chunks"].append((question, ReadTask(question.text, shown, asked=question.id)))
        if question.type != NULL and question.gold:
            facts = tuple(_evidence(question, ground.matched.get(question.id), known))
            tasks["ground-truth evidence"].append(
                (question, ReadTask(question.text, facts, asked=question.id))
            )
    return tasks


def _chunks(graph: Graph, ground: Ground, places: set[str]) -> dict[str, str]:
    """The chunk in the graph of each place of a pool, "article:position"; both are cut alike."""
    articles = sorted({place.rpartition(":")[0] for place in places})
    return {
        f"{row['id']}:{position}": chunk["id"]
        for row in graph.read_in_batches(query("articles/read_bodies"), articles, 200)
        for position, chunk in enumerate(row["chunks"])
    }


def _evidence(
    question: BenchmarkQuestion, matched: MatchedQuestion | None, known: Mapping[str, Passage]
) -> Iterable[Passage]:
    """The facts of a question, each as a passage of its own, also where the articles lack it."""
    found: Mapping[object, FoundGold] = {} if matched is None else {one.gold: one for one in matched.found}
    for number, gold in enumerate(question.gold, start=1):
        held = found.get(gold)
        if held is None:
            yield Passage(f"evidence {number}", gold.text, gold.title, "")
        else:
            yield _cut(known[held.chunks[0]], gold.text, number)


def _cut(passage: Passage, fact: str, number: int) -> Passage:
    """Of a passage what stands in one fact of it, so that a reader sees no more than the fact."""
    if not fact:
        return passage
    return replace(
        passage,
        chunk=f"{passage.chunk} evidence {number}",
        text=fact,
        names=tuple(name for name in passage.names if name.surface in fact),
        facts=tuple(one for one in passage.facts if one.sentence in fact or fact in one.sentence),
        next_chunk="",
    )


def accuracies(
    tasks: Mapping[Evidence, Sequence[tuple[BenchmarkQuestion, ReadTask]]],
    generator: Generator,
    progress: Progress,
) -> list[Accuracy]:
    """Table 6 and, by query type, figure 3: a reader over what it is given in each setting.

    Raises:
        ModelRefusedError, ModelUnavailableError, BudgetReachedError: as `kg.llm.protocol.Model.ask`.
    """
    found: list[Accuracy] = []
    for evidence, some in tasks.items():
        progress.step(f"{generator.name}: {evidence}", len(some))
        given: list[Generated] = []
        for answer in generator.answer([task for _, task in some]):
            given.append(answer)
            progress.advance()
        questions = [question for question, _ in some]
        found += _by_type(evidence, questions, given)
    return found


def _by_type(
    evidence: Evidence, questions: Sequence[BenchmarkQuestion], given: Sequence[Generated]
) -> Iterable[Accuracy]:
    clusters = question_clusters([sorted({gold.url or gold.title for gold in one.gold}) for one in questions])
    rows = list(zip(questions, given, clusters, strict=True))
    for query_type in (ALL, *sorted({question.type for question in questions})):
        inside = [row for row in rows if query_type in {ALL, row[0].type}]
        names = [cluster for *_, cluster in inside]
        word = mean_of([_right(one, answer, by_word=True) for one, answer, _ in inside], names)
        whole = mean_of([_right(one, answer, by_word=False) for one, answer, _ in inside], names)
        if word is not None and whole is not None:
            errors = sum(bool(answer.error) for _, answer, _ in inside)
            yield Accuracy(evidence, query_type, word, whole, errors)


def _right(question: BenchmarkQuestion, given: Generated, *, by_word: bool) -> float:
    fits = (
        any_word_match(given.text, question.answer)
        if by_word
        else answer_match(given.text, question.answer, question.accepted, question.text)
    )
    abstained = is_abstention(given.text)
    right = is_right(fits, null=question.type == NULL, abstained=abstained, failed=bool(given.error))
    return float(right)


def differences(ground: Ground, ranking: Ranking, reader: str, chunks: ChunkSize) -> list[str]:
    """What differs from the paper's experiments, a sentence each."""
    paper, asked = published(), len(ground.experiment.asked)
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
        f"{ranking.best.reranker}, the best of table 5 here; the paper's best is voyage-02 reranked. "
        f"The reader is {reader}, with our own prompt where it is a model; the paper's are models of 2023."
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
    return next((name for name in published().retrieval if name.casefold().rsplit("/", 1)[-1] == last), "")
