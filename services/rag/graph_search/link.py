"""Names in texts: which of the names that a graph knows stand in a text, read from left to right.

The entities that a question names, by whatever name of theirs, and how rare each is in the corpus.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import chain
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from services.rag.graph_search.snapshot import Entities, Indexes

LONGEST = 9
"""Words of the longest name that is looked for."""

SHORTEST = 3
"""Letters of the shortest name of one word in Latin script; elsewhere two letters can be a city."""

_FUNCTION = """
the a an it he she they this that these those in on at of for and but or as his her their its by from with
after before during when while who what which where how is was were are if there i we you
"""
FUNCTION_WORDS = frozenset(_FUNCTION.split())
"""Words that are no name by themselves, whatever an article is called."""

_ARTICLE = """
the a an his her its their this that these those our my your he she it they who which what we i you
"""
_ARTICLES = frozenset(_ARTICLE.split())
_WORD = re.compile(r"\w+")
_POSSESSIVE = re.compile(r"['\u2019][sS]\b")


class Word(NamedTuple):
    """A word of a text: as it is compared, where it stands, and its first letter as it is written."""

    plain: str
    start: int
    end: int
    letter: str

    @property
    def is_name(self) -> bool:
        """Whether it is written as names are: with a capital or a digit, or in a script without capitals."""
        letter = self.letter
        return letter.lower() != letter or letter.isdigit() or letter.upper() == letter.lower()


@dataclass(frozen=True, slots=True)
class NameMatch:
    """A name that stands in a text: the words there, the nodes that it may stand for, and its place."""

    words: str
    nodes: tuple[int, ...]
    start: int
    end: int


class Names(Protocol):
    """Nodes by name, in plain words joined by blanks."""

    def nodes_of(self, name: str) -> tuple[int, ...]:
        """What a name may stand for; nothing where it is not known."""
        ...

    def reach_of(self, beginning: str) -> int:
        """The words of the longest name that begins with these two, 0 where none does."""
        ...


@dataclass(frozen=True, slots=True)
class NameIndex:
    """Names as dictionaries, where many are looked up."""

    nodes: Mapping[str, tuple[int, ...]]
    reach: Mapping[str, int]

    def nodes_of(self, name: str) -> tuple[int, ...]:
        """What a name may stand for."""
        return self.nodes.get(name, ())

    def reach_of(self, beginning: str) -> int:
        """The words of the longest name that begins so."""
        return self.reach.get(beginning, 0)


@dataclass(frozen=True, slots=True)
class CompactNames:
    """The same as arrays, an eighth of the memory, where few are looked up: names are known by their hashes.

    `hashes` are sorted, `ends` tells where the nodes of each end in `nodes`, from 0 on; `beginnings` are
    hashes too, sorted, each with its reach. Of 64 bits, so that one look-up in ten million millions takes a
    word for a name of a corpus with a million of them.
    """

    hashes: NDArray[np.uint64]
    ends: Indexes
    nodes: Indexes
    beginnings: NDArray[np.uint64]
    reaches: NDArray[np.uint8]

    def nodes_of(self, name: str) -> tuple[int, ...]:
        """What a name may stand for."""
        place = _place(self.hashes, name)
        return () if place is None else tuple(self.nodes[self.ends[place] : self.ends[place + 1]].tolist())

    def reach_of(self, beginning: str) -> int:
        """The words of the longest name that begins so."""
        place = _place(self.beginnings, beginning)
        return 0 if place is None else int(self.reaches[place])


def compact(index: NameIndex) -> CompactNames:
    """The same names in little memory."""
    hashes, beginnings = _hashes(index.nodes), _hashes(index.reach)
    order, order_of_beginnings = np.argsort(hashes), np.argsort(beginnings)
    found = list(index.nodes.values())
    sorted_nodes = [found[at] for at in order]
    return CompactNames(
        hashes=hashes[order],
        ends=np.cumsum([0, *map(len, sorted_nodes)], dtype=np.int32),
        nodes=np.fromiter(chain.from_iterable(sorted_nodes), np.int32),
        beginnings=beginnings[order_of_beginnings],
        reaches=np.fromiter(index.reach.values(), np.uint8, len(index.reach))[order_of_beginnings],
    )


def _hashes(names: Iterable[str]) -> NDArray[np.uint64]:
    return np.frombuffer(b"".join(map(_digest, names)), np.uint64)


def _digest(name: str) -> bytes:
    return blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest()


def _place(hashes: NDArray[np.uint64], name: str) -> int | None:
    (wanted,) = np.frombuffer(_digest(name), np.uint64)
    place = int(np.searchsorted(hashes, wanted))
    return place if place < len(hashes) and hashes[place] == wanted else None


def name_index(names: Mapping[str, Iterable[int]]) -> NameIndex:
    """An index of names; each must be plain already."""
    reach: dict[str, int] = {}
    for name in names:
        words = name.split(" ")
        if len(words) > 1:
            first = f"{words[0]} {words[1]}"
            reach[first] = max(reach.get(first, 0), min(len(words), LONGEST))
    return NameIndex({name: tuple(sorted(set(found))) for name, found in names.items()}, reach)


def words_of(text: str) -> list[Word]:
    """The words of a text without possessive endings."""
    # Blanks of the same length keep every offset where it was.
    text = _POSSESSIVE.sub(lambda match: " " * len(match[0]), text)
    places = [match.span() for match in _WORD.finditer(text)]
    if text.isascii():
        plain = text.lower()
        return [Word(plain[start:end], start, end, text[start]) for start, end in places]
    return [Word(plain_word(text[start:end]), start, end, text[start]) for start, end in places]


def plain_word(word: str) -> str:
    """A word in lower case without accents."""
    if word.isascii():
        return word.lower()
    # Some letters have a lower case only once they are taken apart, and some fall apart only in lower case.
    apart = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", word).casefold())
    return "".join(letter for letter in apart if letter.isalnum() or letter == "_")


def plain_name(name: str) -> str:
    """A name as it is compared: plain words joined by single blanks."""
    return " ".join(word.plain for word in words_of(name))


def without_article(name: str) -> str:
    """A plain name without the articles and pronouns before it; empty where nothing else is left."""
    words = name.split()
    while words and words[0] in _ARTICLES:
        del words[0]
    return " ".join(words)


def names_in(index: Names, text: str) -> Iterator[NameMatch]:
    """The longest known names in a text from left to right, none within another.

    A name of one word counts only where it is written as a name ("brand" is no "Brand"), unless the whole
    text is in lower case; several words are too unlikely a chance to be held to that.
    """
    return names_among(index, text, words_of(text))


def names_among(index: Names, text: str, words: Sequence[Word]) -> Iterator[NameMatch]:
    """As `names_in`, of a text whose words are at hand."""
    quiet = text == text.lower()
    first = 0
    while first < len(words):
        last = _longest(index, words, first)
        if last > first and _counts(words[first:last], quiet):
            nodes = index.nodes_of(_plain_text(words[first:last]))
            start, end = words[first].start, words[last - 1].end
            yield NameMatch(text[start:end], nodes, start, end)
        first = max(last, first + 1)


def without_names(text: str, found: Iterable[NameMatch]) -> str:
    """What a text says of the names in it, in plain words: of "Who directed Brand?", "who directed"."""
    for name in found:
        text = text[: name.start] + " " * (name.end - name.start) + text[name.end :]
    return plain_name(text)


def _longest(index: Names, words: Sequence[Word], first: int) -> int:
    """Where the longest known name that begins at a word ends; the word itself where there is none."""
    alone = words[first].plain
    if first + 1 < len(words):
        reach = index.reach_of(f"{alone} {words[first + 1].plain}")
        for last in range(min(len(words), first + reach), first + 1, -1):
            if index.nodes_of(_plain_text(words[first:last])):
                return last
    return first + 1 if _says_much(alone) and index.nodes_of(alone) else first


def _says_much(word: str) -> bool:
    """Whether a word alone can be a name."""
    return word not in FUNCTION_WORDS and (len(word) >= SHORTEST or not word.isascii())


def _counts(words: Sequence[Word], quiet: bool) -> bool:
    return len(words) > 1 or words[0].is_name or quiet


def _plain_text(words: Sequence[Word]) -> str:
    return " ".join(word.plain for word in words)


Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class QuestionEntity:
    """An entity that a question names: by which words, and its weight in (0, 1].

    The weight is 1 / the number of chunks that name the entity, shared where the words may mean several.
    """

    words: str
    entity: int
    weight: float


def naming_chunks(naming: csr_matrix) -> Counts:
    """How many chunks name each entity, shape (entities,)."""
    return np.bincount(naming.indices, minlength=naming.shape[1])


def entity_names(entities: Entities) -> NameIndex:
    """All names of all entities, for `link_entities`."""
    names: defaultdict[str, set[int]] = defaultdict(set)
    for spelling, found in entities.spellings.pairs():
        if name := plain_name(spelling):
            names[name].update(found)
    return name_index(names)


def link_entities(names: Names, chunks: Counts, question: str) -> list[QuestionEntity]:
    """What the question names, the rarest first; of names within names only the longest.

    `chunks` tells how many chunks name each entity; one that none names is left out.
    """
    return rarest(
        QuestionEntity(found.words, entity, 1 / (int(chunks[entity]) * len(known)))
        for found in names_in(names, question)
        for known in [[entity for entity in found.nodes if chunks[entity]]]
        for entity in known
    )


def rarest(found: Iterable[QuestionEntity]) -> list[QuestionEntity]:
    """Each entity once, by the words that say most, the rarest first."""
    best: dict[int, QuestionEntity] = {}
    for named in found:
        if named.entity not in best or best[named.entity].weight < named.weight:
            best[named.entity] = named
    return sorted(best.values(), key=lambda named: (-named.weight, named.entity))
