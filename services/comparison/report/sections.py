"""The report of a judged comparison as sections in the order in which a reviewer reads them.

Shares of wrong answers by how many borders of clusters the evidence crosses, as tables.

Systems beside measures, as tables.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from kg.errors import command
from services.comparison.analysis.content import CrossingRow, GroundsRow, MeasureRow, Results
from services.comparison.folder import archive_name
from services.comparison.judging.labels import LabelledFigures
from services.comparison.protocol import MEASURE_NAMES, Protocol
from services.comparison.report.sentences import (
    clusters_sentence,
    finding,
    headline,
    measure_definitions,
    naive_sentences,
    replication_sentences,
)
from services.comparison.report.tables_hypotheses import (
    by_second,
    detail_tables,
    naive_table,
    outcome_table,
    pairs_table,
    share,
    share_range,
)
from services.comparison.report.tables_protocol import (
    agreement_table,
    categories_table,
    compared,
    hypotheses_table,
    labels_table,
    protocol_table,
    reasons,
    systems_table,
    trust_table,
)
from services.evaluate.matrix import BIN_NAMES, BINS
from services.questions.spans.facets import FACET_NAMES
from services.report.html_values import Column, Entry, Row, TableView, none, plural


def measures_table(results: Results) -> TableView:
    """The mean of each measure by the first judge, or by nobody, for each system."""
    judge = results.replication.judge
    rows = [one for one in results.measures if one.role in ("judge", "none")]
    return _side_by_side(f"Systems and measures, judged by {judge}", rows, folded=False)


def second_measures_table(results: Results) -> TableView:
    """The same by the second judge."""
    judge = results.replication.second_judge
    rows = [one for one in results.measures if one.role == "second_judge"]
    return _side_by_side(f"The same measures, judged by {judge}", rows, folded=True)


def effects_table(results: Results) -> TableView:
    """What clusters cost each figure, and the interval that ignores them."""
    columns = ("mean", "by cluster", "ignoring clusters (naive)", "clusters", "design effect", "worth")
    return TableView(
        "What the clusters cost",
        "measure, system",
        tuple(map(Column, columns)),
        tuple(
            Row(f"{MEASURE_NAMES[one.measure]}, {one.system}{by_second(one)}", _effect(one))
            for one in results.measures
            if one.n
        ),
        (
            "The design effect is how many times larger the variance is than that of as many independent "
            "questions; worth is how many of those would say as much. The naive interval takes every "
            "question for independent; it is shown for comparison only.",
        ),
        folded=True,
    )


def _side_by_side(caption: str, rows: Sequence[MeasureRow], folded: bool) -> TableView:
    measures = list(dict.fromkeys(one.measure for one in rows))
    systems = list(dict.fromkeys(one.system for one in rows))
    found = {(one.system, one.measure): one for one in rows}
    return TableView(
        caption,
        "system",
        tuple(Column(MEASURE_NAMES[measure]) for measure in measures),
        tuple(
            Row(system, tuple(_mean(found[system, measure]) for measure in measures)) for system in systems
        ),
        (
            "Means with 95% intervals by cluster, over the questions where the measure is defined; the "
            "others are counted, and never stand as 0.",
        ),
        folded=folded,
    )


def _mean(one: MeasureRow) -> Entry:
    if one.mean is None:
        return none("nowhere defined")
    span = share_range(one.interval) if one.interval else f"no interval: {plural(one.clusters, 'cluster')}"
    undefined = f", {one.undefined:,} undefined" if one.undefined else ""
    return Entry(share(one.mean), (span, f"n {one.n:,}{undefined}"))


def _effect(one: MeasureRow) -> tuple[Entry, ...]:
    return (
        none("undefined") if one.mean is None else Entry(share(one.mean)),
        none("one cluster") if one.interval is None else Entry(share_range(one.interval)),
        none("undefined") if one.naive is None else Entry(share_range(one.naive)),
        Entry(f"{one.clusters:,}"),
        none("one cluster" if one.clusters < 2 else "all alike")
        if one.design_effect is None
        else Entry(f"{one.design_effect:.2f}"),
        none("undefined")
        if one.effective_n is None
        else Entry(f"{one.effective_n:,.0f}", (f"of {one.n:,}",)),
    )


def grounds_tables(results: Results) -> tuple[TableView, ...]:
    """On what right answers rest by the first judge, also by depth and distance, and by the second."""
    whole = [one for one in results.grounds if one.hops is None]
    firsts = [one for one in whole if one.role == "judge"]
    seconds = [one for one in whole if one.role == "second_judge"]
    cells = [one for one in results.grounds if one.role == "judge" and one.hops is not None]
    told = results.replication
    made = (
        _grounds("What right answers rest on", firsts, False) if firsts else None,
        _grounds_cells(cells) if cells else None,
        _grounds(f"The same, judged by {told.second_judge}", seconds, True) if seconds else None,
    )
    return tuple(table for table in made if table is not None)


def _grounds(caption: str, rows: Sequence[GroundsRow], folded: bool) -> TableView:
    columns = ("right", "all hops shown", "some", "none", "unrelated", "right for the wrong reason")
    return TableView(
        caption,
        "system",
        tuple(map(Column, columns)),
        tuple(
            Row(
                one.system,
                (
                    *(Entry(f"{n:,}") for n in (one.n, one.every, one.some, one.none, one.unrelated)),
                    _grounds_rate(one),
                ),
            )
            for one in rows
        ),
        (
            "Right for the wrong reason: called right by the judge, though evidence of a hop was not shown; "
            "95% intervals by cluster. Unrelated: none of the chunks that the answer uses is gold or states "
            "a gold fact. Null questions have no evidence and are left out.",
        ),
        folded=folded,
    )


def _grounds_cells(rows: Sequence[GroundsRow]) -> TableView:
    found = {(one.system, one.hops, one.bin): one for one in rows}
    parts = list(dict.fromkeys((one.system, one.hops) for one in rows))
    columns = (None, *(place for place in BINS if any(one.bin == place for one in rows)))
    return TableView(
        "Right for the wrong reason, by depth and distance",
        "system, depth",
        tuple(Column("all" if place is None else BIN_NAMES[place]) for place in columns),
        tuple(
            Row(
                f"{system}, {plural(hops or 0, 'hop')}",
                tuple(
                    _grounds_rate(found[system, hops, place])
                    if (system, hops, place) in found
                    else none("none right")
                    for place in columns
                ),
            )
            for system, hops in sorted(parts, key=lambda part: (part[0], part[1] or 0))
        ),
        folded=True,
    )


def _grounds_rate(one: GroundsRow) -> Entry:
    if one.rate is None:
        return none("none right")
    span = "one cluster, no interval" if one.interval is None else share_range(one.interval)
    return Entry(share(one.rate), (span, f"{one.some + one.none:,} of {one.n:,}"), small=one.small)


def crossing_tables(results: Results) -> tuple[TableView, ...]:
    """A table for each facet that questions were told by."""
    facets = dict.fromkeys(one.facet for one in results.crossings)
    return tuple(
        _table(facet, [one for one in results.crossings if one.facet == facet], folded=place > 0)
        for place, facet in enumerate(facets)
    )


def _table(facet: str, rows: list[CrossingRow], folded: bool) -> TableView:
    numbers = sorted({one.crossings for one in rows})
    found = {(one.system, one.crossings): one for one in rows}
    return TableView(
        f"Share of wrong answers, by borders between {_several(facet)} that the hops cross",
        "system",
        tuple(Column(plural(number, "border")) for number in numbers),
        tuple(
            Row(system, tuple(_cell(found[system, number]) for number in numbers))
            for system in dict.fromkeys(one.system for one in rows)
        ),
        (f"{_crossing(rows)} By the first judge, with 95% intervals by cluster.",),
        folded=folded,
    )


def _crossing(rows: list[CrossingRow]) -> str:
    """How many questions cross a border; a system without a verdict on some has fewer of them."""
    most: dict[int, int] = {}
    for one in rows:
        most[one.crossings] = max(one.n, most.get(one.crossings, 0))
    of_all, across = sum(most.values()), sum(n for number, n in most.items() if number)
    text = f" ({share(across / of_all)})" if of_all else ""
    return f"{across:,} of {plural(of_all, 'question')}{text} cross at least one."


def _several(facet: str) -> str:
    return next((names[1] for known, names in FACET_NAMES.items() if known == facet), facet)


def _cell(one: CrossingRow) -> Entry:
    if one.rate is None:
        return none("no verdict")
    span = "one cluster, no interval" if one.interval is None else share_range(one.interval)
    return Entry(share(one.rate), (span, f"{one.errors:,} of {one.n:,}"), small=one.small)


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the report: sentences, then points of a list, then commands to type, then tables.

    `plot` asks for the forest plot, where drawings can be shown. Everything is plain text.
    """

    id: str
    heading: str
    sentences: tuple[str, ...] = ()
    points: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    tables: tuple[TableView, ...] = ()
    plot: bool = False


def protocol_of(results: Results) -> Protocol:
    """The protocol that the results are of."""
    return Protocol.model_validate(results.protocol)


def sections(results: Results, labelled: Sequence[LabelledFigures] = ()) -> tuple[Section, ...]:
    """All sections; one without content is left out. `labelled` holds the judges against people's labels."""
    protocol = protocol_of(results)
    made = (
        Section(
            "summary",
            "In short",
            (headline(results),),
            tuple(" ".join(finding(one)) for one in results.hypotheses),
        ),
        Section(
            "protocol",
            "What was fixed before the run",
            (
                "Every system answered the same questions from the same frozen pool of candidates, within "
                "the same budget of evidence and the same cap on the answer. The protocol was hashed and "
                "locked before the first answer; a run that breaks it is refused.",
                "These were compared:",
            ),
            tuple(compared(protocol)),
            tables=(hypotheses_table(results), protocol_table(results, protocol)),
        ),
        Section(
            "hypotheses",
            "What came of the hypotheses",
            (
                "Questions that share evidence are not independent, so every interval and test takes whole "
                "clusters for the units.",
                clusters_sentence(results.clusters),
            ),
            tables=(outcome_table(results), *detail_tables(results)),
            plot=True,
        ),
        Section(
            "measures",
            "Systems and measures",
            points=tuple(measure_definitions()),
            tables=(
                measures_table(results),
                *grounds_tables(results),
                second_measures_table(results),
                effects_table(results),
                systems_table(results),
            ),
        ),
        Section(
            "naive",
            "What naive tests would have claimed",
            tuple(naive_sentences(results)),
            tables=(naive_table(results),),
        ),
        Section(
            "calibration",
            "How far the judges can be trusted",
            (
                "Each judge was tried on answers of known quality, made from the gold facts: right and wrong "
                "answers, with right and wrong evidence, in another order, among empty words, and once more.",
            ),
            tuple(reasons(results)),
            tables=(trust_table(results), categories_table(results)),
        ),
        Section(
            "people",
            "The judges beside people",
            (
                "People labelled answers of the systems without seeing system or verdict. Where a judge's "
                "errors are allowed for, it is by these labels.",
            ),
            tables=(labels_table(labelled),),
        )
        if labelled
        else None,
        Section(
            "replication",
            "Replication by the second judge",
            tuple(replication_sentences(results)),
            tables=(agreement_table(results),),
        ),
        _crossings(results),
        Section(
            "exploratory",
            "Everything else that can be compared",
            ("Nothing was claimed about these pairs beforehand, so nothing is claimed about them now.",),
            tables=(pairs_table(results),),
        )
        if results.pairs
        else None,
        Section("limits", "Limits", points=results.limits),
        _how_to_repeat(protocol, results),
    )
    return tuple(section for section in made if section is not None)


def _crossings(results: Results) -> Section:
    text = (
        "How often each system is wrong, by how many borders between clusters the hops of a question cross: "
        "of place, time and domain as the articles say, and of clusters of the graph."
    )
    unknown = (
        "It is not known of these questions which borders their hops cross. "
        f"{command('questions make')} counts the "
        "borders of those that it makes."
    )
    return Section(
        "crossings",
        "Questions that cross clusters",
        (text if results.crossings else unknown,),
        tables=crossing_tables(results),
    )


def _how_to_repeat(protocol: Protocol, results: Results) -> Section:
    look, looks = results.look.number, results.look.looks
    archive = archive_name(protocol.name, look, looks)
    only = "" if look == looks else f" --look {look}"
    return Section(
        "repeat",
        "How to check and repeat it",
        (
            f"{archive} holds every question, pool, answer and verdict. The first command computes every "
            "figure of this report from them, without network or graph, and says equal, or where not. The "
            f"others take protocol (hash {results.protocol_hash[:12]}) and pools out of it and run the "
            "comparison anew, where there is a corpus of the same version; a run from outside must be there "
            "too.",
        ),
        commands=(
            command("standard verify", archive),
            f"unzip {archive} protocol.json pool.jsonl -d again",
            "mv again/protocol.json again/standard.yaml",
            "gzip again/pool.jsonl",
            f"{command('standard run')} again{only}",
        ),
    )
