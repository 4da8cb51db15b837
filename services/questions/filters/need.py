"""Can the question be answered from its evidence, and only from all of it (AgenticRAGTracer, section 3.3)?"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from services.questions.draft import Draft
from services.questions.filters.protocol import PASS, Verdict, fail
from services.questions.filters.solver import NOT_CHECKED, Solved, Solver, SolveTask


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
    A hop without which no chunk is left is needed. Null questions pass.
    """

    solver: Solver
    name: str = "every hop needed"

    def check(self, drafts: Sequence[Draft]) -> list[Verdict]:
        """One verdict a draft, in order."""
        return check_each(self.solver, drafts, without_one_hop, "without the evidence of hop {}")


def without_one_hop(draft: Draft) -> Iterator[tuple[int, tuple[str, ...]]]:
    """For each hop the chunks that are left without its own, where any are, each set of chunks once."""
    seen: set[tuple[str, ...]] = set()
    for fact in draft.facts if draft.kind != "null" else ():
        left = tuple(chunk for chunk in draft.chunks if chunk not in fact.chunks)
        if left and left not in seen:
            seen.add(left)
            yield fact.index, left


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
        if not verdicts[at].passed:
            continue
        if solved.failure:
            verdicts[at] = fail(f"{NOT_CHECKED}{solved.failure}")
        elif solved.right:
            verdicts[at] = fail(f"it is answered {told.format(number)}")
    return verdicts


def _solvable(draft: Draft, solved: Solved) -> Verdict:
    if solved.failure:
        return fail(f"{NOT_CHECKED}{solved.failure}")
    if draft.kind == "null":
        return fail(f'"{solved.answer}" was found where nothing should be') if solved.answer else PASS
    if solved.right:
        return PASS
    return fail(f'its evidence leads to "{solved.answer}"' if solved.answer else "its evidence leads nowhere")
