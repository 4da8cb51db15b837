"""What an evaluation ends with: a run beside a baseline, the hop that broke first, and its worst entities."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from kg.errors import SettingsError
from kg.ids import run_id
from kg.paths.protocol import DEPTHS
from kg.queries import query
from kg.store.graph import Graph, Row
from services.evaluate.run_analysis import GivenAnswer, read_answers
from services.rag.reader import READER
from services.rag.run_options import SYSTEMS
from services.report.collect import choose_runs, hop_losses, read_worst_nodes
from services.report.comparisons import compare_runs
from services.report.content import ALL, Compared, HopLoss, KindRow, Rate, Worst
from services.report.run_facts import count_misses, rate_of, retrieval_means, row_of_all
from services.runs.records import list_runs
from services.statistics.intervals import Interval
from services.statistics.rankings import Mean

WORST_SHOWN = 3
LONG_ANSWER_WORDS = 8
"""Where half of the answers have more words, exact match calls right ones wrong."""


@dataclass(frozen=True, slots=True)
class ScopeRow:
    """Error rates of both runs over the questions that both answered; `scope` is "all", "2 hops" or "null".

    `difference` is the run's rate less the baseline's, so below 0 is better, with an interval by cluster;
    `shown` tells whether they are shown to differ. Without a baseline these are None. Kinds other than chains
    are not `tested` apart: they say what the difference over all questions is made of.
    """

    scope: str
    n: int
    rate: Rate
    baseline: Rate | None = None
    difference: float | None = None
    interval: Interval | None = None
    p_value: float | None = None
    shown: bool | None = None
    tested: bool = True


@dataclass(frozen=True, slots=True)
class Standing:
    """How a run stands; `baseline` is empty where there is none. `unshared` counts its answers to questions
    that the baseline didn't answer, which are left out of the rows.

    `losses` tell for wrong answers to chain questions where the chain broke first, over all depths.
    `whole` tells what its answers are by each rule, `with_key` in how many of the `wrong` ones, errors aside,
    the gold answer stands. `unaligned` counts retrieved texts in no chunk, `long_answers` tells whether most
    answers are sentences. `retrieval` has the measures of what it ranked (`run_facts.retrieval_means`).
    """

    run: str
    baseline: str
    rows: tuple[ScopeRow, ...]
    losses: tuple[HopLoss, ...]
    worst: tuple[Worst, ...]
    answers: int
    errors: int
    unshared: int
    unaligned: int
    with_unaligned: int
    untold: int
    long_answers: bool
    judge: str
    whole: KindRow
    wrong: int
    with_key: int
    retrieval: Mapping[str, Mean]


def choose_baseline(graph: Graph, corpus: str, run: str, given: str | None) -> str:
    """The run to compare with: the one that was named, else the first of our systems by rules; "" for none.

    One over all questions goes before one over a part of them.

    Raises:
        NothingToDoError: there is no run of that name.
        SettingsError: it is the run itself.
    """
    if given == run:
        raise SettingsError(f"run {run!r} can't be its own baseline.", "Name another: --baseline RUN.")
    if given == "none":
        return ""
    if given is not None:
        return choose_runs(graph, corpus, [given])[0]
    rules = [row for row in list_runs(graph, corpus) if _is_baseline(row) and row["name"] != run]
    first = min(rules, key=lambda row: (row["question_limit"] is not None, row["started_at"]), default=None)
    return "" if first is None else str(first["name"])


def standing(graph: Graph, corpus: str, run: str, baseline: str, seed: int = 0) -> Standing:
    """How a run stands beside a baseline, "" for none; both must have been analysed.

    Raises:
        NothingToDoError: there is no such run.
    """
    choose_runs(graph, corpus, [run])
    answers = read_answers(graph, run_id(corpus, run))
    others = read_answers(graph, run_id(corpus, baseline)) if baseline else []
    common = {answer.question for answer in others} & {answer.question for answer in answers}
    shared = [answer for answer in answers if answer.question in common] if baseline else answers
    record = graph.rows(query("runs/read_record"), run=run_id(corpus, run))[0]["run"]
    texts = graph.rows(query("answers/count_words"), run=run_id(corpus, run))
    wrong, with_key = count_misses(answers)
    return Standing(
        run=run,
        baseline=baseline,
        rows=_rows(run, baseline, shared, [one for one in others if one.question in common], seed),
        losses=hop_losses(answers),
        worst=tuple(read_worst_nodes(graph, run_id(corpus, run))["entities"][:WORST_SHOWN]),
        answers=len(answers),
        errors=sum(bool(answer.error) for answer in answers),
        unshared=len(answers) - len(shared),
        unaligned=sum(answer.unaligned for answer in answers),
        with_unaligned=sum(answer.unaligned > 0 for answer in answers),
        untold=sum(not answer.retrieval_reported and not answer.error for answer in answers),
        long_answers=bool(texts) and median(row["words"] for row in texts) > LONG_ANSWER_WORDS,
        judge=str(record.get("judge") or ""),
        whole=row_of_all(answers),
        wrong=wrong,
        with_key=with_key,
        retrieval=retrieval_means(answers),
    )


def _is_baseline(row: Row) -> bool:
    # Whichever version of the reader answered; behind a system of somebody else it is no system of ours.
    rules = str(row["generator"]).startswith(READER.rstrip("0123456789"))
    return rules and row["system"] in SYSTEMS and row["finished_at"] is not None


def _rows(
    run: str, baseline: str, answers: Sequence[GivenAnswer], others: Sequence[GivenAnswer], seed: int
) -> tuple[ScopeRow, ...]:
    compared = {one.scope: one for one in compare_runs({baseline: others, run: answers}, seed)}
    rows = []
    for hops in (None, *DEPTHS):
        inside, outside = _of_depth(answers, hops), _of_depth(others, hops)
        if inside:
            scope = ALL if hops is None else f"{hops} hops"
            rows.append(_row(scope, inside, outside, compared.get(scope) if baseline else None))
    return (*rows, *_rows_by_kind(answers, others))


def _rows_by_kind(answers: Sequence[GivenAnswer], others: Sequence[GivenAnswer]) -> Iterator[ScopeRow]:
    """The rows of kinds other than chains, by name; a run without chains, or with them alone, has none."""
    kinds = {one.kind for one in answers}
    for kind in sorted(kinds - {"chain"}) if len(kinds) > 1 else ():
        rate = _errors([one for one in answers if one.kind == kind])
        outside = [one for one in others if one.kind == kind]
        baseline = _errors(outside) if outside else None
        both = (rate.rate, baseline.rate if baseline else None)
        difference = None if None in both else (both[0] or 0.0) - (both[1] or 0.0)
        yield ScopeRow(kind, rate.n, rate, baseline, difference, tested=False)


def _row(
    scope: str, answers: Sequence[GivenAnswer], others: Sequence[GivenAnswer], found: Compared | None
) -> ScopeRow:
    rate = _errors(answers)
    if found is None:
        return ScopeRow(scope, len(answers), rate)
    interval = found.interval and Interval(0.0 - found.interval.high, 0.0 - found.interval.low)
    return ScopeRow(
        scope=scope,
        n=found.n,
        rate=rate,
        baseline=_errors(others),
        difference=0.0 - found.difference,
        interval=interval,
        p_value=found.p_holm,
        shown=found.decided,
    )


def _errors(answers: Sequence[GivenAnswer]) -> Rate:
    return rate_of("errors", [not one.right for one in answers], [one.cluster for one in answers])


def _of_depth(answers: Sequence[GivenAnswer], hops: int | None) -> list[GivenAnswer]:
    return [one for one in answers if hops is None or (one.kind == "chain" and one.hops == hops)]
