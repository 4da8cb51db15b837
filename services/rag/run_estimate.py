"""What a run would take, before anything is sent."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import ceil
from statistics import mean
from typing import Literal

from kg.embed.protocol import Embedder
from kg.llm.open import role_budget
from kg.llm.protocol import Usage
from kg.llm.structured import most_tokens
from kg.llm.tokens import estimate_tokens
from kg.queries import query
from kg.settings import Settings
from kg.store.graph import Graph
from services.rag.agent_estimate import Sizes, agent_course
from services.rag.agents.names import AGENTS
from services.rag.answering import asked_of
from services.rag.model_generator import ANSWER_TOKENS, MOST_QUESTIONS, answer_request
from services.rag.passages import passages_of, read_passages
from services.rag.protocol import ReadTask
from services.rag.retrieval.choose import open_retriever
from services.rag.run_options import RunOptions
from services.rag.start import RunPlan

SAMPLE = 32
"""Questions whose prompts are made to tell how long prompts are."""


@dataclass(frozen=True, slots=True)
class AtMost:
    """What a question takes: requests, and prompts, counted in prompts with the passages of one retrieval."""

    calls: int
    prompts: int


_FIXED: Mapping[Literal["single-step", "multi-step", "decomposition"], AtMost] = {
    "single-step": AtMost(1, 1),
    "multi-step": AtMost(2, 3),
    "decomposition": AtMost(1 + MOST_QUESTIONS + 1, MOST_QUESTIONS + 2),
}

AGENT_ASSUMES = (
    "Counted is an agent that uses up its searches or rounds for every question, without a turn that comes "
    "to nothing, and reads {top} passages a search; a conversation is sent whole in each turn. Most "
    "questions take far less."
)


@dataclass(frozen=True, slots=True)
class RunEstimate:
    """An upper estimate: requests, tokens and money; money is None where the model has no price.

    `assumes` says in words what it stands on, empty where it holds whatever comes.
    """

    calls_at_most: int
    input_tokens_at_most: int
    output_tokens_at_most: int
    money_at_most: float | None
    assumes: str = ""


def estimate_run(
    graph: Graph,
    corpus: str,
    options: RunOptions,
    plan: RunPlan,
    settings: Settings,
    embedder: Embedder,
) -> RunEstimate:
    """What the pending questions of a run take at most; the prompts of some of them stand for all.

    Replies that are kept from before are not taken off: which ones fit shows only on the way.

    Raises:
        SettingsError: no model is set for the answers, or there is a budget in money and it has no price.
    """
    sample = (*plan.pending, *plan.prefixes.pending)[:SAMPLE]
    if options.generator == "rules" or not sample:
        return RunEstimate(0, 0, 0, None)
    rows = graph.rows(query("runs/read_questions"), ids=list(sample))
    asked = asked_of(rows, embedder)
    hits = open_retriever(options.retriever, graph, corpus, embedder, options.top).retrieve(asked)
    passages = passages_of(partial(read_passages, graph), hits)
    tasks = [ReadTask(one.text, seen) for one, seen in zip(asked, passages, strict=True)]
    questions = len(plan.pending) + len(plan.prefixes.pending)
    calls, tokens = _of_a_question(options, tasks)
    most = Usage(round(questions * tokens), questions * calls * ANSWER_TOKENS)
    money = role_budget("answer", settings).money_of(most)
    return RunEstimate(
        questions * calls,
        most.input_tokens,
        most.output_tokens,
        None if money is None else round(money, 4),
        AGENT_ASSUMES.format(top=options.top) if options.system in AGENTS else "",
    )


def _of_a_question(options: RunOptions, tasks: Sequence[ReadTask]) -> tuple[int, float]:
    """Requests and input tokens of a question, from the readings of some."""
    whole = mean(map(_tokens, tasks))
    match options.system:
        case "single-step" | "multi-step" | "decomposition" as fixed:
            return _FIXED[fixed].calls, _FIXED[fixed].prompts * whole
        case agent:
            bare = mean(_tokens(replace(task, passages=())) for task in tasks)
            asks = mean(estimate_tokens(task.question) for task in tasks)
            sizes = Sizes(ceil(asks), ceil(whole - bare), options.top, options.evidence_tokens)
            course = agent_course(agent, options.most_iterations, sizes)
            return course.calls, course.input_tokens


def _tokens(task: ReadTask) -> int:
    request = answer_request(task)
    return most_tokens(request.messages, request).input_tokens
