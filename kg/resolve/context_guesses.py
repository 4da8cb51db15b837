"""What the rules for contextual equivalence share: named entities, guesses, and an index over words."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from kg.resolve.cluster_context import EntityCard
from kg.resolve.word_lists import DETERMINERS, FUNCTION_WORDS
from kg.text.head_noun import PREPOSITIONS


@dataclass(frozen=True, slots=True)
class NamedEntity:
    """An entity of the cluster and the words of its normal form."""

    card: EntityCard
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Guess:
    """Two entities that may be one within the cluster; `score` is in [0, 1]."""

    one: NamedEntity
    other: NamedEntity
    score: float
    evidence: str


def index_by(
    entities: Iterable[NamedEntity], keys: Callable[[NamedEntity], Iterable[tuple[str, ...]]]
) -> dict[tuple[str, ...], list[NamedEntity]]:
    """Entities under each of their keys, in order."""
    index: defaultdict[tuple[str, ...], list[NamedEntity]] = defaultdict(list)
    for entity in entities:
        for key in dict.fromkeys(keys(entity)):
            index[key].append(entity)
    return index


def content_words(words: Iterable[str]) -> list[str]:
    """The words that tell something."""
    ignored = FUNCTION_WORDS | PREPOSITIONS | DETERMINERS
    return [word for word in words if word not in ignored]


def share_an_article(one: NamedEntity, other: NamedEntity) -> bool:
    """Whether an article has both."""
    return bool(one.card.articles & other.card.articles)


def is_always_beside(phrase: NamedEntity, name: NamedEntity) -> bool:
    """Whether `name` stands in each article that has `phrase`."""
    articles = phrase.card.articles
    return bool(articles) and articles <= name.card.articles
