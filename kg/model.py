"""The nouns: what the stages hand to each other and what the graph holds.

Ids are derived from content (`kg.ids`), so that the same input always makes the same graph.
Offsets are counted in characters of the article's body, `end` exclusive.
"""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

EntityType = Literal[
    "PERSON", "ORG", "GPE", "LOC", "FAC", "NORP", "EVENT", "WORK", "PRODUCT", "LAW", "MISC", "CONCEPT",
    "DATE", "NUMBER",
]  # fmt: skip
"""OntoNotes names as far as they go; MISC is a name of unknown type, CONCEPT a common noun phrase."""

LITERAL_TYPES: frozenset[EntityType] = frozenset({"DATE", "NUMBER"})
NAMED_TYPES: frozenset[EntityType] = frozenset(
    {"PERSON", "ORG", "GPE", "LOC", "FAC", "NORP", "EVENT", "WORK", "PRODUCT", "LAW", "MISC"}
)
REGION_TYPES: frozenset[EntityType] = frozenset({"GPE", "LOC"})
"""What has land of its own: countries, towns, rivers, mountains."""
PLACE_TYPES: frozenset[EntityType] = REGION_TYPES | {"FAC"}
"""Regions, and what is built: where somebody or something can be."""

UNNAMED_SOURCE = "unnamed source"
"""Who states a fact of which the text only says that somebody does."""


@dataclass(frozen=True, slots=True)
class ArticleRow:
    """One article as a reader found it, before it has an id. `place` is "file:line" or "file"."""

    title: str
    body: str
    place: str
    source: str = ""
    category: str = ""
    author: str = ""
    published_at: datetime | None = None
    url: str = ""
    given_id: str = ""


@dataclass(frozen=True, slots=True)
class Reject:
    """A row that was set aside, with the place where it stands and the reason."""

    place: str
    reason: str


@dataclass(frozen=True, slots=True)
class Article:
    """An article in a corpus; `tokens` are WordPiece tokens of the body, `sha256` is of its words."""

    id: str
    title: str
    body: str
    source: str
    category: str
    author: str
    published_at: datetime | None
    url: str
    tokens: int
    sha256: str
    given_id: str = ""


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of an article's body: body[start:end]."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Chunk:
    """A retrieval unit: whole sentences of an article, overlapping its neighbours."""

    position: int
    start: int
    end: int
    tokens: int
    text: str


@dataclass(frozen=True, slots=True)
class StatedTriple:
    """A directed fact as the names and the predicate that state it."""

    subject: str
    predicate: str
    object: str


@dataclass(frozen=True, slots=True)
class Triple:
    """A directed fact of one sentence. `subject` and `object` are names as the article uses them
    after coreference, whole ("Ana Brel", not "Brel"); `confidence` is in [0, 1].

    `aside` says that it stands beside what its sentence states ("Ana Brel, mayor of Lyon, hopes ..."), so
    that an opinion there, or a word that only the article explains, is no doubt about it.
    """

    subject: str
    predicate: str
    object: str
    subject_type: EntityType
    object_type: EntityType
    confidence: float = 1.0
    negated: bool = False
    attributed_to: str = ""
    rule: str = ""
    aside: bool = False


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence as a statement that stands alone, with its triples. `factual` is a probability.

    `doubt` says why the statement could not be verified against its sentence; a verified one has none.
    """

    sentence: str
    text: str
    start: int
    end: int
    factual: float
    triples: tuple[Triple, ...] = ()
    doubt: str = ""


@dataclass(frozen=True, slots=True)
class Mention:
    """A named mention: the surface form at body[start:end], and the article's full name for it."""

    surface: str
    name: str
    type: EntityType
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Extraction:
    """What was read out of one article; `failures` say what could not be read, where and why."""

    claims: tuple[Claim, ...]
    mentions: tuple[Mention, ...]
    failures: tuple[Reject, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a system, from 1, as the graph keeps it: what it did, with what query, and what came of it.

    `retrieves` tells that it looked for chunks, also where none came. `top_k` is how many it asked for, None
    where that isn't known; `filters` is JSON or told for a reader, empty without any. `arguments` is an
    agent's call as JSON, `thought` what it said of its reasons, and `fault` what was wrong with the step,
    empty where nothing was. `seconds` is None where nobody measured.
    """

    index: int
    action: str
    query: str
    observation: str = ""
    retrieves: bool = False
    top_k: int | None = None
    filters: str = ""
    thought: str = ""
    arguments: str = ""
    fault: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Entity:
    """An entity of the graph by its id, with its canonical name."""

    id: str
    name: str
    type: EntityType


@dataclass(frozen=True, slots=True)
class ChunkSource:
    """A chunk by its id, with the article that it stands in and that article's title."""

    chunk: str
    article: str
    title: str


@dataclass(frozen=True, slots=True)
class EntityName:
    """A name that occurs in the corpus, before merging: how often, in which articles, as what type."""

    name: str
    type: EntityType
    articles: frozenset[str]
    count: int
    surfaces: frozenset[str] = field(default_factory=frozenset)
