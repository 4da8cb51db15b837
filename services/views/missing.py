"""What a view raises where the graph holds nothing of that name."""

from shlex import quote

from kg.errors import UserError
from kg.queries import query
from kg.store.async_graph import AsyncGraph


class MissingError(UserError):
    """Nothing of that kind has this id or name."""


class AmbiguousError(UserError):
    """A name means several nodes equally well."""


def missing(kind: str, given: str, corpus: str) -> MissingError:
    """The error for a node that a corpus does not have."""
    return MissingError(
        f"corpus {corpus!r} has no {kind} {given!r}.", "Take an id from a list, or from a search."
    )


async def require_known(graph: AsyncGraph, corpus: str) -> None:
    """Make sure that there is a corpus of this name.

    Raises:
        MissingError: there is none.
    """
    if not await graph.rows(query("views/find_corpus"), corpus=corpus):
        raise MissingError(
            f"there is no corpus {corpus!r}.", f"Make it: kg corpus ingest FILE --corpus {quote(corpus)}"
        )


async def run_of(graph: AsyncGraph, corpus: str, run: str) -> str:
    """The id of a run, by its name.

    Raises:
        MissingError: there is no such corpus, or no such run in it.
    """
    found = await graph.rows(query("views/find_run"), corpus=corpus, run=run)
    if not found:
        await require_known(graph, corpus)
        raise MissingError(f"corpus {corpus!r} has no run {run!r}.", "See the list of its runs.")
    return str(found[0]["id"])
