"""Make a report: analyse its runs, read it, and write what it finds back to the graph.

Every number of a report as a Finding node, so that a query finds what the page shows.

The numbers of a report, one by one, each with its measure and scope.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace

from kg.ids import node_id, run_id
from kg.progress import Progress
from kg.queries import query
from kg.store.graph import Graph, Row
from services.evaluate.matrix import Association, Cell, Matrix
from services.evaluate.write_back import analyse_run
from services.questions.spans.question_spans import renew_spans
from services.report.collect import choose_runs, collect_report, partial_runs_note
from services.report.content import (
    Ablation,
    Ceilings,
    Compared,
    HopLoss,
    KindRow,
    LinkShare,
    Rate,
    Report,
    RunFacts,
    RunSection,
    Silences,
)
from services.statistics.intervals import Interval
from services.statistics.trend import Correlation, Trend

ALL = "all"
AVERAGE = "average"


@dataclass(frozen=True, slots=True)
class Finding:
    """One number of a report on a run.

    `measure` names it as the page does; `scope` says of which questions ("all", "2 hops", a kind). With
    `aggregate`, `other_run`, `embedder` and `chunking`, or `about`, the id of a node, it differs from its
    like. `p` is the p-value to go by (Holm's for a comparison), `p_clustered` takes only clusters for
    independent, `p_naive` all questions.
    """

    measure: str
    scope: str
    value: float | None
    n: int | None = None
    interval: Interval | None = None
    p: float | None = None
    p_clustered: float | None = None
    p_naive: float | None = None
    clusters: int | None = None
    aggregate: str | None = None
    other_run: str | None = None
    embedder: str | None = None
    chunking: str | None = None
    about: str | None = None


def run_findings(section: RunSection) -> Iterator[Finding]:
    """Every number about one run."""
    yield from _fact_findings(section.facts)
    yield from _matrix_findings(section.matrix)
    for kind in section.kinds:
        yield from _kind_findings(kind)
    yield from _ablation_findings(section.ablation)
    for loss in section.losses:
        yield from _loss_findings(loss)
    for ground in section.grounds:
        measure = "right for the wrong reason"
        yield _rate(
            measure if ground.by == "retrieved" else f"{measure}, by citations",
            _scope(ground.hops, ground.bin),
            ground.unfounded,
        )
    if section.silences is not None:
        yield from _silence_findings(section.silences)
    for rate in section.hop_recall:
        yield _rate("evidence retrieved", rate.name, rate)
    for measure, mean in section.retrieval.items():
        yield Finding(measure, ALL, mean.value, mean.n, mean.interval)
    for nodes in section.worst.values():
        for node in nodes:
            rate_of_node = node.wrong / node.answers
            yield Finding(f"error rate of {node.label}", node.name, rate_of_node, node.answers, about=node.id)
    if section.ceilings is not None:
        yield from _ceiling_findings(section.ceilings)
    for agreement in section.agreements:
        pair = f"{agreement.first} and {agreement.second}"
        yield Finding("Cohen's kappa", pair, agreement.kappa, agreement.n, agreement.interval)
    for other in section.rebinned:
        for finding in _matrix_findings(other.matrix):
            yield replace(finding, embedder=other.embedder, chunking=other.chunking)


def _ablation_findings(ablation: Iterable[Ablation]) -> Iterator[Finding]:
    for item in ablation:
        for hops, found in item.by_depth.items():
            yield _r("r of bin and error rate, own bins", _depth(hops), found, item.aggregate)
        yield Finding("r of bin and error rate, own bins", AVERAGE, item.average, aggregate=item.aggregate)


def link_findings(links: Iterable[LinkShare]) -> Iterator[Finding]:
    """The shares of questions that need a missing link."""
    for share in links:
        counts = {"exact": share.exact, "contextual": share.context, "missing": share.either}
        for kind, count in counts.items():
            yield Finding(
                f"need of {kind} links", _depth(share.hops), count / share.questions, share.questions
            )


def comparison_findings(compared: Iterable[Compared]) -> Iterator[Finding]:
    """The comparisons of a run with later ones, and their design effects."""
    for one in compared:
        yield Finding(
            "difference in accuracy",
            one.scope,
            one.difference,
            one.n,
            one.interval,
            p=one.p_holm,
            p_clustered=one.p_value,
            p_naive=one.naive_p,
            clusters=one.clusters,
            other_run=one.second,
        )
        yield Finding(
            "difference in accuracy, clusters ignored",
            one.scope,
            one.difference,
            one.n,
            one.naive_interval,
            p_naive=one.naive_p,
            other_run=one.second,
        )
        yield Finding(
            "design effect", one.scope, one.design_effect, one.n, clusters=one.clusters, other_run=one.second
        )


def _ceiling_findings(found: Ceilings) -> Iterator[Finding]:
    if found.from_memory is not None:
        yield _rate("accuracy, closed-book", ALL, found.from_memory, found.closed_book)
    if found.from_gold is not None and found.reading is not None:
        yield _rate("accuracy, gold evidence", ALL, found.from_gold, found.gold)
        yield _rate("lost in reading", ALL, found.reading, found.gold)
    if (lost := found.retrieval) is not None:
        yield Finding(
            "lost in retrieval",
            ALL,
            lost.difference,
            lost.n,
            lost.interval,
            p_clustered=lost.test.p_value if lost.test else None,
            p_naive=lost.naive_p,
            clusters=lost.clusters,
            other_run=found.gold,
        )


def _fact_findings(facts: RunFacts) -> Iterator[Finding]:
    counts = {
        "questions": facts.questions,
        "answers": facts.answers,
        "errors": facts.errors,
        "abstentions": facts.abstained,
        "tokens in": facts.input_tokens,
        "tokens out": facts.output_tokens,
        "seconds": facts.seconds,
        "cost": facts.cost,
    }
    for measure, count in counts.items():
        yield Finding(measure, ALL, None if count is None else float(count))


def _matrix_findings(matrix: Matrix) -> Iterator[Finding]:
    for cell in (*matrix.cells, *matrix.by_depth, *matrix.by_bin, matrix.total):
        yield from _cell_findings(cell)
    for item in (*matrix.associations, matrix.overall):
        yield from _association_findings(item)
    yield _r("r of step and error rate along the diagonal", ALL, matrix.diagonal)
    yield _trend("trend of error over depths", ALL, matrix.depth_trend)
    sizes = matrix.clusters
    yield Finding("clusters", ALL, float(sizes.groups), sizes.questions)
    yield Finding("clusters of equal size", ALL, sizes.effective, sizes.questions)
    if sizes.components is not None:
        yield Finding("components of shared articles", ALL, float(sizes.components), sizes.questions)
    yield Finding("small cells", ALL, float(matrix.small_cells), len(matrix.cells))


def _cell_findings(cell: Cell) -> Iterator[Finding]:
    scope = _scope(cell.hops, cell.bin)
    yield Finding("error rate", scope, cell.error_rate, cell.n, cell.interval)
    if cell.clustered:
        clustered = Interval(cell.clustered.low, cell.clustered.high)
        yield Finding(
            "error rate by cluster", scope, cell.error_rate, cell.n, clustered, clusters=cell.clusters
        )


def _scope(hops: int | None, quartile: int | None) -> str:
    depth = [] if hops is None else [_depth(hops)]
    return ", ".join([*depth, *([] if quartile is None else [f"quartile {quartile}"])]) or ALL


def _silence_findings(found: Silences) -> Iterator[Finding]:
    for rate in (found.false_answers, found.false_silences, found.coverage, found.risk):
        yield _rate(rate.name, ALL, rate)
    yield Finding("area under risk and coverage", ALL, found.area)


def _association_findings(item: Association) -> Iterator[Finding]:
    scope = ALL if item.hops is None else _depth(item.hops)
    yield _r("r of bin and error rate", scope, item.bins)
    yield _r("r of difficulty and error", scope, item.questions)
    yield _trend("trend of error over quartiles", scope, item.trend)


def _kind_findings(row: KindRow) -> Iterator[Finding]:
    scope = row.kind if row.kind != ALL or row.query_type == ALL else f"all {row.query_type}"
    n = row.accuracy.n
    yield _rate("accuracy", scope, row.accuracy)
    yield Finding("answer match", scope, row.answer_match, n)
    yield Finding("exact match", scope, row.exact_match, n)
    yield Finding("any word", scope, row.any_word, n)
    yield Finding("token F1", scope, row.f1, n)
    yield Finding("abstentions", f"kind {scope}", float(row.abstained), n)
    yield Finding("errors", f"kind {scope}", float(row.errors), n)


def _loss_findings(loss: HopLoss) -> Iterator[Finding]:
    parts = {f"lost at hop {hop}": count for hop, count in enumerate(loss.retrieval, start=1)}
    parts |= {"lost in reasoning": loss.reasoning, "lost to errors": loss.errors}
    if loss.untold:
        parts |= {"lost where is not told": loss.untold}
    for measure, count in (parts | {"abstained of wrong answers": loss.abstained}).items():
        yield Finding(measure, _depth(loss.hops), count / loss.wrong if loss.wrong else None, loss.wrong)


def _rate(measure: str, scope: str, rate: Rate, other_run: str | None = None) -> Finding:
    return Finding(measure, scope, rate.rate, rate.n, rate.interval, other_run=other_run)


def _r(measure: str, scope: str, found: Correlation | None, aggregate: str | None = None) -> Finding:
    if found is None:
        return Finding(measure, scope, None, aggregate=aggregate)
    return Finding(
        measure,
        scope,
        found.r,
        found.n,
        p=found.p_value if found.p_clustered is None else found.p_clustered,
        p_clustered=found.p_clustered,
        p_naive=found.p_value,
        aggregate=aggregate,
    )


def _trend(measure: str, scope: str, found: Trend | None) -> Finding:
    if found is None:
        return Finding(measure, scope, None)
    return Finding(
        measure,
        scope,
        found.z,
        found.n,
        p=found.p_value if found.p_clustered is None else found.p_clustered,
        p_clustered=found.p_clustered,
        p_naive=found.p_value,
        clusters=found.clusters,
    )


def _depth(hops: int) -> str:
    return f"{hops} hops"


_IDENTITY = ("measure", "scope", "aggregate", "other_run", "embedder", "chunking", "about")


def write_findings(graph: Graph, report: Report) -> None:
    """Write a report's findings onto its runs, and delete what an earlier report wrote of them.

    A comparison stands on its first run. What an earlier report said of one of these runs and another that
    is not in this report stays.
    """
    names = [section.facts.name for section in report.runs]
    links = list(link_findings(report.links))
    for section in report.runs:
        name = section.facts.name
        compared = [one for one in report.comparisons if one.first == name]
        found = (
            *run_findings(section),
            *links,
            *comparison_findings(compared),
        )
        graph.rows(
            query("runs/write_findings"),
            corpus=report.corpus,
            run=run_id(report.corpus, name),
            rows=[_row(report.corpus, name, one) for one in found],
            compared=names,
        )


def _row(corpus: str, run: str, finding: Finding) -> Row:
    row: Row = {field.name: getattr(finding, field.name) for field in fields(Finding)}
    interval = row.pop("interval")
    row["id"] = node_id(corpus, "finding", run, *(str(row[name]) for name in _IDENTITY))
    row["low"] = None if interval is None else interval.low
    row["high"] = None if interval is None else interval.high
    return row


def make_report(graph: Graph, corpus: str, runs: Sequence[str], progress: Progress, seed: int = 0) -> Report:
    """The report on runs, by default all whole ones, as their verdicts are now; its findings are written.

    Raises:
        NothingToDoError: there is no run, or none of such a name.
    """
    names = choose_runs(graph, corpus, runs)
    progress.begin("report")
    renew_spans(graph, corpus)
    progress.step("answers analysed", len(names))
    for name in names:
        analyse_run(graph, corpus, name)
        progress.advance()
    progress.step("statistics")
    report = collect_report(graph, corpus, names, seed)
    if not runs and (note := partial_runs_note(graph, corpus)):
        report = replace(report, notes=(note, *report.notes))
    progress.step("findings")
    write_findings(graph, report)
    progress.end(f"runs {len(names)}, comparisons {len(report.comparisons)}")
    return report
