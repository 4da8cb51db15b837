"""Tables of what went wrong: where the chain broke, what was retrieved, and on what answers fail most."""

from collections.abc import Mapping, Sequence

from services.evaluate.matrix import SMALL
from services.report.content import HopLoss, Rate, Worst
from services.report.html_values import (
    Column,
    Entry,
    Row,
    TableView,
    name,
    none,
    percent,
    percent_range,
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
