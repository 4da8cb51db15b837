"""What a benchmark prints: its tables, at most a hundred columns wide."""

from collections.abc import Iterable, Iterator
from textwrap import shorten

from cli.console import out, p_text, remark, say, table
from kg.model import Reject
from services.benchmarks.retrieval import TESTED, SetResult, SystemResult
from services.benchmarks.retrieval_sets import ReadySet
from services.benchmarks.statistics import Mean
from services.evaluate.statistics.intervals import Interval

_MAIN = {
    "R@2": "Recall@2",
    "R@5": "Recall@5",
    "R@10": "Recall@10",
    "All@5": "AllGold@5",
    "All@10": "AllGold@10",
    "MRR": "MRR@10",
    "MAP": "MAP@10",
    "nDCG": "nDCG@10",
}
_SHORT = {name: short for short, name in _MAIN.items()}
_HITS = {
    "Hits@4": "Hits@4",
    "Hits@10": "Hits@10",
    "share@4": "Recall@4",
    "Hits@4*": "official Hits@4",
    "Hits@10*": "official Hits@10",
    "MRR*": "official MRR@10",
    "MAP*": "official MAP@10",
}
_REJECTS_SHOWN = 3
_REASON_SHOWN = 200


def print_set(result: SetResult) -> None:
    """Measures with cost, intervals with tests, and both ways of counting hits."""
    ready = result.ready
    passages = len({passage.article for passage in ready.passages})
    title = f"{ready.files.name}: {len(ready.questions):,} questions over {passages:,} passages"
    out.print(table(title, ("", *_MAIN), [_measures(one, _MAIN.values()) for one in result.systems]))
    say("In percent, the mean over questions. MRR, MAP and nDCG are at 10.", "dim")
    print_failures(result)
    print_costs(result)
    print_tests(result)
    out.print()
    hits = [_measures(one, _HITS.values()) for one in result.systems]
    out.print(table("Hits as MultiHop-RAG counts them", ("", *_HITS), hits))
    say("Hits: any gold in the first k. share: how much of it, the paper's Hit@k; share@10 is R@10.", "dim")
    say("*: by the official script, a fact counts where a text holds it as a substring.", "dim")


def print_costs(result: SetResult) -> None:
    """Latency and memory of each retriever."""
    head = ("", "median ms", "p95 ms", "to open, s", "MiB", "of it new")
    out.print()
    out.print(table("Cost", head, [[one.trial.name, *_cost(one)] for one in result.systems]))
    say(
        "ms: one question alone, its embedding included, warm. MiB: most resident, without the server.", "dim"
    )


def print_tests(result: SetResult) -> None:
    """The intervals of the tested measures, and the differences to the base."""
    rows = [row for measure in TESTED for one in result.systems for row in _test_row(result, one, measure)]
    head = ("measure", "", "mean", "interval", "diff.", "interval", "p(Holm)")
    out.print()
    out.print(table(f"Intervals (95 %), and differences to {result.base}", head, rows))
    clusters, questions = len(set(result.clusters)), len(result.clusters)
    say(
        f"Questions that share gold count as one draw: {clusters:,} clusters of {questions:,} questions.",
        "dim",
    )


def print_failures(result: SetResult) -> None:
    """What was not measured, and why, on standard error."""
    ready = result.ready
    for count, words in (
        (len(ready.rejected), "rows are no questions that can be used"),
        (ready.without_gold, "questions have no gold, such as null queries, and are left out"),
        (ready.not_found, "questions are left out: none of their gold is among the passages"),
        (ready.partly_found, "questions miss some of their gold among the passages; it counts as not found"),
    ):
        if count:
            remark(f"{ready.files.name}: {count:,} {words}.")
    if ready.given and ready.given_for:
        remark(
            f"{ready.files.name}: triples are given for {ready.given_for.matched:,} passages, for "
            f"{ready.given_for.without:,} none; {len(ready.given_for.unmatched):,} are given for no passage."
        )
    for one in (*ready.rejected, *ready.unmatched, *_misfits(ready))[:_REJECTS_SHOWN]:
        remark(f"  {one.place}: {one.reason}")
    for system in result.systems:
        failures = system.trial.failures
        if failures:
            reason = shorten(failures[0][1], _REASON_SHOWN, placeholder="…")
            remark(f"{system.trial.name}: {len(failures):,} questions failed, the first so: {reason}")


def _misfits(ready: ReadySet) -> Iterator[Reject]:
    """What can't be used of the given triples."""
    if ready.given and ready.given_for:
        yield from (*ready.given.rejected, *ready.given_for.unmatched)


def _measures(system: SystemResult, names: Iterable[str]) -> list[object]:
    return [system.trial.name, *(_percent(system.means.get(name)) for name in names)]


def _percent(mean: Mean | None) -> float | str:
    return "-" if mean is None else round(100 * mean.value, 1)


def _cost(system: SystemResult) -> Iterator[float]:
    yield round(1000 * system.trial.latency.median, 1)
    yield round(1000 * system.trial.latency.p95, 1)
    yield round(system.trial.opening_seconds, 1)
    yield round(system.trial.memory.most)
    yield round(system.trial.memory.grown)


def _test_row(result: SetResult, system: SystemResult, measure: str) -> Iterator[list[object]]:
    mean = system.means.get(measure)
    if mean is None:
        return
    compared = system.compared.get(measure)
    row: list[object] = [_SHORT[measure], system.trial.name, _percent(mean), _interval(mean.interval)]
    if compared is None:
        yield [*row, "base" if system.trial.name == result.base else "-", "-", "-"]
        return
    difference = compared.difference
    yield [
        *row,
        f"{100 * difference.value:+.1f}",
        _interval(difference.interval, sign=True),
        p_text(compared.p_holm),
    ]


def _interval(interval: Interval | None, sign: bool = False) -> str:
    if interval is None:
        return "-"
    plus = "+" if sign else ""
    return f"[{100 * interval.low:{plus}.1f},{100 * interval.high:{plus}.1f}]"
