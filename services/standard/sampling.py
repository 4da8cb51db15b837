"""Which questions a comparison is about: drawn by a seed, evenly from every kind, depth and bin."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from shlex import quote

from kg.errors import NothingToDoError, SettingsError
from kg.ids import content_hash
from kg.queries import query
from kg.store.graph import Graph

LEAST_QUESTIONS = 2
"""With one there is nothing to compare over."""


@dataclass(frozen=True, slots=True)
class Drawable:
    """A kept question with the group that a draw is balanced over; `bin` is None but for chains."""

    id: str
    kind: str
    hops: int
    bin: int | None


def draw(questions: Iterable[Drawable], count: int | None, seed: int) -> tuple[str, ...]:
    """The ids of `count` questions in order, in turn from every group; all without a count.

    Within a group they come by a hash of seed and id, so that neither their order nor other groups matter,
    and a smaller draw with the same seed is a part of a larger one.
    """
    groups: defaultdict[tuple[str, int, int], list[tuple[str, str]]] = defaultdict(list)
    for one in questions:
        groups[one.kind, one.hops, one.bin or 0].append((content_hash((str(seed), one.id)), one.id))
    turns = sorted(
        (rank, drawn, id_) for group in groups.values() for rank, (drawn, id_) in enumerate(sorted(group))
    )
    return tuple(sorted(id_ for _, _, id_ in turns[:count]))


def sample_questions(graph: Graph, corpus: str, count: int | None, seed: int) -> tuple[str, ...]:
    """The ids of the questions of a corpus that a comparison is about, in order.

    Raises:
        NothingToDoError: the corpus has no two kept questions.
        SettingsError: it has fewer than `count`.
    """
    kept = [Drawable(**row) for row in graph.rows(query("standards/list_questions"), corpus=corpus)]
    if len(kept) < LEAST_QUESTIONS:
        raise NothingToDoError(
            f"corpus {corpus!r} has {len(kept)} kept questions; the least are {LEAST_QUESTIONS}.",
            f"Make some: kg questions make --corpus {quote(corpus)}, or import: kg questions import FILE",
        )
    if count is not None and count > len(kept):
        raise SettingsError(
            f"corpus {corpus!r} has {len(kept):,} kept questions, not {count:,}.",
            f"Ask for {len(kept):,} at most, or for all by leaving the number out.",
        )
    return draw(kept, count, seed)
