"""Which names only their context knows: worked examples, and the same from a real graph."""

import pytest

from kg.paths.context_names import ContextReason, EntityNames, context_names, read_context_names
from kg.store.graph import Graph
from tests.graph_reading import change


@pytest.mark.parametrize(
    ("name", "type_", "partners", "expected"),
    [
        ("Tolland", "PERSON", ["Mira Tolland"], "part"),
        ("Tidewell", "ORG", ["Tidewell Energy"], "part"),
        ("airstrike", "EVENT", ["Norholm military airstrike"], "part"),
        ("Mira Tolland", "PERSON", ["Tolland"], None),
        ("NHB", "ORG", ["Norholm Health Board"], None),
        ("Energy Board", "ORG", ["Energy and Water Board"], None),
        ("strike", "EVENT", ["attack"], "description"),
        ("strike", "EVENT", [], None),
        ("Brel", "PERSON", [], "single word"),
        ("Jon", "PERSON", [], "single word"),
        ("Marie", "PERSON", [], None),
        ("Brel", "GPE", [], None),
        ("Norvik", "GPE", [], None),
    ],
)
def test_a_name_stands_for_itself_unless_context_is_needed(
    name: str, type_: str, partners: list[str], expected: ContextReason | None
) -> None:
    others = [EntityNames("ana", "Ana Brel", "PERSON"), EntityNames("jon", "Jon Marie Brel", "PERSON")]
    found = context_names([EntityNames("it", name, type_, partners), *others])
    assert found == ({"it": expected} if expected else {})


def test_an_entity_of_which_nothing_is_said_is_known_by_context() -> None:
    one = EntityNames("one", "Harbour Trust", "ORG", ["Port Society"], mirrored_only=True)
    assert context_names([one]) == {"one": "mirrored"}


def test_they_are_read_from_links_and_edges(graph: Graph, corpus: str) -> None:
    names = ["Mira Tolland", "Tolland", "Ostby Rovers", "Rovers Club", "Halden"]
    change(
        graph,
        "UNWIND $names AS name "
        "CREATE (:Entity {id: $corpus + name, corpus: $corpus, name: name, named: true, "
        "type: CASE WHEN name ENDS WITH 'Tolland' THEN 'PERSON' ELSE 'ORG' END})",
        corpus=corpus,
        names=names,
    )
    edges = [
        ("CONTEXT_EQUIVALENT", "Tolland", "Mira Tolland"),
        ("CONTEXT_EQUIVALENT", "Ostby Rovers", "Rovers Club"),
        ("RELATES", "Mira Tolland", "Ostby Rovers"),
        ("RELATES", "Tolland", "Halden"),
        ("MIRRORED", "Mira Tolland", "Rovers Club"),
        ("MIRRORED", "Tolland", "Ostby Rovers"),
    ]
    for kind, start, end in edges:
        change(
            graph,
            "MATCH (a:Entity {id: $corpus + $start}), (b:Entity {id: $corpus + $end}) "
            "CREATE (a)-[:$($kind) {in_paths: true}]->(b)",
            corpus=corpus,
            kind=kind,
            start=start,
            end=end,
        )
    assert read_context_names(graph, corpus) == {f"{corpus}Tolland", f"{corpus}Rovers Club"}
