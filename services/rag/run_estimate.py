"""What a run would take, before anything is sent."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from kg.embed.protocol import Embedder
from kg.llm.open import role_budget
from kg.llm.protocol import Usage
from kg.llm.structured import most_tokens
from kg.queries import query
from kg.settings import Settings
from kg.store.graph import Graph
from services.rag.answering import asked_of
from services.rag.model_generator import MOST_QUESTIONS, answer_request
from services.rag.passages import passages_of, read_passages
from services.rag.protocol import ReadTask
from services.rag.retrieval.choose import open_retriever
from services.rag.run_options import RunOptions, SystemName
from services.rag.start import RunPlan

SAMPLE = 32
"""Questions whose prompts are made to tell how long prompts are."""

CALLS_AT_MOST: Mapping[SystemName, int] = {
    "single-step": 1,
    "multi-step": 2,
    "decomposition": 1 + MOST_QUESTIONS + 1,
}
"""Requests for a question."""

PROMPTS_AT_MOST: Mapping[SystemName, int] = {
    "single-step": 1,
    "multi-step": 3,
    "decomposition": MOST_QUESTIONS + 2,
}
"""Prompts for a question, counted in prompts with the passages of one retrieval."""


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
    sample = plan.pending[:SAMPLE]
    if options.generator == "rules" or not sample:
        return RunEstimate(0, 0, 0, None)
    rows = graph.rows(query("runs/read_questions"), ids=list(sample))
    asked = asked_of(rows, embedder)
    hits = open_retriever(options.retriever, graph, corpus, embedder, options.top).retrieve(asked)
    passages = passages_of(partial(read_passages, graph), hits)
    tasks = [ReadTask(one.text, seen) for one, seen in zip(asked, passages, strict=True)]
    requests = [answer_request(task) for task in tasks]
    each = [most_tokens(request.messages, request) for request in requests]
    system, questions = options.system, len(plan.pending)
    calls = questions * CALLS_AT_MOST[system]
    share_in = questions * PROMPTS_AT_MOST[system] / len(each)
    most = Usage(
        round(share_in * sum(usage.input_tokens for usage in each)),
        round(calls / len(each) * sum(usage.output_tokens for usage in each)),
    )
    money = role_budget("answer", settings).money_of(most)
    return RunEstimate(
        calls, most.input_tokens, most.output_tokens, None if money is None else round(money, 4)
    )
