"""What the operations have in common: names and ids in an address, slices of lists, known parameters only."""

from collections.abc import Iterator
from datetime import date
from typing import Annotated, Any, Literal
from urllib.parse import unquote

from fastapi import Depends, Path, Query, Request
from fastapi.dependencies.models import Dependant
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import Field

from kg.corpus import MAX_NAME
from kg.paths.protocol import DEPTHS, QUESTION_HOPS
from services.rag.rerank import MOST_CANDIDATES, RERANKED
from services.web.views.cursors import LONGEST_CURSOR

MOST_ITEMS = 200
LONGEST_TEXT = 500
LONGEST_ID = 120
LONGEST_RUN = 300
"""A run's name has at most 80 characters, each of which may be escaped."""

LONGEST_SHOWN = 40
"""Characters of a parameter's name that are told again."""


async def require_known_parameters(request: Request) -> None:
    """Refuse a query that names a parameter which the operation lacks: its answer would leave it out unsaid.

    Raises:
        RequestValidationError: it names one; the message lists those that there are.
    """
    route = request.scope["route"]
    if not isinstance(route, APIRoute):
        return
    known = sorted(set(_parameters_of(route.dependant)))
    there_are = f"there are: {', '.join(known)}" if known else "this address takes none"
    unknown = [name for name in dict.fromkeys(request.query_params) if name not in known]
    if unknown:
        raise RequestValidationError(
            [
                {
                    "type": "extra_forbidden",
                    "loc": ("query", name[:LONGEST_SHOWN]),
                    "msg": f"There is no such parameter; {there_are}",
                }
                for name in unknown
            ]
        )


def _parameters_of(dependant: Dependant) -> Iterator[str]:
    yield from (field.alias for field in dependant.query_params)
    for one in dependant.dependencies:
        yield from _parameters_of(one)


async def _corpus(
    corpus: Annotated[
        str,
        Path(
            description="Name of the corpus; a slash or a percent sign in it is escaped twice: %252F, %2525.",
            min_length=1,
            max_length=3 * MAX_NAME,
            examples=["ormelund"],
        ),
    ],
) -> str:
    return unquote(corpus)


async def _run(
    run: Annotated[
        str,
        Path(
            description="Name of the run; a slash in it is escaped twice: %252F.",
            min_length=1,
            max_length=LONGEST_RUN,
            examples=["single-step"],
        ),
    ],
) -> str:
    return unquote(run)


async def _standard(
    standard: Annotated[
        str,
        Path(
            description="Name of the judged comparison.",
            min_length=1,
            max_length=LONGEST_ID,
            examples=["selectors"],
        ),
    ],
) -> str:
    return unquote(standard)


CorpusName = Annotated[str, Depends(_corpus)]
"""The corpus that an address names."""
RunName = Annotated[str, Depends(_run)]
"""The run that an address names."""
StandardName = Annotated[str, Depends(_standard)]
"""The judged comparison that an address names."""
Id = Annotated[str, Path(description="Its id, from a list or a search.", min_length=1, max_length=LONGEST_ID)]
OptionalId = Annotated[str, Query(description="Its id; empty for any.", max_length=LONGEST_ID)]
Text = Annotated[str, Query(description="Empty for any.", max_length=LONGEST_TEXT)]
Limit = Annotated[int, Query(description="Items at most.", ge=1, le=MOST_ITEMS)]
Cursor = Annotated[
    str | None,
    Query(description="`next_cursor` of the slice before, with the same filters.", max_length=LONGEST_CURSOR),
]
Hops = Annotated[
    list[Annotated[int, Field(ge=QUESTION_HOPS[0], le=QUESTION_HOPS[-1])]],
    Query(description="Hops of a question, 1 to 5; none for any.", max_length=8),
]
Depths = Annotated[
    list[Annotated[int, Field(ge=DEPTHS[0], le=DEPTHS[-1])]],
    Query(description="Hops of a path, 2 to 5; none for any.", max_length=8),
]
Bins = Annotated[
    list[Annotated[int, Field(ge=1, le=4)]],
    Query(description="Quartiles of distance, 1 near to 4 far; none for any.", max_length=4),
]
Day = Annotated[date | None, Query(description="A day, such as 2024-03-31.")]


RerankerOption = Literal["lexical", "cross-encoder"]
"""Rerankers that a client may ask for: it names no model to be fetched and no address to be asked."""
RERANKER: Any = Field(default=None, description="Who orders what a search found anew; null for nobody.")
CANDIDATES: Any = Field(
    default=None,
    ge=1,
    le=MOST_CANDIDATES,
    description=f"Chunks of a search that the reranker reads; null for {RERANKED} times as many as it keeps.",
)


def day_text(day: date | None) -> str:
    """A day as the graph has it, empty for none."""
    return "" if day is None else day.isoformat()
