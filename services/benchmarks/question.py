"""A question of somebody else's set, in the one form that all their formats are read into."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Gold:
    """One piece of evidence as its set names it; what the set doesn't tell is empty.

    `given_id` is the set's id of an article or passage, `text` the sentence, fact or whole passage, and
    `sentence` counts the sentences of the article from 0 (-1: not told). `hop` counts from 1 (0: not told).
    """

    given_id: str = ""
    title: str = ""
    url: str = ""
    text: str = ""
    sentence: int = -1
    hop: int = 0


@dataclass(frozen=True, slots=True)
class HopQuestion:
    """A hop of a question whose set tells its whole chain: what it asks alone, and the question so far.

    Hops count from 1. `accepted` are other answers to the question so far; `topology` tells how the hop was
    joined: start, inference or comparison.
    """

    hop: int
    text: str
    answer: str
    so_far: str
    so_far_answer: str
    accepted: tuple[str, ...] = ()
    topology: str = "start"


@dataclass(frozen=True, slots=True)
class BenchmarkQuestion:
    """A question with its answer, other answers that count as right, and its evidence.

    `id` is the set's own, or the row's number where it has none. `type` is the set's own word, `hops` 0 where
    the set doesn't tell. `place` is "file:line" or "file:row". A question without `gold` is one that the set
    gives no evidence for, such as a null query. `chain` is there where the set tells each hop's question.
    """

    id: str
    text: str
    answer: str
    accepted: tuple[str, ...] = ()
    type: str = ""
    hops: int = 0
    gold: tuple[Gold, ...] = ()
    place: str = ""
    chain: tuple[HopQuestion, ...] = ()
