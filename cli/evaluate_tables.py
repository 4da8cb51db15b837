"""The end of an evaluation in a terminal and as JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from shlex import quote

from cli.console import out, remark, say, table
from services.evaluate.answers import EXACT_MATCH
from services.evaluate.matrix import SMALL
from services.evaluate.statistics.intervals import Interval
from services.report.content import HopLoss, Rate
from services.systems.against_baseline import ScopeRow, Standing

NAME_WIDTH = 40
LOST_AT = "retrieval of "


def print_standing(found: Standing, corpus: str, asks: bool = True, chosen: bool = False) -> None:
    """The table of error rates, where chains broke, the worst entities, and what a reader must know.

    `asks` says that the system can be asked again, unlike a file; `chosen` that nobody named the baseline.
    """
    out.print()
    title = f"Error rate of {found.run}"
    if found.baseline:
        columns: tuple[str, ...] = ("", "n", found.run, found.baseline, "difference [95 %]", "")
        out.print(table(f"{title} beside {found.baseline}", columns, [_compared(row) for row in found.rows]))
        say("Difference: below 0 is better; interval by clusters of questions that share an article.", "dim")
        if chosen:
            say(
                f"Baseline: {found.baseline}, the first run of Hopgrade's own systems by rules. "
                "Another: --baseline RUN.",
                "dim",
            )
    else:
        out.print(table(title, ("", "n", found.run), [_alone(row) for row in found.rows]))
    if any(row.n < SMALL for row in found.rows):
        say(f"* fewer than {SMALL} questions.", "dim")
    if broken := _broken(found.losses):
        say(f"First broken hop: {broken}")
    if found.worst:
        say(
            "Worst entities: "
            + ", ".join(f"{_cut(one.name)} ({one.wrong} of {one.answers} wrong)" for one in found.worst)
        )
    for note in notes(found, corpus, asks):
        remark(f"note: {note}")
    say(f"Hop by hop: kg run analyse {quote(found.run)} --corpus {quote(corpus)}")
    if found.baseline:
        say(
            f"Gate: kg run gate {quote(found.run)} --baseline {quote(found.baseline)} --max-drop .03 "
            f"--corpus {quote(corpus)}"
        )


def standing_json(found: Standing) -> dict[str, object]:
    """The same as plain values."""
    return {
        "run": found.run,
        "baseline": found.baseline or None,
        "answers": found.answers,
        "errors": found.errors,
        "left_out": found.unshared,
        "error_rates": [asdict(row) for row in found.rows],
        "first_broken_hop": dict(broken_parts(found.losses)),
        "worst_entities": [asdict(one) for one in found.worst],
        "retrieval": {
            "unaligned_texts": found.unaligned,
            "answers_with_unaligned": found.with_unaligned,
            "answers_without_retrieval_told": found.untold,
        },
        "judge": found.judge,
    }


def broken_parts(losses: Sequence[HopLoss]) -> Mapping[str, int]:
    """Of the wrong answers to chain questions, how many broke where first; parts without any are left out."""
    deepest = max((len(loss.retrieval) for loss in losses), default=0)
    parts = {
        f"{LOST_AT}hop {hop + 1}": sum(sum(loss.retrieval[hop : hop + 1]) for loss in losses)
        for hop in range(deepest)
    }
    parts["reasoning"] = sum(loss.reasoning for loss in losses)
    parts["error"] = sum(loss.errors for loss in losses)
    parts["not told"] = sum(loss.untold for loss in losses)
    return {name: number for name, number in parts.items() if number}


def notes(found: Standing, corpus: str, asks: bool = True) -> list[str]:
    """What a reader must know before the numbers."""
    said = []
    if found.errors:
        again = " Ask them again: the same command with --retry-failed." if asks else ""
        said.append(f"{found.errors:,} answers are errors and count as wrong.{again}")
    if found.unshared:
        said.append(
            f"{found.unshared:,} answers are to questions that {found.baseline!r} did not answer, and are "
            "left out of the table."
        )
    if found.unaligned:
        said.append(
            f"{found.unaligned:,} retrieved texts on {found.with_unaligned:,} answers are in no chunk of the "
            "corpus, and count as nothing found."
        )
    if found.untold:
        said.append(
            f"on {found.untold:,} answers the system did not tell what it retrieved, so where the wrong ones "
            "broke is not known."
        )
    if found.long_answers and found.judge == EXACT_MATCH:
        said.append(
            "most answers are whole sentences, which exact match calls wrong. Let a model judge: "
            f"kg run judge {quote(found.run)} --corpus {quote(corpus)}"
        )
    return said


def _compared(row: ScopeRow) -> list[object]:
    difference = "-" if row.difference is None else f"{row.difference:+.2f} {_span(row.interval)}"
    return [
        row.scope,
        _count(row),
        _rate(row.rate),
        "-" if row.baseline is None else _rate(row.baseline),
        difference,
        _in_words(row),
    ]


def _in_words(row: ScopeRow) -> str:
    if row.p_value is None or row.difference is None:
        return "too few clusters"
    if not row.shown:
        return "not shown to differ"
    return "better" if row.difference < 0 else "worse"


def _alone(row: ScopeRow) -> list[object]:
    interval = row.rate.interval
    span = "" if interval is None else f" [{interval.low:.2f}, {interval.high:.2f}]"
    return [row.scope, _count(row), f"{_rate(row.rate)}{span}"]


def _count(row: ScopeRow) -> str:
    return f"{row.n:,}{'*' if row.n < SMALL else ''}"


def _rate(rate: Rate) -> str:
    return "-" if rate.rate is None else f"{rate.rate:.2f}"


def _span(interval: Interval | None) -> str:
    return "" if interval is None else f"[{interval.low:+.2f}, {interval.high:+.2f}]"


def _broken(losses: Sequence[HopLoss]) -> str:
    """The parts as shares of the wrong answers to chain questions, those of retrieval together first."""
    wrong = sum(loss.wrong for loss in losses)
    shares = {name: _percent(number, wrong) for name, number in broken_parts(losses).items()}
    lost_at = [name for name in shares if name.startswith(LOST_AT)]
    hops = [f"{name.removeprefix(LOST_AT)} {shares.pop(name)}" for name in lost_at]
    lost = sum(sum(loss.retrieval) for loss in losses)
    retrieval = [f"retrieval {_percent(lost, wrong)} ({', '.join(hops)})"] if hops else []
    return ", ".join([*retrieval, *(f"{name} {share}" for name, share in shares.items())])


def _percent(number: int, whole: int) -> str:
    return f"{number / whole:.0%}".replace("%", " %")


def _cut(text: str) -> str:
    return text if len(text) <= NAME_WIDTH else f"{text[: NAME_WIDTH - 3]}..."
