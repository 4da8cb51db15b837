"""Facts of a corpus as questions need them: both entities, the article, all chunks that state them.

Whether two entities are surely two: a missing link, a shared word or a stated relation leaves it open.

The noun of an entity that facts describe, from both sides of its predicates.

What each named entity has as its value of each askable predicate, kept by key, at a bounded size.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from heapq import nsmallest

from kg.model import EntityType
from kg.queries import query
from kg.resolve.name_pool import compatible
from kg.resolve.normal_form import (
    COMMON_WORDS,
    FUNCTION_WORDS,
    ORGANISATION_TAILS,
    TRADES,
    abbreviates,
    is_acronym,
    normal_form,
)
from kg.store.graph import Graph, Row
from services.questions.draft import Fact, Stop
from services.questions.fitting import may_have
from services.questions.kinds.spread import chance
from services.questions.predicate_key import predicate_key
from services.questions.wording.articles import with_article
from services.questions.wording.nouns import ANYTHING, UNKNOWN, noun_of

PAIRS_A_BATCH = 1_000
_SHORTEST_STEM = 4
_SHARED = COMMON_WORDS | ORGANISATION_TAILS | TRADES


def names_apart(one: Iterable[str], other: Iterable[str]) -> bool:
    """Whether no name of one thing looks like a name of the other.

    "Tavisk" and "Isle of Tavisk" share a word, "Poly" begins "Polytechnic", "KFFC" may be letters of the
    other: each may be one thing that resolution did not join, so that "different" can't be said.
    """
    others = list(other)
    return not any(_alike(a, b) for a in one for b in others)


def related_pairs(graph: Graph, pairs: Iterable[tuple[str, str]]) -> set[frozenset[str]]:
    """The pairs of ids that are equivalent in some context, or of which a claim relates one to the other."""
    rows = [{"one": one, "other": other} for one, other in sorted({*pairs})]
    found = graph.read_rows(query("links/list_related"), rows, PAIRS_A_BATCH)
    return {frozenset((row["one"], row["other"])) for row in found}


def _alike(one: str, other: str) -> bool:
    first, second = _content(one), _content(other)
    if first - _SHARED and second - _SHARED:
        # "Ostby University" and "Verrin University" share what many share, and are told apart by the rest.
        first, second = first - _SHARED, second - _SHARED
    if first & second or any(_begins(a, b) for a in first for b in second):
        return True
    return (is_acronym(one) and abbreviates(one, other)) or (is_acronym(other) and abbreviates(other, one))


def _content(name: str) -> set[str]:
    return {word for word in normal_form(name).split() if word not in FUNCTION_WORDS}


def _begins(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return len(short) >= _SHORTEST_STEM and long.startswith(short)


def pairwise_shuffled(items: Iterable[str], bound: int) -> Iterator[tuple[str, str]]:
    """Up to `bound` pairs, neighbours first, then those two apart: few pairs share an item."""
    line = list(items)
    made = 0
    for step in range(1, len(line)):
        for at in range(len(line) - step):
            if made == bound:
                return
            yield line[at], line[at + step]
            made += 1


FACTS_A_BATCH = 500


@dataclass(frozen=True, slots=True)
class KnownFact:
    """A stated triple with its entities; `chunks` and `articles` are all that state the same, in any tense.

    `published` is the day of the article as ISO text, "" where it is not known.
    """

    triple: str
    subject: Stop
    predicate: str
    object: Stop
    said_subject: str
    said_object: str
    claim: str
    sentence: str
    article: str
    title: str
    source: str
    published: str
    chunks: tuple[str, ...]
    articles: frozenset[str]

    @property
    def key(self) -> str:
        """What its predicate says, whatever the tense."""
        return predicate_key(self.predicate)

    @property
    def subject_in_text(self) -> str:
        """The subject's name as it stands inside a sentence: "the Averell Mariners"."""
        return with_article(self.subject.name, self.sentence)

    @property
    def object_in_text(self) -> str:
        """The object's name as it stands inside a sentence; a date stays as it is."""
        return (
            self.object.name if self.object.type == "DATE" else with_article(self.object.name, self.sentence)
        )

    def end(self, entity: str) -> Stop:
        """The end that is not `entity`."""
        return self.object if self.subject.id == entity else self.subject

    def fact(self, index: int, link: str = "start") -> Fact:
        """The fact as a question rests on it."""
        return Fact(
            index=index,
            claim=self.claim,
            triple=self.triple,
            subject=self.said_subject,
            predicate=self.predicate,
            object=self.said_object,
            article=self.article,
            sentence=self.sentence,
            chunks=self.chunks,
            link=link,
            published=self.published,
        )


def read_facts(graph: Graph, triples: Iterable[str]) -> dict[str, KnownFact]:
    """The facts of some triples by their ids, read a bounded batch at a time."""
    ids = sorted(set(triples))
    rows = graph.read_in_batches(query("facts/read_facts"), ids, FACTS_A_BATCH)
    return {row["id"]: _fact(row) for row in rows}


def _fact(row: Row) -> KnownFact:
    key = predicate_key(row["predicate"])
    same = [stated for stated in row["stated"] if predicate_key(stated["predicate"]) == key]
    return KnownFact(
        triple=row["id"],
        subject=_stop(row["subject"]),
        predicate=row["predicate"],
        object=_stop(row["object"]),
        said_subject=row["said_subject"],
        said_object=row["said_object"],
        claim=row["claim"],
        sentence=row["sentence"],
        article=row["article"] or "",
        title=row["title"] or "",
        source=row["source"] or "",
        published=row["published"] or "",
        chunks=tuple(sorted({stated["chunk"] for stated in same})),
        articles=frozenset(stated["article"] for stated in same),
    )


def _stop(row: Row) -> Stop:
    return Stop(
        id=row["id"],
        name=row["name"],
        type=row["type"],
        aliases=tuple(row["aliases"] or ()),
        nouns=tuple(row["nouns"]),
    )


def read_sources(graph: Graph, corpus: str) -> frozenset[str]:
    """What the articles of a corpus give as their source, in small letters.

    Where that is one and the same, to name it tells nothing.
    """
    rows = graph.rows(query("search/list_shelves"), corpus=corpus)
    return frozenset(row["source"].casefold() for row in rows if row["source"])


TOO_VAGUE = frozenset({UNKNOWN, ANYTHING})
"""Nouns that say so little that much would fit a question for them."""


def noun_by_facts(entity: str, facts: Iterable[KnownFact]) -> str:
    """What the facts allow an entity to be called; where they contradict its own name, what that says."""
    told = list(facts)
    stop = next(end for fact in told for end in (fact.subject, fact.object) if end.id == entity)
    leads = tuple(fact.predicate for fact in told if fact.object.id == entity)
    before = tuple(fact.predicate for fact in told if fact.subject.id == entity)
    banned = {normal_form(name) for name in stop.names}
    noun = noun_of(stop, leads, before, banned)
    return noun_of(stop, (), (), banned) if noun in TOO_VAGUE else noun


SUBJECTS_A_KEY = 80
"""So many subjects of a predicate take part, drawn by chance: pairs grow with their square."""
SUBJECTS_A_BATCH = 500


@dataclass(frozen=True, slots=True)
class Value:
    """The one thing that a subject has under a predicate's key, with the triple that states it."""

    key: str
    subject: str
    subject_name: str
    subject_type: EntityType
    value: str
    name: str
    type: EntityType
    triple: str
    article: str


@dataclass(slots=True)
class Relation:
    """A key with subjects that have one value of it; `several` counts those that have more."""

    key: str
    dated: bool
    singles: dict[str, Value] = field(default_factory=dict)
    single: int = 0
    several: int = 0

    @property
    def mostly_single(self) -> bool:
        """Whether at least four of five subjects have one value only, so that another would contradict."""
        return self.single >= 4 * self.several


def read_relations(graph: Graph, corpus: str, predicates: Iterable[str], seed: int) -> list[Relation]:
    """The askable predicates of a corpus with who has which single value, in the order of their keys.

    Dates and other values are kept apart: "was founded in 1904" and "was founded in Ostby" both can hold.
    """
    relations: dict[tuple[str, bool], Relation] = {}
    rows = graph.stream(query("facts/list_values"), corpus=corpus, predicates=sorted(predicates))
    for row in rows:
        for (key, dated), values in _by_relation(row["values"]).items():
            relation = relations.setdefault((key, dated), Relation(key, dated))
            if len({value["id"] for value in values}) > 1:
                relation.several += 1
            elif (found := _usable(row["type"], values)) is not None:
                relation.single += 1
                _keep(relation, _value(row, found), seed)
    for relation in relations.values():
        _drop_others(relation, seed)
    return [relations[name] for name in sorted(relations)]


def doubled(graph: Graph, values: Iterable[Value]) -> set[str]:
    """The triples of those values whose subject has another one under a name that may mean it."""
    held: dict[str, list[Value]] = {}
    for value in values:
        held.setdefault(value.subject, []).append(value)
    found: set[str] = set()
    for row in graph.read_in_batches(query("facts/read_of_linked"), sorted(held), SUBJECTS_A_BATCH):
        found |= {own.triple for own in held[row["id"]] for other in row["values"] if _differs(own, other)}
    return found


def types_agree(one: Value, other: Value) -> bool:
    """Whether both values can be things of one sort."""
    return compatible(one.type, other.type)


def _differs(own: Value, other: Mapping[str, str]) -> bool:
    same_sort = (other["type"] == "DATE") == (own.type == "DATE")
    return predicate_key(other["predicate"]) == own.key and same_sort and other["id"] != own.value


def _by_relation(values: Iterable[Row]) -> dict[tuple[str, bool], list[Row]]:
    found: dict[tuple[str, bool], list[Row]] = {}
    for value in values:
        found.setdefault((predicate_key(value["predicate"]), value["type"] == "DATE"), []).append(value)
    return found


def _usable(subject: EntityType, values: Iterable[Row]) -> Row | None:
    stated = (value for value in values if value["stated"] and value["named"])
    return next((one for one in stated if may_have(subject, one["predicate"], one["type"])), None)


def _value(row: Row, found: Row) -> Value:
    return Value(
        key=predicate_key(found["predicate"]),
        subject=row["subject"],
        subject_name=row["name"],
        subject_type=row["type"],
        value=found["id"],
        name=found["name"],
        type=found["type"],
        triple=found["triple"],
        article=found["article"] or "",
    )


def _keep(relation: Relation, value: Value, seed: int) -> None:
    relation.singles[value.subject] = value
    if len(relation.singles) > 2 * SUBJECTS_A_KEY:
        _drop_others(relation, seed)


def _drop_others(relation: Relation, seed: int) -> None:
    """Keep no more subjects of a relation than wanted, those that come first by chance."""
    wanted = set(
        nsmallest(SUBJECTS_A_KEY, relation.singles, lambda subject: chance(seed, relation.key, subject))
    )
    relation.singles = {subject: one for subject, one in relation.singles.items() if subject in wanted}
