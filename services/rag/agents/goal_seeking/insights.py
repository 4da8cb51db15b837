"""What planner and evaluator may know of a question: structured insights, never what was retrieved.

Everything in here was asked for, counted or extracted on purpose. Texts of articles come in as evidence
alone, each piece a sentence or a fact that the extraction chose.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from kg.llm.protocol import JsonValue
from services.rag.protocol import Filters

MOST_EVIDENCE = 120
"""Pieces of evidence that are kept of a question; the first are kept, as they were found."""

MOST_ENTITIES = 40

MOST_SILENCES = 40
"""So many notes are kept of what passages do not tell; the last ones."""

LONGEST_WHY = 300
"""Characters that are kept of why a plan was made."""


@dataclass(frozen=True, slots=True)
class EvidencePiece:
    """A fact that was extracted for the question, and where from; `chunk` is what an answer can cite.

    `published` is the day of the article, `event_day` that of the event as the passage tells it, empty where
    it doesn't.
    """

    fact: str
    chunk: str
    source: str = ""
    published: str = ""
    event_day: str = ""

    @property
    def fact_with_date(self) -> str:
        """The fact with the day of the event behind it, unless it says so itself."""
        told = not self.event_day or self.event_day in self.fact
        return self.fact if told else f"{self.fact} (happened: {self.event_day})"


@dataclass(frozen=True, slots=True)
class Silence:
    """Evidence of absence: so many passages of a source were read for something, and none tells it.

    `source` is empty for passages of several sources, or of none that is known.
    """

    sought: str
    source: str
    passages: int

    @property
    def sentence(self) -> str:
        """In a sentence."""
        number = "1 passage" if self.passages == 1 else f"{self.passages} passages"
        return f"{number}{f' of {self.source}' if self.source else ''} read, none tells: {self.sought}"


@dataclass(frozen=True, slots=True)
class PastQuery:
    """A query that was looked for, with its filters in words, and how many chunks came.

    `sources` are those that it was limited to, if any.
    """

    query: str
    filters: str
    passages: int
    sources: tuple[str, ...] = ()

    @property
    def line(self) -> str:
        """On a line: "harbour dues [source Ostby Post]: 3 passages"."""
        passages = "1 passage" if self.passages == 1 else f"{self.passages} passages"
        return f"{self.query} [{self.filters or 'everywhere'}]: {passages}"


@dataclass(frozen=True, slots=True)
class PastPlan:
    """A plan that was carried out, in its planner's words; `fruitless` tells that it brought nothing new."""

    pattern: str
    why: str
    fruitless: bool = False


@dataclass(frozen=True, slots=True)
class Insights:
    """What is known of a question.

    `sufficient` is None until the evidence was assessed; `missing` is what the assessment found lacking.
    `answer` is empty until there is one, `confidence` in [0, 1]. `iteration` counts plans from 1, 0 before
    the first; `rejection` tells why the last plan could not be used, empty where it could. `silences` say
    what passages that were read do not tell.
    """

    question: str
    queries: tuple[PastQuery, ...] = ()
    evidence: tuple[EvidencePiece, ...] = ()
    entities: tuple[str, ...] = ()
    sufficient: bool | None = None
    missing: tuple[str, ...] = ()
    answer: str = ""
    confidence: float = 0.0
    iteration: int = 0
    rejection: str = ""
    plans: tuple[PastPlan, ...] = ()
    silences: tuple[Silence, ...] = ()

    @property
    def without_plans(self) -> "Insights":
        """What was found, without the plans that led there."""
        return replace(self, iteration=0, rejection="", plans=())

    @property
    def query_texts(self) -> tuple[str, ...]:
        """The queries that were looked for."""
        return tuple(one.query for one in self.queries)


def evidence_as_json(evidence: Sequence[EvidencePiece]) -> list[JsonValue]:
    """Pieces of evidence as an argument of a call."""
    return [
        {
            "fact": one.fact,
            "chunk": one.chunk,
            "source": one.source,
            "published": one.published,
            "happened": one.event_day,
        }
        for one in evidence
    ]


def evidence_from_json(value: JsonValue) -> tuple[EvidencePiece, ...]:
    """Pieces of evidence from an argument of a call."""
    return tuple(
        EvidencePiece(
            str(one.get("fact", "")),
            str(one.get("chunk", "")),
            str(one.get("source", "")),
            str(one.get("published", "")),
            str(one.get("happened", "")),
        )
        for one in items(value)
        if isinstance(one, Mapping)
    )


def insights_as_json(known: Insights) -> dict[str, JsonValue]:
    """Insights as the argument of a call: all that an evaluator gets to see."""
    return {
        "question": known.question,
        "queries": tried_as_json(known.queries),
        "evidence": evidence_as_json(known.evidence),
        "entities": list(known.entities),
        "sufficient": known.sufficient,
        "missing": list(known.missing),
        "answer": known.answer,
        "confidence": known.confidence,
        "iteration": known.iteration,
        "rejected": known.rejection,
        "plans": [
            {"pattern": one.pattern, "why": one.why, "fruitless": one.fruitless} for one in known.plans
        ],
        "silences": silences_as_json(known.silences),
    }


def insights_from_json(value: Mapping[str, JsonValue]) -> Insights:
    """Insights from the argument of a call."""
    sufficient, confidence, iteration = value["sufficient"], value["confidence"], value["iteration"]
    return Insights(
        question=str(value["question"]),
        queries=tried_from_json(value["queries"]),
        evidence=evidence_from_json(value["evidence"]),
        entities=tuple(map(str, items(value["entities"]))),
        sufficient=sufficient if isinstance(sufficient, bool) else None,
        missing=tuple(map(str, items(value["missing"]))),
        answer=str(value["answer"]),
        confidence=float(confidence) if isinstance(confidence, int | float) else 0.0,
        iteration=iteration if isinstance(iteration, int) else 0,
        rejection=str(value["rejected"]),
        plans=tuple(
            PastPlan(str(one["pattern"]), str(one["why"]), one["fruitless"] is True)
            for one in items(value["plans"])
            if isinstance(one, Mapping)
        ),
        silences=silences_from_json(value["silences"]),
    )


def filters_in_words(filters: Filters) -> str:
    """The filters of a search in words, empty where everything was searched."""
    parts = (
        ("source", ", ".join(filters.sources)),
        ("category", ", ".join(filters.categories)),
        ("author", ", ".join(filters.authors)),
        ("from", filters.since),
        ("until", filters.until),
    )
    return "; ".join(f"{name} {value}" for name, value in parts if value)


def items(value: JsonValue) -> Sequence[JsonValue]:
    """The members of a JSON list, none where it is no list."""
    return value if isinstance(value, Sequence) and not isinstance(value, str) else ()


def tried_as_json(queries: Sequence[PastQuery]) -> list[JsonValue]:
    """Queries as an argument of a call."""
    return [
        {"query": one.query, "filters": one.filters, "found": one.passages, "sources": list(one.sources)}
        for one in queries
    ]


def tried_from_json(value: JsonValue) -> tuple[PastQuery, ...]:
    """Queries from an argument of a call."""
    return tuple(
        PastQuery(
            str(one.get("query", "")),
            str(one.get("filters", "")),
            _count(one.get("found")),
            tuple(map(str, items(one.get("sources")))),
        )
        for one in items(value)
        if isinstance(one, Mapping)
    )


def silences_as_json(silences: Sequence[Silence]) -> list[JsonValue]:
    """What passages do not tell, as an argument of a call."""
    return [{"sought": one.sought, "source": one.source, "passages": one.passages} for one in silences]


def silences_from_json(value: JsonValue) -> tuple[Silence, ...]:
    """What passages do not tell, from an argument of a call."""
    return tuple(
        Silence(str(one.get("sought", "")), str(one.get("source", "")), _count(one.get("passages")))
        for one in items(value)
        if isinstance(one, Mapping)
    )


def _count(value: JsonValue) -> int:
    return value if isinstance(value, int) else 0
