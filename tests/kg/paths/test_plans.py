"""Neo4j plans every search for paths as one that does not list every walk."""

import pytest

from tests.conftest import ServerAddress
from tests.cypher.test_plans import operators_of


@pytest.mark.usefixtures("graph")
@pytest.mark.parametrize("name", ["paths/read_distances", "paths/read_distances_undirected"])
def test_distances_are_searched_breadth_first_with_pruning(server_address: ServerAddress, name: str) -> None:
    searches = [one for one in operators_of(server_address, name) if "VarLength" in one]
    assert searches
    assert {one.partition("@")[0] for one in searches} == {"VarLengthExpand(Pruning,BFS,All)"}


@pytest.mark.usefixtures("graph")
@pytest.mark.parametrize("name", ["paths/read_shortest", "paths/read_shortest_undirected"])
def test_paths_of_given_pairs_are_searched_as_shortest_paths(
    server_address: ServerAddress, name: str
) -> None:
    found = operators_of(server_address, name)
    assert any("ShortestPath" in one for one in found)
    assert not any("VarLengthExpand" in one for one in found)
