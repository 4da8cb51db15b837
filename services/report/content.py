"""What a report holds: plain values, shown as tables, a page or JSON, and written back.

A report as plain values for `--json`: every field, and every property that is worked out from fields.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from typing import TYPE_CHECKING

from services.evaluate.matrix import SMALL, CrossingTable, Matrix
from services.evaluate.run_analysis import RunAnalysis
from services.questions.difficulty import Aggregate
from services.statistics.agreement import Agreement
from services.statistics.intervals import Interval
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
    `reasoning_tokens` of the output; 0 where the endpoint doesn't tell.
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
class RunSection:
    """Everything about one run; `analysis` is None where its traces were not looked at.

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
    retrieval: Mapping[str, Mean] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LinkShare:
    """Of the kept chain questions of a depth, how many need a missing link (GRADE, table 4)."""

    hops: int
    questions: int
    exact: int
    context: int
    either: int


@dataclass(frozen=True, slots=True)
class Compared:
    """Two runs on the same questions: `difference` is the second's accuracy less the first's.

    `interval` (Student's) and `p_value` (of sign-flips) take only clusters for independent; `p_holm` is
    adjusted over all comparisons of the report; `naive_*` ignore clusters and are shown as such.
    `scope` is "all" or a depth such as "2 hops". `decided` tells whether p_holm is below .05. `p_error` is
    the Monte Carlo standard error of `p_value`, 0 where all ways to flip signs were tried.
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
