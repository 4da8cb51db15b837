"""Tables of hop-aware analysis: how often right, how deep, with how many searches (AgenticRAGTracer)."""

from collections.abc import Iterator, Sequence

from markupsafe import Markup

from services.evaluate.hop_aware.content import Group, GroupFigures, HopAware, Steps
from services.evaluate.hop_aware.figures import Figure
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

MOST_COUNTED = 10
"""Numbers of searches that have a column of their own; larger ones share the last."""

Line = tuple[str | Markup, GroupFigures]
"""The header of a row, and what it shows."""


def hop_tables(found: HopAware) -> tuple[TableView, ...]:
    """The tables of one run, a row for each kind and depth."""
    lines = [(group_title(one.group), one) for one in _all(found)]
    return tables_of(lines, "questions")


def tables_of(lines: Sequence[Line], corner: str, of: str = "") -> tuple[TableView, ...]:
    """The tables of some lines; `of` is added to captions. Depths have a table where any is known."""
    asked = [line for line in lines if line[1].depths.reached.n]
    return (
        accuracy_table(lines, corner, of),
        *((depth_table(asked, corner, of),) if asked else ()),
        steps_table(lines, corner, of),
        counts_table(lines, corner, of),
    )


def group_title(group: Group) -> Markup:
    """A group as the header of its row."""
    return Markup("{}{}").format(name(group.label), _depth(group))


def accuracy_table(lines: Sequence[Line], corner: str, of: str = "") -> TableView:
    """How often right, by the run's judge and beside it (table 1 of the paper)."""
    columns = ("answers", "right", "exact match", "token F1", "judged 1 or 2", "0 / 1 / 2")
    return TableView(
        f"How often right{of}",
        corner,
        tuple(map(Column, columns)),
        tuple(Row(header, _accuracies(one), total=_is_total(one)) for header, one in lines),
        (
            "Right is by the run\u2019s judge. Exact match and F1 are after SQuAD\u2019s normalisation. "
            "Judged: the share of answers to which a judge on the scale 0 to 2 gave 1 or 2, and how many got "
            "which.",
        ),
    )


def depth_table(lines: Sequence[Line], corner: str, of: str = "") -> TableView:
    """How deep the chains are followed (table 2 of the paper)."""
    columns = ("asked in full", "MaxD", "unbroken", "MaxD, wrong answers", "unbroken, wrong answers")
    return TableView(
        f"How deep it gets{of}",
        corner,
        tuple(map(Column, columns)),
        tuple(Row(header, _depths(one), total=_is_total(one)) for header, one in lines),
        (
            "MaxD: the most hops of a prefix question, or of the question itself, that is answered right. "
            "Unbroken: the most hops such that all prefix questions up to there are. Both are means over the "
            "questions whose prefix questions were all asked.",
        ),
    )


def steps_table(lines: Sequence[Line], corner: str, of: str = "") -> TableView:
    """How searches were spent (table 2 and figure 3 of the paper)."""
    columns = (
        "Steps-C", "Steps-I", "collapsed", "over-extended", "top-k", "chunks seen", "redundant", "faults",
    )  # fmt: skip
    return TableView(
        f"How it searches{of}",
        corner,
        tuple(map(Column, columns)),
        tuple(Row(header, _steps(one), total=_is_total(one)) for header, one in lines),
        (
            "Steps-C and Steps-I: searches for a question answered right and wrong. Collapsed: fewer "
            "searches than hops; over-extended: more than twice as many. Top-k and chunks seen: for a "
            "search. Redundant: searches that look for what an earlier one looked for. Faults: for an "
            "answer.",
        ),
    )


def counts_table(lines: Sequence[Line], corner: str, of: str = "") -> TableView:
    """How many answers took how many searches, and how many of these are right."""
    most = max((count for _, one in lines for count in one.steps.by_count), default=0)
    labels = [str(count) for count in range(min(most, MOST_COUNTED) + 1)]
    labels += [f"{MOST_COUNTED + 1} or more"] if most > MOST_COUNTED else []
    return TableView(
        f"Answers by number of searches{of}",
        corner,
        tuple(map(Column, labels)),
        tuple(Row(header, _counts(one.steps, len(labels)), total=_is_total(one)) for header, one in lines),
        ("In each cell the answers with so many searches, and how many of them are right.",),
        folded=True,
    )


def counts_by_column(steps: Steps, columns: int) -> list[tuple[int, int]]:
    """Right and wrong answers with 0, 1, 2 ... searches; the last column has all that took more."""
    counts = [(0, 0)] * columns
    for number, (right, wrong) in steps.by_count.items():
        at = min(number, columns - 1)
        counts[at] = (counts[at][0] + right, counts[at][1] + wrong)
    return counts


def _all(found: HopAware) -> Iterator[GroupFigures]:
    yield from found.groups
    if found.total is not None and len({one.group.label for one in found.groups}) > 1:
        yield found.total


def kind_lines(analyses: Sequence[HopAware]) -> Iterator[tuple[str, list[Line]]]:
    """For each kind of question, and for all, a line for each run at each depth, depth after depth."""
    kinds = dict.fromkeys(one.group.label for run in analyses for one in _all(run))
    for label in kinds:
        inside = [(run, one) for run in analyses for one in _all(run) if one.group.label == label]
        depths = sorted({one.group.hops for _, one in inside}, key=lambda hops: (hops is None, hops or 0))
        yield (
            label,
            [
                (_header(run, one, alone=len(analyses) == 1), one)
                for hops in depths
                for run, one in inside
                if one.group.hops == hops
            ],
        )


def _header(run: HopAware, one: GroupFigures, alone: bool) -> Markup:
    depth = _depth(one.group).removeprefix(", ") or "all"
    return Markup.escape(depth) if alone else Markup("{}, {}").format(name(run.run), depth)


def _depth(group: Group) -> str:
    hops = group.hops
    return "" if hops is None else f", {hops} {'hop' if hops == 1 else 'hops'}"


def _is_total(one: GroupFigures) -> bool:
    return one.group.hops is None


def _accuracies(one: GroupFigures) -> tuple[Entry, ...]:
    found = one.accuracies
    judged = found.judged.n > 0
    return (
        Entry(whole(one.n), small=found.right.small),
        share_entry(found.right),
        share_entry(found.exact),
        mean_entry(found.f1),
        share_entry(found.judged) if judged else none("not judged"),
        Entry(" / ".join(map(whole, found.scores))) if judged else none("not judged"),
    )


def _depths(one: GroupFigures) -> tuple[Entry, ...]:
    found = one.depths
    return (
        Entry(whole(found.reached.n), small=found.reached.small),
        mean_entry(found.reached),
        mean_entry(found.unbroken),
        mean_entry(found.reached_failed, "none wrong"),
        mean_entry(found.unbroken_failed, "none wrong"),
    )


def _steps(one: GroupFigures) -> tuple[Entry, ...]:
    found = one.steps
    return (
        mean_entry(found.right, "none right"),
        mean_entry(found.wrong, "none wrong"),
        share_entry(found.collapsed, "no chain"),
        share_entry(found.extended, "no chain"),
        mean_entry(found.top_k, "not told"),
        mean_entry(found.seen, "no search"),
        share_entry(found.redundant, "no search"),
        mean_entry(one.faults),
    )


def _counts(steps: Steps, columns: int) -> tuple[Entry, ...]:
    return tuple(
        Entry(whole(right + wrong), (f"{right:,} right",)) if right + wrong else none("none")
        for right, wrong in counts_by_column(steps, columns)
    )


def share_entry(figure: Figure, why: str = "no answers", counted: bool = False) -> Entry:
    """A share with its interval, and with what it is a share of where that is `counted`; or why none."""
    if figure.value is None:
        return none(why)
    notes = (percent_range(figure.interval),) if figure.interval else ()
    counts = (f"of {figure.n:,}",) if counted else ()
    return Entry(percent(figure.value), (*counts, *notes), small=figure.small)


def mean_entry(figure: Figure, why: str = "no answers") -> Entry:
    """A mean with its interval, or why there is none."""
    if figure.value is None:
        return none(why)
    interval = figure.interval
    notes = (f"{interval.low:.2f}\u2013{interval.high:.2f}",) if interval else ()
    return Entry(f"{figure.value:.2f}", notes, small=figure.small)
