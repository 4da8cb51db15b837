"""What filters read of the graph: where facts lead, what triples relate, which entities are one thing."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from kg.model import EntityType
from kg.queries import query
from kg.resolve.date_key import date_key
from kg.resolve.normal_form import normal_form
from kg.store.graph import Graph
from services.questions.predicate_key import predicate_key

ROWS_A_BATCH = 500
"""Entities whose facts are read in one statement."""

Turn = tuple[str, bool]
"""An entity's id, and whether facts are followed from their object to their subject."""


@dataclass(frozen=True, slots=True)
class Known:
    """An entity with its names, and the ids of those that are the same in some context."""

    id: str
    name: str
    type: EntityType
    names: tuple[str, ...]
    alike: frozenset[str]


def read_steps(graph: Graph, turns: Iterable[Turn]) -> dict[Turn, dict[str, frozenset[str]]]:
    """Where facts lead that are not denied, mirrored ones too: by predicate key, the ids of the ends."""
    rows = [{"id": id_, "reversed": back} for id_, back in sorted(set(turns))]
    found: dict[Turn, dict[str, frozenset[str]]] = {}
    for row in graph.read_rows(query("filters/read_steps"), rows, ROWS_A_BATCH):
        ends: defaultdict[str, set[str]] = defaultdict(set)
        for predicate, end in row["facts"]:
            ends[predicate_key(predicate)].add(end)
        found[row["id"], row["reversed"]] = {key: frozenset(ids) for key, ids in ends.items()}
    return found


def read_triple_ends(graph: Graph, triples: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Subject's and object's ids of triples, by the triple's id."""
    rows = graph.read_in_batches(query("filters/read_triples"), sorted(set(triples)))
    return {row["id"]: (row["from"], row["to"]) for row in rows}


def read_known(graph: Graph, ids: Iterable[str]) -> dict[str, Known]:
    """Entities by their ids."""
    rows = graph.read_in_batches(query("filters/read_entities"), sorted(set(ids)))
    return {
        row["id"]: Known(
            row["id"], row["name"], row["type"], (row["name"], *row["aliases"]), frozenset(row["alike"])
        )
        for row in rows
    }


def is_same(one: Known, other: Known) -> bool:
    """Whether two entities are one thing: exactly, in context, by name, or as dates that can both be true."""
    if one.id == other.id or other.id in one.alike:
        return True
    if one.type == "DATE" and other.type == "DATE":
        shorter, longer = sorted((date_key(one.name), date_key(other.name)), key=len)
        return longer == shorter or longer.startswith(f"{shorter}-")
    return not {*map(normal_form, one.names)}.isdisjoint(map(normal_form, other.names))
