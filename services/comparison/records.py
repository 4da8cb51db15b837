"""What is kept of a judged comparison: plain rows, from which every figure of it can be computed again.

How long an answer is, by a count that no spelling gets past, and an answer cut at a length.

What is recorded of the run behind a system, so that it can be held to the protocol.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import ceil
from typing import Annotated, Literal

from pydantic import Field, FiniteFloat

from kg.text.tokens import count_tokens
from services.rag.context import first_words

LETTERS_A_TOKEN = 16
"""The most letters that a token is taken for; of usual text it has some five. Our tokens alone would take
a word of thousands of letters for one."""


def answer_length(text: str) -> int:
    """Tokens by our count, and at least one for every `LETTERS_A_TOKEN` letters."""
    return max(count_tokens(text), ceil(len(text) / LETTERS_A_TOKEN))


def cut_answer(text: str, length: int) -> str:
    """The beginning of a text that is no longer than this, at the end of a word where that can be."""
    return first_words(text, length)[: length * LETTERS_A_TOKEN]


@dataclass(frozen=True, slots=True)
class RunRecord:
    """The run that gave a system's answers, as its node says; times are ISO 8601 with their zone.

    `ours` tells that the comparison made it itself, from the pool; `answered_here` that our readers or a
    model of ours wrote its answers, and not a system from outside. `generator` is empty where who answers
    is the system's own business; `finished_at` where it has not ended.
    """

    system: str
    run: str
    ours: bool
    answered_here: bool
    made_by: str
    generator: str
    prompts: tuple[str, ...]
    embedder: str
    dataset: str
    started_at: str
    finished_at: str = ""


Count = Annotated[int, Field(ge=0, lt=1 << 63)]
"""A number of things; rows that are read with another one are refused, as no sum of them could be taken."""

Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Amount = Annotated[float, Field(ge=0, le=1e15, allow_inf_nan=False)]
"""A time in seconds, or money: of as many answers as there may be, their sum is finite."""


MOST_ACCEPTED = 10_000
"""A question may have so many accepted answers, each of which is looked for in every answer; the names that
an encyclopedia has for one thing are some hundreds."""


@dataclass(frozen=True, slots=True)
class GoldHop:
    """A piece of the gold evidence: a chunk that supports hop `hop` (from 1), and the fact that it states.

    Several may support one hop. `cluster` is the evidence cluster of the chunk.
    """

    hop: Count
    chunk: str
    claim: str
    cluster: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question of the comparison; `cluster` is the one that inference goes by.

    A null question has no gold: nothing is evidence for what stands nowhere. `crossings` maps a facet to how
    many borders of its clusters the hops cross.
    """

    id: str
    text: str
    answer: str
    accepted: Annotated[tuple[str, ...], Field(max_length=MOST_ACCEPTED)]
    kind: str
    query_type: str
    hops: Count
    bin: Count | None
    cluster: str
    gold: tuple[GoldHop, ...]
    crossings: Mapping[str, Count] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Chunk:
    """A chunk of a pool or of the gold evidence, with its text, tokens by our count, and evidence cluster."""

    id: str
    article: str
    title: str
    text: str
    tokens: Count
    cluster: str


@dataclass(frozen=True, slots=True)
class Candidates:
    """The pool of a question: ids of chunks with the retriever's scores, best first."""

    question: str
    chunks: tuple[tuple[str, FiniteFloat], ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """A chunk that a system showed its generator; `step` is the search that brought it, from 1."""

    chunk: str
    rank: Count
    step: Count


@dataclass(frozen=True, slots=True)
class Answer:
    """What a system gave for a question; `cited` are ids of chunks, `evidence_tokens` those of all it showed.

    `error` is why there is no answer, empty where there is one.
    """

    system: str
    question: str
    text: str
    error: str
    abstained: bool
    evidence: tuple[Shown, ...]
    cited: tuple[str, ...]
    evidence_tokens: Count
    answer_tokens: Count
    input_tokens: Count = 0
    output_tokens: Count = 0
    seconds: Amount = 0.0
    cost: Amount | None = None


@dataclass(frozen=True, slots=True)
class KnownAnswer:
    """An answer of a finished run that judges are tried on: whether it is right, and who says so."""

    answer: Answer
    right: bool
    by: Literal["people", "exact match"]


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a judge said of an answer: `score` is 0, 0.5 or 1, right from 1; None where he gave no verdict.

    `hops` tells for each hop that has gold evidence, in order, whether its evidence was shown, `hop_steps`
    the first search that brought it, 0 where none did, and `supports` of each used chunk whether it bears on
    the answer. The three measures follow from these, None where undefined; `why` has a sentence for the
    verdict and for each measure. `failed` is why there is no verdict.
    """

    judge: str
    system: str
    question: str
    score: Share | None
    hops: tuple[bool, ...]
    supports: Mapping[str, bool]
    cluster_recall: Share | None
    hop_consistency: Share | None
    evidence_alignment: Share | None
    why: Mapping[str, str]
    failed: str = ""
    hop_steps: tuple[Count, ...] = ()

    @property
    def right(self) -> bool | None:
        """Whether the answer is wholly right; None without a verdict."""
        return None if self.score is None else self.score >= 1
