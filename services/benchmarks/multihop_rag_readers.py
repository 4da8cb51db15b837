"""The readers of MultiHop-RAG's experiments: table 6 and figure 3 (Tang and Yang 2024, section 4.2).

    experiment = check_experiment(corpus, questions, limit, seed)
    planned = plan_reproduction(graph, settings, experiment, how, progress)   # made, searched, counted
    planned.costs                                                             # what each reader would take
    reproduce(graph, planned, trial, progress)                                # both tables, as values

Replies of a model are kept by the model's name, so that a call that was stopped at one reader asks those
before it nothing again.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Literal, get_args

from kg.llm.budget import Budget
from kg.llm.protocol import Estimate
from kg.llm.roles import role_budget, with_provider
from kg.progress import Progress
from kg.queries import query
from kg.settings import Settings
from kg.store.graph import Graph
from kg.text.chunks import ChunkSize
from services.answer_match import answer_match
from services.answers import NULL, any_word_match, is_abstention, is_right
from services.benchmarks.embedders import NO_RERANKER, Cell
from services.benchmarks.multihop_rag import (
    CHUNKS,
    Experiment,
    Ground,
    Ranking,
    differences,
    open_experiment,
    paper_name,
    published_results,
    rank_all,
)
from services.datasets.match_gold import FoundGold, MatchedQuestion
from services.datasets.question import BenchmarkQuestion
from services.evaluate.write_back import tell_cutoff
from services.rag.answering import read_passages
from services.rag.model_generator import answer_request
from services.rag.protocol import Generation, Generator, Passage, ReadTask
from services.rag.rerank import make_reranker
from services.rag.run_options import GeneratorOption
from services.rag.systems import open_answerer, reader_of
from services.settled_options import DEFAULT_EMBEDDER
from services.statistics.rankings import Mean, mean_of, question_clusters

ALL = "all"

Evidence = Literal["retrieved chunks", "ground-truth evidence"]
EVIDENCE: tuple[Evidence, ...] = get_args(Evidence)


@dataclass(frozen=True, slots=True)
class Reader:
    """Who answers: the rules, or the model that these settings name for the role "answer"."""

    option: GeneratorOption
    settings: Settings

    @property
    def name(self) -> str:
        """The version of the rules, or the model's name."""
        return reader_of(self.option, self.settings)[0]


Tasks = Mapping[Evidence, Sequence[tuple[BenchmarkQuestion, ReadTask]]]
"""What every reader is given in each setting, with the question that it comes from."""


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How often a reader is right on a query type, or on all: by the script's any word, by answer match.

    Null queries are right where the reader abstains, and are none of ground-truth evidence (section 4.2).
    """

    reader: str
    evidence: Evidence
    query_type: str
    any_word: Mean
    matched: Mean
    errors: int


@dataclass(frozen=True, slots=True)
class Reproduction:
    """Both tables and the figure: `cells` of table 5, `accuracy` by reader, evidence and query type.

    `best` is the cell whose chunks are read; `articles`, `questions` and `sample_size` count what the files
    hold and what was asked, `supported` the queries of table 5. `differences` from the paper are a sentence
    each.
    """

    corpus: str
    articles: int
    questions: int
    sample_size: int
    supported: int
    seed: int
    cells: tuple[Cell, ...]
    best: Cell
    accuracy: tuple[Accuracy, ...]
    differences: tuple[str, ...]

    @property
    def readers(self) -> tuple[str, ...]:
        """The names of the readers, in the order in which they were named."""
        return tuple(dict.fromkeys(one.reader for one in self.accuracy))

    def as_dict(self) -> dict[str, object]:
        """The same as maps, lists, numbers and strings, with what the paper prints beside."""
        return {
            "corpus": self.corpus,
            "articles": self.articles,
            "questions": self.questions,
            "asked": self.sample_size,
            "seed": self.seed,
            "retrieval": [asdict(one) | {"published_as": paper_name(one.embedder)} for one in self.cells],
            "best": {"embedder": self.best.embedder, "reranker": self.best.reranker},
            "readers": list(self.readers),
            "accuracy": [asdict(one) for one in self.accuracy],
            "differences": list(self.differences),
            "published": asdict(published_results()),
        }


@dataclass(frozen=True, slots=True)
class How:
    """With what the experiments are done anew; without models and a provider the rules read.

    Each embedder is measured without and with every reranker.
    """

    embedders: Sequence[str] = (DEFAULT_EMBEDDER,)
    rerankers: Sequence[str] = ("lexical",)
    models: Sequence[str] = ()
    provider: str | None = None
    chunks: ChunkSize = CHUNKS
    seed: int = 0


@dataclass(frozen=True, slots=True)
class ExperimentPlan:
    """An experiment whose corpus is made and searched, with what every reader will be given.

    `costs` are what each model among the readers would take, by its name; all draw on one `budget`.
    """

    how: How
    ground: Ground
    ranking: Ranking
    readers: Sequence[Reader]
    tasks: Tasks
    costs: Mapping[str, Estimate]
    budget: Budget | None


Trial = Callable[[Settings, Mapping[str, Estimate], Budget | None], None]
"""What is done before a model reads, by its settings and what its answers would take: its prompt is tried."""


def plan_reproduction(
    graph: Graph, settings: Settings, experiment: Experiment, how: How, progress: Progress
) -> ExperimentPlan:
    """Make the corpus of an experiment and search it; no model is asked for an answer.

    Raises:
        SettingsError: an option can't work, or a model can't be asked; then nothing was made.
        NothingToDoError: no query has evidence among the articles.
    """
    readers = plan_readers(settings, how.models, how.provider)
    budget = readers_budget(readers)
    named = [name for name in how.rerankers if name != NO_RERANKER]
    rerankers = {NO_RERANKER: None, **{name: make_reranker(name, settings) for name in named}}
    ground = open_experiment(graph, settings, experiment, how.embedders[0], how.chunks, progress)
    ranking = rank_all(graph, settings, ground, how.embedders, rerankers, how.chunks, how.seed, progress)
    tasks = reading_tasks(graph, ground, ranking)
    return ExperimentPlan(how, ground, ranking, readers, tasks, reading_costs(readers, tasks), budget)


def reproduce(graph: Graph, planned: ExperimentPlan, trial: Trial, progress: Progress) -> Reproduction:
    """Let every reader read, once the prompt of each model went through `trial`: both tables and the figure.

    Raises:
        UserError: a model fails its trial.
        ModelRefusedError, ModelUnavailableError, BudgetReachedError: as `kg.llm.protocol.Model.ask`.
    """
    by_model = [one for one in planned.readers if one.name in planned.costs]
    if by_model:
        cutoff = by_model[0].settings.hopgrade_model_cutoff
        tell_cutoff(graph, planned.ground.ready.corpus, cutoff, progress)
    for one in by_model:
        trial(one.settings, {f"answers of {one.name}": planned.costs[one.name]}, planned.budget)
    found = read_all(planned.readers, planned.tasks, planned.budget, progress)
    return reproduction(planned.ground, planned.ranking, found, planned.how.chunks, planned.how.seed)


def plan_readers(
    settings: Settings, models: Sequence[str] = (), provider: str | None = None
) -> tuple[Reader, ...]:
    """The models that are named, each once, all of one provider; the rules where neither is named.

    Raises:
        SettingsError: a model can't be asked: as `with_provider`, or a budget in money and it has no price.
    """
    if not models and provider is None:
        return (Reader("rules", settings),)
    named: Sequence[str | None] = list(dict.fromkeys(models)) or [None]
    readers = tuple(Reader("model", with_provider(settings, "answer", provider, one)) for one in named)
    for one in readers:
        role_budget("answer", one.settings)
    return readers


def readers_budget(readers: Sequence[Reader]) -> Budget | None:
    """The one budget of all readers, each charged at its own price; None where only rules answer."""
    by_model = [one for one in readers if one.option == "model"]
    return role_budget("answer", by_model[0].settings) if by_model else None


def reading_tasks(
    graph: Graph, ground: Ground, ranking: Ranking
) -> dict[Evidence, list[tuple[BenchmarkQuestion, ReadTask]]]:
    """What a reader is given in both settings of table 6; null queries have no ground-truth evidence."""
    chunk_of = _chunks(graph, ground, {one.chunk for some in ranking.retrieved.values() for one in some})
    gold = [
        chunk for one in ground.matched.values() for found in one.gold_found for chunk in found.chunks[:1]
    ]
    known = read_passages(graph, sorted({*chunk_of.values(), *gold}))
    tasks: dict[Evidence, list[tuple[BenchmarkQuestion, ReadTask]]] = {evidence: [] for evidence in EVIDENCE}
    for question in ground.experiment.sample:
        shown = tuple(known[chunk_of[one.chunk]] for one in ranking.retrieved[question.id])
        tasks["retrieved chunks"].append((question, ReadTask(question.text, shown, question_id=question.id)))
        if question.type != NULL and question.gold:
            facts = tuple(_evidence(question, ground.matched.get(question.id), known))
            tasks["ground-truth evidence"].append(
                (question, ReadTask(question.text, facts, question_id=question.id))
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
    found: Mapping[object, FoundGold] = (
        {} if matched is None else {one.gold: one for one in matched.gold_found}
    )
    for number, gold in enumerate(question.gold, start=1):
        held = found.get(gold)
        if held is None:
            yield Passage(f"evidence {number}", gold.text, gold.title, "")
        else:
            yield _cut_to_fact(known[held.chunks[0]], gold.text, number)


def _cut_to_fact(passage: Passage, fact: str, number: int) -> Passage:
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


def reading_costs(readers: Sequence[Reader], tasks: Tasks) -> dict[str, Estimate]:
    """What each model among the readers would take for all its answers, by its name."""
    requests = [answer_request(task) for some in tasks.values() for _, task in some]
    costs: dict[str, Estimate] = {}
    for one in readers:
        with open_answerer(one.option, one.settings) as answerer:
            if answerer.model is not None:
                costs[one.name] = answerer.model.estimate(requests)
    return costs


def read_all(
    readers: Sequence[Reader], tasks: Tasks, budget: Budget | None, progress: Progress
) -> list[Accuracy]:
    """Table 6 and figure 3 of every reader, one after the other.

    Raises:
        ModelRefusedError, ModelUnavailableError, BudgetReachedError: as `kg.llm.protocol.Model.ask`.
    """
    found: list[Accuracy] = []
    for one in readers:
        progress.begin(f"answers of {one.name}")
        with open_answerer(one.option, one.settings, budget) as answerer:
            found += accuracies(tasks, answerer.generator, progress)
        progress.end(f"{sum(map(len, tasks.values())):,} answers")
    return found


def reproduction(
    ground: Ground, ranking: Ranking, found: Sequence[Accuracy], chunks: ChunkSize, seed: int
) -> Reproduction:
    """What came of an experiment, with what differs from the paper's."""
    experiment = ground.experiment
    readers = tuple(dict.fromkeys(one.reader for one in found))
    return Reproduction(
        ground.ready.corpus,
        len({passage.article for passage in ground.ready.passages}),
        len(experiment.questions),
        len(experiment.sample),
        len(ground.supported),
        seed,
        ranking.cells,
        ranking.best,
        tuple(found),
        tuple(differences(ground, ranking, readers, chunks)),
    )


def accuracies(
    tasks: Tasks,
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
        given: list[Generation] = []
        for answer in generator.answer([task for _, task in some]):
            given.append(answer)
            progress.advance()
        questions = [question for question, _ in some]
        found += _by_type(generator.name, evidence, questions, given)
    return found


def _by_type(
    reader: str, evidence: Evidence, questions: Sequence[BenchmarkQuestion], given: Sequence[Generation]
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
            yield Accuracy(reader, evidence, query_type, word, whole, errors)


def _right(question: BenchmarkQuestion, given: Generation, *, by_word: bool) -> float:
    fits = (
        any_word_match(given.text, question.answer)
        if by_word
        else answer_match(given.text, question.answer, question.accepted, question.text)
    )
    abstained = is_abstention(given.text)
    right = is_right(fits, null=question.type == NULL, abstained=abstained, failed=bool(given.error))
    return float(right)
