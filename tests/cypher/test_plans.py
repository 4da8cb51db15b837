"""The statements that search paths are planned as searches that don't list every walk."""

from collections.abc import Iterator
from typing import Any

import pytest
from neo4j import GraphDatabase
from neo4j import Query as DriverQuery

from kg.queries import query
from tests.conftest import ServerAddress


def operators(plan: dict[str, Any]) -> Iterator[str]:
    """All operators of a plan, the last one first."""
    yield plan["operatorType"]
    for child in plan.get("children", []):
        yield from operators(child)


def operators_of(address: ServerAddress, name: str) -> list[str]:
    """The operators with which the server would run a statement."""
    asked = query(name)
    text = asked.text.replace("CYPHER 25", "CYPHER 25 EXPLAIN", 1)
    with (
        GraphDatabase.driver(address.uri, auth=(address.username, address.password)) as driver,
        driver.session(database=address.database) as session,
    ):
        plan = session.run(DriverQuery(text), dict.fromkeys(asked.params)).consume().plan
    assert plan is not None
    return list(operators(plan))


@pytest.mark.usefixtures("graph")
def test_distances_are_searched_breadth_first_with_pruning(server_address: ServerAddress) -> None:
    searches = [one for one in operators_of(server_address, "paths/read_distances") if "VarLength" in one]
    assert searches
    assert all("Pruning" in one and "BFS" in one for one in searches)


@pytest.mark.usefixtures("graph")
def test_shortest_paths_are_searched_as_such(server_address: ServerAddress) -> None:
    found = operators_of(server_address, "paths/read_shortest")
    assert any("ShortestPath" in one for one in found)
    assert not any("VarLengthExpand" in one for one in found)


@pytest.mark.usefixtures("graph")
@pytest.mark.parametrize(
    "name",
    [
        "chunks/read_for_atoms",
        "chunks/read_for_reader",
        "chunks/write_shelves",
        "claims/read_details",
        "claims/read_extracted",
        "facts/list_in_chunks",
        "facts/read_stated",
    ],
)
def test_facts_of_claims_are_found_by_an_index(server_address: ServerAddress, name: str) -> None:
    """By way of the names in a claim all facts of each would be read, of a common name ever more."""
    assert any("RelationshipIndexSeek" in one for one in operators_of(server_address, name))
