"""Migrations run once, survive being cut off, and make the indexes that the statements rely on."""

import pytest

from kg.connect import migrate
from kg.errors import StoreError, StoreTooNewError
from kg.queries import Query, area_queries, query
from kg.store.graph import Graph, Row
from tests.conftest import ServerAddress
from tests.graph_reading import change, read


class DiesAtTheWait(Graph):
    """A connection whose process is killed before the indexes can be used."""

    def rows(self, statement: Query, **params: object) -> list[Row]:
        if statement.name == "store/await_indexes":
            raise KeyboardInterrupt
        return super().rows(statement, **params)


def test_a_second_migration_runs_nothing(graph: Graph) -> None:
    assert migrate(graph) == []


def test_a_migration_that_was_not_recorded_runs_again_unharmed(graph: Graph) -> None:
    name = "V0035__chunk_vectors"
    change(graph, "MATCH (m:Migration {name: $name}) DELETE m", name=name)
    assert migrate(graph) == [name]
    assert migrate(graph) == []


def test_a_store_of_a_newer_version_is_refused_in_one_sentence(graph: Graph) -> None:
    newer, taken_back = "V9999__vectors_of_another_kind", "V0047__taken_back"
    named = "MATCH (m:Migration) WHERE m.name IN $names DELETE m"
    add = "UNWIND $names AS name CREATE (:Migration {name: name})"
    try:
        change(graph, add, names=[taken_back])
        assert migrate(graph) == []
        change(graph, add, names=[newer])
        with pytest.raises(StoreTooNewError, match=rf"newer Hopgrade .* at {newer}, .*Use ") as caught:
            migrate(graph)
    finally:
        change(graph, named, names=[newer, taken_back])
    assert caught.value.exit_code == 2
    assert caught.value.message.count(". ") == 0


def test_every_migration_is_recorded_once(graph: Graph) -> None:
    recorded = [row["name"] for row in graph.rows(query("store/read_migrations"))]
    assert sorted(recorded) == [q.name.removeprefix("schema/") for q in area_queries("schema")]


def test_one_killed_before_the_indexes_can_be_used_waits_the_next_time(
    graph: Graph, server_address: ServerAddress
) -> None:
    name = "V0035__chunk_vectors"
    change(graph, "MATCH (m:Migration {name: $name}) DELETE m", name=name)
    address = server_address
    with DiesAtTheWait.connect(address.uri, address.username, address.password, address.database) as dying:
        for _ in range(2):
            with pytest.raises(KeyboardInterrupt):
                migrate(dying)
    assert migrate(graph) == [name]


def test_no_migration_can_be_recorded_twice(graph: Graph) -> None:
    with pytest.raises(StoreError, match="V0001__corpus_id_is_unique"):
        change(graph, "CREATE (:Migration {name: $name})", name="V0001__corpus_id_is_unique")


def test_every_index_is_online(graph: Graph) -> None:
    rows = read(graph, "SHOW INDEXES YIELD name, type, state RETURN name, type, state")
    assert {row["state"] for row in rows} == {"ONLINE"}
    assert sum(row["type"] == "VECTOR" for row in rows) == 4


def test_vectors_are_searched_by_exact_cosine(graph: Graph) -> None:
    rows = read(graph, "SHOW VECTOR INDEXES YIELD options RETURN options")
    for row in rows:
        config = row["options"]["indexConfig"]
        assert config["vector.similarity_function"].lower() == "cosine"
        assert str(config.get("vector.quantization.type", "none")).lower() == "none"
