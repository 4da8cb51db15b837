"""Types as labels: one a type, taken away when the type changes, in one corpus only."""

from collections.abc import Iterator

import pytest
from neo4j import Driver, GraphDatabase

from kg.corpus import drop_corpus
from kg.stages.type_labels import TYPE_LABELS, label_types
from kg.store.graph import Graph
from tests.conftest import ServerAddress
from tests.names import unique_name

EXPECTED = {
    "PERSON": "Person", "ORG": "Organisation", "GPE": "Place", "LOC": "Place", "FAC": "Place",
    "NORP": "People", "EVENT": "Event", "WORK": "Thing", "PRODUCT": "Thing", "LAW": "Thing", "MISC": "Thing",
    "CONCEPT": "Concept", "DATE": "Literal", "NUMBER": "Literal",
}  # fmt: skip


@pytest.fixture
def driver(server_address: ServerAddress, graph: Graph) -> Iterator[Driver]:
    address = server_address
    with GraphDatabase.driver(address.uri, auth=(address.username, address.password)) as opened:
        yield opened


def plant(driver: Driver, corpus: str, types: list[str]) -> None:
    driver.execute_query(
        "UNWIND $types AS type MERGE (e:Entity {id: $corpus + type}) SET e.corpus = $corpus, e.type = type",
        corpus=corpus,
        types=types,
    )


def labels(driver: Driver, corpus: str) -> dict[str, set[str]]:
    rows = driver.execute_query(
        "MATCH (e:Entity {corpus: $corpus}) RETURN e.type AS type, labels(e) AS labels", corpus=corpus
    ).records
    return {row["type"]: set(row["labels"]) for row in rows}


def test_each_type_has_its_label(graph: Graph, driver: Driver, corpus: str) -> None:
    plant(driver, corpus, list(EXPECTED))
    label_types(graph, corpus)
    assert labels(driver, corpus) == {kind: {"Entity", label} for kind, label in EXPECTED.items()}
    assert set(EXPECTED.values()) == set(TYPE_LABELS)


def test_a_changed_type_changes_the_label(graph: Graph, driver: Driver, corpus: str) -> None:
    plant(driver, corpus, ["PERSON"])
    label_types(graph, corpus)
    driver.execute_query("MATCH (e:Entity {corpus: $corpus}) SET e.type = 'GPE'", corpus=corpus)
    label_types(graph, corpus)
    label_types(graph, corpus)
    assert labels(driver, corpus) == {"GPE": {"Entity", "Place"}}


def test_another_corpus_is_left_alone(graph: Graph, driver: Driver, corpus: str) -> None:
    other = unique_name("other")
    plant(driver, corpus, ["PERSON"])
    plant(driver, other, ["PERSON"])
    label_types(graph, corpus)
    assert labels(driver, other) == {"PERSON": {"Entity"}}
    drop_corpus(graph, other)
