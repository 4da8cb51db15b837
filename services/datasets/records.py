"""What a dataset holds, as every format is written from it: articles with chunks, questions with gold.

Offsets are counted in characters of an article's body, `end` exclusive; hops are counted from 1.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ChunkPlace:
    """A chunk of an article, as the place that it has in the body."""

    id: str
    position: int
    start: int
    end: int
    tokens: int


@dataclass(frozen=True, slots=True)
class ArticleRecord:
    """An article; `published_at` is ISO 8601 or empty, `other_ids` are ids of rows with the same text."""

    id: str
    title: str
    body: str
    source: str
    category: str
    author: str
    published_at: str
    url: str
    tokens: int
    sha256: str
    given_id: str
    other_ids: tuple[str, ...]
    chunks: tuple[ChunkPlace, ...]


@dataclass(frozen=True, slots=True)
class FactRecord:
    """A fact that a question rests on: the claim, where it stands in its article, and on a path its triple.

    Subject, predicate and object are empty for questions that follow no path. `reversed` tells that the
    path goes from the object to the subject; `link` how it joins the fact before it.
    """

    hop: int
    statement: str
    sentence: str
    article: str
    start: int
    end: int
    subject: str = ""
    predicate: str = ""
    object: str = ""
    reversed: bool = False
    link: str = ""

    @property
    def entity_after(self) -> str:
        """Where the path is after this hop, empty off a path."""
        return self.subject if self.reversed else self.object


@dataclass(frozen=True, slots=True)
class GoldRecord:
    """A chunk that supports a hop, with its cosine to the question (None where nobody computed it)."""

    hop: int
    chunk: str
    article: str
    start: int
    end: int
    similarity: float | None


@dataclass(frozen=True, slots=True)
class StopRecord:
    """An entity on the path of a question."""

    name: str
    type: str


@dataclass(frozen=True, slots=True)
class PrefixRecord:
    """The question of the first `hops` facts of another one."""

    id: str
    hops: int
    text: str
    answer: str
    accepted: tuple[str, ...]
    answer_type: str


@dataclass(frozen=True, slots=True)
class HopRecord:
    """The atomic question of a hop; `topology` tells how it was joined: start, inference or comparison."""

    id: str
    hop: int
    topology: str
    text: str
    answer: str
    accepted: tuple[str, ...]
    answer_type: str


@dataclass(frozen=True, slots=True)
class QuestionRecord:
    """A kept question. `difficulty` maps min, mean and power to values; `bin` is its quartile, None without.

    `path` and `signature` are empty for a question that follows none, `facts` also for one that was imported
    from another set, `gold` for a null question. `hop_questions` are those of a composed one. `spans` and
    `crossings` map what evidence is clustered by to how many clusters it lies in at least, and how many of
    their borders it must cross.
    """

    id: str
    text: str
    answer: str
    accepted: tuple[str, ...]
    answer_type: str
    kind: str
    type: str
    hops: int
    bin: int | None
    difficulty: Mapping[str, float]
    generator: str
    sources: tuple[str, ...]
    dates: tuple[str, ...]
    absent: str
    given_id: str
    path: str
    signature: str
    stops: tuple[StopRecord, ...]
    facts: tuple[FactRecord, ...]
    gold: tuple[GoldRecord, ...]
    prefixes: tuple[PrefixRecord, ...]
    hop_questions: tuple[HopRecord, ...] = ()
    domain: str = ""
    spans: Mapping[str, int] = field(default_factory=dict)
    crossings: Mapping[str, int] = field(default_factory=dict)

    @property
    def answerable(self) -> bool:
        """Whether the corpus holds an answer."""
        return self.kind != "null" and self.type != "null"

    @property
    def evidence(self) -> tuple[GoldRecord, ...]:
        """Its supporting chunks; none of a null question, since what it begins with leads to no answer."""
        return self.gold if self.answerable else ()

    @property
    def aliases(self) -> tuple[str, ...]:
        """The accepted answers beside the answer itself."""
        return tuple(one for one in self.accepted if one != self.answer)

    @property
    def ids(self) -> tuple[str, ...]:
        """Its own id and those of the questions of its first hops and of each hop."""
        beside = (*(one.id for one in self.prefixes), *(one.id for one in self.hop_questions))
        return (self.id, *dict.fromkeys(beside))

    @property
    def articles(self) -> frozenset[str]:
        """The articles that its evidence and its facts stand in."""
        return frozenset({one.article for one in self.gold} | {fact.article for fact in self.facts})

    def chunks_of_hops(self) -> dict[int, tuple[GoldRecord, ...]]:
        """The supporting chunks of each hop, in the order of hops."""
        hops = sorted({one.hop for one in self.gold})
        return {hop: tuple(one for one in self.gold if one.hop == hop) for hop in hops}
