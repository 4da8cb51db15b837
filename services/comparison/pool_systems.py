"""From a system of a protocol to a run over the frozen pools: it finds no chunk outside them.

A system held to a budget of evidence and a cap on its answers, with what it showed as what it retrieved.

The evidence of an answer are the chunks that were paid for out of the budget, in the order in which they were
first shown, each with the step that brought it. An answer that is longer than the cap is cut at it, and its
last step has the fault `ANSWER_CUT`. Where no chunk is cited, the one in which the answer was read is.

Who answers for the systems of a protocol: the generator that it names, on its terms, or none at all.

What a system from elsewhere is handed to take part: which questions, and which texts it may show."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from shlex import quote

from kg.corpus import read_properties
from kg.embed.choose import Embedder
from kg.errors import InputError, NothingToDoError, SettingsError, command
from kg.ids import content_hash, run_id
from kg.llm.budget import Budget
from kg.llm.prompts import load_prompt
from kg.llm.roles import open_model, role_budget
from kg.queries import query
from kg.settings import Settings
from kg.store.graph import Graph, Row
from kg.text.tokens import count_tokens
from services.comparison.collect import read_record
from services.comparison.folder import folder_of, in_a_line
from services.comparison.locking import Lock, read_lock, read_locked, refuse_changed
from services.comparison.pool import frozen_pools
from services.comparison.protocol import Answering, Protocol, SystemUnderTest
from services.comparison.protocol_file import read_protocol
from services.comparison.records import Candidates, cut_answer
from services.comparison.refusals import record_breaches, refuse
from services.rag.agents.protocol import MODEL_ONLY, AgentContext
from services.rag.answering import QUESTIONS_A_BATCH, read_passages
from services.rag.context import EvidenceBudget, WithinEvidence
from services.rag.graph_search.cache import SnapshotCache
from services.rag.graph_search.search import prepare_graph
from services.rag.model_generator import ModelGenerator
from services.rag.protocol import ExternalSystem, Generator, RagAnswer, RagQuestion, RagSystem, RetrievedChunk
from services.rag.reader import READER, RulesGenerator
from services.rag.retrieval.pool import PoolIndex, PoolRetriever, pool_index
from services.rag.run_options import PROMPTS, SystemName
from services.rag.selection import NamedSelector, choose_selector
from services.rag.systems import Answerer, SampledModel, make_system

HEADING_TOKENS = 64
"""Room for what stands above a passage in a prompt; it is no evidence, and not paid for."""


def prompts_of(systems: Iterable[SystemName]) -> tuple[str, ...]:
    """The prompts that a model answers with in these systems, with their versions, each once."""
    names = dict.fromkeys(prompt for system in systems for prompt in PROMPTS[system])
    return tuple(load_prompt(name).id for name in names)


def check_answering(generator: Answering, system: SystemName) -> None:
    """Make sure that what a protocol says of the generator is what would answer in a system.

    Raises:
        SettingsError: the rules or a prompt are of another version, or nothing but a model can play it.
    """
    if generator.kind == "rules":
        if system in MODEL_ONLY:
            raise SettingsError(
                f"the system {system} is played by a model alone, and the protocol has rules answer.",
                "Give the generator of the protocol kind: model, or use another system.",
            )
        if generator.name != READER:
            raise SettingsError(
                f"the protocol wants answers by the rules {generator.name!r}, and this Hopgrade reads by "
                f"{READER!r}.",
                f"Install the version that the protocol was made with, or name {READER} in a new protocol.",
            )
        return
    missing = [prompt for prompt in prompts_of((system,)) if prompt not in generator.prompts]
    if missing:
        raise SettingsError(
            f"the system {system} asks with the prompt {missing[0]!r}, which the protocol does not name.",
            f"Name all of them under generator in a new protocol: {', '.join(prompts_of((system,)))}.",
        )


@contextmanager
def open_protocol_answerer(
    protocol: Protocol, settings: Settings, budget: Budget | None = None
) -> Iterator[Answerer]:
    """Who answers by a protocol; the model is the one that it names, at the endpoint of the role "answer".

    Raises:
        SettingsError: neither a key nor a base URL is set for the model.
    """
    if protocol.generator.kind == "rules":
        yield Answerer(RulesGenerator(), None, lambda _: None)
        return
    named = settings.model_copy(update={"hopgrade_answer_model": protocol.generator.name})
    spent = role_budget("answer", named) if budget is None else budget
    room = protocol.budget.evidence_tokens + HEADING_TOKENS * protocol.pool.size
    with open_model("answer", named, spent) as model:
        sampled = SampledModel(model, protocol.generator.temperature, protocol.seeds.generation)
        yield Answerer(ModelGenerator(sampled, spent.money_of, room), sampled, spent.money_of)


ANSWER_CUT = "answer cut"
"""The fault of a step whose answer was longer than the cap."""


@dataclass(frozen=True, slots=True)
class HeldSystem:
    """A system that `make` makes for a batch of questions and a generator that keeps to their budgets."""

    name: str
    make: Callable[[Sequence[RagQuestion], Generator], RagSystem]
    generator: Generator
    evidence_tokens: int
    answer_tokens: int

    def answer(self, questions: Sequence[RagQuestion]) -> list[RagAnswer]:
        """One answer a question, in order; see `services.rag.protocol.RagSystem`."""
        # A budget of its own for each batch: what was shown for thousands of questions would pile up.
        evidence = EvidenceBudget(self.evidence_tokens)
        system = self.make(questions, WithinEvidence(self.generator, evidence))
        return [
            within_budget(answered, evidence.shown_keys(answered.question), self.answer_tokens)
            for answered in system.answer(questions)
        ]


def within_budget(answered: RagAnswer, shown: Sequence[str], answer_tokens: int) -> RagAnswer:
    """An answer of at most so many WordPiece tokens, with the chunks that were shown for it."""
    # From the last step to the first, so that of several that brought a chunk the first is left.
    brought = {hit.chunk: (hit.score, step.index) for step in reversed(answered.steps) for hit in step.hits}
    text, steps = cut_answer(answered.text, answer_tokens), answered.steps
    if text != answered.text and steps:
        steps = (*steps[:-1], replace(steps[-1], fault=ANSWER_CUT))
    return replace(
        answered,
        text=text,
        steps=steps,
        retrieved=tuple(
            RetrievedChunk(chunk, rank, *brought[chunk]) for rank, chunk in enumerate(shown, start=1)
        ),
        cited=answered.cited or tuple(chunk for chunk in shown if chunk == answered.chunk),
    )


VERSION = "pool-1"
"""Of what is done here; another makes the runs be made anew."""

PAST_THE_POOL: frozenset[SystemName] = frozenset({"graph-agent"})
"""Systems that read the graph themselves, and so can't be held to a pool."""


def outside_of(
    protocol: Protocol,
    system: SystemUnderTest,
    pool: Mapping[str, Candidates],
    clusters: Mapping[str, str],
    settings: Settings,
    embedder: Embedder,
    budget: Budget | None = None,
) -> ExternalSystem:
    """The system as a run knows it; `pool` holds the candidates of each question, by its id.

    `clusters` holds the evidence cluster of each chunk of a pool; one that has none is a cluster of its own.
    Only questions that have a pool are asked. `budget` is what all models of the command may spend together.
    How an answer tells what was shown for it is in `services.comparison.pool_systems`.

    Raises:
        SettingsError: the system has no selector or reads the graph itself, or the generator or its prompts
            are not those that the protocol names.
    """
    check_system(system)
    check_answering(protocol.generator, system.system)
    world = _World(
        protocol, system.system, choose_selector(str(system.selector)), pool, clusters, settings, embedder
    )
    return ExternalSystem(
        name=f"{protocol.name}/{system.name}",
        system=f"{system.system}, evidence by {world.selector.version}",
        source=_source(world),
        open=partial(_opened, world, budget),
        questions_a_batch=QUESTIONS_A_BATCH,
        covers=frozenset(pool),
        generator=protocol.generator.name,
        prompts=protocol.generator.prompts,
    )


def check_system(system: SystemUnderTest) -> None:
    """Make sure that a system can be run over pools.

    Raises:
        SettingsError: it has no selector, or it reads the graph itself.
    """
    if system.selector is None:
        raise SettingsError(
            f"the system {system.name!r} is the run {system.run!r} and has no selector.",
            "Hold that run to the protocol instead, or give the system a selector.",
        )
    if system.system in PAST_THE_POOL:
        raise SettingsError(
            f"the system {system.name!r} is a {system.system}, which reads the graph past any pool.",
            "Use another system for it, such as react or multi-step.",
        )


@dataclass(frozen=True, slots=True)
class _World:
    """What a system over pools is made of, all but the graph."""

    protocol: Protocol
    system: SystemName
    selector: NamedSelector
    pool: Mapping[str, Candidates]
    clusters: Mapping[str, str]
    settings: Settings
    embedder: Embedder


def _source(world: _World) -> str:
    """A hash of what the answers depend on, beside what a run records by itself: dataset, prompts, generator.

    Of the clusters only where the selector goes by them: the other runs stay when these change.
    """
    protocol = world.protocol
    clusters = sorted(world.clusters.items()) if world.selector.clusters else ()
    return content_hash(
        map(
            str,
            (
                VERSION,
                protocol.pool.hash,
                protocol.budget.evidence_tokens,
                protocol.budget.answer_tokens,
                protocol.generator.temperature,
                protocol.seeds.selection,
                protocol.seeds.generation,
                *(part for pair in clusters for part in pair),
            ),
        )
    )


@contextmanager
def _opened(world: _World, budget: Budget | None, graph: Graph, corpus: str) -> Iterator[RagSystem]:
    protocol = world.protocol
    snapshot = SnapshotCache(graph, corpus, world.settings.hopgrade_cache).current()
    chunks = (chunk for candidates in world.pool.values() for chunk, _ in candidates.chunks)
    index = pool_index(snapshot, prepare_graph(snapshot), chunks, world.clusters)
    with open_protocol_answerer(protocol, world.settings, budget) as answerer:
        yield HeldSystem(
            name=world.system,
            make=partial(_made, world, index, answerer, graph, corpus),
            generator=answerer.generator,
            evidence_tokens=protocol.budget.evidence_tokens,
            answer_tokens=protocol.budget.answer_tokens,
        )


def _made(
    world: _World,
    index: PoolIndex,
    answerer: Answerer,
    graph: Graph,
    corpus: str,
    questions: Sequence[RagQuestion],
    generator: Generator,
) -> RagSystem:
    """The system for a batch of questions: a search in other words than theirs is another than theirs."""
    retriever = PoolRetriever(
        index=index,
        pools={
            question.id: world.pool[question.id].chunks for question in questions if question.id in world.pool
        },
        own_words={question.id: question.text for question in questions},
        selector=world.selector,
        budget_tokens=world.protocol.budget.evidence_tokens,
        seed=world.protocol.seeds.selection,
        embed=world.embedder.embed_queries,
    )
    place = AgentContext(
        graph=graph,
        corpus=corpus,
        embedder=world.embedder,
        retriever=retriever,
        read=partial(read_passages, graph),
        generator=generator,
        model=answerer.model,
        cost_of=answerer.cost_of,
    )
    return make_system(world.system, place, world.settings)


POOLS_A_BATCH = 50
"""Whose texts are in memory at once: those of 5,000 chunks where pools hold 100."""


def requested_run(graph: Graph, corpus: str, folder: Path, run: str) -> tuple[str, frozenset[str]]:
    """The run that a locked comparison on this corpus asks for, and the ids of the questions to ask.

    `run` may be empty where the comparison names only one.

    Raises:
        NothingToDoError: it is not locked yet, so that the run would be refused as made before.
        SettingsError: it is about another corpus, or names no such run.
        RefusedError: the run is there already, and was begun before the lock.
        ProtocolChangedError, InputError: its files are not those that were locked, or can't be read.
    """
    protocol = read_protocol(folder)
    if protocol.dataset.corpus != corpus:
        raise SettingsError(
            f"the comparison {protocol.name!r} is on corpus {protocol.dataset.corpus!r}, not {corpus!r}.",
            f"Give it: --corpus {quote(protocol.dataset.corpus)}",
        )
    name = _named(protocol, run)
    locked = read_locked(graph, corpus, protocol.name) or read_lock(folder_of(folder))
    if locked is None:
        raise NothingToDoError(
            f"the comparison {protocol.name!r} is not locked yet, and holds no run that was begun before.",
            f"Lock it: {command('standard run', str(folder))}; it ends by naming the run that is missing.",
        )
    refuse_changed(protocol, locked)
    _refuse_early(graph, protocol, locked.lock, name)
    return name, frozenset(pool.question for pool in _frozen(folder, protocol))


def candidate_lines(graph: Graph, folder: Path) -> Iterator[str]:
    """A line of JSON for each question of a comparison, in the order of their ids.

    Each has `id`, `question`, `evidence_tokens` and `answer_tokens`, and in `candidates` what may be shown,
    best first: `chunk`, `title`, `text`, and `tokens` as the budget counts them. The gold is not in it.

    Raises:
        InputError: the comparison's files can't be read, or its pools are not those of the protocol.
    """
    protocol = read_protocol(folder)
    frozen = _frozen(folder, protocol)
    for start in range(0, len(frozen), POOLS_A_BATCH):
        pools = frozen[start : start + POOLS_A_BATCH]
        shown = {chunk for pool in pools for chunk, _ in pool.chunks}
        chunks = _rows(graph, protocol, "chunks/read_chunks", sorted(shown))
        candidates = {chunk: _candidate(row) for chunk, row in chunks.items()}
        questions = _rows(graph, protocol, "comparisons/collect_questions", [pool.question for pool in pools])
        for pool in pools:
            line = {
                "id": pool.question,
                "question": questions[pool.question]["text"],
                "evidence_tokens": protocol.budget.evidence_tokens,
                "answer_tokens": protocol.budget.answer_tokens,
                "candidates": [candidates[chunk] for chunk, _ in pool.chunks],
            }
            yield f"{json.dumps(line, ensure_ascii=False)}\n"


def _candidate(row: Row) -> dict[str, str | int]:
    return {
        "chunk": row["id"],
        "title": row["title"],
        "text": row["text"],
        "tokens": count_tokens(row["text"]),
    }


def _named(protocol: Protocol, run: str) -> str:
    runs = [system.run for system in protocol.systems if system.run is not None]
    if run in runs or (not run and len(runs) == 1):
        return run or runs[0]
    text = f"its runs are {', '.join(runs)}" if runs else "it has none"
    what = f"names no run {run!r}" if run else "doesn't tell by itself which run this is"
    remedy = "Give one of them: --name RUN" if runs else "List it in standard.yaml before the lock."
    raise SettingsError(f"the comparison {protocol.name!r} {what}; {text}.", remedy)


def _refuse_early(graph: Graph, protocol: Protocol, lock: Lock, run: str) -> None:
    """Its answers would be kept, and refused in the end."""
    if not read_properties(graph, run_id(protocol.dataset.corpus, run)):
        return
    (system,) = (system for system in protocol.systems if system.run == run)
    record = read_record(graph, protocol, system)
    early = (one for one in record_breaches(protocol, lock, record) if one.rule == "after the lock")
    refuse(protocol.name, tuple(early))


def _frozen(folder: Path, protocol: Protocol) -> Sequence[Candidates]:
    """The pools of a comparison in the order of their questions' ids."""
    pools, findings = frozen_pools(folder_of(folder), protocol)
    if findings:
        raise InputError(
            f"the pools of {protocol.name!r} are not those of its protocol: {in_a_line(findings)}.",
            f"See all: {command('standard check', str(folder))}",
        )
    return [pools[question] for question in sorted(pools)]


def _rows(graph: Graph, protocol: Protocol, statement: str, ids: Sequence[str]) -> dict[str, Row]:
    found = {row["id"]: row for row in graph.read_in_batches(query(statement), ids)}
    if missing := next((id_ for id_ in ids if id_ not in found), None):
        raise InputError(
            f"corpus {protocol.dataset.corpus!r} holds {missing} no more, of which the pools are.",
            f"Begin a comparison on what there is now: {command('standard init')}",
        )
    return found
