"""The judges of a run, two by two: where they say the same of an answer, and where not; and with people."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations

import numpy as np

from kg.ids import run_id
from kg.llm.roles import model_behind
from kg.queries import query
from kg.store.graph import Graph, Row
from services.answers import ANSWER_MATCH, EXACT_MATCH
from services.statistics.agreement import Agreement, clustered_kappa, cohen_kappa
from services.statistics.groups import partition


@dataclass(frozen=True, slots=True)
class JudgePair:
    """Two judges over the answers that both were asked about, as a table of two by two.

    Exact match and answer match count as judges that were asked about all of them.
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

    def as_dict(self) -> dict[str, object]:
        """The agreement, the table and the flips, as one map of names and values."""
        told = asdict(self)
        return {**told.pop("agreement"), **told, "flips": self.flips}


PEOPLE = "people"
"""Who labelled a sample, as agreements name them."""

PEOPLE_SEED = 0
"""Of the draws behind an interval of agreement with people."""


def read_judge_pairs(graph: Graph, run: str) -> tuple[JudgePair, ...]:
    """Every two judges of the run with this id, and each that was asked about exact matches with these.

    Abstentions, and exact matches that nobody was asked about, are left out: agreement on what no judge has
    seen would say nothing of the judges. So are verdicts by hand, which are given where one looks for errors.
    A judge who saw only answers that are no exact match can't be compared with exact match, and a model not
    with itself, under another name or on another scale.
    """
    rows = graph.rows(query("answers/read_verdicts"), run=run)
    if not rows:
        return ()
    names = _judge_names(rows)
    exact = {row["answer"]: row["exact"] for row in rows}
    said: dict[str, dict[str, bool]] = defaultdict(dict)
    for row in rows:
        said[names[row["judge"], row["scale"]]].setdefault(row["answer"], row["correct"])
    matches = {row["answer"]: row["matches"] for row in rows}
    judges = {EXACT_MATCH: exact, ANSWER_MATCH: matches, **dict(sorted(said.items()))}
    models = {shown: model_behind(judge) for (judge, _), shown in names.items()}
    return tuple(
        compare_judges(first, second, judges[first], judges[second])
        for first, second in combinations(judges, 2)
        if second != ANSWER_MATCH
        and models.get(first) != models[second]
        and (first != EXACT_MATCH or any(exact[answer] for answer in judges[second]))
    )


def _judge_names(verdicts: Sequence[Row]) -> dict[tuple[str, str], str]:
    """How each judge and scale is shown: a model with several names by the first of them."""
    shown: dict[tuple[str, str], str] = {}
    given = sorted({(row["judge"], row["scale"]) for row in verdicts})
    for judge, scale in given:
        shown.setdefault((model_behind(judge), scale), f"{judge} ({scale})")
    return {(judge, scale): shown[model_behind(judge), scale] for judge, scale in given}


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


def read_agreements(graph: Graph, corpus: str, run: str) -> tuple[Agreement, ...]:
    """How far every two judges of a run agree, both rules among them, and each with people's labels.

    Empty where neither judges nor people have looked at it.
    """
    node = run_id(corpus, run)
    pairs = tuple(pair.agreement for pair in read_judge_pairs(graph, node))
    return (*agreements_with_people(graph.rows(query("answers/read_labels"), run=node)), *pairs)


def agreements_with_people(rows: Sequence[Row]) -> tuple[Agreement, ...]:
    """How far each judge, answer match among them, agrees with people on a sample that these labelled.

    From the rows of `answers/read_labels`. Kappa is Cohen's, its interval that of `clustered_kappa`, with the
    article of the last hop as cluster; abstentions and exact matches count, as they do in the run's accuracy.
    """
    said: dict[str, dict[int, bool]] = defaultdict(dict)
    names = _judge_names([one for row in rows for one in row["judges"]])
    for at, row in enumerate(rows):
        said[ANSWER_MATCH][at] = row["matches"]
        for one in row["judges"]:
            said[names[one["judge"], one["scale"]]].setdefault(at, one["correct"])
    return tuple(_with_people(rows, name, given) for name, given in said.items())


def _with_people(rows: Sequence[Row], judge: str, said: Mapping[int, bool]) -> Agreement:
    labels = [rows[at]["labelled"] for at in said]
    found = clustered_kappa(
        labels,
        list(said.values()),
        partition([rows[at]["article"] for at in said]),
        np.random.default_rng(PEOPLE_SEED),
    )
    return Agreement(
        PEOPLE,
        judge,
        len(labels),
        sum(one == other for one, other in zip(labels, said.values(), strict=True)),
        None if found is None else found.plain.value,
        None if found is None else found.interval,
    )
