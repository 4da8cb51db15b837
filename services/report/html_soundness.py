"""Tables on how far answers can be trusted: what right ones rest on, silence, and cost beside accuracy."""

from collections.abc import Sequence

from kg.paths.walk import DEPTHS
from services.evaluate.matrix import BIN_NAMES, BINS
from services.report.content import CostPoint, Grounds, Repeats, RiskPoint, RunSection, Silences
from services.report.html_failures import rate_entry, rate_table
from services.report.html_values import (
    Column,
    Entry,
    Row,
    TableView,
    duration,
    name,
    none,
    percent,
    percent_range,
    plural,
    whole,
)

POINTS_SHOWN = 10
"""Of a curve of risk and coverage so many points are in a table; all are in the JSON."""
HELD = {"retrieved": "retrieved", "cited": "cited by the answer"}

WRONG_REASON = (
    "Right for the wrong reason: the answer is right though not every hop of its question has a supporting "
    "chunk among what was retrieved (or is cited). A guess, the model's memory, or a shortcut gave it. Null "
    "questions have no evidence to find and are left out."
)


def grounds_tables(grounds: Sequence[Grounds]) -> tuple[TableView, ...]:
    """For what was retrieved, and for what is cited: shares by depth, and by depth and distance."""
    tables = []
    for by in dict.fromkeys(one.by for one in grounds):
        own = [one for one in grounds if one.by == by]
        tables.append(_totals(by, [one for one in own if one.bin is None]))
        if any(one.bin is not None for one in own):
            tables.append(_cells(by, own))
    return tuple(tables)


def _totals(by: str, grounds: Sequence[Grounds]) -> TableView:
    columns = ("right answers", "all hops", "some", "none", "right for the wrong reason")
    return TableView(
        f"Right answers by the hops whose evidence was {HELD[by]}",
        "questions",
        tuple(map(Column, columns)),
        tuple(
            Row(
                "all answerable" if one.hops is None else f"{one.hops} hops",
                (
                    *map(_count, (one.unfounded.n, one.every, one.some, one.none)),
                    rate_entry(one.unfounded),
                ),
            )
            for one in grounds
        ),
        (WRONG_REASON,),
    )


def _cells(by: str, grounds: Sequence[Grounds]) -> TableView:
    found = {(one.hops, one.bin): one.unfounded for one in grounds}
    return TableView(
        f"Right for the wrong reason, by depth and distance ({by})",
        "depth",
        tuple(Column(BIN_NAMES[quartile]) for quartile in BINS),
        tuple(
            Row(
                f"{depth} hops",
                tuple(
                    rate_entry(found[depth, quartile])
                    if (depth, quartile) in found
                    else none("no right answer")
                    for quartile in BINS
                ),
            )
            for depth in DEPTHS
        ),
        folded=True,
    )


def _count(number: int) -> Entry:
    return Entry(whole(number))


def silence_tables(found: Silences) -> tuple[TableView, ...]:
    """The rates, and risk against coverage where answers carry a confidence."""
    rates = (found.false_answers, found.false_silences, found.coverage, found.risk)
    table = rate_table(
        "Answers and silences",
        "",
        rates,
        (
            "False answers: null questions that were answered all the same. False silences: answerable "
            "questions that were abstained from. Coverage: questions with an answer; risk: wrong ones among "
            "these. Answers that failed count as not covered.",
        ),
    )
    return (table, _curve_table(found)) if found.area is not None else (table,)


def _curve_table(found: Silences) -> TableView:
    return TableView(
        "Risk against coverage",
        "least confidence",
        tuple(map(Column, ("coverage", "risk"))),
        tuple(
            Row(
                f"{point.confidence or 0.0:.2f}", (Entry(percent(point.coverage)), Entry(percent(point.risk)))
            )
            for point in shown_points(found.curve)
        ),
        (
            f"If only answers of this confidence or more were given. The mean risk along the curve is "
            f"{found.area:.3f}; a system that knows when it is wrong has less.",
        ),
    )


def shown_points(curve: Sequence[RiskPoint]) -> list[RiskPoint]:
    """At most `POINTS_SHOWN` points of a curve, evenly from it, the last one always."""
    step = -(-len(curve) // POINTS_SHOWN) or 1
    return list(curve[::-1][::step][::-1])


def cost_table(costs: Sequence[CostPoint]) -> TableView:
    """Accuracy beside what it took, and by which run another is beaten."""
    return TableView(
        "Accuracy and what it takes",
        "run",
        tuple(map(Column, ("accuracy", "tokens", "money", "time", "by tokens", "by money"))),
        tuple(
            Row(
                name(one.run),
                (
                    rate_entry(one.accuracy),
                    Entry(whole(one.tokens)),
                    none("no price is set") if one.money is None else Entry(f"{one.money:,.2f}"),
                    Entry(duration(one.seconds)),
                    _beaten(one.beaten_in_tokens),
                    none("no price is set") if one.money is None else _beaten(one.beaten_in_money),
                ),
            )
            for one in costs
        ),
        (
            f"On the {plural(costs[0].accuracy.n, 'question')} that all runs answered; tokens, money and "
            "time are for 1,000 questions, answers summed. A run is beaten by one that is at least as "
            "accurate for no more, and better in one of the two; the others are the front. A small lead in "
            "accuracy may be chance: see which differ.",
        ),
    )


def _beaten(by: str) -> Entry:
    return Entry(name(by), ("beats it",)) if by else Entry("on the front")


def repeats_table(found: Sequence[Repeats]) -> TableView:
    """How far runs vary that differ in the model's seed only."""
    columns = (
        "mean accuracy",
        "of the runs",
        "spread of runs",
        "error, questions",
        "error, runs",
        "unsteady",
    )
    return TableView(
        "Runs that repeat each other",
        "system",
        tuple(map(Column, columns)),
        tuple(
            Row(
                name(one.name),
                (
                    Entry(
                        percent(one.accuracy.mean),
                        (percent_range(one.accuracy.interval),) if one.accuracy.interval else (),
                    ),
                    Entry(", ".join(map(percent, one.accuracy.means))),
                    Entry(f"{100 * one.accuracy.spread:.1f}"),
                    none("one cluster")
                    if one.accuracy.cluster_error is None
                    else Entry(f"{100 * one.accuracy.cluster_error:.1f}"),
                    Entry(f"{100 * one.accuracy.run_error:.1f}"),
                    rate_entry(one.unsteady),
                ),
            )
            for one in found
        ),
        (
            "They differ in the seed of the model only. Spread is the standard deviation of their accuracies "
            "in points; errors are standard errors of the mean: what other questions would change, by "
            "cluster, and what other runs would add to that. The interval allows for both. Unsteady: "
            "questions that some of the runs got right and others not.",
        ),
    )


def grounds_side_by_side(runs: Sequence[RunSection]) -> TableView:
    """The share of right answers for the wrong reason of every run, by depth."""
    found = [
        {one.hops: one.unfounded for one in run.grounds if one.by == "retrieved" and one.bin is None}
        for run in runs
    ]
    return TableView(
        "Right for the wrong reason, all runs",
        "run",
        tuple(map(Column, ("all answerable", *(f"{depth} hops" for depth in DEPTHS)))),
        tuple(
            Row(
                name(run.facts.name),
                tuple(
                    rate_entry(rates[depth]) if depth in rates else none("no right answer")
                    for depth in (None, *DEPTHS)
                ),
            )
            for run, rates in zip(runs, found, strict=True)
        ),
        (WRONG_REASON,),
    )
