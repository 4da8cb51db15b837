"""Tables about runs: what produced them, kinds of questions, ceilings, judges, and all side by side.

Every table of a report by where it stands: pages and written reports take them from here.
"""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from markupsafe import Markup

from kg.paths.protocol import DEPTHS
from services.evaluate.matrix import BIN_NAMES, BINS, SMALL
from services.report import html_matrix, html_soundness
from services.report.content import Ceilings, KindRow, LinkShare, Report, RunFacts, RunSection
from services.report.html_hop_aware import analysis_tables
from services.report.html_matrix import HOW_TO_READ, bin_correlations, cell_entry
from services.report.html_soundness import rate_entry
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
    points,
    points_range,
    whole,
)
from services.statistics.agreement import Agreement
from services.statistics.rankings import Mean


def kinds_table(kinds: Sequence[KindRow]) -> TableView:
    """Accuracy by kind of question and query type."""
    columns = ("accuracy", "answer match", "exact match", "any word", "token F1", "abstained", "errors")
    return TableView(
        "Accuracy by kind of question",
        "kind (query type)",
        tuple(map(Column, columns)),
        tuple(
            Row(
                _kind(one.kind, one.query_type),
                (
                    rate_entry(one.accuracy),
                    _share(one.answer_match),
                    _share(one.exact_match),
                    _share(one.any_word),
                    none("no answers") if one.f1 is None else Entry(f"{one.f1:.2f}"),
                    Entry(whole(one.abstained)),
                    Entry(whole(one.errors)),
                ),
            )
            for one in kinds
        ),
        (
            "Accuracy is by the run\u2019s judge. Answer match: the gold answer stands whole in an answer "
            "that names nothing else in its place, and neither doubts nor denies. Exact match and F1 follow "
            "the normalisation of SQuAD; \u201cany word\u201d is MultiHop-RAG\u2019s own rule, which one "
            "word in common with the gold answer satisfies. Abstentions and errors count as wrong, but for "
            "null questions, where to abstain is right.",
        ),
    )


def ceilings_table(found: Ceilings) -> TableView:
    """A run between what its generator knows from memory and what it reads out of gold evidence."""
    lost, missing = found.retrieval, none("no such run")
    rows = (
        ("closed-book", found.closed_book, found.from_memory),
        ("this run", "", found.system),
        ("gold evidence", found.gold, found.from_gold),
        ("lost in reading", "", found.reading),
    )
    entries = [
        Row(
            Markup("{}{}").format(what, Markup(", run {}").format(name(run)) if run else ""),
            (missing if rate is None else rate_entry(rate),),
        )
        for what, run, rate in rows
    ]
    if lost is not None:
        span = "no interval" if lost.interval is None else points_range(lost.interval)
        entries.insert(3, Row("lost in retrieval, points", (Entry(points(lost.difference), (span,)),)))
    return TableView(
        "Between its ceilings",
        "accuracy",
        (Column("on questions with evidence that each of these runs answered"),),
        tuple(entries),
        (
            "Closed-book: the same generator from memory. Gold evidence: the same generator, given the "
            "chunks that support a question. Lost in retrieval: gold less this run, paired by question; lost "
            "in reading: 100% less gold. Intervals are 95%, by cluster.",
        ),
    )


def _kind(kind: str, query_type: str) -> Markup:
    return name(kind) if kind == query_type else Markup("{} ({})").format(name(kind), name(query_type))


def _share(value: float | None) -> Entry:
    return none("no answers") if value is None else Entry(percent(value))


RETRIEVAL_NOTES = (
    "Over questions of all kinds but null ones, which have no evidence. A piece of evidence is found with "
    "the first chunk that holds it, in the order in which the run retrieved them; what it did not retrieve "
    "counts as not found, however large k. MultiHop-RAG\u2019s paper calls Recall@k \u201cHit@k\u201d; its "
    "script counts Hits@k, whether any piece was found.",
)


def retrieval_table(means: Mapping[str, Mean]) -> TableView:
    """How well a run ranked the evidence: MultiHop-RAG's measures and more."""
    return TableView(
        "How well evidence was retrieved",
        "measure",
        tuple(map(Column, ("mean", "95% interval", "questions"))),
        tuple(
            Row(
                measure,
                (
                    Entry(f"{mean.value:.4f}", small=mean.n < SMALL),
                    none("one cluster")
                    if mean.interval is None
                    else Entry(f"{mean.interval.low:.2f}\u2013{mean.interval.high:.2f}"),
                    Entry(whole(mean.n)),
                ),
            )
            for measure, mean in means.items()
        ),
        RETRIEVAL_NOTES,
    )


def retrieval_side_by_side(runs: Sequence[RunSection]) -> TableView:
    """The measures of what all runs retrieved."""
    measures = list(dict.fromkeys(measure for run in runs for measure in run.retrieval))
    return TableView(
        "How well evidence was retrieved, all runs",
        "run",
        tuple(map(Column, measures)),
        tuple(
            Row(
                name(run.facts.name),
                tuple(
                    Entry(f"{run.retrieval[measure].value:.2f}", small=run.retrieval[measure].n < SMALL)
                    if measure in run.retrieval
                    else none("not known")
                    for measure in measures
                ),
            )
            for run in runs
        ),
        RETRIEVAL_NOTES,
    )


def agreement_table(found: Sequence[Agreement]) -> TableView:
    """How far judges agree."""
    return TableView(
        "Agreement of judges on the same answers",
        "judges",
        tuple(map(Column, ("answers", "agreed", "Cohen\u2019s kappa", "95% interval of agreement"))),
        tuple(
            Row(
                Markup("{} and {}").format(name(one.first), name(one.second)),
                (
                    Entry(whole(one.n)),
                    Entry(percent(one.agreed / one.n), (f"{one.agreed:,} of {one.n:,}",))
                    if one.n
                    else none("no answers"),
                    none("undefined") if one.kappa is None else Entry(f"{one.kappa:.2f}"),
                    none("undefined") if one.interval is None else Entry(percent_range(one.interval)),
                ),
            )
            for one in found
        ),
        (
            "Kappa is agreement beyond chance: 1 is perfect, 0 is chance. It is undefined where all verdicts "
            "are alike. With people: on the sample that they labelled, with an interval that takes only "
            "articles for independent.",
        ),
    )


def side_by_side_table(runs: Sequence[RunSection]) -> TableView:
    """Error rates of all runs by depth (GRADE, A.3 and A.4)."""
    columns = (*(f"{depth} hops" for depth in DEPTHS), "all")
    return TableView(
        "Error rates by depth, all runs",
        "run",
        tuple(map(Column, columns)),
        tuple(
            Row(
                name(run.facts.name),
                tuple(cell_entry(cell) for cell in (*run.matrix.by_depth, run.matrix.total)),
            )
            for run in runs
        ),
        (HOW_TO_READ,),
    )


def correlations_side_by_side(runs: Sequence[RunSection]) -> TableView:
    """Correlation of quartile and error of all runs by depth."""
    columns = (*(f"{depth} hops" for depth in DEPTHS), "all", "diagonal")
    return TableView(
        "Correlation of quartile and error rate, all runs",
        "run",
        tuple(map(Column, columns)),
        tuple(
            Row(
                name(run.facts.name),
                bin_correlations(run.matrix),
            )
            for run in runs
        ),
        ("Pearson\u2019s r; n is the number of quartiles or cells that have answers.",),
    )


def kinds_side_by_side(runs: Sequence[RunSection]) -> TableView:
    """Accuracy of all runs by kind of question."""
    kinds = list(dict.fromkeys((row.kind, row.query_type) for run in runs for row in run.kinds))
    found = [{(row.kind, row.query_type): row.accuracy for row in run.kinds} for run in runs]
    return TableView(
        "Accuracy by kind of question, all runs",
        "run",
        tuple(Column(_kind(*kind)) for kind in kinds),
        tuple(
            Row(
                name(run.facts.name),
                tuple(rate_entry(rates[kind]) if kind in rates else none("not asked") for kind in kinds),
            )
            for run, rates in zip(runs, found, strict=True)
        ),
    )


def links_table(links: Sequence[LinkShare]) -> TableView:
    """Shares of questions whose path needs a link between two names (GRADE, table 4)."""
    return TableView(
        "Chain questions whose path needs a link that no single name gives",
        "depth",
        tuple(map(Column, ("questions", "exact", "contextual", "either"))),
        tuple(
            Row(
                f"{one.hops} hops",
                (
                    Entry(whole(one.questions)),
                    *(_link_share(number, one.questions) for number in (one.exact, one.context, one.either)),
                ),
            )
            for one in links
        ),
        (
            "Exact: two names of one thing are joined. Contextual: two phrases that mean the same within "
            "their articles are. Without such links these questions could not have been drawn.",
        ),
    )


def _link_share(number: int, questions: int) -> Entry:
    if not questions:
        return none("no questions")
    return Entry(percent(number / questions), (f"{number:,} of {questions:,}",), small=questions < SMALL)


def facts_table(runs: Sequence[RunSection]) -> TableView:
    """What produced each run and what it took: a column a run."""
    facts = [run.facts for run in runs]
    rows = [_facts_of(one) for one in facts]
    return TableView(
        "What produced the answers",
        "fact",
        tuple(Column(name(one.name), number=False) for one in facts),
        tuple(Row(label, tuple(row[index][1] for row in rows)) for index, (label, _) in enumerate(rows[0]))
        if rows
        else (),
    )


def _facts_of(one: RunFacts) -> list[tuple[str, Entry]]:
    return [
        ("system", _named(one.system)),
        ("retriever", _named(one.retriever)),
        ("reranker", _named(one.reranker)),
        ("generator", _named(one.generator)),
        ("embedder", _named(one.embedder)),
        ("chunks retrieved a question", Entry(whole(one.top)) if one.top else none("its own business")),
        ("retrieved texts in no chunk", Entry(whole(one.unaligned))),
        ("seed", none("not recorded") if one.seed is None else Entry(str(one.seed), code=True)),
        ("judged by", _named(one.judge)),
        ("prompts", _prompts(one.prompts)),
        ("dataset", Entry(one.dataset, code=True) if one.dataset else none("not recorded")),
        ("answers", Entry(f"{one.answers:,} of {one.questions:,}")),
        ("abstained", Entry(whole(one.abstained))),
        ("errors, counted as wrong", Entry(whole(one.errors))),
        ("tokens in, out", Entry(f"{one.input_tokens:,}, {one.output_tokens:,}")),
        ("of these cached, for thinking", Entry(f"{one.cached_input_tokens:,}, {one.reasoning_tokens:,}")),
        ("cost", none("no price is set") if one.cost is None else Entry(f"{one.cost:,.2f}")),
        ("time, answers summed", Entry(duration(one.seconds))),
        ("started", _named(one.started_at)),
        ("finished", Entry(name(one.finished_at)) if one.finished_at else none("not finished")),
    ]


def _named(text: str) -> Entry:
    return Entry(name(text)) if text else none("none")


def _prompts(prompts: Sequence[str]) -> Entry:
    if not prompts:
        return none("none: no model was asked")
    return Entry(Markup(", ").join(Markup("<code>{}</code>").format(name(one)) for one in prompts))


Tables: TypeAlias = dict[str, tuple[TableView, ...]]
"""Tables by the part of a report that they belong to, in its order; a part may have none."""


def run_tables(run: RunSection) -> Tables:
    """The tables about one run; those that compare runs at a glance are `html_overview`'s."""
    matrix = run.matrix
    depths, quartiles = [f"{depth} hops" for depth in DEPTHS], [BIN_NAMES[quartile] for quartile in BINS]
    return {
        "matrix": (
            html_matrix.matrix_table(matrix, "Error rates by reasoning depth and retrieval distance"),
        ),
        "all_cells": (html_matrix.all_cells_table(matrix),),
        "by_depth": (html_matrix.accuracy_table(matrix.by_depth, "Accuracy by depth", "depth", depths),),
        "by_bin": (html_matrix.accuracy_table(matrix.by_bin, "Accuracy by quartile", "quartile", quartiles),),
        "associations": (html_matrix.association_table(matrix),),
        "ablation": (html_matrix.ablation_table(run.ablation),) if run.ablation else (),
        "crossings": (html_matrix.crossings_view(run.crossings),) if run.crossings else (),
        "kinds": (kinds_table(run.kinds),) if run.kinds else (),
        "ceilings": (ceilings_table(run.ceilings),) if run.ceilings else (),
        "retrieval": (retrieval_table(run.retrieval),) if run.retrieval else (),
        "losses": (html_soundness.loss_table(run.losses),) if run.losses else (),
        "recall": (html_soundness.recall_table(run.hop_recall),) if run.hop_recall else (),
        "grounds": html_soundness.grounds_tables(run.grounds),
        "silences": html_soundness.silence_tables(run.silences) if run.silences else (),
        "hops": analysis_tables(run.analysis) if run.analysis and run.analysis.hops.total else (),
        "worst": tuple(html_soundness.worst_tables(run.worst)),
        "rebinned": html_matrix.rebinned_tables(matrix, run.rebinned) if run.rebinned else (),
        "agreements": (agreement_table(run.agreements),) if run.agreements else (),
    }


def side_by_side_tables(runs: Sequence[RunSection]) -> tuple[TableView, ...]:
    """The tables with a line for each run, none for a run alone."""
    if len(runs) < 2:
        return ()
    tables = [side_by_side_table(runs), correlations_side_by_side(runs)]
    if any(run.grounds for run in runs):
        tables.append(html_soundness.grounds_side_by_side(runs))
    if any(run.kinds for run in runs):
        tables.append(kinds_side_by_side(runs))
    if any(run.retrieval for run in runs):
        tables.append(retrieval_side_by_side(runs))
    return tuple(tables)


def closing_tables(report: Report) -> Tables:
    """The tables about all runs that stand after them, by their headings."""
    return {
        "From run to run": (html_soundness.repeats_table(report.repeats),) if report.repeats else (),
        "Cost against accuracy": (html_soundness.cost_table(report.costs),) if report.costs else (),
        "Missing links": (links_table(report.links),) if report.links else (),
        "How it was made": (facts_table(report.runs),) if report.runs else (),
    }
