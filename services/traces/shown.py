"""A trace as a person looks at it: the steps of an answer, what each saw, and the gold chain beside them."""

from dataclasses import dataclass

from services.evaluate.attribution.behaviours import Behaviour
from services.evaluate.attribution.causes import Attribution


@dataclass(frozen=True, slots=True)
class SeenChunk:
    """A chunk that a step saw; `hops` are the hops of the question that it is gold evidence for."""

    rank: int
    score: float | None
    chunk: str
    article: str
    title: str
    text: str
    hops: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ShownStep:
    """A step, from 1: what was done with what query, why, and what came of it.

    `filters` is told for a reader ("source: The Courier"). `fault` is empty where nothing was wrong, and
    `seconds` None where nobody measured. `gold` are the hops whose evidence it saw.
    """

    index: int
    action: str
    query: str
    observation: str
    retrieves: bool
    top_k: int | None
    filters: str
    thought: str
    arguments: str
    fault: str
    input_tokens: int
    output_tokens: int
    seconds: float | None
    seen: tuple[SeenChunk, ...]

    @property
    def gold(self) -> tuple[int, ...]:
        """The hops whose evidence this step saw, in order."""
        return tuple(sorted({hop for chunk in self.seen for hop in chunk.hops}))


@dataclass(frozen=True, slots=True)
class GoldChunk:
    """Evidence of a hop."""

    chunk: str
    article: str
    title: str


@dataclass(frozen=True, slots=True)
class GoldHop:
    """A hop of the gold chain: what it states, its question and answer, and its evidence.

    `first_seen` is the first step that saw any of its evidence, None where none did. `right` tells whether
    the run answered the question of the first hops up to this one; None where that was not asked. `fact` and
    `question` are empty where nothing is known of the hop but its evidence.
    """

    hop: int
    fact: str
    question: str
    answer: str
    evidence: tuple[GoldChunk, ...]
    first_seen: int | None
    right: bool | None


@dataclass(frozen=True, slots=True)
class ShownTrace:
    """An answer with all that led to it; `answer` is the answer's id, `said` its text.

    `told` is False where the system keeps to itself what it retrieved, and `steps_told` where it doesn't list
    its steps: then they are made of what it retrieved. `score` is a judge's 0, 1 or 2, None where none judged
    so. `failure` tells why the answer is not right, None where it is; `behaviours` are those that it shows
    then. `unknown_citations` counts cited passages that were never shown; `unread` tells that a model
    answered without having been shown any.
    """

    answer: str
    run: str
    system: str
    generator: str
    question: str
    text: str
    kind: str
    query_type: str
    hops: int
    gold: str
    accepted: tuple[str, ...]
    said: str
    correct: bool
    abstained: bool
    error: str
    judged_by: str
    score: int | None
    seconds: float | None
    input_tokens: int
    output_tokens: int
    cost: float | None
    prompts: tuple[str, ...]
    told: bool
    steps: tuple[ShownStep, ...]
    chain: tuple[GoldHop, ...]
    steps_told: bool = True
    failure: Attribution | None = None
    behaviours: tuple[Behaviour, ...] = ()
    unknown_citations: int = 0
    unread: bool = False

    @property
    def verdict(self) -> str:
        """The outcome in a word or two."""
        if self.error:
            return "error"
        if self.correct:
            return "right"
        return "abstained" if self.abstained else "wrong"

    @property
    def faults(self) -> tuple[str, ...]:
        """What was wrong with its steps, in their order."""
        return tuple(step.fault for step in self.steps if step.fault)
