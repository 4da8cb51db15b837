"""What is said at the end of a command that made questions: depths that are short, what a model left open."""

from shlex import quote

from cli.console import remark
from kg.ledger import counts_of, read_stage
from kg.queries import query
from kg.store.graph import Graph
from services.questions.filters.solver import NOT_CHECKED
from services.questions.generate import WRITTEN


def remark_on_questions(graph: Graph, corpus: str) -> None:
    """Say which depths have fewer questions than wanted and why, and what a model left open."""
    line = read_stage(graph, corpus, "questions")
    counts = counts_of(line) if line is not None else {}
    for name, why in counts.items():
        if name.startswith("short_"):
            remark(f"note: questions of {name.split('_')[1]} hops: {why}")
    failed = graph.rows(
        query("questions/list_failed"), corpus=corpus, written=WRITTEN, not_checked=NOT_CHECKED
    )
    if failed:
        remark(
            f"note: the model gave no usable answer for {len(failed):,} questions. "
            f"Which: kg questions list --status rejected --corpus {quote(corpus)}. "
            f"Ask again: kg questions make --retry-failed --corpus {quote(corpus)}"
        )
