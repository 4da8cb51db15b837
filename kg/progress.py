"""How long work tells whoever waits for it where it is."""

from typing import Protocol


class Progress(Protocol):
    """One task at a time: begin, perhaps in steps that are counted apart, advance as often as wanted, end."""

    def begin(self, task: str, total: int | None = None) -> None:
        """A task starts; `total` is its number of steps, None when it can't be known."""
        ...

    def step(self, name: str, total: int | None = None) -> None:
        """A part of the task starts, with a count of its own."""
        ...

    def advance(self, steps: int = 1) -> None:
        """So many steps more are done."""
        ...

    def end(self, note: str = "") -> None:
        """The task is done; `note` is what came of it, in a few words."""
        ...


class Silent:
    """A progress that nobody watches."""

    def begin(self, task: str, total: int | None = None) -> None:
        """Say nothing."""

    def step(self, name: str, total: int | None = None) -> None:
        """Say nothing."""

    def advance(self, steps: int = 1) -> None:
        """Say nothing."""

    def end(self, note: str = "") -> None:
        """Say nothing."""
