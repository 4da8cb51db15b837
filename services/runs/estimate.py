"""What a run would take, before anything is sent.

What is found counts: of some questions the passages are looked for, with the words of the question and, where
a system searches twice, with those of the best passage beside. So what two searches both bring is read once,
and an agent is taken to search again only for hops of which the first search brought no evidence.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import ceil
from statistics import mean

from kg.embed.choose import Embedder
from kg.llm.budget import estimate_tokens, likely_tokens
from kg.llm.protocol import Usage
from kg.llm.roles import role_budget, role_endpoint
from kg.llm.structured import input_tokens
from kg.queries import query
from kg.settings import Settings
from kg.stages.vectors import list_unsearchable
from kg.store.graph import Graph
from services.rag.agents.protocol import AGENTS
from services.rag.agents.react import USUAL_TOP
from services.rag.answering import passages_of, rag_questions, read_passages
from services.rag.model_generator import (
    ANSWER_TOKENS,
    ANSWERING,
    DECOMPOSING,
    FROM_MEMORY,
    MOST_QUESTIONS,
    ON_THE_WAY,
    USUAL_TOKENS,
    answer_request,
)
from services.rag.protocol import Hit, RagQuestion, ReadTask, Retriever
from services.rag.retrieval.choose import open_retriever, vector_kinds
from services.rag.retrieval.filters import require_searchable
from services.rag.run_options import RunOptions
from services.rag.systems import MOST_QUERY_TOKENS, GoldRetriever, in_turn, second_query
from services.runs.agent_courses import AgentCourse, Sizes, agent_course, usual_course
from services.runs.start import RunPlan

SAMPLE = 32
"""Questions whose prompts are made to tell how long prompts are."""

USUAL_HOPS = 2
"""Of a question of which nothing is known."""


AGENT_ASSUMES = (
    "Expected: one plan; or an expansion for each hop; or a search, and one more for each hop of which the "
    "first finds no evidence. A run of a few questions may take half or twice as much. At most: an agent "
    "that uses up its searches or rounds for every question, without a turn that comes to nothing, and reads "
    "{top} passages a search; a conversation is sent whole in each turn."
)


@dataclass(frozen=True, slots=True)
class RunEstimate:
    """What is to be expected, and an upper bound: requests, tokens and money; money is None without a price.

    `assumes` says in words what it stands on, empty where it holds whatever comes.
    """

    calls_expected: int
    input_tokens_expected: int
    output_tokens_expected: int
    money_expected: float | None
    calls_at_most: int
    input_tokens_at_most: int
    output_tokens_at_most: int
    money_at_most: float | None
    assumes: str = ""


@dataclass(frozen=True, slots=True)
class _Course:
    """Requests and tokens of a question on average; `output` are those of ordinary replies."""

    calls: float
    input: float
    output: float


def estimate_run(
    graph: Graph,
    corpus: str,
    options: RunOptions,
    plan: RunPlan,
    settings: Settings,
    embedder: Embedder,
) -> RunEstimate:
    """What the pending questions of a run take; the prompts and hops of some of them stand for all.

    Replies that are kept from before are not taken off: which ones fit shows only on the way.

    Raises:
        SettingsError: no model is set for the answers, or there is a budget in money and it has no price.
    """
    sample = (*plan.pending, *plan.prefixes.pending)[:SAMPLE]
    if options.generator == "rules" or not sample:
        return RunEstimate(0, 0, 0, None, 0, 0, 0, None)
    rows = graph.rows(query("questions/read_queries"), ids=list(sample))
    hops = [max(row["hops"], 1) for row in rows]
    readings = _readings(graph, corpus, options, rag_questions(rows, embedder), hops, embedder)
    return _estimate(options, readings, len(plan.pending) + len(plan.prefixes.pending), settings)


def estimate_question(
    graph: Graph, corpus: str, options: RunOptions, text: str, settings: Settings, embedder: Embedder
) -> RunEstimate:
    """What the answer to one question takes, which is taken to have `USUAL_HOPS`; nothing is sent.

    Raises:
        SettingsError: as `estimate_run`.
        NothingToDoError: the corpus has no vectors yet.
    """
    if options.generator == "rules":
        return RunEstimate(0, 0, 0, None, 0, 0, 0, None)
    require_searchable(graph, corpus)
    questions = [RagQuestion("asked", text, embedder.embed_queries([text])[0])]
    readings = _readings(graph, corpus, options, questions, [USUAL_HOPS], embedder)
    return _estimate(options, readings, 1, settings)


@dataclass(frozen=True, slots=True)
class _Readings:
    """Some questions with what a search of the run finds for them, and their hops.

    `again` has them with what two searches find, where the system makes two. `searches` is how many an agent
    makes as a rule to find the evidence of all hops.
    """

    tasks: Sequence[ReadTask]
    again: Sequence[ReadTask]
    hops: Sequence[int]
    searches: Sequence[int]


def _readings(
    graph: Graph,
    corpus: str,
    options: RunOptions,
    questions: Sequence[RagQuestion],
    hops: Sequence[int],
    embedder: Embedder,
) -> _Readings:
    if options.evidence == "none":
        tasks = [ReadTask(one.text, (), from_memory=True) for one in questions]
        return _Readings(tasks, tasks, hops, hops)
    gold = options.evidence == "gold"
    # An estimate writes nothing: where the retriever's vectors aren't there yet, chunks as near are as long.
    embedded = not list_unsearchable(graph, corpus, vector_kinds(options.retriever), embedder)
    retriever: Retriever = (
        GoldRetriever(graph)
        if gold
        else open_retriever(options.retriever if embedded else "vector", graph, corpus, embedder, options.top)
    )
    hits = retriever.retrieve(questions)
    passages = passages_of(partial(read_passages, graph), hits)
    tasks = [ReadTask(one.text, seen) for one, seen in zip(questions, passages, strict=True)]
    if options.system == "multi-step":
        room = min(embedder.max_tokens, MOST_QUERY_TOKENS)
        words = [second_query(one.question, "", one.passages, room) for one in tasks]
        found = retriever.retrieve(_with_words(questions, words, embedder))
        both = [in_turn(second, first) for second, first in zip(found, hits, strict=True)]
        seen_twice = passages_of(partial(read_passages, graph), both)
        again = [ReadTask(one.text, seen) for one, seen in zip(questions, seen_twice, strict=True)]
        return _Readings(tasks, again, hops, hops)
    return _Readings(tasks, tasks, hops, _searches(graph, options, questions, hits, hops))


def _with_words(
    questions: Sequence[RagQuestion], words: Sequence[str], embedder: Embedder
) -> list[RagQuestion]:
    """The questions, looked for by other words."""
    vectors = embedder.embed_queries(list(words))
    return [
        replace(one, text=text, vector=vector)
        for one, text, vector in zip(questions, words, vectors, strict=True)
    ]


def _searches(
    graph: Graph,
    options: RunOptions,
    questions: Sequence[RagQuestion],
    hits: Sequence[Sequence[Hit]],
    hops: Sequence[int],
) -> list[int]:
    """How many searches bring the evidence of all hops: one, and one for each hop that it finds nothing of.

    There are never more than hops, and as many where it is not known what the evidence is.
    """
    shown = USUAL_TOP if options.system == "react" else options.top
    rows = graph.read_in_batches(query("questions/read_gold_hops"), [one.id for one in questions])
    gold: dict[str, list[list[str]]] = {row["id"]: row["hops"] for row in rows}
    searches = []
    for one, found, number in zip(questions, hits, hops, strict=True):
        chunks = {hit.chunk for hit in found[:shown]}
        missed = [some for some in gold.get(one.id, ()) if chunks.isdisjoint(some)]
        searches.append(min(1 + len(missed), number) if gold.get(one.id) else number)
    return searches


def _estimate(options: RunOptions, readings: _Readings, questions: int, settings: Settings) -> RunEstimate:
    """What so many questions take, if they are like some of them and their hops."""
    room = role_endpoint("answer", settings).room(ANSWER_TOKENS)
    usual, most = _of_a_question(options, readings)
    expected = Usage(round(questions * usual.input), round(questions * usual.output))
    bound = Usage(round(questions * most.input), round(questions * most.calls * room))
    budget = role_budget("answer", settings)
    money = [None if cost is None else round(cost, 4) for cost in map(budget.money_of, (expected, bound))]
    return RunEstimate(
        round(questions * usual.calls),
        expected.input_tokens,
        expected.output_tokens,
        money[0],
        round(questions * most.calls),
        bound.input_tokens,
        bound.output_tokens,
        money[1],
        AGENT_ASSUMES.format(top=options.top) if options.system in AGENTS else "",
    )


def _of_a_question(options: RunOptions, readings: _Readings) -> tuple[_Course, _Course]:
    """What a question takes as a rule and at most, from the readings and hops of some."""
    tasks, hops = readings.tasks, readings.hops
    usual, most = (mean(_tokens(task, count) for task in tasks) for count in (likely_tokens, estimate_tokens))
    answer = USUAL_TOKENS[FROM_MEMORY if options.evidence == "none" else ANSWERING]
    parts = float(mean(min(number, MOST_QUESTIONS) for number in hops))
    match options.system:
        case "single-step":
            return _Course(1, usual, answer), _Course(1, most, answer)
        case "multi-step":
            # The second reading sees what both searches brought.
            said = USUAL_TOKENS[ON_THE_WAY] + answer
            second = mean(_tokens(task, likely_tokens) for task in readings.again)
            return _Course(2, usual + second, said), _Course(2, 3 * most, said)
        case "decomposition":
            calls = MOST_QUESTIONS + 2
            replies = USUAL_TOKENS[DECOMPOSING] + answer * (parts + 1)
            return _Course(parts + 2, (parts + 1) * usual, replies), _Course(calls, calls * most, replies)
        case agent:
            likely, bound = (_sizes(options, tasks, count) for count in (likely_tokens, estimate_tokens))
            courses = [
                usual_course(agent, options.most_iterations, likely, number, searches)
                for number, searches in zip(hops, readings.searches, strict=True)
            ]
            return _mean_of(courses), _mean_of([agent_course(agent, options.most_iterations, bound)])


def _sizes(options: RunOptions, tasks: Sequence[ReadTask], count: Callable[[str], int]) -> Sizes:
    """The tokens of a question and of what a search shows, as the passages of some questions have them."""
    question = mean(count(task.question) for task in tasks)
    shown = mean(_tokens(task, count) - _tokens(replace(task, passages=()), count) for task in tasks)
    return Sizes(ceil(question), ceil(shown), options.top, options.evidence_tokens)


def _mean_of(courses: Sequence[AgentCourse]) -> _Course:
    return _Course(
        mean(one.calls for one in courses),
        mean(one.input_tokens for one in courses),
        mean(one.output_tokens for one in courses),
    )


def _tokens(task: ReadTask, count: Callable[[str], int]) -> int:
    request = answer_request(task)
    return input_tokens(request.messages, request, count)
