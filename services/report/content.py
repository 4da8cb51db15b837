"""What a report holds: plain values, shown as tables, a page or JSON, and written back.

A report as plain values for `--json`: every field, and every property that is worked out from fields.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from typing import TYPE_CHECKING, Literal

from services.evaluate.matrix import SMALL, CrossingTable, Matrix
from services.evaluate.run_analysis import RunAnalysis
from services.questions.difficulty import Aggregate
from services.statistics.agreement import Agreement
from services.statistics.clustered_means import RepeatedMean
from services.statistics.intervals import Interval
from services.statistics.paired import PairedComparison
from services.statistics.rankings import Mean
from services.statistics.trend import Correlation

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What produced a run's answers, and what they took.

    `generator` is the rules reader's name or the model's; `judge` is what `correct` rests on: "answer match",
    "exact match" or a judge's name, or with "revised by hand" added. `seconds` and `cost` are sums; `cost`
    is None where the model has no price. `errors` are answers that failed; they count as wrong and are
    shown. `unaligned` counts retrieved texts that are in no chunk, on `with_unaligned` answers; `untold` the
    answers whose system keeps to itself what it retrieved. `cached_input_tokens` are part of the input,
    `reasoning_tokens` of the output; 0 where the endpoint doesn't tell. `repeats` is the common name of runs
    that differ in the seed only, empty for a run by itself. `candidates` is how many chunks of a
    search a reranker read, None where it had no more than `top`; `evidence` is "gold" where the system was
    given the chunks that support a question, "none" where it read nothing, else empty.
    """

    name: str
    system: str
    retriever: str
    reranker: str
    generator: str
    embedder: str
    judge: str
    prompts: tuple[str, ...]
    top: int
    dataset: str
    questions: int
    answers: int
    errors: int
    abstained: int
    input_tokens: int
    output_tokens: int
    cost: float | None
    seconds: float
    started_at: str
    finished_at: str
    seed: int | None = None
    unaligned: int = 0
    with_unaligned: int = 0
    untold: int = 0
    cached_input_tokens: int = 0
    reasoning_tokens: int = 0
    temperature: float = 0.0
    repeats: str = ""
    candidates: int | None = None
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class Rate:
    """A share with its interval: by cluster, or Wilson's where there are too few clusters."""

    name: str
    n: int
    hits: int
    rate: float | None
    interval: Interval | None

    @property
    def small(self) -> bool:
        """Whether there are too few to say anything."""
        return self.n < SMALL


@dataclass(frozen=True, slots=True)
class KindRow:
    """Accuracy on one kind of questions: by the run's judge, answer match, exact match, MultiHop-RAG's any
    word, and F1, with abstentions and errors."""

    kind: str
    query_type: str
    accuracy: Rate
    answer_match: float | None
    exact_match: float | None
    any_word: float | None
    f1: float | None
    abstained: int
    errors: int


@dataclass(frozen=True, slots=True)
class Ablation:
    """How an aggregate of the similarities goes with error within each depth (GRADE, table 3).

    `by_depth` maps a depth to Pearson's r over that aggregate's own quartile bins; `average` is their mean
    over the depths that have one.
    """

    aggregate: Aggregate
    by_depth: Mapping[int, Correlation | None]
    average: float | None


@dataclass(frozen=True, slots=True)
class HopLoss:
    """Of the wrong answers to chain questions of a depth, where the chain broke first.

    `retrieval[i]` counts those whose hop i + 1 was the first without a retrieved supporting chunk;
    `reasoning` those where every hop's evidence was retrieved and the answer is still wrong; `errors` those
    where the system failed; `untold` those of which the system doesn't tell what was retrieved; `abstained`,
    of all of them, those that were abstentions.
    """

    hops: int
    wrong: int
    retrieval: tuple[int, ...]
    reasoning: int
    errors: int
    abstained: int
    untold: int = 0


GroundedBy = Literal["retrieved", "cited"]


@dataclass(frozen=True, slots=True)
class Grounds:
    """On what the right answers to a part of the answerable questions rest.

    `every`, `some` and `none` count those for all, a part or none of whose hops a supporting chunk was
    retrieved, or `by` "cited", is cited by the answer. `unfounded` is the share of right answers for the
    wrong reason: of whose hops some lack evidence. None for `hops` and `bin` stands for questions of every
    kind, else only chain questions count.
    """

    by: GroundedBy
    hops: int | None
    bin: int | None
    every: int
    some: int
    none: int
    unfounded: Rate


@dataclass(frozen=True, slots=True)
class RiskPoint:
    """Of all questions the share answered with at least this confidence, and the share of wrong ones there.

    `confidence` is None where answers carry none, and all that don't abstain stand together.
    """

    confidence: float | None
    coverage: float
    risk: float


@dataclass(frozen=True, slots=True)
class Silences:
    """When a run should have kept silent, when it should not, and how risk falls with coverage.

    `false_answers` is the share of null questions that it answered all the same, `false_silences` that of
    answerable ones from which it abstained; answers that failed are in neither. `coverage` is the share of
    all questions that it answered, `risk` that of wrong ones among these answers. `curve` goes from the most
    confident answers to all of them; `area` is the mean risk along it, None where answers carry none.
    """

    false_answers: Rate
    false_silences: Rate
    coverage: Rate
    risk: Rate
    curve: tuple[RiskPoint, ...]
    area: float | None


@dataclass(frozen=True, slots=True)
class CostPoint:
    """What a run took for its accuracy, on the questions that all runs of the report answered.

    `tokens`, `money` and `seconds` are for 1,000 questions; `money` is None where nothing has a price.
    `beaten_in_tokens` and `beaten_in_money` name the first run that is at least as accurate for no more, and
    better in one of the two; empty for a run on the front.
    """

    run: str
    accuracy: Rate
    tokens: float
    money: float | None
    seconds: float
    beaten_in_tokens: str = ""
    beaten_in_money: str = ""


@dataclass(frozen=True, slots=True)
class Repeats:
    """Runs that differ in the model's seed only, on the questions that all of them answered.

    `accuracy` is the mean with what other questions and other runs would change. `unsteady` is the share of
    questions that some of the runs got right and others not.
    """

    name: str
    runs: tuple[str, ...]
    accuracy: RepeatedMean
    unsteady: Rate


@dataclass(frozen=True, slots=True)
class Worst:
    """A node on which a run's answers go wrong most often, of those with enough answers."""

    id: str
    label: str
    name: str
    answers: int
    wrong: int


@dataclass(frozen=True, slots=True)
class Rebinned:
    """The matrix of a run under another embedder's or chunking's difficulty (GRADE, A.7 and A.8).

    `bins` tells whether its quartiles were cut within each "depth" or over all questions ("global").
    """

    embedder: str
    chunking: str
    bins: str
    matrix: Matrix


@dataclass(frozen=True, slots=True)
class Ceilings:
    """A run between what its generator knows by heart and what it reads out of gold evidence.

    `closed_book` and `gold` name the runs, empty where there is none; all accuracies are over the questions
    with evidence that each of them answered. 1 less `system` is what retrieval lost (`retrieval`: gold less
    system, question by question) and what reading lost (`reading`: 1 less gold) together.
    """

    closed_book: str
    gold: str
    from_memory: Rate | None
    system: Rate
    from_gold: Rate | None
    retrieval: PairedComparison | None
    reading: Rate | None


@dataclass(frozen=True, slots=True)
class RunSection:
    """Everything about one run; `analysis` is None where its traces were not looked at, `ceilings` where no
    run of its generator read gold evidence or nothing.

    `retrieval` has the measures of what it ranked by name, over questions of all kinds but null ones; it is
    empty where no question has evidence, or the system doesn't tell what it retrieved.
    """

    facts: RunFacts
    matrix: Matrix
    kinds: tuple[KindRow, ...]
    ablation: tuple[Ablation, ...]
    losses: tuple[HopLoss, ...]
    hop_recall: tuple[Rate, ...]
    worst: Mapping[str, Sequence[Worst]]
    agreements: tuple[Agreement, ...]
    rebinned: tuple[Rebinned, ...]
    analysis: RunAnalysis | None = None
    crossings: tuple[CrossingTable, ...] = ()
    grounds: tuple[Grounds, ...] = ()
    silences: Silences | None = None
    ceilings: Ceilings | None = None
    retrieval: Mapping[str, Mean] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LinkShare:
    """Of the kept chain questions of a depth, how many need a missing link (GRADE, table 4)."""

    hops: int
    questions: int
    exact: int
    context: int
    either: int


ALL = "all"
"""The scope of all questions, of every kind; a depth's scope has chain questions only."""
CHAIN = "chain"
"""The scope of the chain questions of every depth together, those of the difficulty matrix."""


@dataclass(frozen=True, slots=True)
class Compared:
    """Two runs on the same questions: `difference` is the second's accuracy less the first's.

    `interval` (Student's) and `p_value` (of sign-flips) take only clusters for independent; `p_holm` is
    adjusted over all comparisons of the report; `naive_*` ignore clusters and are shown as such.
    `scope` is "all", "chain" or a depth such as "2 hops". `decided` tells whether p_holm is below .05.
    `p_error` is the Monte Carlo standard error of `p_value`, 0 where all ways to flip signs were tried.
    """

    first: str
    second: str
    scope: str
    n: int
    clusters: int
    difference: float
    interval: Interval | None
    p_value: float | None
    p_holm: float | None
    naive_interval: Interval | None
    naive_p: float | None
    design_effect: float | None
    effective_n: float | None
    p_error: float | None = None

    @property
    def decided(self) -> bool:
        """Whether they are shown to differ."""
        return self.p_holm is not None and self.p_holm < 0.05


@dataclass(frozen=True, slots=True)
class Report:
    """A report on one or more runs over one corpus; `notes` are sentences that a reader must know."""

    corpus: str
    version: str
    dataset: str
    generators: tuple[str, ...]
    bins: str
    runs: tuple[RunSection, ...]
    links: tuple[LinkShare, ...]
    comparisons: tuple[Compared, ...]
    notes: tuple[str, ...]
    costs: tuple[CostPoint, ...] = ()
    repeats: tuple[Repeats, ...] = ()


def report_json(report: Report) -> dict[str, object]:
    """The report as a document of maps, lists, numbers and strings; keys of maps are strings."""
    return {name: plain(value) for name, value in _members(report).items()}


def plain(value: object) -> object:
    """A value of dataclasses, maps and sequences as maps, lists, numbers and strings."""
    if is_dataclass(value) and not isinstance(value, type):
        return {name: plain(member) for name, member in _members(value).items()}
    if isinstance(value, Mapping):
        return {str(key): plain(member) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [plain(member) for member in value]
    return value


def _members(value: "DataclassInstance") -> dict[str, object]:
    names = [field.name for field in fields(value)]
    worked_out = [name for name, member in vars(type(value)).items() if isinstance(member, property)]
    return {name: getattr(value, name) for name in (*names, *worked_out)}
