"""What people decided on questions, as sentences and tables."""

from services.questions.review import ReviewReport
from services.report.html_values import MINUS, Column, Entry, Row, TableView, name, none, plural, whole
from services.statistics.agreement import Kappa

NO_CRITERION = "no criterion named"


def review_sentence(found: ReviewReport) -> str:
    """How many questions were decided, and what came of it."""
    if not found.questions:
        return "Nobody has decided on a question yet."
    return (
        f"{plural(found.questions, 'question')} decided, {found.shared:,} by two or more people: "
        f"{found.dropped:,} dropped, {found.edited:,} edited, {len(found.open):,} tied and still asked. "
        f"People differ on {found.split:,}, of which {found.adjudicated:,} were adjudicated."
    )


def review_tables(found: ReviewReport) -> tuple[TableView, ...]:
    """Who decided what, how far people agree, why they dropped questions, and how filters err."""
    tables = (_annotators(found), _agreement(found), _failed(found), _filters(found))
    return tuple(view for view in tables if found.questions and view.rows)


def _annotators(found: ReviewReport) -> TableView:
    return TableView(
        "Decisions by person",
        "person",
        tuple(map(Column, ("keep", "drop", "edit", "all"))),
        tuple(
            Row(
                name(one.annotator),
                tuple(Entry(whole(number)) for number in (one.keep, one.drop, one.edit, one.total)),
            )
            for one in found.annotators
        ),
    )


def _agreement(found: ReviewReport) -> TableView:
    kappas = {"keep, drop or edit": found.decisions, "retain or discard": found.retained}
    return TableView(
        "How far people agree",
        "decision",
        tuple(map(Column, ("questions", "Fleiss\u2019 kappa", "95% interval"))),
        tuple(Row(label, _kappa(kappa)) for label, kappa in kappas.items()),
        ("Over questions that two or more people decided; 1 is perfect agreement, 0 is chance.",),
    )


def _kappa(found: Kappa | None) -> tuple[Entry, ...]:
    if found is None:
        return (Entry("0"), none("no question of two people"), none("none"))
    return (
        Entry(whole(found.n)),
        none("all decisions are alike") if found.value is None else Entry(_number(found.value)),
        none("none") if (of := found.interval) is None else Entry(f"{_number(of.low)} to {_number(of.high)}"),
    )


def _number(value: float) -> str:
    return f"{value:.2f}".replace("-", MINUS)


def _failed(found: ReviewReport) -> TableView:
    ordered = sorted(found.failed.items(), key=lambda one: (-one[1], one[0]))
    return TableView(
        "Dropped for",
        "criterion",
        (Column("decisions"),),
        tuple(Row(criterion or NO_CRITERION, (Entry(whole(number)),)) for criterion, number in ordered),
    )


def _filters(found: ReviewReport) -> TableView:
    return TableView(
        "Rejected questions: how many people would keep",
        "filter",
        tuple(map(Column, ("reviewed", "would keep"))),
        tuple(
            Row(one.filter, (Entry(whole(one.questions)), Entry(whole(one.wanted)))) for one in found.filters
        ),
    )
