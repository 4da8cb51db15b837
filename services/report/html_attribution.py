"""Tables of why a run failed: by cause, by first failing hop, by behaviour, and what a miss leads to."""

from collections.abc import Iterator, Mapping, Sequence

from services.evaluate.attribution.behaviours import ABOUT, BEHAVIOURS
from services.evaluate.attribution.cascade import Cascade
from services.evaluate.attribution.causes import CAUSES, Cause
from services.evaluate.attribution.figures import AttributionFigures, CauseFigures
from services.evaluate.hop_aware.content import Group
from services.evaluate.matrix import SMALL
from services.evaluate.run_analysis import RunAnalysis
from services.report.html_goals import goal_tables
from services.report.html_hop_aware import group_title, hop_tables, share_entry
from services.report.html_values import Column, Entry, Row, TableView, none, whole


def analysis_tables(found: RunAnalysis) -> tuple[TableView, ...]:
    """Every table about the traces of one run."""
    return (*hop_tables(found.hops), *failure_tables(found.failures), *goal_tables(found.goals))


def failure_tables(found: AttributionFigures, of: str = "") -> tuple[TableView, ...]:
    """The tables of why a run failed, those without anything in them left out; `of` is added to captions."""
    if not found.total.failures:
        return ()
    lines = [(one.group, one) for one in (*found.groups, found.total) if one.failures]
    tables = [cause_table(lines, of)]
    if found.total.first_hops:
        tables.append(first_hop_table(found.total, of))
    tables.append(behaviour_table(lines, of))
    cascades = ((found.by_evidence, "evidence"), (found.by_prefixes, "prefix questions"))
    tables += [cascade_table(some, by, of) for some, by in cascades if any(one.missed.n for one in some)]
    return tuple(tables)


def cause_table(lines: Sequence[tuple[Group, CauseFigures]], of: str = "") -> TableView:
    """Of the failures of each group the share of each cause; causes that never occur have no column."""
    shown = [cause for cause in CAUSES if any(one.causes[cause].value for _, one in lines)]
    return TableView(
        f"What failures are attributed to{of}",
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
        ),
    )


def first_hop_table(total: CauseFigures, of: str = "") -> TableView:
    """How many failures begin at which hop, by cause."""
    rows = [(f"hop {hop}", by_cause) for hop, by_cause in total.first_hops.items()]
    if total.no_hop:
        rows.append(("no hop known", total.no_hop))
    shown = [cause for cause in CAUSES if any(cause in by_cause for _, by_cause in rows)]
    return TableView(
        f"The first hop that failed{of}",
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


def behaviour_table(lines: Sequence[tuple[Group, CauseFigures]], of: str = "") -> TableView:
    """Of the failures of each group the share that shows a named behaviour."""
    said = "; ".join(f"{name}: {about}" for name, about in ABOUT.items())
    return TableView(
        f"How it behaved where it failed{of}",
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
        (f"An answer may show several. {said[:1].upper()}{said[1:]}.",),
    )


def cascade_table(cascades: Sequence[Cascade], by: str, of: str = "") -> TableView:
    """What becomes of a miss at each hop, by evidence or by prefix questions."""
    columns = ("missed", "then got the next", "then right", "next, if not missed", "right, if not missed")
    return TableView(
        f"What a miss leads to, by {by}{of}",
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
