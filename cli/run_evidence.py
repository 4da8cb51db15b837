"""What the evidence did in a run, as tables of a terminal: ceilings, rankings, lost hops, grounds."""

from collections.abc import Mapping, Sequence

from cli.console import out, say, table
from cli.matrix import print_bars
from services.evaluate.matrix import BIN_NAMES, BINS, SMALL
from services.report.content import Grounds, HopLoss, Rate, RunSection, Silences
from services.report.html_soundness import shown_points
from services.statistics.intervals import Interval
from services.statistics.rankings import Mean


def print_ceilings(section: RunSection) -> None:
    """What a run got between answers from memory and from gold evidence, where such runs stand beside it."""
    found = section.ceilings
    if found is None:
        return
    lost = found.retrieval
    row = [
        f"{found.system.n:,}",
        *(
            "-" if rate is None else rate_text(rate)
            for rate in (found.from_memory, found.system, found.from_gold)
        ),
        "-" if lost is None else f"{lost.difference:+.2f}, {span(lost.interval)}",
        "-" if found.reading is None else rate_text(found.reading),
    ]
    columns = ("n", "closed-book", "this run", "gold evidence", "lost: retrieval", "lost: reading")
    out.print()
    out.print(
        table("Between its ceilings, on questions with evidence that each run answered", columns, [row])
    )
    told = (("closed-book", found.closed_book), ("gold evidence", found.gold))
    say(
        f"{'; '.join(f'{what}: run {name!r}' for what, name in told if name)}. Lost in retrieval: gold less "
        "this run, paired by question; in reading: 1 less gold. 95 % intervals by cluster.",
        "dim",
    )


def print_retrieval(means: Mapping[str, Mean]) -> None:
    """The measures of what a run ranked, each with its interval by cluster."""
    rows = [[name, f"{mean.value:.4f}", span(mean.interval)] for name, mean in means.items()]
    out.print(table("How well evidence was retrieved", ("measure", "mean", "95 %"), rows))
    n = max(mean.n for mean in means.values())
    say(
        f"Over {n:,}{'*' if n < SMALL else ''} questions of all kinds but null ones, from the chunks that "
        "the run retrieved, best first. MultiHop-RAG's paper calls Recall@k Hit@k; its script counts Hits@k.",
        "dim",
    )


def print_losses(losses: Sequence[HopLoss]) -> None:
    """Where the chains of wrong answers broke, by depth."""
    deepest = max(len(loss.retrieval) for loss in losses)
    untold = any(loss.untold for loss in losses)
    rows = [
        [
            f"{loss.hops} hops",
            f"{loss.wrong:,}",
            *(_part(count, loss) for count in loss.retrieval),
            *[""] * (deepest - len(loss.retrieval)),
            *(_part(count, loss) for count in (loss.reasoning, loss.errors)),
            *([_part(loss.untold, loss)] if untold else []),
            _part(loss.abstained, loss),
        ]
        for loss in losses
    ]
    hops = (f"hop {hop + 1}" for hop in range(deepest))
    columns = ("", "wrong", *hops, "reasoning", "error", *(("not told",) if untold else ()), "abstained")
    out.print(table("Of the wrong answers, lost first at or in", columns, rows))
    say(
        "hop: the first none of whose supporting chunks was retrieved; reasoning: all were found, and the "
        "answer is wrong. Abstentions are counted again.",
        "dim",
    )


def _part(count: int, loss: HopLoss) -> str:
    return f"{count / loss.wrong:.0%}".replace("%", " %") if loss.wrong else "-"


def print_grounds(grounds: Sequence[Grounds]) -> None:
    """How many right answers rest on evidence that is not whole, by depth and distance."""
    for by in dict.fromkeys(one.by for one in grounds):
        own = [one for one in grounds if one.by == by]
        cells = {(one.hops, one.bin): one.unfounded for one in own}
        rows = [
            [
                "all" if one.hops is None else f"{one.hops} hops",
                f"{one.unfounded.n:,}{'*' if one.unfounded.small else ''}",
                *(f"{number:,}" for number in (one.every, one.some, one.none)),
                rate_text(one.unfounded).replace(", ", "\n"),
                *(cell_text(cells.get((one.hops, quartile))) for quartile in BINS if one.hops is not None),
                *([""] * len(BINS) if one.hops is None else []),
            ]
            for one in own
            if one.bin is None
        ]
        out.print()
        columns = ("", "right", "all hops", "some", "none", "wrong reason", *BIN_NAMES.values())
        out.print(table(f"Right answers by the hops whose evidence was {by}", columns, rows))
    if grounds:
        say(
            "wrong reason: right though a hop has no evidence there; by distance beside it. Null questions "
            "are left out.",
            "dim",
        )


def cell_text(rate: Rate | None) -> str:
    """A rate alone, with a mark where few answers bear it, "-" without one."""
    return "-" if rate is None or rate.rate is None else f"{rate.rate:.2f}{'*' if rate.small else ''}"


def print_silences(found: Silences) -> None:
    """False answers and false silences, and risk against coverage."""
    print_bars(
        "Answers and silences", (found.false_answers, found.false_silences, found.coverage, found.risk)
    )
    say(
        "false answers: of null questions, answered all the same; false silences: of the others, abstained "
        "from; coverage: of all, answered; risk: of the answered, wrong.",
        "dim",
    )
    if found.area is not None:
        rows = [
            [f"{point.confidence or 0.0:.2f}", f"{point.coverage:.2f}", f"{point.risk:.2f}"]
            for point in shown_points(found.curve)
        ]
        columns = ("confidence from", "coverage", "risk")
        out.print(table(f"Risk against coverage, mean risk {found.area:.3f}", columns, rows))


def rate_text(rate: Rate) -> str:
    """A rate with its interval, "-" without one."""
    return "-" if rate.rate is None else f"{rate.rate:.2f}, {span(rate.interval)}"


def span(interval: Interval | None) -> str:
    """An interval as "low to high", "-" without one."""
    return "-" if interval is None else f"{interval.low:.2f} to {interval.high:.2f}"
