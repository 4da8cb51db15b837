"""Is there a shorter way to the answer than the question's own?"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from kg.queries import query
from kg.resolve.normal_form import normal_form
from kg.store.graph import Graph
from services.questions.draft import Draft, Stop
from services.questions.filters.name_use import read_same_names
from services.questions.filters.need import check_each
from services.questions.filters.protocol import Verdict, fail
from services.questions.filters.solver import Solver

PAIRS_A_BATCH = 500
"""Pairs of ends between which one statement looks for paths."""


@dataclass(frozen=True, slots=True)
class NoShortcut:
    """No shorter directed path leads to a chain's answer, and no chunk alone gives an answer.

    The path may begin at the start or at any entity that shares a name with it, end at any that shares a name
    with the answer, go through hubs, and along doubtful or attributed facts. Of a question in a model's words
    it is a shortcut only where its last fact has the predicate of the question's last one: what else relates
    the two ends does not answer what is asked, and whether all facts are needed the model tries itself. The
    chunks tried alone are those of a chain's last hop, which hold the answer, and all of other kinds. Null
    questions pass.
    """

    graph: Graph
    corpus: str
    solver: Solver
    name: str = "no shortcut"

    def check(self, drafts: Sequence[Draft]) -> list[Verdict]:
        """One verdict a draft, in order."""
        shorter = self._shorter_paths(drafts)
        alone = check_each(self.solver, drafts, _single_chunks, "by a single chunk")
        return [fail(shorter[at]) if at in shorter else verdict for at, verdict in enumerate(alone)]

    def _shorter_paths(self, drafts: Sequence[Draft]) -> dict[int, str]:
        """The shortest of the shorter paths in words, by the draft's place."""
        chains = [(at, draft) for at, draft in enumerate(drafts) if draft.kind == "chain"]
        ends = [stop for _, draft in chains for stop in (draft.stops[0], draft.stops[-1])]
        same = read_same_names(self.graph, self.corpus, (name for stop in ends for name in stop.names))
        rows = [
            {
                "at": at,
                "start": start,
                "end": end,
                "hops": len(draft.facts),
                "last": draft.facts[-1].predicate if draft.by_model else None,
            }
            for at, draft in chains
            for start, end in product(_called(draft.stops[0], same), _called(draft.stops[-1], same))
            if start != end
        ]
        found = list(self.graph.read_rows(query("filters/find_shorter_paths"), rows, PAIRS_A_BATCH))
        told = {}
        for row in sorted(found, key=lambda row: (row["hops"], row["names"]), reverse=True):
            hops = f"{row['hops']} hop{'s' * (row['hops'] > 1)}"
            told[row["at"]] = f"a path of {hops} leads there: {' > '.join(row['names'])}"
        return told


def _called(stop: Stop, same: dict[str, frozenset[str]]) -> list[str]:
    """The ids of all entities that share a name with a stop."""
    return sorted({stop.id}.union(*(same.get(normal_form(name), frozenset()) for name in stop.names)))


def _single_chunks(draft: Draft) -> Iterator[tuple[int, tuple[str, ...]]]:
    if len(draft.facts) < 2 or draft.kind == "null":
        return
    facts = draft.facts[-1:] if draft.kind == "chain" else draft.facts
    for chunk in dict.fromkeys(chunk for fact in facts for chunk in fact.chunks):
        yield 0, (chunk,)
