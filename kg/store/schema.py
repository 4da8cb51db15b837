"""Constraints and indexes: the migrations in cypher/schema, recorded in the graph once they can be used."""

from kg.queries import area_queries, query
from kg.store.graph import Graph


def migrate(graph: Graph) -> list[str]:
    """Run the migrations that this database has not seen, in order; which ones ran.

    Each statement says IF NOT EXISTS, so migrations that ran but were not recorded run again unharmed.
    """
    applied = {row["name"] for row in graph.rows(query("migrations/read_applied"))}
    pending = {
        name: migration
        for migration in area_queries("schema")
        if (name := migration.name.removeprefix("schema/")) not in applied
    }
    if pending:
        for migration in pending.values():
            graph.rows(migration)
        graph.rows(query("migrations/await_indexes"))
        graph.rows(query("migrations/record_applied"), names=list(pending))
    return list(pending)
