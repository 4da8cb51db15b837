"""What the composing of questions is put together from: by rules, or by a model."""

from dataclasses import dataclass

from services.questions.composed.protocol import AtomFilter, AtomMaker, ComposedFilter, Joiner, Refiner


@dataclass(frozen=True, slots=True)
class Parts:
    """One way to compose: atoms are made and filtered, then joined; what comes of it is filtered and mended.

    Filters run in their order, the cheapest first; what fails one is not shown to the next.
    """

    atom_maker: AtomMaker
    atom_filters: tuple[AtomFilter, ...]
    joiner: Joiner
    filters: tuple[ComposedFilter, ...]
    refiner: Refiner
