"""From filters on articles to what the indexes are asked for, so that nothing has to be thrown away later.

Whether a corpus can be searched at all.

Which names of a filter the articles of a corpus don't have, and which of theirs come near.

One question put to a retriever, perhaps reranked, with the passages behind its hits.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from time import perf_counter

from kg.errors import NothingToDoError, SettingsError, command
from kg.ids import Field, corpus_key, day_word, fold_name, key_of, shelf_of
from kg.ledger import read_stage
from kg.queries import query
from kg.store.graph import Graph
from services.rag.answering import read_passages
from services.rag.protocol import Filters, Hit, Passage, RagQuestion, Reranker, Retriever, check_dates
from services.rag.rerank import rerank_hits


@dataclass(frozen=True, slots=True)
class Retrieval:
    """What a retriever found for a question: hits best first, their passages, and the seconds it took."""

    retriever: str
    hits: tuple[Hit, ...]
    passages: tuple[Passage, ...]
    seconds: float


def find(
    graph: Graph, retriever: Retriever, question: RagQuestion, limit: int, reranker: Reranker | None = None
) -> Retrieval:
    """The `limit` best hits; after a reranker each keeps the retriever's score among its parts.

    Raises:
        ModelUnavailableError: the endpoint of an HTTP reranker can't be reached.
    """
    began = perf_counter()
    (hits,) = retriever.retrieve([question])
    searched = perf_counter() - began
    known = read_passages(graph, [hit.chunk for hit in hits])
    name = retriever.name
    if reranker is not None:
        began = perf_counter()
        hits = rerank_hits(reranker, question.text, hits, [known[hit.chunk] for hit in hits])
        searched += perf_counter() - began
        name = f"{name}+{reranker.name}"
    best = hits[:limit]
    return Retrieval(name, tuple(best), tuple(known[hit.chunk] for hit in best), searched)


def require_searchable(graph: Graph, corpus: str) -> None:
    """Tell a question that nothing fits from a corpus in which nothing can be found yet.

    Raises:
        NothingToDoError: the corpus has no vectors.
    """
    line = read_stage(graph, corpus, "vectors")
    if line is None or line["state"] != "done":
        raise NothingToDoError(
            f"corpus {corpus!r} has nothing to search yet.",
            f"Build it: {command('corpus build --corpus', corpus)}.",
        )


MOST_OFFERED = 5


@dataclass(frozen=True, slots=True)
class Unknown:
    """A name that no article has in a field, and names that some have: the nearest, or the first ones."""

    field: Field
    name: str
    suggestions: tuple[str, ...]


def unknown_names(graph: Graph, corpus: str, filters: Filters) -> tuple[Unknown, ...]:
    """The names of the filters that no article of the corpus has, whatever their case.

    An empty name stands for articles that have none, and is never unknown.
    """
    wanted: tuple[tuple[Field, tuple[str, ...]], ...] = (
        ("source", filters.sources),
        ("category", filters.categories),
        ("author", filters.authors),
    )
    if not any(names for _, names in wanted):
        return ()
    shelves = graph.rows(query("search/list_shelves"), corpus=corpus)
    unknown = []
    for field, names in wanted:
        known = {
            fold_name(row[field]): row[field] for row in sorted(shelves, key=lambda row: str(row[field]))
        }
        known.pop("", None)
        for name in names:
            if fold_name(name) and fold_name(name) not in known:
                near = get_close_matches(fold_name(name), known, MOST_OFFERED) or list(known)[:MOST_OFFERED]
                unknown.append(Unknown(field, name, tuple(known[one] for one in near)))
    return tuple(unknown)


MOST_NAMES = 300
"""Names that a field may be filtered by: the full-text index takes a thousand words in one search."""

FIRST_DAY, LAST_DAY = "0001-01-01", "9999-12-31"


@dataclass(frozen=True, slots=True)
class Scope:
    """Where a question is searched. `shelves` None stands for the whole corpus, whatever the date.

    `since` and `until` are ISO dates, "" and the last day where articles without a date count; `words` is the
    part of a full-text query that lets these chunks through and adds nothing to a score.
    """

    shelves: tuple[str, ...] | None
    since: str
    until: str
    words: str

    @property
    def empty(self) -> bool:
        """Whether no article can be in it."""
        return self.shelves == () or self.since > self.until


def scopes(graph: Graph, corpus: str, wanted: Iterable[Filters]) -> dict[Filters, Scope]:
    """The scope of each of some filters.

    Raises:
        SettingsError: a date is none, or a field has too many names.
    """
    distinct = list(dict.fromkeys(wanted))
    for filters in distinct:
        check_filters(filters)
    filtered = any(filters != Filters() for filters in distinct)
    shelves = _shelves(graph, corpus) if filtered else []
    return {filters: _scope(corpus, filters, shelves) for filters in distinct}


@dataclass(frozen=True, slots=True)
class _Shelf:
    """A shelf with the folded names of what stands on it."""

    id: str
    source: str
    category: str
    author: str


def _shelves(graph: Graph, corpus: str) -> list[_Shelf]:
    found = {
        _Shelf(
            shelf_of(corpus, row["source"], row["category"], row["author"]),
            fold_name(row["source"]),
            fold_name(row["category"]),
            fold_name(row["author"]),
        )
        for row in graph.rows(query("search/list_shelves"), corpus=corpus)
    }
    return sorted(found, key=lambda shelf: shelf.id)


def _scope(corpus: str, filters: Filters, shelves: Sequence[_Shelf]) -> Scope:
    if filters == Filters():
        return Scope(None, "", LAST_DAY, f"+keys:{corpus_key(corpus)}^0")
    dated = bool(filters.since or filters.until)
    since = filters.since or (FIRST_DAY if dated else "")
    until = filters.until or LAST_DAY
    sources, categories, authors = (
        {fold_name(name) for name in names}
        for names in (filters.sources, filters.categories, filters.authors)
    )
    fitting = tuple(
        shelf.id
        for shelf in shelves
        if (not sources or shelf.source in sources)
        and (not categories or shelf.category in categories)
        and (not authors or shelf.author in authors)
    )
    words = [
        f"+keys:{corpus_key(corpus)}^0",
        *_names(corpus, "source", filters.sources),
        *_names(corpus, "category", filters.categories),
        *_names(corpus, "author", filters.authors),
    ]
    if dated:
        words.append(f"+day:[{day_word(since)} TO {day_word(until)}]^0")
    return Scope(fitting, since, until, " ".join(words))


def _names(corpus: str, field: Field, names: Sequence[str]) -> list[str]:
    keys = sorted({key_of(corpus, field, name) for name in names})
    return [f"+keys:({' '.join(keys)})^0"] if keys else []


def check_filters(filters: Filters) -> None:
    """Make sure that an index can be asked for them.

    Raises:
        SettingsError: a date is none, or a field has too many names.
    """
    check_dates(filters)
    for names in (filters.sources, filters.categories, filters.authors):
        if len(names) > MOST_NAMES:
            raise SettingsError(
                f"{len(names):,} names to filter by are too many.", f"Give {MOST_NAMES} at most for a field."
            )
