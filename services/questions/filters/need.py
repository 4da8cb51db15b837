"""Can the question be answered from its evidence, and only from all of it (AgenticRAGTracer, section 3.3)?

Does the evidence lie in as many clusters as were asked for?
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from kg.queries import query
from kg.store.graph import Graph
from services.questions.draft import Draft, Fact
from services.questions.filters.name_use import any_named
from services.questions.filters.protocol import PASS, Verdict, fail
from services.questions.filters.solver import NOT_CHECKED, Solved, Solver, SolveTask
from services.questions.spans.evidence_clusters import open_chunk_clusters
from services.questions.spans.facets import ClusterFacet
from services.questions.spans.question_spans import span_of

SPANS_CLUSTERS = "spans clusters"


@dataclass(frozen=True, slots=True)
class SpansClusters:
    """The evidence can't be had from fewer than `least` clusters, whichever chunk shows a hop.

    Questions that nothing in the corpus answers pass: no cluster has their evidence.
    """

    by: ClusterFacet
    least: int
    labels: Callable[[Sequence[str]], Mapping[str, str]]
    name: str = SPANS_CLUSTERS

    def check(self, drafts: Sequence[Draft]) -> list[Verdict]:
        """One verdict a draft, in order."""
        labels = self.labels([chunk for draft in drafts for chunk in draft.chunks])
        return [self._verdict(draft, labels) for draft in drafts]

    def _verdict(self, draft: Draft, labels: Mapping[str, str]) -> Verdict:
        if draft.kind == "null":
            return PASS
        span = span_of([fact.chunks for fact in draft.facts], self.by, labels)
        if span is None:
            return fail(f"the corpus doesn't tell its clusters by {self.by}")
        if span.clusters < self.least:
            lies = "1 cluster" if span.clusters == 1 else f"{span.clusters} clusters"
            return fail(f"its evidence lies in {lies}; {self.least} are needed")
        return PASS


def spans_clusters(graph: Graph, corpus: str, by: ClusterFacet, least: int) -> tuple[SpansClusters, ...]:
    """The filter for a corpus as its graph is now; none where one cluster is enough."""
    return (SpansClusters(by, least, open_chunk_clusters(graph, corpus, by)),) if least > 1 else ()


@dataclass(frozen=True, slots=True)
class Solvable:
    """With all its evidence the solver gets the answer; of a null question, it must find none."""

    solver: Solver
    name: str = "solvable"

    def check(self, drafts: Sequence[Draft]) -> list[Verdict]:
        """One verdict a draft, in order."""
        solved = self.solver.solve([SolveTask(draft, draft.chunks) for draft in drafts])
        return [_solvable(draft, one) for draft, one in zip(drafts, solved, strict=True)]


@dataclass(frozen=True, slots=True)
class EveryHopNeeded:
    """Without the chunks of one hop the solver fails, whichever hop it is.

    As AgenticRAGTracer leaves out documents, a chunk that states another hop's fact as well is left out too.
    A hop without which no chunk is left is needed. Null questions pass. Hops are tried one a wave, and a
    draft that fell is not tried again: with a model every try is paid for.
    """

    solver: Solver
    name: str = "every hop needed"

    def check(self, drafts: Sequence[Draft]) -> list[Verdict]:
        """One verdict a draft, in order."""
        verdicts = [PASS] * len(drafts)
        left = [(at, without_one_hop(draft)) for at, draft in enumerate(drafts)]
        while left:
            wave = [(at, parts, part) for at, parts in left if (part := next(parts, None)) is not None]
            tasks = [SolveTask(drafts[at], chunks) for at, _, (_, chunks) in wave]
            for (at, _, (hop, _)), solved in zip(wave, self.solver.solve(tasks), strict=True):
                verdicts[at] = _unsolved(solved, f"without the evidence of hop {hop}", hop)
            left = [(at, parts) for at, parts, _ in wave if verdicts[at].passed]
        return verdicts


def without_one_hop(draft: Draft) -> Iterator[tuple[int, tuple[str, ...]]]:
    """For each hop the chunks that are left without its own, where any are, each set of chunks once.

    First come the hops that decide most often: those between the ends, from the last one back, whose facts
    news repeats; then the last hop, and the first, which nothing else leads around.
    """
    seen: set[tuple[str, ...]] = set()
    facts = draft.facts if draft.kind != "null" else ()
    for fact in (*reversed(facts[1:-1]), *facts[-1:], *facts[: len(facts) > 1]):
        left = tuple(chunk for chunk in draft.chunks if chunk not in fact.chunks)
        if left and left not in seen:
            seen.add(left)
            yield fact.index, left


def read_restated(graph: Graph, drafts: Sequence[Draft]) -> set[str]:
    """The paths of chains of which a passage for one fact names both ends of another, and may state it too.

    Of 48 such paths of two runs no question was kept (docs/decisions/0060).
    """
    rows = graph.read_in_batches(
        query("chunks/read_chunks"), sorted({id_ for one in drafts for id_ in one.chunks})
    )
    texts = {row["id"]: row["text"] for row in rows}
    return {draft.path for draft in drafts if any(_restated(draft, fact, texts) for fact in draft.facts)}


def tells_more(draft: Draft) -> bool:
    """Whether a fact's claim or sentence names a stop of the chain that is none of the fact's own ends."""
    return any(
        any_named(f"{fact.statement} / {fact.sentence}", stop.names)
        for fact in draft.facts
        for at, stop in enumerate(draft.stops)
        if at not in {fact.index - 1, fact.index}
    )


def _restated(draft: Draft, fact: Fact, texts: Mapping[str, str]) -> bool:
    near, far = draft.stops[fact.index - 1].names, draft.stops[fact.index].names
    others = (texts[chunk] for chunk in draft.chunks if chunk not in fact.chunks and chunk in texts)
    return any(any_named(text, near) and any_named(text, far) for text in others)


def check_each(
    solver: Solver,
    drafts: Sequence[Draft],
    parts: Callable[[Draft], Iterator[tuple[int, tuple[str, ...]]]],
    told: str,
) -> list[Verdict]:
    """A failure for each draft that is answered from a part of its evidence; `told` says which part."""
    tasks = [
        (at, number, SolveTask(draft, chunks))
        for at, draft in enumerate(drafts)
        for number, chunks in parts(draft)
    ]
    verdicts = [PASS] * len(drafts)
    for (at, number, _), solved in zip(tasks, solver.solve([task for *_, task in tasks]), strict=True):
        if verdicts[at].passed:
            verdicts[at] = _unsolved(solved, told.format(number))
    return verdicts


def _unsolved(solved: Solved, part: str, hop: int = 0) -> Verdict:
    """A pass where a part of the evidence, all but that of `hop`, did not give the answer."""
    if solved.failure:
        return fail(f"{NOT_CHECKED}{solved.failure}")
    return fail(f"it is answered {part}", hop) if solved.right else PASS


def _solvable(draft: Draft, solved: Solved) -> Verdict:
    if solved.failure:
        return fail(f"{NOT_CHECKED}{solved.failure}")
    if draft.kind == "null":
        return fail(f'"{solved.answer}" was found where nothing should be') if solved.answer else PASS
    if solved.right:
        return PASS
    return fail(f'its evidence leads to "{solved.answer}"' if solved.answer else "its evidence leads nowhere")
