"""What models would take to make the questions of a corpus from the paths that are drawn; nothing is sent."""

from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass

from kg.llm.open import open_model
from kg.llm.protocol import Estimate
from kg.queries import query
from kg.settings import Settings
from kg.store.graph import Graph, batches
from services.questions.chains import draft_chain, read_chains
from services.questions.choice import QuestionChoice
from services.questions.draft import Draft
from services.questions.filters.choose import estimate, rule_filters
from services.questions.filters.protocol import run_filters
from services.questions.filters.spanning import spans_clusters
from services.questions.generate import PATHS_A_BATCH, estimate_writing


@dataclass(frozen=True, slots=True)
class QuestionEstimate:
    """What writing and checking would take at most for the paths of the first draw; None where rules work.

    Paths that have to be drawn on top, and the checks of other kinds than chains, are not in it.
    """

    paths: int
    writing: Estimate | None
    checking: Estimate | None


def estimate_questions(
    graph: Graph, corpus: str, choice: QuestionChoice, settings: Settings
) -> QuestionEstimate:
    """Count what would be asked; the model's questions are taken to be as long as those of the rules.

    Raises:
        SettingsError: a model is to work and none is set for its role.
    """
    rows = graph.rows(query("paths/list_paths"), corpus=corpus) if "chain" in choice.kinds else []
    paths = [row["id"] for row in rows]
    with ExitStack() as stack:
        writing = checking = None
        if choice.generator == "model":
            writing = estimate_writing(graph, stack.enter_context(open_model("generate", settings)), paths)
        if choice.checks == "model":
            judge = stack.enter_context(open_model("judge", settings))
            checking = _sum(
                estimate(graph, judge, drafts) for drafts in _batches_to_check(graph, corpus, paths, choice)
            )
    return QuestionEstimate(len(paths), writing, checking)


def _batches_to_check(
    graph: Graph, corpus: str, paths: list[str], choice: QuestionChoice
) -> Iterable[list[Draft]]:
    """What the rules would let pass, if the rules wrote the questions."""
    wanted = spans_clusters(graph, corpus, choice.cluster_by, choice.span_clusters)
    filters = (*rule_filters(graph, corpus), *wanted)
    for some in batches(paths, PATHS_A_BATCH):
        made = run_filters(filters, [draft_chain(chain) for chain in read_chains(graph, some)])
        yield [one.draft for one in made if one.kept]


def _sum(parts: Iterable[Estimate]) -> Estimate:
    total = Estimate(0, 0, 0, 0, 0.0)
    for part in parts:
        money = _both(total.money_at_most, part.money_at_most)
        total = Estimate(
            total.calls + part.calls,
            total.cached + part.cached,
            total.input_tokens + part.input_tokens,
            total.output_tokens_at_most + part.output_tokens_at_most,
            money,
        )
    return total


def _both(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one + other
