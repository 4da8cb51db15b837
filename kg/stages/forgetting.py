"""What was made from paths goes with them: questions, runs, and the error rates that runs left on nodes."""

from kg.queries import area_queries, query
from kg.store.graph import Graph


def forget_questions(graph: Graph, corpus: str) -> None:
    """Delete the questions of a corpus and the runs that answered them, and reset the error rates."""
    graph.rows(query("runs/delete_runs"), corpus=corpus)
    graph.rows(query("questions/delete_questions"), corpus=corpus)
    write_rates(graph, corpus)


def write_rates(graph: Graph, corpus: str) -> None:
    """Write onto every node the share of wrong answers over all runs; nodes without answers have none."""
    for statement in area_queries("rates"):
        graph.rows(statement, corpus=corpus)
