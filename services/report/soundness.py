"""How far a run's answers can be trusted, and at what price.

On what its right answers rest, when it should have kept silent, how wrong it is at how much coverage, and
which runs are beaten by another that costs no more.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from math import fsum
from operator import attrgetter

from kg.paths.protocol import DEPTHS
from services.answers import NULL
from services.evaluate.matrix import BINS
from services.evaluate.run_analysis import GivenAnswer
from services.report.content import CostPoint, GroundedBy, Grounds, RiskPoint, Silences
from services.report.run_facts import rate_of

THOUSAND = 1_000


def answer_grounds(answers: Sequence[GivenAnswer]) -> tuple[Grounds, ...]:
    """On what right answers rest: over all answerable questions, by depth, and by depth and distance.

    An answer is right for the wrong reason where it is right though not every hop of its question has a
    supporting chunk among what was retrieved (the blog on GADMEC, "Evaluation & Results"); one chunk is
    enough for a hop, as in `find_loss`. Where answers cite chunks, the same is told of what they cite. Null
    questions, whose evidence is that there is none, questions without gold evidence, and answers of a system
    that keeps to itself what it retrieved are left out. The interval takes only clusters for independent.
    """
    grounded = [one for one in answers if one.right and not one.error and one.kind != NULL]
    retrieved = [one for one in grounded if one.retrieval_reported and one.hops_found]
    cited = [replace(one, hops_found=one.hops_cited) for one in grounded if one.hops_cited]
    found = list(_grounds("retrieved", retrieved)) + list(_grounds("cited", cited))
    return tuple(one for one in found if one.unfounded.n)


def _grounds(by: GroundedBy, answers: Sequence[GivenAnswer]) -> Iterator[Grounds]:
    chains = [one for one in answers if one.kind == "chain"]
    yield _ground(by, None, None, answers)
    for hops in DEPTHS:
        deep = [one for one in chains if one.hops == hops]
        yield _ground(by, hops, None, deep)
        for quartile in BINS:
            yield _ground(by, hops, quartile, [one for one in deep if one.bin == quartile])


def _ground(
    by: GroundedBy, hops: int | None, quartile: int | None, answers: Sequence[GivenAnswer]
) -> Grounds:
    every = sum(all(one.hops_found) for one in answers)
    some = sum(any(one.hops_found) for one in answers) - every
    lacking = [not all(one.hops_found) for one in answers]
    return Grounds(
        by=by,
        hops=hops,
        bin=quartile,
        every=every,
        some=some,
        none=len(answers) - every - some,
        unfounded=rate_of("right for the wrong reason", lacking, [one.cluster for one in answers]),
    )


def answer_silences(answers: Sequence[GivenAnswer]) -> Silences | None:
    """When a run kept silent and when it should have, with risk against coverage; None without an answer.

    A false answer is one to a null question that is neither an abstention nor judged right, a false silence
    an abstention from a question that has an answer. Coverage is the share of all questions with an answer
    that is no abstention and no error, risk the share of wrong ones among them (El-Yaniv and Wiener 2010).
    Where answers carry a confidence, the curve has a point for each value of it, over the answers that are at
    least as sure, and `area` is the mean over answers, from the surest on, of the risk at their point
    (Geifman and El-Yaniv 2017, AURC, with equal confidences taken together). Null questions count in both.
    """
    if not answers:
        return None
    told = [one for one in answers if not one.error]
    null = [one for one in told if one.kind == NULL]
    answerable = [one for one in told if one.kind != NULL]
    given = [one for one in told if not one.abstained]
    curve = _curve(given, len(answers))
    return Silences(
        false_answers=rate_of(
            "false answers", [not one.right for one in null], [one.cluster for one in null]
        ),
        false_silences=rate_of(
            "false silences", [one.abstained for one in answerable], [one.cluster for one in answerable]
        ),
        coverage=rate_of(
            "coverage",
            [not one.error and not one.abstained for one in answers],
            [one.cluster for one in answers],
        ),
        risk=rate_of("risk", [not one.right for one in given], [one.cluster for one in given]),
        curve=curve,
        area=_area(curve) if _sure(given) else None,
    )


def _sure(given: Sequence[GivenAnswer]) -> bool:
    return bool(given) and all(one.confidence is not None for one in given)


def _curve(given: Sequence[GivenAnswer], asked: int) -> tuple[RiskPoint, ...]:
    if not given:
        return ()
    wrong = sum(not one.right for one in given)
    if not _sure(given):
        return (RiskPoint(None, len(given) / asked, wrong / len(given)),)
    points, taken, missed = [], 0, 0
    for least, alike in groupby(sorted(given, key=_surest), key=_surest):
        rights = [one.right for one in alike]
        taken, missed = taken + len(rights), missed + rights.count(False)
        points.append(RiskPoint(-least, taken / asked, missed / taken))
    return tuple(points)


def _surest(one: GivenAnswer) -> float:
    return -(one.confidence or 0.0)


def _area(curve: Sequence[RiskPoint]) -> float:
    before = (0.0, *(point.coverage for point in curve))
    parts = (point.risk * (point.coverage - left) for point, left in zip(curve, before, strict=False))
    return fsum(parts) / curve[-1].coverage


def cost_points(answers: Mapping[str, Sequence[GivenAnswer]]) -> tuple[CostPoint, ...]:
    """Accuracy and cost of each run, by name, on the questions that all of them answered, the cheapest first.

    A run is beaten by one that is at least as accurate and takes no more tokens (or money), and is better in
    one of the two; those that are not beaten are the front of Pareto. Errors count with what they took.
    Empty where the runs have no question in common.
    """
    common = (
        set.intersection(*({one.question for one in given} for given in answers.values()))
        if answers
        else set()
    )
    if not common:
        return ()
    points = [
        _cost_point(run, [one for one in given if one.question in common]) for run, given in answers.items()
    ]
    ordered = sorted(points, key=attrgetter("tokens", "run"))
    return tuple(
        replace(
            one,
            beaten_in_tokens=_beaten_by(one, one.tokens, [(other, other.tokens) for other in ordered]),
            beaten_in_money=""
            if one.money is None
            else _beaten_by(
                one, one.money, [(other, other.money) for other in ordered if other.money is not None]
            ),
        )
        for one in ordered
    )


def _cost_point(run: str, answers: Sequence[GivenAnswer]) -> CostPoint:
    n = len(answers)
    costs = [one.cost for one in answers if one.cost is not None]
    return CostPoint(
        run=run,
        accuracy=rate_of("accuracy", [one.right for one in answers], [one.cluster for one in answers]),
        tokens=THOUSAND * sum(one.input_tokens + one.output_tokens for one in answers) / n,
        money=THOUSAND * fsum(costs) / n if costs else None,
        seconds=THOUSAND * fsum(one.seconds for one in answers) / n,
    )


def _beaten_by(one: CostPoint, cost: float, others: Sequence[tuple[CostPoint, float]]) -> str:
    for other, price in others:
        better = (other.accuracy.hits - one.accuracy.hits, cost - price)
        if min(better) >= 0 and max(better) > 0:
            return other.run
    return ""
