"""What a run would take, before anything is sent."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import ceil
from statistics import mean

from kg.embed.protocol import Embedder
from kg.llm.open import role_budget
from kg.llm.protocol import Usage
from kg.llm.roles import role_endpoint
from kg.llm.structured import input_tokens
from kg.llm.tokens import estimate_tokens, likely_tokens
from kg.queries import query
from kg.settings import Settings
from kg.store.graph import Graph
from services.rag.agent_estimate import AgentCourse, Sizes, agent_course, usual_course
from services.rag.agents.names import AGENTS
from services.rag.answering import asked_of
from services.rag.model_generator import (
    ANSWER_TOKENS,
    ANSWERING,
    DECOMPOSING,
    MOST_QUESTIONS,
    ON_THE_WAY,
    USUAL_TOKENS,
    answer_request,
)
from services.rag.passages import passages_of, read_passages
from services.rag.protocol import Asked, ReadTask
from services.rag.retrieval.choose import open_retriever
from services.rag.retrieval.searchable import require_searchable
from services.rag.run_options import RunOptions
from services.rag.start import RunPlan

SAMPLE = 32
"""Questions whose prompts are made to tell how long prompts are."""

USUAL_HOPS = 2
"""Of a question of which nothing is known."""


AGENT_ASSUMES = (
    "Expected: a search for each hop, or one plan. At most: an agent that uses up its searches or rounds for "
    "every question, without a turn that comes to nothing, and reads {top} passages a search; a conversation "
    "is sent whole in each turn."
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
    rows = graph.rows(query("runs/read_questions"), ids=list(sample))
    hops = [max(row["hops"], 1) for row in rows]
    tasks = _tasks(graph, corpus, options, asked_of(rows, embedder), embedder)
    return _estimate(options, tasks, hops, len(plan.pending) + len(plan.prefixes.pending), settings)


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
    asked = [Asked("asked", text, embedder.embed([text])[0])]
    tasks = _tasks(graph, corpus, options, asked, embedder)
    return _estimate(options, tasks, [USUAL_HOPS], 1, settings)


def _tasks(
    graph: Graph, corpus: str, options: RunOptions, asked: Sequence[Asked], embedder: Embedder
) -> list[ReadTask]:
    """Questions with the passages that a search of the run finds for them."""
    hits = open_retriever(options.retriever, graph, corpus, embedder, options.top).retrieve(asked)
    passages = passages_of(partial(read_passages, graph), hits)
    return [ReadTask(one.text, seen) for one, seen in zip(asked, passages, strict=True)]


def _estimate(
    options: RunOptions, tasks: Sequence[ReadTask], hops: Sequence[int], questions: int, settings: Settings
) -> RunEstimate:
    """What so many questions take, if they are like some of them and their hops."""
    room = role_endpoint("answer", settings).room(ANSWER_TOKENS)
    usual, most = _of_a_question(options, tasks, hops)
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


def _of_a_question(
    options: RunOptions, tasks: Sequence[ReadTask], hops: Sequence[int]
) -> tuple[_Course, _Course]:
    """What a question takes as a rule and at most, from the readings and hops of some."""
    usual, most = (mean(_tokens(task, count) for task in tasks) for count in (likely_tokens, estimate_tokens))
    answer = USUAL_TOKENS[ANSWERING]
    parts = float(mean(min(number, MOST_QUESTIONS) for number in hops))
    match options.system:
        case "single-step":
            return _Course(1, usual, answer), _Course(1, most, answer)
        case "multi-step":
            # The second reading sees what both searches brought.
            said = USUAL_TOKENS[ON_THE_WAY] + answer
            return _Course(2, 2.5 * usual, said), _Course(2, 3 * most, said)
        case "decomposition":
            calls = MOST_QUESTIONS + 2
            replies = USUAL_TOKENS[DECOMPOSING] + answer * (parts + 1)
            return _Course(parts + 2, (parts + 1) * usual, replies), _Course(calls, calls * most, replies)
        case agent:
            likely, bound = (_sizes(options, tasks, count) for count in (likely_tokens, estimate_tokens))
            courses = [usual_course(agent, options.most_iterations, likely, number) for number in hops]
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
