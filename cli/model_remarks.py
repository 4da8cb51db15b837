"""What is said of language models: what a command spent on them, and what they could not answer."""

from collections.abc import Iterator
from contextlib import contextmanager
from shlex import quote

from cli.console import remark
from kg.ledger import counts_of, read_ledger
from kg.llm.budget import Budget
from kg.stages.extraction import retry_failed
from kg.stages.resolution_links import retry_failed_links
from kg.store.graph import Graph


@contextmanager
def spending_told(budget: Budget | None) -> Iterator[None]:
    """Say what was spent when the block ends, however it ends; nothing where no model was asked."""
    try:
        yield
    finally:
        if budget is not None and budget.spent.calls:
            spent = budget.spent
            money = f", {spent.money:.4f} in money" if spent.money is not None else ""
            cached = f" ({spent.cached_input_tokens:,} cached)" if spent.cached_input_tokens else ""
            thought = f" ({spent.reasoning_tokens:,} for thinking)" if spent.reasoning_tokens else ""
            remark(
                f"models: {spent.calls:,} {'call' if spent.calls == 1 else 'calls'}, "
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
    told = " and ".join(f"{number:,} {where}" for number, where in failed if number)
    if told:
        remark(
            f"note: left unread, or without a usable answer of the model: {told}. "
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
