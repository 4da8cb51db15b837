"""What was made from paths goes with them: questions, runs, and the error rates that runs left on nodes."""

from kg.queries import area_queries, query
from kg.store.graph import Graph


def forget_questions(graph: Graph, corpus: str) -> None:
    """Delete the questions of a corpus with the paths that were drawn for them after the first draw.

    The runs that answered them go as well, and the error rates are reset.
    """
    graph.rows(query("runs/delete_runs"), corpus=corpus)
    graph.rows(query("questions/delete_questions"), corpus=corpus)
    graph.rows(query("paths/delete_later_rounds"), corpus=corpus)
    write_rates(graph, corpus)


def write_rates(graph: Graph, corpus: str) -> None:
    """Write onto every node the share of wrong answers over all runs; nodes without answers have none."""
    for statement in area_queries("rates"):
        graph.rows(statement, corpus=corpus)
