"""What is said at the end of a command that made questions: depths that are short, what a model left open."""

from shlex import quote

from cli.console import remark
from kg.ledger import counts_of, read_stage
from kg.queries import query
from kg.store.graph import Graph
from services.questions.filters.solver import NOT_CHECKED
from services.questions.funnel import shortages
from services.questions.generate import WRITTEN
from services.questions.hand_work import read_hand_work


def remark_on_questions(graph: Graph, corpus: str) -> None:
    """Say which depths are short of questions and why, which reviews wait, and what a model left open."""
    line = read_stage(graph, corpus, "questions")
    counts = counts_of(line) if line is not None else {}
    for depth, why in shortages(counts).items():
        remark(f"note: questions of {depth} hops: {why}")
    waiting = read_hand_work(graph, corpus).waiting
    if waiting:
        remark(
            f"note: {waiting:,} reviews are of questions that the corpus no longer has; they count again "
            "when these questions come again."
        )
    failed = graph.rows(
        query("questions/list_failed"), corpus=corpus, written=WRITTEN, not_checked=NOT_CHECKED
    )
    if failed:
        remark(
            f"note: the model gave no usable answer for {len(failed):,} questions. "
            f"Which: kg questions list --status rejected --corpus {quote(corpus)}. "
            f"Ask again: kg questions make --retry-failed --corpus {quote(corpus)}"
        )
