"""How far the judges can be trusted, alone and beside each other, as tables."""

from collections.abc import Iterator

from services.evaluate.statistics.intervals import Interval
from services.report.html_values import Column, Entry, Row, TableView, none, signed, whole
from services.standard.analysis.content import AgreementRow, Results
from services.standard.calibration.figures import Bias, CalibrationFigures, CategoryFigure, Figure
from services.standard.report.written import JUDGE_WORDS, share, share_range


def trust_table(results: Results) -> TableView:
    """One column a judge: how well he tells right from wrong, what sways him, and whether he is taken."""
    columns = {role: list(_trust(found)) for role, found in results.calibration.items()}
    labels = [label for label, _ in next(iter(columns.values()), [])]
    return TableView(
        "Calibration on answers of known quality",
        "figure",
        tuple(
            Column(f"{JUDGE_WORDS[role]}: {found.judge}", number=False)
            for role, found in results.calibration.items()
        ),
        tuple(
            Row(label, tuple(entries[place][1] for entries in columns.values()))
            for place, label in enumerate(labels)
        ),
        (
            "Intervals are 95%, by cluster. Sensitivity is the share of right answers called right, "
            "specificity that of the others not called so; discernment is their sum less 1, of hops and "
            "chunks that of calling their evidence shown, and them support. A bias is the change of the "
            "mean score, which lies in 0 to 1, when only order, length or wording changes.",
        ),
    )


def reasons(results: Results) -> list[str]:
    """For each judge what the calibration comes to, and why, in sentences."""
    return [
        f"The {JUDGE_WORDS[role]}, {found.judge}, is {found.verdict}. {' '.join(found.reasons)}".strip()
        for role, found in results.calibration.items()
    ]


def categories_table(results: Results) -> TableView:
    """The mean score that each judge gave to answers of each known quality."""
    figures = results.calibration
    names = list(dict.fromkeys(one.category for found in figures.values() for one in found.categories))
    by_role: dict[str, dict[str, CategoryFigure]] = {
        role: {one.category: one for one in found.categories} for role, found in figures.items()
    }

    def entry(role: str, name: str) -> Entry:
        found = by_role[role].get(name)
        if found is None or found.mean is None:
            return none("not tried")
        failed = f", {found.failed:,} without verdict" if found.failed else ""
        return Entry(f"{found.mean:.2f}", (f"deserved {found.expected:.2f}, n {found.n:,}{failed}",))

    return TableView(
        "Mean score by known quality",
        "answer, evidence",
        tuple(Column(f"{JUDGE_WORDS[role]}: {found.judge}") for role, found in figures.items()),
        tuple(Row(name, tuple(entry(role, name) for role in figures)) for name in names),
    )


def agreement_table(results: Results) -> TableView:
    """Where the judges say the same of an answer, and where not."""
    told = results.replication
    columns = ("answers", "agree", "kappa", "right only by the judge", "right only by the second", "flips")
    return TableView(
        f"{told.judge} and {told.second_judge} on the same answers",
        "system",
        tuple(map(Column, columns)),
        tuple(Row(one.system, _agreement(one), total=one.system == "all") for one in told.agreement),
        (
            "Over answers that both judged; abstentions and errors are left out, as they say nothing of a "
            "judge. Kappa is agreement beyond chance, with a 95% interval by cluster: 1 is perfect, 0 is "
            "chance.",
        ),
    )


def _trust(found: CalibrationFigures) -> Iterator[tuple[str, Entry]]:
    yield "verdict", Entry(found.verdict)
    yield "judgements", Entry(whole(found.rows), (f"of {found.questions:,} questions",))
    yield "without a verdict", Entry(whole(found.failed))
    yield "sensitivity", _figure(found.sensitivity)
    yield "specificity", _figure(found.specificity)
    yield "discernment (Youden's J)", _figure(found.discernment, plain=True)
    yield "discernment of hops", _figure(found.hops, plain=True)
    yield "discernment of supporting chunks", _figure(found.supports, plain=True)
    yield "position bias", _bias(found.position)
    yield "length bias", _bias(found.length)
    yield "self-preference", _bias(found.self_preference)
    yield "consistency under repetition", _figure(found.consistency)


def _figure(found: Figure | None, plain: bool = False) -> Entry:
    if found is None:
        return none("not measured")
    if plain:
        return Entry(f"{found.value:.2f}", (f"{found.low:.2f} to {found.high:.2f}, n {found.n:,}",))
    span = share_range(Interval(found.low, found.high))
    return Entry(share(found.value), (f"{span}, n {found.n:,}",))


def _bias(found: Bias) -> Entry:
    if found.worst is None:
        return none(found.why or "not measured")
    parts = (("right answers", found.right), ("others", found.wrong))
    notes = tuple(
        f"{label} {signed(part.value)} ({signed(part.low)} to {signed(part.high)})"
        for label, part in parts
        if part is not None
    )
    return Entry(signed(found.worst), notes)


def _agreement(one: AgreementRow) -> tuple[Entry, ...]:
    agreed = one.both_right + one.both_wrong
    unjudged = (f"{one.unjudged:,} not by both",) if one.unjudged else ()
    span = () if one.interval is None else (f"{one.interval.low:.2f} to {one.interval.high:.2f}",)
    return (
        Entry(whole(one.n), unjudged),
        Entry(share(agreed / one.n)) if one.n else none("no answers"),
        none(one.why or "undefined") if one.kappa is None else Entry(f"{one.kappa:.2f}", span),
        Entry(whole(one.to_wrong)),
        Entry(whole(one.to_right)),
        Entry(whole(one.flips)),
    )
