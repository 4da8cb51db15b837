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
class BenchmarkQuestion:
    """A question with its answer, other answers that count as right, and its evidence.

    `id` is the set's own, or the row's number where it has none. `type` is the set's own word, `hops` 0 where
    the set doesn't tell. `place` is "file:line" or "file:row". A question without `gold` is one that the set
    gives no evidence for, such as a null query.
    """

    id: str
    text: str
    answer: str
    accepted: tuple[str, ...] = ()
    type: str = ""
    hops: int = 0
    gold: tuple[Gold, ...] = ()
    place: str = ""
