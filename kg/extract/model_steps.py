"""Work that needs a model, written as generators: each yields requests and is sent their outcomes.

So the steps of one article read from top to bottom, while requests of many articles are under way at once.
Nothing here asks a model; whoever runs the steps does.
"""

from collections.abc import Generator, Sequence
from typing import Generic, TypeAlias, TypeVar

from kg.llm.protocol import ModelOutcome, ModelRequest

T = TypeVar("T")
U = TypeVar("U")

Steps: TypeAlias = Generator[Sequence[ModelRequest], Sequence[ModelOutcome], T]
"""Yields requests, is sent as many outcomes in the same order, and returns what came of it."""


class Running(Generic[T]):
    """Steps on their way: the requests that they wait for, or their result."""

    def __init__(self, steps: Steps[T]) -> None:
        self._steps = steps
        self._results: list[T] = []
        self.wanted: Sequence[ModelRequest] = ()
        self._advance(None)

    @property
    def is_done(self) -> bool:
        """Whether there is a result."""
        return bool(self._results)

    @property
    def result(self) -> T:
        """What came of the steps.

        Raises:
            IndexError: they still wait for outcomes.
        """
        return self._results[0]

    def receive(self, outcomes: Sequence[ModelOutcome]) -> None:
        """Go on with the outcomes of `wanted`; steps that are done stay as they are."""
        if not self.is_done:
            self._advance(outcomes)

    def _advance(self, outcomes: Sequence[ModelOutcome] | None) -> None:
        try:
            # A generator that has not begun takes None only.
            self.wanted = next(self._steps) if outcomes is None else self._steps.send(outcomes)
        except StopIteration as end:
            self.wanted = ()
            self._results.append(end.value)


def together(one: Steps[T], other: Steps[U]) -> Steps[tuple[T, U]]:
    """Steps that don't need each other's results, with their requests under way together."""
    first, second = Running(one), Running(other)
    while not (first.is_done and second.is_done):
        ours = len(first.wanted)
        outcomes = yield [*first.wanted, *second.wanted]
        first.receive(outcomes[:ours])
        second.receive(outcomes[ours:])
    return first.result, second.result
