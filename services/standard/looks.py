"""Which questions a look at the results is after: whole clusters, in an order drawn before anything is asked.

A cluster is judged as a whole, so that a later look adds clusters and never changes what is known of one.
"""

from collections import defaultdict
from collections.abc import Sequence
from math import ceil

import numpy as np

from kg.errors import UserError
from services.standard.protocol import Protocol
from services.standard.records import Question


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
    for cluster in _drawn(questions, protocol.seeds.sample):
        if len(chosen) >= needed:
            break
        chosen.extend(cluster)
    return tuple(chosen)


def _drawn(questions: Sequence[Question], seed: int) -> list[list[Question]]:
    clusters: dict[str, list[Question]] = defaultdict(list)
    for question in sorted(questions, key=lambda one: one.id):
        clusters[question.cluster].append(question)
    names = sorted(clusters)
    order = np.random.default_rng(seed).permutation(len(names))
    return [clusters[names[place]] for place in order]
