"""What the composing of questions is put together from: by rules, or by a model."""

from dataclasses import dataclass, replace

from services.questions.composed.protocol import AtomFilter, AtomMaker, ComposedFilter, Joiner, Refiner


@dataclass(frozen=True, slots=True)
class Parts:
    """One way to compose: atoms are made and filtered, then joined; what comes of it is filtered and mended.

    Filters run in their order, the cheapest first; what fails one is not shown to the next.
    `atoms_a_question` says to how many atomic questions a question is joined at most, in each way, and
    `atoms_behind_comparison` to how many one that compares: few have an answer for both. `batch` questions
    are tried at a time, then it is looked whether more are wanted, and `bases` are gone on from at a time,
    all of them where it is None. `chunks_a_question` is from how many further chunks, None for all that are
    related. So many candidates as `tries` of each depth and way are tried for each question that is wanted.
    """

    atom_maker: AtomMaker
    atom_filters: tuple[AtomFilter, ...]
    joiner: Joiner
    filters: tuple[ComposedFilter, ...]
    refiner: Refiner
    atoms_a_question: int = 4
    atoms_behind_comparison: int = 4
    batch: int = 100
    bases: int | None = None
    chunks_a_question: int | None = None
    tries: int = 40


PAID_BATCH = 16
"""Small, since what is made beyond the number wanted is paid for as well."""


def paid_for(parts: Parts, per_hops: int) -> Parts:
    """The parts as they work where each request costs: in steps as small as the number that is wanted."""
    batch = min(PAID_BATCH, 2 * per_hops)
    return replace(parts, batch=batch, bases=max(1, batch // 2), chunks_a_question=3, tries=12)
