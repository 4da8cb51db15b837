"""What the composing of questions is put together from: by rules, or by a model."""

from dataclasses import dataclass

from services.questions.composed.protocol import AtomFilter, AtomMaker, ComposedFilter, Joiner, Refiner


@dataclass(frozen=True, slots=True)
class Parts:
    """One way to compose: atoms are made and filtered, then joined; what comes of it is filtered and mended.

    Filters run in their order, the cheapest first; what fails one is not shown to the next.
    `atoms_a_question` says to how many atomic questions a question is joined at most, in each way, and
    `atoms_behind_comparison` to how many one that compares: few have an answer for both. `batch` questions
    are tried at a time, then it is looked whether more are wanted.
    """

    atom_maker: AtomMaker
    atom_filters: tuple[AtomFilter, ...]
    joiner: Joiner
    filters: tuple[ComposedFilter, ...]
    refiner: Refiner
    atoms_a_question: int = 4
    atoms_behind_comparison: int = 4
    batch: int = 100
