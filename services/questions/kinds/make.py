"""Questions of the further kinds, from the graph of a corpus."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from kg.progress import Progress
from kg.store.graph import Graph
from services.questions.draft import Draft, QuestionKind
from services.questions.kinds.bridge_entity import bridge_entities
from services.questions.kinds.bridge_topic import bridge_topics
from services.questions.kinds.comparison import comparisons
from services.questions.kinds.null_questions import nulls
from services.questions.kinds.temporal import temporals

Maker = Callable[[Graph, str, int, int], Iterator[Draft]]
"""Makes up to so many drafts from a corpus: graph, corpus, limit, seed."""

DRAFTS_A_QUESTION = 2
"""Filters take about half of what is made."""

_MAKERS: Mapping[QuestionKind, Maker] = {
    "comparison": comparisons,
    "temporal": temporals,
    "null": nulls,
    "bridge entity": bridge_entities,
    "bridge topic": bridge_topics,
}


def draft_kinds(
    graph: Graph, corpus: str, kinds: Sequence[QuestionKind], per_kind: int, seed: int, progress: Progress
) -> Iterator[Draft]:
    """Up to twice `per_kind` drafts of each kind, the best and most diverse first.

    There are fewer where the graph has no more. The same graph and seed always give the same drafts.
    `kinds` may hold any but "chain".
    """
    for kind in dict.fromkeys(kinds):
        progress.step(kind, DRAFTS_A_QUESTION * per_kind)
        for draft in _MAKERS[kind](graph, corpus, DRAFTS_A_QUESTION * per_kind, seed):
            yield draft
            progress.advance()
