"""The judges of a run, two by two: where they say the same of an answer, and where not."""

from collections import defaultdict
from dataclasses import dataclass
from itertools import combinations

from kg.queries import query
from kg.store.graph import Graph
from services.evaluate.answers import EXACT_MATCH
from services.evaluate.statistics.agreement import Agreement, cohen_kappa


@dataclass(frozen=True, slots=True)
class JudgePair:
    """Two judges over the answers that both were asked about, as a table of two by two.

    Exact match counts as one that was asked about all of them.
    """

    agreement: Agreement
    both_right: int
    only_first: int
    only_second: int
    both_wrong: int

    @property
    def flips(self) -> int:
        """How many answers would change from right to wrong, or back, with the other judge."""
        return self.only_first + self.only_second


def read_judge_pairs(graph: Graph, run: str) -> tuple[JudgePair, ...]:
    """Every two judges of the run with this id, and each that was asked about exact matches with these.

    Abstentions, and exact matches that nobody was asked about, are left out: agreement on what no judge has
    seen would say nothing of the judges. So are verdicts by hand, which are given where one looks for errors.
    A judge who saw only answers that are no exact match can't be compared with exact match.
    """
    said: dict[str, dict[str, bool]] = defaultdict(dict)
    exact: dict[str, bool] = {}
    for row in graph.rows(query("verdicts/read_verdicts"), run=run):
        said[f"{row['judge']} ({row['scale']})"][row["answer"]] = row["correct"]
        exact[row["answer"]] = row["exact"]
    if not said:
        return ()
    judges = {EXACT_MATCH: exact, **dict(sorted(said.items()))}
    return tuple(
        compare_judges(first, second, judges[first], judges[second])
        for first, second in combinations(judges, 2)
        if first != EXACT_MATCH or any(exact[answer] for answer in judges[second])
    )


def compare_judges(
    first: str, second: str, said_first: dict[str, bool], said_second: dict[str, bool]
) -> JudgePair:
    """Two judges by name, and what each said of which answer; only answers of both count."""
    shared = sorted(said_first.keys() & said_second.keys())
    pairs = [(said_first[answer], said_second[answer]) for answer in shared]
    kappa = cohen_kappa([one for one, _ in pairs], [other for _, other in pairs])
    agreement = Agreement(
        first=first,
        second=second,
        n=len(pairs),
        agreed=sum(one == other for one, other in pairs),
        kappa=None if kappa is None else kappa.value,
        interval=None if kappa is None else kappa.interval,
    )
    return JudgePair(
        agreement,
        both_right=pairs.count((True, True)),
        only_first=pairs.count((True, False)),
        only_second=pairs.count((False, True)),
        both_wrong=pairs.count((False, False)),
    )
