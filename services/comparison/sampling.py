"""Which questions a comparison is about: drawn by a seed, of each kind its share, of its depths alike.

Which questions a look at the results is after: whole clusters, in an order drawn before anything is asked.

A cluster is judged as a whole, so that a later look adds clusters and never changes what is known of one.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np

from kg.errors import NothingToDoError, SettingsError, UserError, command
from kg.ids import bare_id, content_hash
from kg.queries import query
from kg.store.graph import Graph
from services.comparison.protocol import Protocol
from services.comparison.records import Question


def chosen_look(protocol: Protocol, number: int | None) -> int:
    """The number of a look, from 1; the last where none was given.

    Raises:
        UserError: the protocol plans no such look.
    """
    planned = len(protocol.inference.looks)
    if number is None:
        return planned
    if not 1 <= number <= planned:
        raise UserError(
            f"the protocol plans {planned} {'look' if planned == 1 else 'looks'}, and {number} is none.",
            f"Give --look with a number from 1 to {planned}.",
        )
    return number


def questions_at(protocol: Protocol, questions: Sequence[Question], look: int) -> tuple[Question, ...]:
    """The questions that look `look`, from 1, is after: clusters as they were drawn, until its share is met.

    The last look is after all of them. They stand cluster by cluster in the order of the draw, so that those
    of an earlier look come first.
    """
    share = protocol.inference.looks[look - 1]
    needed = ceil(share * len(questions))
    chosen: list[Question] = []
    for cluster in _shuffled_clusters(questions, protocol.seeds.sample):
        if len(chosen) >= needed:
            break
        chosen.extend(cluster)
    return tuple(chosen)


def _shuffled_clusters(questions: Sequence[Question], seed: int) -> list[list[Question]]:
    clusters: dict[str, list[Question]] = defaultdict(list)
    for question in sorted(questions, key=lambda one: one.id):
        clusters[question.cluster].append(question)
    names = sorted(clusters)
    order = np.random.default_rng(seed).permutation(len(names))
    return [clusters[names[place]] for place in order]


LEAST_QUESTIONS = 2
"""With one there is nothing to compare over."""


@dataclass(frozen=True, slots=True)
class Drawable:
    """A kept question with what a draw goes by: its kind, and depth and bin there, None but for chains."""

    id: str
    kind: str
    hops: int
    bin: int | None


def draw(questions: Iterable[Drawable], count: int | None, seed: int) -> tuple[str, ...]:
    """The ids of `count` questions in order, of each kind its share among all; all without a count.

    Were every kind drawn alike, null questions, of which there are few, would be more than they are, and an
    accuracy would reward silence. Of n questions of a kind the i-th stands at (i - ½) / n, and the `count`
    first over all kinds are taken, so that each has its share to within a question or so. Within a kind they
    come in turn from every depth and bin, there by a hash of seed and id: their order doesn't matter, and a
    smaller draw with the same seed is a part of a larger one.
    """
    groups: defaultdict[str, defaultdict[tuple[int, int], list[tuple[str, str]]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for one in questions:
        groups[one.kind][one.hops, one.bin or 0].append((content_hash((str(seed), bare_id(one.id))), one.id))
    placed = []
    for parts in groups.values():
        turns = sorted(
            (rank, drawn, id_) for part in parts.values() for rank, (drawn, id_) in enumerate(sorted(part))
        )
        placed += [((place + 0.5) / len(turns), drawn, id_) for place, (_, drawn, id_) in enumerate(turns)]
    return tuple(sorted(id_ for _, _, id_ in sorted(placed)[:count]))


def sample_questions(graph: Graph, corpus: str, count: int | None, seed: int) -> tuple[str, ...]:
    """The ids of the questions of a corpus that a comparison is about, in order.

    Raises:
        NothingToDoError: the corpus has no two kept questions.
        SettingsError: it has fewer than `count`.
    """
    kept = [
        Drawable(row["id"], row["kind"], row["hops"], row["bin"])
        for row in graph.rows(query("questions/list_of_status"), corpus=corpus, status="kept")
    ]
    if len(kept) < LEAST_QUESTIONS:
        raise NothingToDoError(
            f"corpus {corpus!r} has {len(kept)} kept questions; the least are {LEAST_QUESTIONS}.",
            f"Make some: {command('questions make --corpus', corpus)}, or import: "
            f"{command('questions import FILE')}",
        )
    if count is not None and count > len(kept):
        raise SettingsError(
            f"corpus {corpus!r} has {len(kept):,} kept questions, not {count:,}.",
            f"Ask for {len(kept):,} at most, or for all by leaving the number out.",
        )
    return draw(kept, count, seed)


def protocol_questions(graph: Graph, protocol: Protocol) -> tuple[str, ...]:
    """The ids of the questions that a protocol draws from its corpus as it is now, in order.

    Raises:
        NothingToDoError, SettingsError: as `sample_questions`.
    """
    dataset = protocol.dataset
    return sample_questions(graph, dataset.corpus, dataset.questions, protocol.seeds.sample)
