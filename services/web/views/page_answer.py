"""What one run answered to a question, as the page shows it: what it retrieved, its steps, their cost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from kg.model import Step
from kg.store.graph import Row
from services.rag.answering import describe_filters
from services.traces.shown import SeenChunk


@dataclass(frozen=True, slots=True)
class SeenArticle:
    """An article of which a step saw chunks, at these ranks; `hops` are those that they support."""

    article: str
    title: str
    ranks: tuple[int, ...]
    hops: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TakenStep(Step):
    """A step of a run's system; `filters` are told for a reader, `tokens` are those in and out.

    `start` is in seconds since the first step began, since steps come one after another.
    """

    seen: tuple[SeenArticle, ...] = ()
    start: float = 0.0
    tokens: int = 0

    @property
    def hops(self) -> tuple[int, ...]:
        """The hops whose evidence it saw, ascending."""
        return tuple(sorted({hop for article in self.seen for hop in article.hops}))


@dataclass(frozen=True, slots=True)
class Answered:
    """What a run answered. `broken_by` tells what broke a wrong answer, `first_lost` which hop was lost.

    `unaligned` counts retrieved texts that are in no chunk, of which `unaligned_texts` are some;
    `retrieval_reported` is False where the system does not tell what it retrieved.
    """

    run: str
    text: str
    correct: bool
    abstained: bool
    error: str
    broken_by: str
    first_lost: int | None
    judged_by: str = "exact match"
    hops_found: tuple[bool, ...] = ()
    retrieved: tuple[SeenChunk, ...] = ()
    steps: tuple[TakenStep, ...] = ()
    unaligned: int = 0
    unaligned_texts: tuple[str, ...] = ()
    retrieval_reported: bool = True
    seconds: float | None = None
    tokens: int = 0
    cost: float | None = None

    @property
    def steps_seconds(self) -> float:
        """How long its steps took together, 0 where one of them does not tell."""
        taken = [step.seconds for step in self.steps if step.seconds is not None]
        return sum(taken) if len(taken) == len(self.steps) else 0.0


def read_answer(row: Row, supports: Mapping[str, Sequence[int]]) -> Answered:
    """An answer as `questions/read_shown` returns it; `supports` are the hops that chunks support, by id."""
    return Answered(
        run=row["run"],
        text=row["text"] or "",
        correct=bool(row["correct"]),
        abstained=bool(row["abstained"]),
        error=row["error"] or "",
        judged_by=row["judged_by"] or "exact match",
        hops_found=tuple(row["hops_found"] or ()),
        first_lost=row["first_lost"],
        broken_by=row["broken_by"] or "",
        retrieved=tuple(
            SeenChunk(
                hit["chunk"],
                hit["article"],
                hit["title"] or "",
                hit["rank"],
                hit["score"],
                hit["text"],
                tuple(supports.get(hit["chunk"], ())),
            )
            for hit in row["retrieved"]
        ),
        steps=tuple(
            _step(step, start, supports)
            for step, start in zip(
                row["steps"],
                accumulate((step["seconds"] or 0.0 for step in row["steps"]), initial=0.0),
                strict=False,
            )
        ),
        unaligned=row["unaligned"] or 0,
        unaligned_texts=tuple(row["unaligned_texts"] or ()),
        retrieval_reported=row["retrieval_told"] is not False,
        seconds=row["seconds"],
        tokens=row["tokens"],
        cost=row["cost"],
    )


def _step(row: Row, start: float, supports: Mapping[str, Sequence[int]]) -> TakenStep:
    return TakenStep(
        index=row["index"],
        action=row["action"] or "",
        query=row["query"] or "",
        observation=row["observation"] or "",
        retrieves=bool(row["retrieves"]),
        top_k=row["top_k"],
        filters=describe_filters(row["filters"] or ""),
        thought=row["thought"] or "",
        fault=row["fault"] or "",
        seen=_by_article(row["seen"], supports),
        start=start,
        seconds=row["seconds"],
        tokens=row["tokens"],
    )


def _by_article(seen: Sequence[Row], supports: Mapping[str, Sequence[int]]) -> tuple[SeenArticle, ...]:
    """The articles by their best rank."""
    chunks: dict[str, list[Row]] = {}
    for one in seen:
        chunks.setdefault(one["article"], []).append(one)
    return tuple(
        SeenArticle(
            article,
            parts[0]["title"] or "",
            tuple(one["rank"] for one in parts),
            tuple(sorted({hop for one in parts for hop in supports.get(one["chunk"], ())})),
        )
        for article, parts in chunks.items()
    )
