"""What a dataset is like, in figures: its articles, the types of its questions, their evidence and answers.

Tables 2 to 4 of MultiHop-RAG and the shares of first words (Tang and Yang 2024, section 3.2).
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import fsum
from typing import cast

from kg.queries import query
from kg.store.graph import Graph, Row
from services.answers import NULL, counted_kind
from services.datasets.folder import Json

OPPOSITES = (("yes", "no"), ("before", "after"))
"""Answers of opposite value, of which neither should be the better guess."""
WORDS_LISTED = 10
OTHERS = "others"

_FIRST_WORD = re.compile(r"\w+(?:['\u2019]\w+)?")


@dataclass(frozen=True, slots=True)
class CategoryRow:
    """Articles of a category, "" for those without one, and their mean length in tokens of our tokeniser."""

    category: str
    articles: int
    mean_tokens: float


@dataclass(frozen=True, slots=True)
class CountRow:
    """How many of the kept questions are of a sort, and which share of them."""

    name: str
    questions: int
    share: float


@dataclass(frozen=True, slots=True)
class BalanceRow:
    """Answers of opposite value to questions of a type: as made, and as filters and reviewers left them.

    `share` is that of the first of both among the kept, None where none is.
    """

    query_type: str
    answers: tuple[str, str]
    made: tuple[int, int]
    kept: tuple[int, int]
    share: float | None


@dataclass(frozen=True, slots=True)
class DatasetStatistics:
    """A corpus and its kept questions in figures; `total` is of all articles.

    `evidence` counts the pieces of evidence of a question, 0 for null ones, whose answer nothing holds.
    """

    categories: tuple[CategoryRow, ...]
    total: CategoryRow
    types: tuple[CountRow, ...]
    evidence: tuple[CountRow, ...]
    first_words: tuple[CountRow, ...]
    balance: tuple[BalanceRow, ...]


def read_statistics(graph: Graph, corpus: str) -> DatasetStatistics:
    """The figures of a corpus; every table of questions is empty where none is kept.

    Articles and their mean tokens by category, kept questions by type and by pieces of evidence, shares of
    first words (MultiHop-RAG, section 3.2 with tables 2 to 4), and, for types whose answers are one of two
    opposite values, how many have each: as made (section 3.1), and as filters and reviewers left them.
    """
    articles, tokens = Counter[str](), Counter[str]()
    for row in graph.rows(query("search/list_shelves"), corpus=corpus):
        articles[row["category"]] += row["articles"]
        tokens[row["category"]] += row["tokens"]
    largest_first = sorted(articles, key=lambda category: (-articles[category], category))
    rows = [CategoryRow(one, articles[one], tokens[one] / articles[one]) for one in largest_first]
    questions = graph.rows(query("questions/list_described"), corpus=corpus)
    return describe(rows, questions)


def describe(categories: Sequence[CategoryRow], questions: Sequence[Row]) -> DatasetStatistics:
    """The figures, given the articles by category and the rows of `questions/list_described`."""
    articles = sum(row.articles for row in categories)
    tokens = fsum(row.articles * row.mean_tokens for row in categories)
    kept = [row for row in questions if row["kept"]]
    return DatasetStatistics(
        categories=tuple(categories),
        total=CategoryRow("total", articles, tokens / articles if articles else 0.0),
        types=_counted(_sums(_type, kept)),
        evidence=tuple(sorted(_counted(_sums(_pieces, kept)), key=lambda row: int(row.name))),
        first_words=_first(_counted(_sums(_word, kept))),
        balance=tuple(_balance(questions)),
    )


def first_word(question: str) -> str:
    """The first word of a question in lower case, "" where it has none."""
    found = _FIRST_WORD.search(question)
    return found[0].casefold() if found else ""


def statistics_json(found: DatasetStatistics) -> dict[str, Json]:
    """The figures as plain values."""
    return cast(dict[str, Json], _plain(asdict(found)))


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return {name: _plain(one) for name, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, list | tuple) else value


def _type(row: Row) -> str:
    return str(row["query_type"] or row["kind"])


def _pieces(row: Row) -> str:
    return "0" if counted_kind(row["kind"], row["query_type"]) == NULL else str(row["pieces"])


def _word(row: Row) -> str:
    return first_word(row["text"])


def _sums(name: Callable[[Row], str], questions: Iterable[Row]) -> Counter[str]:
    found: Counter[str] = Counter()
    for row in questions:
        found[name(row)] += row["questions"]
    return found


def _counted(counts: Counter[str]) -> tuple[CountRow, ...]:
    whole = counts.total()
    order = sorted(counts, key=lambda name: (-counts[name], name))
    return tuple(CountRow(name, counts[name], counts[name] / whole) for name in order)


def _first(rows: Sequence[CountRow]) -> tuple[CountRow, ...]:
    shown, rest = rows[:WORDS_LISTED], rows[WORDS_LISTED:]
    if not rest:
        return tuple(shown)
    others = CountRow(OTHERS, sum(row.questions for row in rest), fsum(row.share for row in rest))
    return (*shown, others)


def _balance(questions: Sequence[Row]) -> Iterable[BalanceRow]:
    made: Counter[tuple[str, str]] = Counter()
    kept: Counter[tuple[str, str]] = Counter()
    for row in questions:
        key = (_type(row), row["answer"].strip(" .").casefold())
        made[key] += row["questions"]
        kept[key] += row["questions"] if row["kept"] else 0
    for query_type in sorted({name for name, _ in made}):
        for one, other in OPPOSITES:
            drawn = (made[query_type, one], made[query_type, other])
            left = (kept[query_type, one], kept[query_type, other])
            if any(drawn):
                share = left[0] / sum(left) if any(left) else None
                yield BalanceRow(query_type, (one, other), drawn, left, share)
