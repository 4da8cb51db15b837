"""A retriever that first looks where a question says: at the sources, authors, categories and days it names.

Each report that a question names is searched for by itself, so that every one is represented. Questions leave
out what else their answer takes, and name days that are not quite an article's; therefore its sources are
searched whatever the day as well, and everything once more, both with less weight. Filters that nothing fits
are made wider: without days, authors and categories, then none.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from kg.queries import query
from kg.store.graph import Graph
from services.rag.metadata import POLICY, DatePolicy, MetadataIndex, index_metadata, recognise
from services.rag.protocol import Filters, Hit, RagQuestion, Retriever

WITHIN = "within filters"
"""The part of a hit's score that tells whether the filters let it through: 1, or 0 for the open search."""

WIDE_WEIGHT, OPEN_WEIGHT = 0.5, 0.25
"""What a rank counts in a search without the days, and in one without filters, beside one with all filters.

Chosen among 0, .25, .5 and 1 on 429 questions: docs/evaluation/metadata.md.
"""


@dataclass(frozen=True, slots=True)
class _Search:
    """One search for a question: its weight, its filters, then looser ones for where they find nothing."""

    weight: float
    levels: tuple[Filters, ...]


@dataclass(frozen=True, slots=True)
class MetadataRetriever:
    """The hits of `inner`, within the filters that a question's own words ask for; at most `limit`.

    Hits of several searches are ranked by the reciprocal of their best rank times the search's weight, so
    that the first hit of every report stands before the second of any; `inner`'s score is among their parts.
    A question that names nothing has `inner`'s hits as they are; one that names what the corpus has nothing
    of has them with a part that says so. Filters that came with a question always hold. `inner` should give
    `limit` hits. A weight of 0 leaves its searches out.
    """

    inner: Retriever
    index: MetadataIndex
    limit: int = 10
    policy: DatePolicy = POLICY
    wide_weight: float = WIDE_WEIGHT
    open_weight: float = OPEN_WEIGHT

    @property
    def name(self) -> str:
        """The name that a run records."""
        return f"{self.inner.name.rpartition('-')[0]}-named-{self.limit}"

    def retrieve(self, questions: Sequence[RagQuestion]) -> list[list[Hit]]:
        """For each question its hits, best first; the searches of all questions go in one batch a round."""
        plans = [self._plans(question) for question in questions]
        found: dict[tuple[int, Filters], list[Hit]] = {}
        while wanted := _next_searches(plans, found):
            asked = [replace(questions[number], filters=filters) for number, filters in wanted]
            found |= dict(zip(wanted, self.inner.retrieve(asked), strict=True))
        return [
            self._merge_hits(question.filters, number, plan, found)
            for number, (question, plan) in enumerate(zip(questions, plans, strict=True))
        ]

    def _plans(self, question: RagQuestion) -> list[_Search]:
        """The searches for a question, heaviest first."""
        given = question.filters
        reports = recognise(question.text, self.index, self.policy).reports
        narrow, wide = [], []
        for report in reports:
            of_sources = within(given, Filters(sources=report.sources))
            narrow.append(_Search(1.0, _once(within(given, report), of_sources, given)))
            wide.append(_Search(self.wide_weight, _once(of_sources, given)))
        searches = [
            *narrow,
            *(one for one in wide if one.weight and len(one.levels) > 1),
            _Search(self.open_weight, (given,)),
        ]
        return [one for one in searches if one.weight] if reports else [_Search(1.0, (given,))]

    def _merge_hits(
        self,
        given: Filters,
        number: int,
        plan: Sequence[_Search],
        found: Mapping[tuple[int, Filters], list[Hit]],
    ) -> list[Hit]:
        weights: dict[Filters, float] = {}
        for search in plan:
            level = _current(number, search.levels, found)
            weights.setdefault(level, search.weight)
        if set(weights) == {given}:
            hits = found[number, given][: self.limit]
            named = len(plan) > 1 or plan[0].levels != (given,)
            return [replace(hit, parts=(*hit.parts, (WITHIN, 0.0))) for hit in hits] if named else hits
        best: dict[str, Hit] = {}
        for filters, weight in weights.items():
            inside = (WITHIN, float(filters != given))
            for rank, hit in enumerate(found[number, filters], start=1):
                ranked = Hit(
                    hit.chunk, round(weight / rank, 6), (inside, ("retriever", hit.score), *hit.parts)
                )
                if hit.chunk not in best or ranked.score > best[hit.chunk].score:
                    best[hit.chunk] = ranked
        return sorted(best.values(), key=lambda hit: (-hit.score, hit.chunk))[: self.limit]


def within(given: Filters, named: Filters) -> Filters:
    """The filters that a question came with, made narrower by what it names where they leave that open."""
    return Filters(
        sources=given.sources or named.sources,
        categories=given.categories or named.categories,
        authors=given.authors or named.authors,
        since=max(given.since, named.since),
        until=min(filter(None, (given.until, named.until)), default=""),
    )


def read_metadata(graph: Graph, corpus: str) -> MetadataIndex:
    """What questions can name of the articles of a corpus."""
    shelves = graph.rows(query("search/list_shelves"), corpus=corpus)
    days = sorted(row[end] for row in shelves for end in ("first", "last") if row[end])
    return index_metadata(
        sources=[row["source"] for row in shelves],
        categories=[row["category"] for row in shelves],
        authors=[row["author"] for row in shelves],
        first_day=days[0] if days else "",
        last_day=days[-1] if days else "",
    )


def _once(*levels: Filters) -> tuple[Filters, ...]:
    return tuple(dict.fromkeys(levels))


def _next_searches(
    plans: Sequence[Sequence[_Search]], found: Mapping[tuple[int, Filters], list[Hit]]
) -> list[tuple[int, Filters]]:
    """What to search next: for each search the first level that was not tried, unless one found something."""
    wanted = (
        (number, _current(number, search.levels, found))
        for number, plan in enumerate(plans)
        for search in plan
    )
    return list(dict.fromkeys(one for one in wanted if one not in found))


def _current(
    number: int, levels: tuple[Filters, ...], found: Mapping[tuple[int, Filters], list[Hit]]
) -> Filters:
    """The first level that found something or was not tried; the last where all found nothing."""
    return next((level for level in levels if found.get((number, level)) != []), levels[-1])
