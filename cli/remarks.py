"""What is said at the end of a command that made questions: depths that are short, what a model left open.

What is said of language models: what a command spent on them, and what they could not answer.

A word on questions and runs that went with the paths that they were made from.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from shlex import quote

from cli.console import ConsoleProgress, remark
from kg.ledger import counts_of, read_ledger, read_stage
from kg.llm.budget import Budget, format_calls
from kg.queries import query
from kg.stages.extraction import retry_failed
from kg.stages.resolution_links import retry_failed_links
from kg.store.graph import Graph
from services.questions.filters.solver import NOT_CHECKED
from services.questions.funnel import shortages
from services.questions.generate import WRITTEN
from services.questions.hand_work import read_hand_work


@contextmanager
def report_spending(budget: Budget | None, progress: ConsoleProgress) -> Iterator[None]:
    """Count calls as they come, and say what was spent when the block ends, however it ends.

    Nothing is said where no model was asked.
    """
    if budget is not None:
        budget.on_call = progress.count_call
    try:
        yield
    finally:
        if budget is not None and budget.spending.calls:
            spent = budget.spending
            money = f", {spent.money:.4f} in money" if spent.money is not None else ""
            cached = f" ({spent.cached_input_tokens:,} cached)" if spent.cached_input_tokens else ""
            thought = f" ({spent.reasoning_tokens:,} for thinking)" if spent.reasoning_tokens else ""
            remark(
                f"models: {format_calls(spent.calls)}, "
                f"{spent.input_tokens:,} tokens in{cached}, {spent.output_tokens:,} out{thought}{money}; "
                "kept answers cost nothing"
            )


def remark_on_failures(graph: Graph, corpus: str) -> None:
    """Say what could not be read, if anything, with the commands that list it and try again."""
    counts = {line["name"]: counts_of(line) for line in read_ledger(graph, corpus)}
    failed = (
        (counts.get("claims", {}).get("failed", 0), "in articles"),
        (counts.get("resolution", {}).get("failed_links", 0), "about links"),
    )
    text = " and ".join(f"{number:,} {where}" for number, where in failed if number)
    if text:
        remark(
            f"note: left unread, or without a usable answer of the model: {text}. "
            f"Which: kg corpus rejects --corpus {quote(corpus)}. "
            f"Try again: kg corpus build --corpus {quote(corpus)} --retry-failed"
        )


def reopen_failures(graph: Graph, corpus: str) -> None:
    """Let the next build ask again, and say what for."""
    articles, links = retry_failed(graph, corpus), retry_failed_links(graph, corpus)
    if articles:
        remark(f"Articles to be read again, as parts of them could not be read: {articles:,}.")
    if links:
        remark(f"Questions about links to be asked again: {links:,}.")
    if not articles + links:
        remark("Nothing failed before, so nothing is tried again.")


_FROM_PATHS = ("questions", "run")


def remark_on_outdated(graph: Graph, corpus: str) -> None:
    """Say so when questions or runs of a corpus were deleted, for they were made from other paths."""
    gone = [
        line["name"]
        for line in read_ledger(graph, corpus)
        if line["state"] == "outdated" and line["name"].partition(" ")[0] in _FROM_PATHS
    ]
    if gone:
        remark(
            f"note: made from other paths and deleted: {', '.join(gone)}. The command that made them, "
            "kg run-all or kg demo, makes them again."
        )


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
