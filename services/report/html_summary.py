"""The report's first sentences: what ran, how often it is wrong, where first, and what not to conclude."""

from collections.abc import Sequence

from markupsafe import Markup

from services.evaluate.matrix import BIN_NAMES, SMALL, Cell, Matrix, error_slope
from services.report.content import ALL, HopLoss, Report, RunSection
from services.report.html_comparisons import verdict
from services.report.html_matrix import best_interval
from services.report.html_values import name, p_text, percent, percent_range, plural, points, visible
from services.report.run_facts import matrix_notes

CHANCE = 0.05
"""Below this p a trend is told as one."""


def headline(report: Report) -> Markup:
    """What ran, on what."""
    if not report.runs:
        return Markup("No run is in this report on the corpus {}, so there is nothing to judge yet.").format(
            name(report.corpus)
        )
    one = len(report.runs) == 1
    names = _listed([name(run.facts.name) for run in report.runs])
    return Markup("{} {} of the corpus {}, {}.").format(
        Markup("The run {} answered").format(names) if one else Markup("The runs {} answered").format(names),
        plural(max(run.facts.answers for run in report.runs), "question")
        if one or len({run.facts.answers for run in report.runs}) == 1
        else "the questions",
        name(report.corpus),
        Markup("dataset <code>{}</code>").format(name(report.dataset))
        if report.dataset
        else "of no frozen dataset",
    )


def run_sentences(run: RunSection) -> list[Markup]:
    """How often a run is wrong, and where it fails first."""
    total = run.matrix.total
    who = name(run.facts.name)
    if total.error_rate is None:
        return [Markup("{} answered no chain question, so it has no difficulty matrix.").format(who)]
    interval = best_interval(total)
    kind = "" if total.clustered else ", by Wilson's method, as all are one cluster"
    sentences = [
        Markup("{} is wrong on <strong>{}</strong> of {} (95% interval {}{}), judged by {}.").format(
            who,
            percent(total.error_rate),
            plural(total.n, "chain question"),
            percent_range(interval) if interval else "undefined",
            kind,
            name(run.facts.judge),
        )
    ]
    if first := _first_failing(run.matrix.cells):
        sentences.append(
            Markup("From easy to hard, it is first wrong on more than half at {}.").format(_cell_text(first))
        )
    if worst := _worst(run.matrix.cells):
        sentences.append(Markup("It fails most at {}.").format(_cell_text(worst)))
    else:
        sentences.append(Markup("No cell of its matrix has {} answers or more.").format(SMALL))
    if grows := _growth(run.matrix):
        sentences.append(grows)
    if broken := _first_break(run.losses):
        sentences.append(broken)
    if run.facts.errors:
        sentences.append(
            Markup("{} failed with an error and count as wrong.").format(plural(run.facts.errors, "answer"))
        )
    return sentences


def facts_sentence(run: RunSection) -> Markup:
    """What produced a run's answers, in a line."""
    facts = run.facts
    told = (
        ("", facts.system),
        ("retriever ", facts.retriever),
        ("reranker ", facts.reranker),
        ("answers by ", facts.generator),
    )
    said = Markup(", ").join(name(what + part) for what, part in told if part not in ("", "none"))
    return Markup("{}; judged by {}; {} of {}.").format(
        said, name(facts.judge), f"{facts.answers:,}", plural(facts.questions, "question")
    )


def decided_sentences(report: Report) -> list[Markup]:
    """What the comparisons over all questions show."""
    return [verdict(one) for one in report.comparisons if one.scope == ALL]


def cautions(report: Report) -> list[Markup]:
    """What a reader should not conclude."""
    found = [Markup("{}").format(visible(note)) for note in matrix_notes(report.runs)]
    if any(run.matrix.total.n for run in report.runs):
        found.append(Markup("The worst cell is the worst of many, so a part of what sets it off is chance."))
        found.append(
            Markup(
                "A correlation over quartiles rests on four points at most. Read it together with the one "
                "over questions and its p by cluster."
            )
        )
    undecided = [one for one in report.comparisons if one.scope == ALL and not one.decided]
    if undecided:
        found.append(Markup("\u201cNot shown to differ\u201d does not mean \u201cequally good\u201d."))
    if report.runs:
        found.append(
            Markup(
                "Near, Q2, Q3 and far are quarters of the questions by the distance from a question to its "
                "farthest evidence. They are cut within this corpus{}, so cells of two corpora are not alike."
            ).format(" and each depth" if report.bins == "depth" else "")
        )
    return found


def _cell_text(cell: Cell) -> str:
    spread = best_interval(cell)
    span = f", interval {percent_range(spread)}" if spread else ""
    where = f"{cell.hops} hops, {BIN_NAMES[cell.bin or 1]}"
    return f"{where} ({percent(cell.error_rate or 0.0)} of {cell.n:,}{span})"


def _first_failing(cells: Sequence[Cell]) -> Cell | None:
    """The first cell, by depth and then distance, that has enough answers and most of them wrong."""
    return next((cell for cell in cells if not cell.small and (cell.error_rate or 0.0) > 0.5), None)


def _worst(cells: Sequence[Cell]) -> Cell | None:
    solid = [cell for cell in cells if cell.error_rate is not None and not cell.small]
    return max(solid, key=lambda cell: cell.error_rate or 0.0, default=None)


def _growth(matrix: Matrix) -> Markup | None:
    """By how much error rises with depth and with distance, and whether by more than chance, by cluster."""
    scales = (
        ("hops", "a hop", matrix.depth_trend, matrix.by_depth),
        ("distance to the evidence", "a quarter", matrix.overall.trend, matrix.by_bin),
    )
    parts = []
    for what, step, trend, totals in scales:
        slope = error_slope(totals)
        if trend is None or trend.p_clustered is None or slope is None:
            continue
        tested = f"p {p_text(trend.p_clustered)}"
        if trend.p_clustered < CHANCE:
            size = points(abs(slope)).lstrip("+")
            parts.append(
                f"{'rises' if slope > 0 else 'falls'} with {what} by {size} points {step} ({tested})"
            )
        else:
            parts.append(f"is not shown to change with {what} ({points(slope)} points {step}, {tested})")
    return Markup("Error {}, tested by cluster.").format(" and ".join(parts)) if parts else None


def _first_break(losses: Sequence[HopLoss]) -> Markup | None:
    wrong = sum(loss.wrong for loss in losses)
    if not wrong:
        return None
    untold = sum(loss.untold for loss in losses)
    if untold == wrong:
        return Markup(
            "Where its wrong answers to chain questions broke is not known, since the system keeps to itself "
            "what it retrieved."
        )
    lost = sum(sum(loss.retrieval) for loss in losses)
    reasoning = sum(loss.reasoning for loss in losses)
    by_hop = [sum(loss.retrieval[hop] for loss in losses if hop < len(loss.retrieval)) for hop in range(5)]
    sentence = Markup(
        "Of its wrong answers to chain questions, {} lack the evidence of a hop and {} have all of it"
    ).format(percent(lost / wrong), percent(reasoning / wrong))
    if untold:
        sentence += Markup(
            "; of {} nothing is known, since the system keeps to itself what it retrieved"
        ).format(percent(untold / wrong))
    if lost:
        hop = by_hop.index(max(by_hop)) + 1
        sentence += Markup("; the evidence is lost most often at hop {}").format(hop)
    return sentence + Markup(".")


def _listed(names: Sequence[Markup]) -> Markup:
    if len(names) < 3:
        return Markup(" and ").join(names)
    return Markup("{} and {}").format(Markup(", ").join(names[:-1]), names[-1])
