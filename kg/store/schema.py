"""Constraints and indexes: the migrations in cypher/schema, each recorded in the graph once it ran."""

from kg.queries import area_queries, query
from kg.store.graph import Graph


def migrate(graph: Graph) -> list[str]:
    """Run the migrations that this database has not seen, in order; which ones ran.

    Each statement says IF NOT EXISTS, so a migration that ran but was not recorded runs again unharmed.
    """
    applied = {row["name"] for row in graph.rows(query("migrations/read_applied"))}
    ran = []
    for migration in area_queries("schema"):
        name = migration.name.removeprefix("schema/")
        if name not in applied:
            graph.rows(migration)
            graph.rows(query("migrations/record_applied"), name=name)
            ran.append(name)
    if ran:
        graph.rows(query("migrations/await_indexes"))
    return ran
