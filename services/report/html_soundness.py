"""Tables of what went wrong: where the chain broke, what was retrieved, on what answers fail most.

Tables on how far answers can be trusted: what right ones rest on, silence, and cost beside accuracy."""

from collections.abc import Mapping, Sequence

from kg.paths.protocol import DEPTHS
from services.evaluate.matrix import BIN_NAMES, BINS, SMALL
from services.report.content import (
    CostPoint,
    Grounds,
    HopLoss,
    Rate,
    Repeats,
    RiskPoint,
    RunSection,
    Silences,
    Worst,
)
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

WORST_ORDER = ("entities", "claims", "articles")


def loss_table(losses: Sequence[HopLoss]) -> TableView:
    """The numbers of the bars, with shares of a depth's wrong answers."""
    most = max((len(loss.retrieval) for loss in losses), default=0)
    untold = ("not told",) if any(loss.untold for loss in losses) else ()
    hops = (f"at hop {hop}" for hop in range(1, most + 1))
    columns = ("wrong", *hops, "reasoning", "error", *untold, "abstained")
    return TableView(
        "Where the chain broke first",
        "depth",
        tuple(map(Column, columns)),
        tuple(Row(f"{loss.hops} hops", _loss_figures(loss, most, bool(untold))) for loss in losses),
        (
            "At a hop: it is the first of which no supporting chunk was retrieved. Reasoning: every "
            "hop\u2019s evidence was retrieved, and the answer is wrong all the same. Error: the system "
            "failed. Abstentions are counted again, whatever the cause."
            + (" Not told: the system keeps to itself what it retrieved." if untold else ""),
        ),
    )


def _loss_figures(loss: HopLoss, most: int, untold: bool) -> tuple[Entry, ...]:
    lost = [_part(number, loss.wrong) for number in loss.retrieval]
    beyond = [none("no hop")] * (most - len(lost))
    others = (loss.reasoning, loss.errors, *((loss.untold,) if untold else ()), loss.abstained)
    rest = (_part(number, loss.wrong) for number in others)
    return (Entry(whole(loss.wrong)), *lost, *beyond, *rest)


def _part(number: int, whole_number: int) -> Entry:
    if not whole_number:
        return none("none wrong")
    return Entry(whole(number), (percent(number / whole_number),))


def rate_table(caption: str, corner: str, rates: Sequence[Rate], notes: tuple[str, ...]) -> TableView:
    """Shares with their intervals, one a line."""
    return TableView(
        caption,
        corner,
        tuple(map(Column, ("found", "share", "95% interval"))),
        tuple(Row(name(rate.name), _rate_figures(rate)) for rate in rates),
        notes,
    )


def recall_table(rates: Sequence[Rate]) -> TableView:
    """How often a supporting chunk of each hop was retrieved."""
    return rate_table(
        "Hops of which a supporting chunk was retrieved",
        "hop",
        rates,
        ("Over all chain questions, answered rightly or not.",),
    )


def rate_entry(rate: Rate) -> Entry:
    """A share with its numbers in one cell."""
    if rate.rate is None:
        return none("no answers")
    notes = (f"{rate.hits:,} of {rate.n:,}", *((percent_range(rate.interval),) if rate.interval else ()))
    return Entry(percent(rate.rate), notes, small=rate.small)


def _rate_figures(rate: Rate) -> tuple[Entry, ...]:
    hits = Entry(f"{rate.hits:,} of {rate.n:,}")
    if rate.rate is None:
        return (hits, none("none to count"), none("none to count"))
    interval = none("undefined") if rate.interval is None else Entry(percent_range(rate.interval))
    return (hits, Entry(percent(rate.rate), small=rate.small), interval)


def worst_tables(worst: Mapping[str, Sequence[Worst]]) -> list[TableView]:
    """What answers fail on most: entities, claims, articles, then anything else by name."""
    kinds = [kind for kind in WORST_ORDER if kind in worst]
    kinds += sorted(worst.keys() - set(WORST_ORDER))
    return [_worst_table(kind, worst[kind]) for kind in kinds if worst[kind]]


def worst_order() -> str:
    """How a list of what a run fails on most is ordered."""
    return f"Highest error rate first; those with {SMALL} answers or more before the others."


def _worst_table(kind: str, found: Sequence[Worst]) -> TableView:
    return TableView(
        f"{kind.capitalize()} with the highest error rate",
        "name",
        (Column("wrong"), Column("error rate"), Column("id", number=False)),
        tuple(
            Row(
                name(one.name),
                (
                    Entry(f"{one.wrong:,} of {one.answers:,}"),
                    Entry(percent(one.wrong / one.answers), small=one.answers < SMALL)
                    if one.answers
                    else none("no answers"),
                    Entry(one.id, code=True),
                ),
            )
            for one in found
        ),
        (worst_order(),),
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
