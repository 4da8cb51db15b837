"""What each named entity has as its value of each askable predicate, kept by key, at a bounded size."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from kg.model import EntityType
from kg.queries import query
from kg.resolve.type_families import compatible
from kg.store.graph import Graph, Row
from services.questions.kinds.spread import chance
from services.questions.predicate_key import predicate_key

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
    rows = graph.stream(query("kinds/list_values"), corpus=corpus, predicates=sorted(predicates))
    for row in rows:
        for (key, dated), values in _by_relation(row["values"]).items():
            relation = relations.setdefault((key, dated), Relation(key, dated))
            if len({value["id"] for value in values}) > 1:
                relation.several += 1
            elif (found := _usable(values)) is not None:
                relation.single += 1
                _keep(relation, _value(row, found), seed)
    return [relations[name] for name in sorted(relations)]


def doubled(graph: Graph, values: Iterable[Value]) -> set[str]:
    """The triples of those values whose subject has another one under a name that may mean it."""
    held: dict[str, list[Value]] = {}
    for value in values:
        held.setdefault(value.subject, []).append(value)
    found: set[str] = set()
    for row in graph.read_in_batches(query("kinds/read_doubles"), sorted(held), SUBJECTS_A_BATCH):
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


def _usable(values: Iterable[Row]) -> Row | None:
    return next((value for value in values if value["stated"] and value["named"]), None)


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
    if len(relation.singles) > SUBJECTS_A_KEY:
        del relation.singles[max(relation.singles, key=lambda subject: chance(seed, relation.key, subject))]
