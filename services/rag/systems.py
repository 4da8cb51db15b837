"""From the settings of a run to the system that answers.

Single-step RAG: the chunks nearest to the question, one generation (GRADE, section 3.4).

Multi-step RAG: an intermediate answer leads a second retrieval (GRADE, appendix A.4).

The second retrieval looks for the question, the intermediate answer and the context that was retrieved: its
sentences that name the intermediate answer, or without an answer the best passage, as far as the embedder
reads. All of the context would not fit, and would drown the question in what was found already. The final
answer is read from the chunks of both retrievals, in turn, those of the second first.

Two ceilings: a system that is given the gold evidence of a question in place of what it would find, so that
what is still wrong is the reading's fault (MultiHop-RAG, table 6), and an answer from memory alone.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, zip_longest
from time import monotonic

from kg.connect import open_graph, settings_elsewhere
from kg.embed.choose import Embedder, asks_endpoint, make_embedder_on_one_core
from kg.engine.choose import LOCAL, Engine, Work, settled
from kg.llm.budget import Budget
from kg.llm.prompts import load_prompt
from kg.llm.protocol import Estimate, Model, ModelOutcome, ModelRequest, Usage
from kg.llm.roles import open_model, role_budget, role_endpoint
from kg.progress import Silent
from kg.queries import query
from kg.settings import Settings
from kg.stages.vectors import Searched
from kg.store.graph import Graph, batches
from kg.text.sentences import sentence_spans
from kg.text.tokens import count_tokens
from services.answers import is_abstention
from services.rag.agents.choose import make_agent
from services.rag.agents.protocol import AgentContext
from services.rag.answering import PassageReader, passages_of, read_passages
from services.rag.context import within_evidence
from services.rag.graph_search.cache import SnapshotCache
from services.rag.model_generator import ANSWERING, ModelGenerator
from services.rag.protocol import (
    Generator,
    Hit,
    Passage,
    RagAnswer,
    RagQuestion,
    RagSystem,
    ReadTask,
    Retriever,
)
from services.rag.reader import READER, RulesGenerator
from services.rag.rerank import DEFAULT, RerankedRetriever, make_reranker
from services.rag.retrieval.choose import open_retriever, vector_kinds
from services.rag.run_options import GeneratorOption, RunOptions, SystemName
from services.rag.telemetry import observe_system
from services.rag.trace import Decomposition, Trace, answer_all, embed_questions, make_notes, retrieve_all

MOST_QUERY_TOKENS = 512
"""A query is cut here even where the embedder reads on."""


@dataclass(frozen=True, slots=True)
class MultiStep:
    """Retrieve, answer on the way, retrieve again, answer."""

    retriever: Retriever
    read: PassageReader
    generator: Generator
    embedder: Embedder
    name: str = "multi-step"
    top: int | None = None

    def answer(self, questions: Sequence[RagQuestion]) -> list[RagAnswer]:
        """One answer a question, in order; each step is taken for all questions before the next."""
        started = monotonic()
        traces = [Trace(question, self.top) for question in questions]
        first = retrieve_all(self.retriever, traces, questions)
        queries = self._on_the_way(traces, first)
        going = [trace for trace in traces if not trace.has_failed]
        second = self._again(going, queries)
        merged = {
            trace.question.id: in_turn(second.get(trace.question.id, []), found)
            for trace, found in zip(traces, first, strict=True)
        }
        passages = passages_of(self.read, [merged[trace.question.id] for trace in going])
        tasks = [
            ReadTask(
                trace.question.text,
                seen,
                notes=make_notes(trace.question.text, trace.generations[-1]),
                steps=trace.first_steps,
                question_id=trace.question.id,
            )
            for trace, seen in zip(going, passages, strict=True)
        ]
        answer_all(self.generator, going, tasks)
        seconds = (monotonic() - started) / max(len(traces), 1)
        return [trace.result(merged[trace.question.id], seconds) for trace in traces]

    def _on_the_way(self, traces: Sequence[Trace], hits: Sequence[list[Hit]]) -> dict[str, str]:
        """The second query of each question that has an intermediate answer."""
        passages = passages_of(self.read, hits)
        tasks = [
            ReadTask(trace.question.text, seen, on_the_way=True, question_id=trace.question.id)
            for trace, seen in zip(traces, passages, strict=True)
        ]
        answer_all(self.generator, traces, tasks)
        room = min(self.embedder.max_tokens, MOST_QUERY_TOKENS)
        return {
            trace.question.id: second_query(trace.question.text, trace.generations[-1].text, seen, room)
            for trace, seen in zip(traces, passages, strict=True)
            if not trace.has_failed
        }

    def _again(self, going: Sequence[Trace], queries: dict[str, str]) -> dict[str, list[Hit]]:
        texts = [queries[trace.question.id] for trace in going]
        found = retrieve_all(self.retriever, going, embed_questions(going, texts, self.embedder))
        return {trace.question.id: hits for trace, hits in zip(going, found, strict=True)}


def second_query(question: str, intermediate: str, passages: Sequence[Passage], room: int) -> str:
    """Question, intermediate answer and context, in at most `room` tokens; context by whole sentences."""
    known = not is_abstention(intermediate)
    query = f"{question} {intermediate}" if known else question
    for sentence in _context(passages, intermediate if known else ""):
        longer = f"{query} {sentence}"
        if count_tokens(longer) > room:
            break
        query = longer
    return query


def in_turn(one: Sequence[Hit], other: Sequence[Hit]) -> list[Hit]:
    """The hits of two lists in turn, each chunk once, at its better place."""
    both = [hit for pair in zip_longest(one, other) for hit in pair if hit is not None]
    return list({hit.chunk: hit for hit in reversed(both)}.values())[::-1]


def _context(passages: Sequence[Passage], name: str) -> Iterator[str]:
    for passage in passages if name else passages[:1]:
        for span in sentence_spans(passage.text):
            sentence = passage.text[span.start : span.end]
            if name.casefold() in sentence.casefold():
                yield sentence


@dataclass(frozen=True, slots=True)
class SingleStep:
    """Retrieve once, answer once."""

    retriever: Retriever
    read: PassageReader
    generator: Generator
    name: str = "single-step"
    top: int | None = None

    def answer(self, questions: Sequence[RagQuestion]) -> list[RagAnswer]:
        """One answer a question, in order; see `services.rag.protocol.RagSystem`."""
        started = monotonic()
        traces = [Trace(question, self.top) for question in questions]
        hits = retrieve_all(self.retriever, traces, questions)
        passages = passages_of(self.read, hits)
        tasks = [
            ReadTask(q.text, seen, question_id=q.id) for q, seen in zip(questions, passages, strict=True)
        ]
        answer_all(self.generator, traces, tasks)
        seconds = (monotonic() - started) / max(len(traces), 1)
        return [trace.result(found, seconds) for trace, found in zip(traces, hits, strict=True)]


@dataclass(frozen=True, slots=True)
class SampledModel:
    """A model that is asked with this temperature and seed, whatever a request says."""

    model: Model
    temperature: float
    seed: int

    @property
    def name(self) -> str:
        """The model's own."""
        return self.model.name

    def ask(self, requests: Iterable[ModelRequest]) -> Iterator[ModelOutcome]:
        """One outcome a request; see `kg.llm.protocol.Model`."""
        return self.model.ask(map(self._with_sampling, requests))

    def estimate(self, requests: Iterable[ModelRequest]) -> Estimate:
        """What these requests would take."""
        return self.model.estimate(map(self._with_sampling, requests))

    def _with_sampling(self, request: ModelRequest) -> ModelRequest:
        return replace(request, temperature=self.temperature, seed=self.seed)


@dataclass(frozen=True, slots=True)
class GoldRetriever:
    """Finds for any search of a question the chunks that support it; a null question has none."""

    graph: Graph

    @property
    def name(self) -> str:
        """The name that a run records."""
        return "gold-evidence"

    def retrieve(self, questions: Sequence[RagQuestion]) -> list[list[Hit]]:
        """By the questions' ids, whatever is looked for; no chunk is better than another."""
        chunks = read_gold(self.graph, sorted({question.id for question in questions}))
        return [[Hit(chunk, 1.0) for chunk in chunks[question.id]] for question in questions]


def read_gold(graph: Graph, questions: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The chunks that support each of some questions, given by their ids, hop by hop."""
    rows = graph.read_in_batches(query("questions/read_gold_hops"), questions)
    return {row["id"]: tuple(dict.fromkeys(chain.from_iterable(row["hops"]))) for row in rows}


CLOSED_BOOK = "closed-book"
"""What stands for the retriever where nothing is retrieved."""


@dataclass(frozen=True, slots=True)
class ClosedBook:
    """Retrieves nothing, and answers once from memory; rules have none, and abstain."""

    generator: Generator
    name: str = "single-step"

    def answer(self, questions: Sequence[RagQuestion]) -> list[RagAnswer]:
        """One answer a question, in order; see `services.rag.protocol.RagSystem`."""
        started = monotonic()
        traces = [Trace(question) for question in questions]
        tasks = [ReadTask(q.text, (), question_id=q.id, from_memory=True) for q in questions]
        answer_all(self.generator, traces, tasks)
        seconds = (monotonic() - started) / max(len(traces), 1)
        return [trace.result([], seconds) for trace in traces]


@dataclass(frozen=True, slots=True)
class Answerer:
    """Who answers; `model` is None for the rules. `cost_of` tells what tokens cost, None without a price."""

    generator: Generator
    model: Model | None
    cost_of: Callable[[Usage], float | None]


@contextmanager
def open_answerer(
    option: GeneratorOption,
    settings: Settings,
    budget: Budget | None = None,
    temperature: float = 0.0,
    seed: int = 0,
) -> Iterator[Answerer]:
    """Who answers: the rules, or the model of the role "answer"; nothing is sent before it is asked.

    The model is asked with this `temperature` and `seed`; rules have neither.

    Raises:
        SettingsError: no model is set for the role, or neither a key nor a base URL.
    """
    if option == "rules":
        yield Answerer(RulesGenerator(), None, lambda _: None)
        return
    budget = role_budget("answer", settings) if budget is None else budget
    with open_model("answer", settings, budget) as model:
        question = SampledModel(model, temperature, seed) if temperature or seed else model
        yield Answerer(ModelGenerator(question, budget.money_of), question, budget.money_of)


@contextmanager
def open_generator(
    option: GeneratorOption, settings: Settings, budget: Budget | None = None
) -> Iterator[Generator]:
    """The generator of `open_answerer`.

    Raises:
        SettingsError: no model is set for the role, or neither a key nor a base URL.
    """
    with open_answerer(option, settings, budget) as answerer:
        yield answerer.generator


def reader_of(option: GeneratorOption, settings: Settings) -> tuple[str, tuple[str, ...]]:
    """What a run records of who answers: the version of the rules or the model, and its prompts.

    Raises:
        SettingsError: no model is set for the role.
    """
    if option == "rules":
        return READER, ()
    return role_endpoint("answer", settings).model, (load_prompt(ANSWERING).id,)


def vector_kinds_of_run(options: RunOptions) -> Collection[Searched]:
    """Of what a run's own system reads vectors, beside chunks and claims, which always have some."""
    if options.outside is not None or options.evidence == "none":
        return ()
    retriever = vector_kinds(options.retriever) if options.evidence != "gold" else ()
    return {*retriever, *(("facts",) if options.system == "graph-agent" else ())}


@contextmanager
def open_system(
    graph: Graph,
    corpus: str,
    options: RunOptions,
    settings: Settings,
    embedder: Embedder,
    budget: Budget | None = None,
    snapshots: SnapshotCache | None = None,
) -> Iterator[RagSystem]:
    """The system that a run's options ask for, ours or one from outside; `snapshots` as in `open_retriever`.

    Where the settings name a collector, what it does becomes spans: see `services.rag.telemetry`.

    Raises:
        SettingsError: no model is set for the role, or the reranker is none, or can't be loaded.
    """
    ours = options.outside is None and options.generator == "model"
    model = role_endpoint("answer", settings).model if ours else ""
    with (
        _open_observed(graph, corpus, options, settings, embedder, budget, snapshots) as system,
        observe_system(system, settings, corpus, model) as watched,
    ):
        yield watched


@contextmanager
def _open_observed(
    graph: Graph,
    corpus: str,
    options: RunOptions,
    settings: Settings,
    embedder: Embedder,
    budget: Budget | None,
    snapshots: SnapshotCache | None,
) -> Iterator[RagSystem]:
    if options.outside is not None:
        with options.outside.open(graph, corpus) as system:
            yield system
        return
    drawn = options.temperature or 0.0, options.seed
    with open_answerer(options.generator, settings, budget, *drawn) as answerer:
        tokens, generator = options.evidence_tokens, answerer.generator
        if options.evidence == "none":
            yield ClosedBook(generator)
            return
        place = AgentContext(
            graph=graph,
            corpus=corpus,
            embedder=embedder,
            retriever=_retriever(graph, corpus, options, settings, embedder, snapshots),
            read=partial(read_passages, graph),
            generator=generator if tokens is None else within_evidence(generator, tokens),
            model=answerer.model,
            cost_of=answerer.cost_of,
            top=options.top,
            most_iterations=options.most_iterations,
        )
        yield make_system(options.system, place, settings, options.reranker or DEFAULT, options.candidates)


def _retriever(
    graph: Graph,
    corpus: str,
    options: RunOptions,
    settings: Settings,
    embedder: Embedder,
    snapshots: SnapshotCache | None,
) -> Retriever:
    if options.evidence == "gold":
        return GoldRetriever(graph)
    found = options.found_at_most
    own = open_retriever(options.retriever, graph, corpus, embedder, found, snapshots)
    if options.reranker is None or not options.reranks_searches:
        return own
    chosen = make_reranker(options.reranker, settings)
    return RerankedRetriever(own, chosen, partial(read_passages, graph), options.kept_at_most, found)


def make_system(
    system: SystemName,
    place: AgentContext,
    settings: Settings,
    reranker: str = DEFAULT,
    candidates: int | None = None,
) -> RagSystem:
    """A system that answers from what its retriever finds, or an agent, at this place.

    `reranker` and `candidates` are those of decomposition.

    Raises:
        SettingsError: the reranker is none, or can't be loaded.
    """
    retriever, read, generator, embedder = place.retriever, place.read, place.generator, place.embedder
    match system:
        case "single-step":
            return SingleStep(retriever, read, generator, top=place.top)
        case "multi-step":
            return MultiStep(retriever, read, generator, embedder, top=place.top)
        case "decomposition":
            chosen = make_reranker(reranker, settings)
            return Decomposition(retriever, read, generator, embedder, chosen, place.top, candidates)
        case agent:
            return make_agent(agent, place)


QUESTIONS_A_PART = 4
"""Questions that a worker answers at once: few enough that a batch gives each of them something to do."""


@dataclass(frozen=True, slots=True)
class SpreadSystem:
    """A system whose answers an engine has made, a few questions at a time."""

    name: str
    work: Work[Sequence[RagQuestion], list[RagAnswer]]
    engine: Engine

    def answer(self, questions: Sequence[RagQuestion]) -> list[RagAnswer]:
        """One answer a question, in order.

        Raises:
            EngineError: there is nobody to do the work.
        """
        parts = batches(questions, QUESTIONS_A_PART)
        return [answer for part in self.engine.map(self.work, parts) for answer in settled(part)]


def spread_system(
    corpus: str, options: RunOptions, settings: Settings, embedder: str, engine: Engine, version: str
) -> SpreadSystem | None:
    """One of our systems by rules, on an engine whose workers open the graph themselves.

    `version` is that of all that answers depend on, as workers may hold what they have read of the graph.
    None where this process has to answer: for a model, since its budget and its rate are one, for a system
    from outside, for a collector of spans, or where questions are embedded by an endpoint.
    """
    here = options.outside is not None or options.generator == "model" or asks_endpoint(embedder)
    if here or engine.name == LOCAL or settings.otel_exporter_otlp_endpoint is not None:
        return None
    opener = partial(_open_answering, settings_elsewhere(settings), corpus, options, embedder)
    return SpreadSystem(options.system, Work(f"answers/{corpus}/{version}", opener), engine)


def _open_answering(
    place: Mapping[str, object], corpus: str, options: RunOptions, embedder: str
) -> Callable[[Sequence[RagQuestion]], list[RagAnswer]]:
    settings = Settings.model_validate(place)
    graph = open_graph(settings, Silent())
    opened = open_system(graph, corpus, options, settings, make_embedder_on_one_core(embedder))
    # Open until the process ends: workers are ended, not asked to.
    return ExitStack().enter_context(opened).answer
