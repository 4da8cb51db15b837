"""The prefix questions of a run: what each first part of a chain asks for, asked of the same system.

Their answers hang at the run by GAVE_PREFIX: whatever counts the answers that a run GAVE is as it was.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from kg.ledger import Counts
from kg.queries import query
from kg.store.graph import Graph

PREFIXES = "prefixes-1"
"""Version of what the stage does; a change makes it run anew, and ask what is not answered."""


@dataclass(frozen=True, slots=True)
class Prefixes:
    """How many prefix questions some questions have, each counted once, and the ids of those to be asked."""

    questions: int
    pending: tuple[str, ...]


NO_PREFIXES = Prefixes(0, ())


def read_prefixes(
    graph: Graph,
    run: str,
    questions: Sequence[str],
    anew: bool,
    covers: Collection[str] | None = None,
    *,
    retry: bool = False,
) -> Prefixes:
    """The prefix questions of these questions, which a run, given by its id, may have answered in part.

    Those that aren't in `covers` are left out; with `anew` no answer counts, with `retry` none that failed.
    """
    rows = graph.rows(query("prefixes/list_pending"), run=run, questions=list(questions), retry=retry)
    asked = [row for row in rows if covers is None or row["id"] in covers]
    return Prefixes(len(asked), tuple(row["id"] for row in asked if anew or not row["answered"]))


def renew_source(graph: Graph, run: str, source: str) -> None:
    """Forget what a run, given by its id, answered to prefix questions from another source than this."""
    graph.rows(query("prefixes/renew_source"), run=run, source=source)


def count_prefixes(graph: Graph, run: str) -> Counts:
    """How many answers the run with this id gave to prefix questions, and what came of them."""
    return dict(graph.rows(query("prefixes/count_answers"), run=run)[0])
