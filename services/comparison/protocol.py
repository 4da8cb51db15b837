"""What a protocol of a judged comparison says; all of it is fixed, and hashed, before the first answer."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from math import isinf
from types import MappingProxyType
from typing import Annotated, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)

from kg.llm.roles import model_behind
from services.questions.spans import facets
from services.rag.run_options import GeneratorOption, SystemName

Measure = Literal["accuracy", "exact match", "f1", "cluster recall", "hop consistency", "evidence alignment"]
"""What a hypothesis may be about; each is a number in [0, 1] for a question, larger being better."""

MEASURE_NAMES: Mapping[Measure, str] = MappingProxyType(
    {
        "accuracy": "accuracy",
        "exact match": "exact match",
        "f1": "token F1",
        "cluster recall": "Cluster Recall",
        "hop consistency": "Hop Consistency",
        "evidence alignment": "Evidence Alignment",
    }
)
"""What the measures are called in sentences and tables."""

Direction = Literal["greater", "less", "different", "equivalent"]
"""What is claimed of a system against another: a larger, smaller or other mean, or one within the margin."""

SelectorName = Literal["top-k", "mmr", "genetic", "graph"]
"""How evidence is chosen from the pool of a question."""

ClusterFacet = facets.ClusterFacet
"""What the evidence is clustered by, in `services.questions.spans`."""

Correction = Literal["holm", "none"]
Spending = Literal["obrien-fleming", "pocock"]
JudgeKind = Literal["rules", "model"]

MOST = 10**9
"""The most of anything that a protocol counts."""
MOST_LOOKS = 20
"""The most looks at one comparison; of more, each would have next to nothing of alpha."""

Share = Annotated[float, Field(ge=0, le=1)]
Text = Annotated[str, Field(min_length=1)]
NAME_PATTERN = r"^\w[\w.:@+-]{0,39}$"
"""What a comparison and its systems may be called."""

RunName = Annotated[str, Field(pattern=NAME_PATTERN)]
Temperature = Annotated[float, Field(ge=0, le=2)]
Seed = Annotated[int, Field(strict=True, ge=0, le=2**32 - 1)]


class _Part(BaseModel):
    """A part of a protocol: no field that it doesn't know, and none that changes."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class Dataset(_Part):
    """Which questions: those of a version of a corpus, all or so many of them, drawn by `seeds`."""

    corpus: Text
    """The corpus that holds the questions."""
    version: Text
    """The version of its questions; with others a run is refused."""
    questions: Annotated[int, Field(strict=True, ge=2, le=MOST)] | None = None
    """How many are drawn by `seeds.sample`, of each kind its share in the corpus; all without it."""


class CandidatePool(_Part):
    """The only chunks that a system may show for a question: the first of a named retriever, frozen.

    `hash` is that of the pools of all questions, in `services.comparison.pool`.
    """

    retriever: Text
    """By which the pools were drawn; it stands in the pool file too."""
    size: Annotated[int, Field(strict=True, ge=1, le=1_000)] = 100
    """The most chunks that a pool has."""
    hash: Text
    """SHA-256 over the pools of all questions and how they were drawn."""


class Budget(_Part):
    """How much of the pool a generator may see for a question, and how long its answer may be, in tokens."""

    evidence_tokens: Annotated[int, Field(strict=True, ge=64, le=MOST)]
    """Tokens of the chunks that may be shown for a question."""
    answer_tokens: Annotated[int, Field(strict=True, ge=1, le=MOST)] = 64
    """Tokens that an answer may have."""


class Answering(_Part):
    """Who answers for every system: the rules or a model, by name, with the versions of its prompts."""

    kind: GeneratorOption
    """Rules, or a model behind an endpoint."""
    name: Text
    """The name of the rules with their version, or of the model."""
    prompts: tuple[str, ...] = ()
    """The versions of the prompts that the model is given."""
    temperature: Temperature = 0.0
    """Of the model; rules have none."""


class Judge(_Part):
    """Who judges: rules named in `services.comparison.judging`, or a model with the version of its prompt."""

    kind: JudgeKind
    """Rules, or a model behind an endpoint."""
    name: Text
    """`exact` or `overlap` of the rules, or the name of the model."""
    prompt: str = ""
    """The version of the prompt that the model is given."""
    temperature: Temperature = 0.0
    """Of the model; rules have none."""

    @property
    def identity(self) -> tuple[JudgeKind, str]:
        """Who the judge is, by whatever provider a model is asked; see `model_behind`."""
        return self.kind, model_behind(self.name) if self.kind == "model" else self.name


class Calibration(_Part):
    """On how many questions a judge is tried with answers of known quality, and what makes him fail.

    `least_discernment` is Youden's J, sensitivity + specificity - 1; `most_bias` bounds the change of his
    mean score by order, by length, and for his own wording; `least_consistency` is the share of verdicts
    that repeat.
    """

    questions: Annotated[int, Field(strict=True, ge=1, le=MOST)] = 40
    """On how many questions a judge is tried."""
    repeats: Annotated[int, Field(strict=True, ge=2, le=10)] = 2
    """How often each answer is judged, to see whether the verdict repeats."""
    least_discernment: Share = 0.5
    """Youden's J, sensitivity + specificity - 1, below which a judge is rejected."""
    most_bias: Share = 0.1
    """The most that order, length or his own wording may change a judge's mean score."""
    least_consistency: Share = 0.9
    """The least share of verdicts that must repeat."""
    run: Text | None = None
    """A finished run: judges are tried on its answers too, as people labelled them, or exact match alone."""

    @model_serializer(mode="wrap")
    def _without_no_run(self, written: SerializerFunctionWrapHandler) -> dict[str, object]:
        """Without a run nothing is said of one, and a protocol's hash is what it was before there was any."""
        return {name: value for name, value in written(self).items() if value is not None}


class SystemUnderTest(_Part):
    """A system: one of ours over evidence chosen by `selector`, or `run`, made by whatever made it."""

    name: RunName
    """What it is called in the comparison."""
    selector: SelectorName | None = None
    """How one of ours chooses its evidence from the pool."""
    system: SystemName = "single-step"
    """Which of ours it is; `graph-agent`, which looks past the pool, is refused."""
    run: Text | None = None
    """The run that another system makes after the lock, in place of a selector."""

    @model_validator(mode="after")
    def _one_origin(self) -> Self:
        if (self.selector is None) == (self.run is None):
            raise ValueError("give one of selector and run")
        return self


class Hypothesis(_Part):
    """A claim made before the run: `system` has a `direction` mean of `measure` than `against` has.

    `smallest` is the smallest difference of interest: the margin of an equivalence, and what the planned
    power is about.
    """

    id: Annotated[str, Field(pattern=r"^\w[\w.-]{0,19}$")]
    """What it is called in the report."""
    system: RunName
    """Of which system something is claimed."""
    against: RunName
    """Against which it is held."""
    measure: Measure = "accuracy"
    """What is compared."""
    direction: Direction = "greater"
    """Whether the mean of `system` is greater, less, different or equivalent."""
    smallest: Annotated[float, Field(gt=0, lt=1)]
    """The smallest difference that matters, as a share: .05 is 5 points."""


class Inference(_Part):
    """How hypotheses are decided, all together at `alpha`.

    `clusters` says which questions are not independent: those with gold evidence in one cluster of this kind.
    `looks` are the shares of the questions after which is looked at the results, the last being 1.
    """

    alpha: Annotated[float, Field(gt=0, lt=0.5)] = 0.05
    """The chance of a false claim among all hypotheses together."""
    correction: Correction = "holm"
    """Holm's method over all hypotheses, or none."""
    clusters: ClusterFacet = "articles"
    """What makes questions depend on each other: gold evidence of the last hop in one such cluster."""
    draws: Annotated[int, Field(strict=True, ge=1_000, le=1_000_000)] = 10_000
    """How many bootstrap samples and, beyond 20 clusters, sign flips are drawn."""
    looks: Annotated[tuple[Share, ...], Field(max_length=MOST_LOOKS)] = (1.0,)
    """The shares of the questions after which the results are looked at, growing, the last one 1."""
    spending: Spending = "obrien-fleming"
    """How alpha is spent over several looks."""

    @model_validator(mode="after")
    def _looks_grow(self) -> Self:
        if not self.looks or self.looks[0] <= 0 or self.looks[-1] != 1:
            raise ValueError("looks must be shares above 0, of which the last is 1")
        if any(late <= early for early, late in zip(self.looks, self.looks[1:], strict=False)):
            raise ValueError("each look must come after more questions than the one before")
        return self


class Seeds(_Part):
    """The seeds of all that is drawn."""

    sample: Seed = 0
    """Of the questions that are drawn."""
    selection: Seed = 0
    """Of the genetic selector."""
    generation: Seed = 0
    """Of a model that answers."""
    calibration: Seed = 0
    """Of the questions that judges are tried on."""
    inference: Seed = 0
    """Of bootstrap samples and sign flips."""


class Protocol(_Part):
    """A whole protocol; `evidence_clusters` are those that Cluster Recall counts."""

    standard: Literal[1] = 1
    """The version of this form."""
    name: RunName
    """What the comparison is called, with its runs and its archive."""
    dataset: Dataset
    """Which questions."""
    pool: CandidatePool
    """The only chunks that may be shown."""
    budget: Budget
    """How much may be shown and said."""
    generator: Answering
    """Who answers for every system."""
    judge: Judge
    """Who judges."""
    second_judge: Judge
    """Who judges everything once more."""
    calibration: Calibration = Calibration()
    """How judges are tried."""
    evidence_clusters: ClusterFacet = "claims"
    """What Cluster Recall counts."""
    systems: Annotated[tuple[SystemUnderTest, ...], Field(min_length=2)]
    """Two or more systems."""
    hypotheses: Annotated[tuple[Hypothesis, ...], Field(min_length=1)]
    """What is claimed before it is known."""
    inference: Inference = Inference()
    """How it is decided."""
    seeds: Seeds = Seeds()
    """What makes it repeatable."""

    @model_validator(mode="after")
    def _hangs_together(self) -> Self:
        names = [system.name for system in self.systems]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise ValueError(f"two systems are called {twice!r}")
        runs = [system.run for system in self.systems if system.run is not None]
        if run := next((run for run in runs if runs.count(run) > 1), None):
            raise ValueError(f"two systems are the run {run!r}")
        ids = [one.id for one in self.hypotheses]
        if again := next((name for name in ids if ids.count(name) > 1), None):
            raise ValueError(f"two hypotheses are called {again!r}")
        for one in self.hypotheses:
            if unknown := next((name for name in (one.system, one.against) if name not in names), None):
                raise ValueError(
                    f"hypothesis {one.id} is about {unknown!r}, which is no system of it; "
                    f"its systems are {', '.join(names)}"
                )
            if one.system == one.against:
                raise ValueError(f"hypothesis {one.id} compares {one.system!r} with itself")
        if self.judge.identity == self.second_judge.identity:
            raise ValueError("judge and second_judge are the same, whatever provider they are asked of")
        return self

    @property
    def judges_share_code(self) -> bool:
        """Whether both judges are rules: they share code, so that what both say is said once."""
        return self.judge.kind == self.second_judge.kind == "rules"

    @property
    def judging(self) -> str:
        """How each answer is judged, in words: two rules that share code are not called two judges."""
        return "judged by two rules that share code" if self.judges_share_code else "judged twice"


JsonData = Mapping[str, "JsonData"] | Sequence["JsonData"] | str | int | float | bool | None
"""What JSON can say."""


def canonical_json(value: JsonData) -> str:
    """The one JSON text of a value: names in order, no blanks, ASCII alone.

    Raises:
        ValueError: it holds a number that is none.
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def document_hash(document: JsonData) -> str:
    """The SHA-256 of a value's canonical JSON, as 64 hex digits."""
    return hashlib.sha256(canonical_json(document).encode("ascii")).hexdigest()


def protocol_document(protocol: Protocol) -> dict[str, JsonData]:
    """All that a protocol says, defaults included, as JSON holds it."""
    document: dict[str, JsonData] = protocol.model_dump(mode="json")
    return document


def protocol_hash(protocol: Protocol) -> str:
    """The SHA-256 of all that a protocol says; comments, order and layout of its file don't matter."""
    return document_hash(protocol_document(protocol))


def read_json(text: str | bytes) -> JsonData:
    """The value of a JSON text.

    Raises:
        ValueError: it is no JSON, too deep, or holds a number that is none or beyond all bounds, or an
            object with two values of one name.
    """
    try:
        value: JsonData = json.loads(
            text, parse_constant=_no_number, parse_float=_finite, object_pairs_hook=_once_each
        )
    except RecursionError as error:
        raise ValueError("it is too deep") from error
    return value


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is no number")


def _finite(text: str) -> float:
    number = float(text)
    if isinf(number):
        raise ValueError("a number is beyond all bounds")
    return number


def _once_each(pairs: list[tuple[str, JsonData]]) -> dict[str, JsonData]:
    values = dict(pairs)
    if len(values) < len(pairs):
        raise ValueError("an object has two values of one name")
    return values
