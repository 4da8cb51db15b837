"""Tables of hop-aware analysis: how often right, how deep, with how many searches (AgenticRAGTracer).

The table of an agent that seeks goals: by query type, how often right, content, and after how long.

Tables of why a run failed: by cause, by first failing hop, by behaviour, and what a miss leads to.
"""

from collections.abc import Iterator, Mapping, Sequence

from markupsafe import Markup

from services.evaluate.causes import ABOUT, BEHAVIOURS, CAUSES, CAUSES_AND_EVIDENCE, Cause
from services.evaluate.diagnose import AttributionFigures, Cascade, CauseFigures
from services.evaluate.hop_aware import Figure, Group, GroupFigures, HopAware, Steps
from services.evaluate.matrix import SMALL
from services.evaluate.run_analysis import ALL, GoalRow, RunAnalysis
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


def goal_tables(rows: Sequence[GoalRow]) -> tuple[TableView, ...]:
    """The table, none for a system that seeks no goals."""
    if not rows:
        return ()
    columns = ("answers", "accuracy", "goals achieved", "accuracy where achieved", "iterations", "errors")
    found = TableView(
        "Goals by query type",
        "query type",
        tuple(map(Column, columns)),
        tuple(Row(name(row.query_type), _figures(row), total=row.query_type == ALL) for row in rows),
        (
            "A goal is achieved where the agent\u2019s own evaluator was content with its answer; whether "
            "that is right, the accuracy tells.",
        ),
    )
    return (found,)


def _figures(row: GoalRow) -> tuple[Entry, ...]:
    return (
        Entry(whole(row.accuracy.n), small=row.accuracy.small),
        share_entry(row.accuracy),
        share_entry(row.achieved),
        share_entry(row.right_when_achieved, "none achieved"),
        mean_entry(row.iterations),
        Entry(whole(row.errors)),
    )


def analysis_tables(found: RunAnalysis) -> tuple[TableView, ...]:
    """Every table about the traces of one run."""
    return (*hop_tables(found.hops), *failure_tables(found.failures), *goal_tables(found.goals))


def failure_tables(found: AttributionFigures) -> tuple[TableView, ...]:
    """The tables of why a run failed, those without anything in them left out."""
    if not found.total.failures:
        return ()
    lines = [(one.group, one) for one in (*found.groups, found.total) if one.failures]
    tables = [cause_table(lines)]
    if found.total.first_hops:
        tables.append(first_hop_table(found.total))
    tables.append(behaviour_table(lines))
    cascades = ((found.by_evidence, "evidence"), (found.by_prefixes, "prefix questions"))
    tables += [cascade_table(some, by) for some, by in cascades if any(one.missed.n for one in some)]
    return tuple(tables)


def cause_table(lines: Sequence[tuple[Group, CauseFigures]]) -> TableView:
    """Of the failures of each group the share of each cause; causes that never occur have no column."""
    shown = [cause for cause in CAUSES if any(one.causes[cause].value for _, one in lines)]
    return TableView(
        "What failures are attributed to",
        "questions",
        (Column("failures"), *map(Column, shown)),
        tuple(
            Row(
                group_title(group),
                (_failures(one), *(share_entry(one.causes[cause], "none") for cause in shown)),
                total=group.hops is None,
            )
            for group, one in lines
        ),
        (
            "Planning: no search asked for the first hop that failed. Retrieval: one did, and its evidence "
            "was never seen. Reasoning: it was seen. Answer form: the right content, said in a wrong form.",
            CAUSES_AND_EVIDENCE,
        ),
    )


def first_hop_table(total: CauseFigures) -> TableView:
    """How many failures begin at which hop, by cause."""
    rows = [(f"hop {hop}", by_cause) for hop, by_cause in total.first_hops.items()]
    if total.no_hop:
        rows.append(("no hop known", total.no_hop))
    shown = [cause for cause in CAUSES if any(cause in by_cause for _, by_cause in rows)]
    return TableView(
        "The first hop that failed",
        "hop",
        (Column("failures"), *map(Column, shown)),
        tuple(
            Row(
                label,
                (Entry(whole(sum(by_cause.values()))), *(_count(by_cause, cause) for cause in shown)),
            )
            for label, by_cause in rows
        ),
    )


def behaviour_table(lines: Sequence[tuple[Group, CauseFigures]]) -> TableView:
    """Of the failures of each group the share that shows a named behaviour."""
    text = "; ".join(f"{name}: {about}" for name, about in ABOUT.items())
    return TableView(
        "How it behaved where it failed",
        "questions",
        (Column("failures"), *map(Column, BEHAVIOURS)),
        tuple(
            Row(
                group_title(group),
                (_failures(one), *(share_entry(one.behaviours[name], "none") for name in BEHAVIOURS)),
                total=group.hops is None,
            )
            for group, one in lines
        ),
        (f"An answer may show several. {text[:1].upper()}{text[1:]}.",),
    )


def cascade_table(cascades: Sequence[Cascade], by: str) -> TableView:
    """What becomes of a miss at each hop, by evidence or by prefix questions."""
    columns = ("missed", "then got the next", "then right", "next, if not missed", "right, if not missed")
    return TableView(
        f"What a miss leads to, by {by}",
        "hop",
        tuple(map(Column, columns)),
        tuple(Row(f"hop {one.hop}", tuple(_cascade(one))) for one in cascades if one.missed.n),
        (
            "Over the answers that got every hop before: the share that missed this one; of these the share "
            "that got the next hop, and that was right in the end; the same where it was not missed.",
        ),
    )


def _cascade(one: Cascade) -> Iterator[Entry]:
    yield share_entry(one.missed, "none got so far", counted=True)
    for figure in (one.recovered, one.right, one.next_after_hit, one.right_after_hit):
        yield share_entry(figure, "none", counted=True)


def _failures(one: CauseFigures) -> Entry:
    return Entry(whole(one.failures), (f"of {one.answers:,}",), small=one.failures < SMALL)


def _count(counts: Mapping[Cause, int], cause: Cause) -> Entry:
    return Entry(whole(counts[cause])) if counts.get(cause) else none("none")
