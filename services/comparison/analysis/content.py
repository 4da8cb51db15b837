"""What the analysis of a judged comparison finds: plain values, which are also its document in JSON."""

from dataclasses import asdict, dataclass
from functools import cache
from typing import ClassVar, Literal

from pydantic import ConfigDict, TypeAdapter

from services.comparison.judging.calibration import CalibrationFigures
from services.comparison.protocol import ClusterFacet, Direction, Measure
from services.statistics.intervals import Interval

Decision = Literal[
    "supported", "not supported", "contradicted", "too few clusters to say", "judge rejected", "no questions"
]
"""What a test says of a hypothesis. "Not supported" is no proof of the contrary, "contradicted" is one."""

Role = Literal["judge", "second_judge", "none"]
"""By whose verdicts a figure is, as the protocol calls them; exact match and token F1 need nobody's."""


@dataclass(frozen=True, slots=True)
class Look:
    """When the results were looked at: look `number` of `looks`, after `questions` of the `planned` ones.

    `spent` is how much of a one-sided alpha may be used up by this look, all before it included.
    """

    number: int
    looks: int
    questions: int
    planned: int
    spent: float


@dataclass(frozen=True, slots=True)
class ClusterFacts:
    """How the questions fall into the clusters of the inference; `effective` is n² / Σ m² over sizes."""

    facet: ClusterFacet
    questions: int
    clusters: int
    largest: int
    effective: float


@dataclass(frozen=True, slots=True)
class SystemFacts:
    """What a system did: counts and sums over its answers, means over those without error.

    `origin` is how its evidence was chosen, or the run that was brought along.
    """

    name: str
    origin: str
    answers: int
    missing: int
    errors: int
    abstained: int
    evidence_tokens: float | None
    most_evidence_tokens: int
    answer_tokens: float | None
    input_tokens: int
    output_tokens: int
    seconds: float
    cost: float | None


@dataclass(frozen=True, slots=True)
class MeasureRow:
    """The mean of a measure over the questions of a system for which it is defined.

    `undefined` counts the others. `interval` takes only clusters for independent, by `method`; it is None
    with fewer than two. `naive` takes all questions for independent. `design_effect` is how many times
    larger the clustered variance is, None where all values are alike.
    """

    system: str
    measure: Measure
    role: Role
    judge: str
    n: int
    undefined: int
    clusters: int
    mean: float | None
    interval: Interval | None
    method: str
    design_effect: float | None
    effective_n: float | None
    naive: Interval | None


@dataclass(frozen=True, slots=True)
class Adjusted:
    """A difference of accuracies after allowing for the errors that the judge made in his calibration.

    `shift` is by how much the difference that he found is too large since the systems are not silent alike,
    0 where that isn't known.
    """

    estimate: float | None
    interval: Interval | None
    why: str
    shift: float = 0.0


@dataclass(frozen=True, slots=True)
class Tested:
    """What the verdicts of one judge say of a hypothesis.

    `estimate` is the mean of `system` less that of `against` over the `n` questions where both have a value.
    `t_interval`, `percentile` and `bca` take clusters for independent; None with fewer than two, the latter
    with fewer than `intervals.LEAST_TO_RESAMPLE`. `p` is that
    of a sign flip over clusters in the direction of the hypothesis (for an equivalence, the larger of two
    one-sided t tests), `exact` where all flips were tried, else with Monte Carlo error `p_error`. `level` is
    what it had to reach, among the other hypotheses and at this look; `p_holm` is p after correction for
    the former. `shown_at` is the look, from 1, at which it did, None where never: a claim stands.
    `p_opposite` is that of the contrary. `naive_*` is what follows when each question counts as independent.
    `equivalence_p` asks whether the difference lies within ± the smallest one of interest; `detectable` is
    the smallest difference that would have been seen with a chance of .8.
    """

    role: Role
    judge: str
    n: int
    undefined: int
    clusters: int
    mean: float | None
    mean_against: float | None
    estimate: float | None
    standard_error: float | None
    t_interval: Interval | None
    percentile: Interval | None
    bca: Interval | None
    design_effect: float | None
    effective_n: float | None
    p: float | None
    exact: bool
    p_error: float
    p_holm: float | None
    p_opposite: float | None
    p_opposite_holm: float | None
    level: float | None
    shown_at: int | None
    naive_interval: Interval | None
    naive_p: float | None
    naive_p_holm: float | None
    naive_decision: Decision
    equivalence_p: float | None
    detectable: float | None
    adjusted: Adjusted
    decision: Decision
    why: str


@dataclass(frozen=True, slots=True)
class HypothesisResult:
    """A hypothesis and what came of it by each judge: two entries, one for a measure that needs none.

    `claim` is the hypothesis in a sentence. `decision` is that of the first judge; `survives` tells whether
    the second comes to the same, None where there is nothing to survive, no second judge is needed, or both
    are rules that share code and agree, which replicates nothing.
    """

    id: str
    claim: str
    system: str
    against: str
    measure: Measure
    direction: Direction
    smallest: float
    by: tuple[Tested, ...]
    decision: Decision
    survives: bool | None


@dataclass(frozen=True, slots=True)
class Pair:
    """Two systems in a measure about which nothing was claimed beforehand: exploratory, by the first judge.

    `estimate` is the mean of `second` less that of `first`; `p` is two-sided and found as that of a
    hypothesis, `p_holm` adjusted over all exploratory pairs.
    """

    first: str
    second: str
    measure: Measure
    n: int
    clusters: int
    estimate: float | None
    interval: Interval | None
    p: float | None
    p_holm: float | None
    naive_p: float | None


@dataclass(frozen=True, slots=True)
class AgreementRow:
    """How two judges agree on the answers of a system, or of all ("all").

    `to_right` counts answers wrong by the first and right by the second, `to_wrong` the reverse; `unjudged`
    are answers on which one or both gave no verdict. `kappa` is Cohen's, with an interval by cluster.
    """

    system: str
    n: int
    unjudged: int
    both_right: int
    to_right: int
    to_wrong: int
    both_wrong: int
    kappa: float | None
    interval: Interval | None
    why: str = ""

    @property
    def flips(self) -> int:
        """Answers whose verdict changes with the judge."""
        return self.to_right + self.to_wrong


@dataclass(frozen=True, slots=True)
class Replication:
    """Whether the second judge comes to the same: verdict by verdict, and hypothesis by hypothesis.

    `share_code` tells that both are rules: then their agreement is no replication, and nothing survives.
    """

    judge: str
    second_judge: str
    agreement: tuple[AgreementRow, ...]
    survived: tuple[str, ...]
    lost: tuple[str, ...]
    share_code: bool = False


@dataclass(frozen=True, slots=True)
class CrossingRow:
    """Error rate of a system on questions whose hops cross so many borders of a facet's clusters."""

    system: str
    facet: str
    crossings: int
    n: int
    errors: int
    rate: float | None
    clusters: int
    interval: Interval | None
    small: bool


@dataclass(frozen=True, slots=True)
class GroundsRow:
    """On what the right answers of a system rest, by a judge; null questions are left out.

    `every`, `some` and `none` count those for all, a part or none of whose hops evidence was shown,
    `unrelated` those none of whose used chunks states a gold fact. `rate` is the share of right answers for
    the wrong reason, those of `some` and `none`. None for `hops` stands for all questions, for `bin` for all
    distances.
    """

    system: str
    role: Role
    hops: int | None
    bin: int | None
    n: int
    every: int
    some: int
    none: int
    unrelated: int
    rate: float | None
    clusters: int
    interval: Interval | None
    small: bool


@dataclass(frozen=True, slots=True)
class Results:
    """All that a judged comparison shows, with the protocol that it was made by (as its JSON).

    Every figure follows from the rows of the archive and the protocol. `calibration` is by "judge" and
    "second_judge".
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid", allow_inf_nan=False)
    """Read, neither it nor a part of it may hold what it doesn't know."""

    protocol: dict[str, object]
    protocol_hash: str
    locked_at: str
    version: str
    look: Look
    clusters: ClusterFacts
    systems: tuple[SystemFacts, ...]
    measures: tuple[MeasureRow, ...]
    hypotheses: tuple[HypothesisResult, ...]
    pairs: tuple[Pair, ...]
    replication: Replication
    calibration: dict[str, CalibrationFigures]
    crossings: tuple[CrossingRow, ...] = ()
    limits: tuple[str, ...] = ()
    grounds: tuple[GroundsRow, ...] = ()


def results_json(results: Results) -> dict[str, object]:
    """The results as maps, lists, numbers, strings and None."""
    return asdict(results)


def read_results(text: str | bytes) -> Results:
    """The results from their JSON text.

    Raises:
        pydantic.ValidationError: it is not such a text.
    """
    return _adapter().validate_json(text)


@cache
def _adapter() -> TypeAdapter[Results]:
    return TypeAdapter(Results)
