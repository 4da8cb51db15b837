"""What a run would take, before anything is sent."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import ceil
from statistics import mean

from kg.embed.protocol import Embedder
from kg.llm.open import role_budget
from kg.llm.protocol import Usage
from kg.llm.roles import role_endpoint
from kg.llm.structured import input_tokens
from kg.llm.tokens import estimate_tokens
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
from services.rag.protocol import ReadTask
from services.rag.retrieval.choose import open_retriever
from services.rag.run_options import RunOptions
from services.rag.start import RunPlan

SAMPLE = 32
"""Questions whose prompts are made to tell how long prompts are."""


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
    asked = asked_of(rows, embedder)
    hits = open_retriever(options.retriever, graph, corpus, embedder, options.top).retrieve(asked)
    passages = passages_of(partial(read_passages, graph), hits)
    tasks = [ReadTask(one.text, seen) for one, seen in zip(asked, passages, strict=True)]
    questions = len(plan.pending) + len(plan.prefixes.pending)
    room = role_endpoint("answer", settings).room(ANSWER_TOKENS)
    usual, most = _of_a_question(options, tasks, [max(row["hops"], 1) for row in rows])
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
    whole, answer = mean(map(_tokens, tasks)), USUAL_TOKENS[ANSWERING]
    parts = float(mean(min(number, MOST_QUESTIONS) for number in hops))
    match options.system:
        case "single-step":
            return _Course(1, whole, answer), _Course(1, whole, answer)
        case "multi-step":
            # The second reading sees what both searches brought.
            said = USUAL_TOKENS[ON_THE_WAY] + answer
            return _Course(2, 2.5 * whole, said), _Course(2, 3 * whole, said)
        case "decomposition":
            most = MOST_QUESTIONS + 2
            replies = USUAL_TOKENS[DECOMPOSING] + answer * (parts + 1)
            return _Course(parts + 2, (parts + 1) * whole, replies), _Course(most, most * whole, replies)
        case agent:
            bare = mean(_tokens(replace(task, passages=())) for task in tasks)
            asks = mean(estimate_tokens(task.question) for task in tasks)
            sizes = Sizes(ceil(asks), ceil(whole - bare), options.top, options.evidence_tokens)
            usual = [usual_course(agent, options.most_iterations, sizes, number) for number in hops]
            return _mean_of(usual), _mean_of([agent_course(agent, options.most_iterations, sizes)])


def _mean_of(courses: Sequence[AgentCourse]) -> _Course:
    return _Course(
        mean(one.calls for one in courses),
        mean(one.input_tokens for one in courses),
        mean(one.output_tokens for one in courses),
    )


def _tokens(task: ReadTask) -> int:
    request = answer_request(task)
    return input_tokens(request.messages, request, estimate_tokens)
