"""What a run would take, before anything is sent."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Literal

from kg.embed.protocol import Embedder
from kg.llm.open import role_budget
from kg.llm.protocol import Usage
from kg.llm.structured import most_tokens
from kg.queries import query
from kg.settings import Settings
from kg.store.graph import Graph
from services.rag.agents.course import MOST_IDLE_TURNS
from services.rag.agents.goal_seeking.agent import MOST_ITERATIONS
from services.rag.agents.goal_seeking.plans import MOST_STEPS as PLANNED_AT_MOST
from services.rag.agents.graph_agent.names import MOST_CALLS
from services.rag.agents.react import MOST_STEPS
from services.rag.answering import asked_of
from services.rag.model_generator import MOST_QUESTIONS, answer_request
from services.rag.passages import passages_of, read_passages
from services.rag.protocol import ReadTask
from services.rag.retrieval.choose import open_retriever
from services.rag.run_options import RunOptions, SystemName
from services.rag.start import RunPlan
from services.rag.systems import found_at_most

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


@dataclass(frozen=True, slots=True)
class RunEstimate:
    """An upper estimate: requests, tokens and money; money is None where the model has no price."""

    calls_at_most: int
    input_tokens_at_most: int
    output_tokens_at_most: int
    money_at_most: float | None


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
    limit = found_at_most(options.system, options.top)
    hits = open_retriever(options.retriever, graph, corpus, embedder, limit).retrieve(asked)
    passages = passages_of(partial(read_passages, graph), hits)
    tasks = [ReadTask(one.text, seen) for one, seen in zip(asked, passages, strict=True)]
    requests = [answer_request(task) for task in tasks]
    each = [most_tokens(request.messages, request) for request in requests]
    questions = len(plan.pending) + len(plan.prefixes.pending)
    a_question = at_most(options.system, options.most_iterations)
    calls = questions * a_question.calls
    share_in = questions * a_question.prompts / len(each)
    most = Usage(
        round(share_in * sum(usage.input_tokens for usage in each)),
        round(calls / len(each) * sum(usage.output_tokens for usage in each)),
    )
    money = role_budget("answer", settings).money_of(most)
    return RunEstimate(
        calls, most.input_tokens, most.output_tokens, None if money is None else round(money, 4)
    )


def at_most(system: SystemName, most_iterations: int | None) -> AtMost:
    """What a question takes in a system; agents are limited by their calls or rounds, and idle turns."""
    match system:
        case "react":
            return _conversation(most_iterations or MOST_STEPS)
        case "graph-agent":
            return _conversation(most_iterations or MOST_CALLS)
        case "goal-seeking":
            # Each round is a plan, its steps, and a look at what came of them; steps read up to two searches.
            asked = (most_iterations or MOST_ITERATIONS) * (1 + PLANNED_AT_MOST + 1)
            return AtMost(asked + 1, 2 * asked + 1)
        case fixed:
            return _FIXED[fixed]


def _conversation(calls: int) -> AtMost:
    """A plan, so many calls, idle turns, and a reading at the end; each turn reads again what was seen."""
    turns = calls * (calls + 1) // 2 + (MOST_IDLE_TURNS + 1) * (calls + 1)
    return AtMost(1 + calls + MOST_IDLE_TURNS + 1, 1 + turns)
