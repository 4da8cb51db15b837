"""What a judged comparison comes to, in sentences."""

from collections.abc import Mapping, Sequence
from math import ceil

from markupsafe import Markup

from services.comparison.analysis.content import (
    ClusterFacts,
    Decision,
    HypothesisResult,
    Results,
    Role,
    Tested,
)
from services.comparison.protocol import MEASURE_NAMES
from services.comparison.report.tables_hypotheses import by_second, difference_name, lead
from services.questions.spans.facets import FACET_NAMES
from services.report import svg
from services.report.html_values import listed, p_text, plural, points, points_range, signed, whole
from services.statistics.intervals import Interval

_CLAIMS: tuple[Decision, ...] = ("supported", "contradicted")

_LOOKS_SMALL = 0.05
"""A p of this or less seems to contradict a decision that nothing was shown, and is explained."""


def headline(results: Results) -> str:
    """How many systems were compared on what, and how many of the hypotheses are supported."""
    supported = [one.id for one in results.hypotheses if one.decision == "supported"]
    contradicted = [one.id for one in results.hypotheses if one.decision == "contradicted"]
    look = results.look
    after = "" if look.number == look.looks else f", at look {look.number} of {look.looks}"
    questions = (
        f"{plural(results.clusters.questions, 'question')} in {plural(results.clusters.clusters, 'cluster')}"
    )
    text = f"{plural(len(results.systems), 'system')} were compared on {questions}{after}."
    of_all = f"Of {plural(len(results.hypotheses), 'hypothesis', 'hypotheses')}, "
    refuted = f" The contrary of {listed(contradicted)} is shown." if contradicted else ""
    if results.calibration["judge"].verdict == "rejected":
        refuted += " The judge was rejected, so nothing is claimed by that judge's verdicts."
    if not supported:
        return f"{text} {of_all}none is supported.{refuted}"
    number = (
        f"{whole(len(supported))} {'is' if len(supported) == 1 else 'are'} supported ({listed(supported)})"
    )
    lost = [one.id for one in results.hypotheses if one.decision == "supported" and one.survives is False]
    both = f"; {listed(lost)} not by the second judge" if lost else ""
    return f"{text} {of_all}{number}{both}.{refuted}"


def clusters_sentence(clusters: ClusterFacts) -> str:
    """Into which clusters the questions fall, and how uneven these are."""
    text = f"The {plural(clusters.questions, 'question')} fall into {plural(clusters.clusters, 'cluster')}"
    by = f"{text} by {FACET_NAMES[clusters.facet][1]}"
    if clusters.clusters < 2:
        return f"{by}, so that there is no interval and no test."
    worth = f"they are worth {clusters.effective:.0f} of equal size"
    return f"{by}, the largest with {whole(clusters.largest)}; {worth}."


def finding(one: HypothesisResult) -> list[str]:
    """What came of a hypothesis: the decision with its figures, the second judge, the naive test."""
    first = one.by[0]
    sentences = [f"{one.id}: {one.claim}. {_decided(first)}"]
    if one.survives is not None:
        second = one.by[1]
        sentences.append(
            "The second judge comes to the same."
            if one.survives
            else f"By the second judge it is {_decision_name(second.decision)}, so it does not survive both."
        )
    if first.naive_decision in _CLAIMS and first.decision != first.naive_decision:
        # The naive p that is kept is that of the hypothesis, not of its contrary.
        kept = first.naive_p_holm if first.naive_decision == "supported" else None
        p = "" if kept is None else f" (p {p_text(kept)})"
        sentences.append(
            "A test that takes every question for independent would have called it "
            f"{first.naive_decision}{p}."
        )
    return sentences


def naive_sentences(results: Results) -> list[str]:
    """Which decisions change when clusters are ignored, and by how much intervals shrink."""
    told = []
    changed = [
        f"{'the contrary of ' if tested.naive_decision == 'contradicted' else ''}{one.id}"
        f"{', second judge' if tested.role == 'second_judge' else ''}"
        for one in results.hypotheses
        for tested in one.by
        if tested.naive_decision in _CLAIMS and tested.naive_decision != tested.decision
    ]
    if changed:
        told.append(
            f"Ignoring clusters would have claimed {listed(changed)}: questions that share evidence succeed "
            "and fail together, so such a test counts the same news more than once."
        )
    else:
        told.append("Here a test that ignores clusters would have claimed nothing more.")
    ratios = [
        (tested.t_interval.high - tested.t_interval.low)
        / (tested.naive_interval.high - tested.naive_interval.low)
        for one in results.hypotheses
        for tested in one.by
        if tested.t_interval
        and tested.naive_interval
        and tested.naive_interval.high > tested.naive_interval.low
    ]
    if ratios:
        least, most = f"{min(ratios):.1f}", f"{max(ratios):.1f}"
        span = least if least == most else f"{least} to {most}"
        told.append(f"Intervals by cluster are {span} times as wide as those that ignore clusters.")
    return told


def replication_sentences(results: Results) -> list[str]:
    """Who agrees on what, and which hypotheses survive both judges."""
    told = results.replication
    whole_row = next((row for row in told.agreement if row.system == "all"), None)
    sentences = []
    if whole_row is not None and whole_row.n:
        kappa = "undefined" if whole_row.kappa is None else f"{whole_row.kappa:.2f}"
        span = (
            f" (95% interval {whole_row.interval.low:.2f} to {whole_row.interval.high:.2f})"
            if whole_row.interval
            else ""
        )
        flips = f"{plural(whole_row.flips, 'verdict')} {'flips' if whole_row.flips == 1 else 'flip'}"
        sentences.append(
            f"Of {plural(whole_row.n, 'answer')} that {told.judge} and {told.second_judge} both judged, "
            f"abstentions and errors left out, {flips}; kappa is {kappa}{span}."
        )
    if told.share_code:
        sentences.append(
            "Both judges are rules that share code: they are not two judges, and where they agree nothing is "
            "replicated. Name a model as one of them for a replication."
        )
    if told.survived:
        sentences.append(f"Both judges come to the same on {listed(told.survived)}.")
    if told.lost:
        sentences.append(f"With the second judge, {listed(told.lost)} can't be claimed.")
    if not told.survived and not told.lost and not told.share_code:
        sentences.append("Nothing was claimed by the first judge's verdicts that the second could replicate.")
    return sentences


def measure_definitions() -> list[str]:
    """What each measure is, in a sentence; the three of evidence are definitions of our own."""
    return [
        f"{MEASURE_NAMES['accuracy']}: share of questions whose answer the judge calls wholly right; to "
        "abstain is right where there is no answer.",
        f"{MEASURE_NAMES['exact match']}: share of answers that are the key or another form of it word for "
        "word, case, articles and punctuation aside; on a question without an answer, abstentions.",
        f"{MEASURE_NAMES['f1']}: words that the answer shares with the best of the accepted ones, without a "
        "judge.",
        f"{MEASURE_NAMES['cluster recall']}: share of the evidence clusters that the gold evidence spans of "
        "which evidence was shown to the generator, a gold chunk or another that states its fact; undefined "
        "without gold evidence.",
        f"{MEASURE_NAMES['hop consistency']}: share of adjacent hops whose evidence was both shown, the "
        "first by a search no later than the second's; undefined below two hops.",
        f"{MEASURE_NAMES['evidence alignment']}: share of the chunks that the answer uses which are gold or "
        "state a gold fact; undefined for an abstention or an error.",
    ]


def _decided(one: Tested) -> str:
    if one.estimate is None:
        return f"{_capital(one.decision)}: {one.why}"
    interval = lead(one)
    span = f", 95% interval {points_range(interval)} by cluster" if interval else ""
    shown = one.p_opposite_holm if one.decision == "contradicted" else one.p_holm
    of_what = " of the contrary" if one.decision == "contradicted" else ""
    p = "" if shown is None else f", p{of_what} {p_text(shown)} after correction"
    small = one.p is not None and one.p <= _LOOKS_SMALL
    if one.decision == "not supported" and one.p is not None and small and one.level is not None:
        p += f" (alone {p_text(one.p)}, and it had to reach {one.level:.2g})"
    why = f" {one.why}" if one.why else ""
    return f"{_capital(one.decision)}: {points(one.estimate)} points{span}{p}.{why}"


def _decision_name(decision: Decision) -> str:
    return "not to be decided" if decision in ("judge rejected", "no questions") else decision


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


_LEFT, _RIGHT, _TOP, _NAME, _ROW, _GAP, _SIZE = 62.0, 10.0, 22.0, 20.0, 24.0, 8.0, 12.0
_GRAIN = 0.05
CAPTION = (
    "Mean of the first system less that of the second, in percentage points. Thick: 95% interval by "
    "cluster. Thin, below it: the naive interval, as if questions were independent. A filled square: "
    "supported, or its contrary is. Upright marks: the smallest difference of interest, to either side."
)
"""What the drawing shows, for whoever sees it."""
_WHO: Mapping[Role, str] = {"judge": "judge", "second_judge": "2nd judge", "none": "no judge"}


def forest_plot(hypotheses: Sequence[HypothesisResult]) -> svg.Drawing:
    """A line a hypothesis and judge: thick by cluster, thin as if questions were independent.

    Small upright marks stand at the smallest difference of interest to either side.
    """
    reach = _reach(hypotheses)
    shapes: list[Markup] = []
    y = _TOP
    for one in hypotheses:
        y += _NAME
        shapes.append(svg.text(0, y, svg.fitted(difference_name(one), _SIZE, svg.WIDTH), "label", "start"))
        zero = _x(0, reach)
        shapes.append(svg.line(zero, y + 6, zero, y + _ROW * len(one.by) + 4, "axis"))
        for tested in one.by:
            y += _ROW
            shapes.append(_row(one, tested, y - 8, reach))
        y += _GAP
    bottom = y + 4
    return svg.Drawing(
        title="Differences between systems, hypothesis by hypothesis",
        desc=" ".join(_in_words(one, tested) for one in hypotheses for tested in one.by),
        height=bottom + 26,
        shapes=svg.group((*_sides(reach), *_axis(bottom, reach), *shapes)),
    )


def _reach(hypotheses: Sequence[HypothesisResult]) -> float:
    ends = [0.1]
    for one in hypotheses:
        ends.append(one.smallest)
        for tested in one.by:
            ends.append(abs(tested.estimate or 0.0))
            for interval in (lead(tested), tested.naive_interval):
                if interval is not None:
                    ends += [abs(interval.low), abs(interval.high)]
    return min(1.0, ceil(max(ends) / _GRAIN - 1e-9) * _GRAIN)


def _x(difference: float, reach: float) -> float:
    inside = max(-1.0, min(1.0, difference / reach))
    return _LEFT + (svg.WIDTH - _LEFT - _RIGHT) * (inside + 1) / 2


def _sides(reach: float) -> list[Markup]:
    zero = _x(0, reach)
    return [
        svg.text(zero - 8, 14, "\u2190 first is lower", "tiny", "end"),
        svg.text(zero + 8, 14, "first is higher \u2192", "tiny", "start"),
    ]


def _axis(bottom: float, reach: float) -> list[Markup]:
    left, zero, right = _x(-reach, reach), _x(0, reach), _x(reach, reach)
    return [
        svg.line(left, bottom, right, bottom, "grid"),
        svg.text(left, bottom + 17, signed(-100 * reach, 0), "tiny", "start"),
        svg.text(zero, bottom + 17, "0 points", "tiny"),
        svg.text(right, bottom + 17, signed(100 * reach, 0), "tiny", "end"),
    ]


def _row(one: HypothesisResult, tested: Tested, y: float, reach: float) -> Markup:
    shapes = [svg.text(_LEFT - 6, y + 4, _WHO[tested.role], "tiny", "end")]
    for mark in (-one.smallest, one.smallest):
        shapes.append(svg.line(_x(mark, reach), y - 7, _x(mark, reach), y + 7, "axis"))
    if tested.naive_interval is not None:
        shapes.append(_span(tested.naive_interval, y + 8, reach, "naive"))
    interval = lead(tested)
    if interval is not None:
        shapes.append(_span(interval, y, reach, "clustered"))
    if tested.estimate is not None:
        claimed = tested.decision in ("supported", "contradicted")
        style = "estimate" if claimed else "estimate open"
        shapes.append(svg.box(_x(tested.estimate, reach) - 4, y - 4, 8, 8, class_=style))
    return svg.group(shapes)


def _span(interval: Interval, y: float, reach: float, class_: str) -> Markup:
    return svg.line(_x(interval.low, reach), y, _x(interval.high, reach), y, class_)


def _in_words(one: HypothesisResult, tested: Tested) -> str:
    what = f"{difference_name(one)}{by_second(tested)}"
    if tested.estimate is None:
        return f"{what}: no question where both have a value."
    interval = lead(tested)
    span = f", 95% interval {points_range(interval)}" if interval else ", no interval by cluster"
    return f"{what}: {points(tested.estimate)} points{span}, {tested.decision}."
