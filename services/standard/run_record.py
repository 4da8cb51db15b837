"""What is recorded of the run behind a system, so that it can be held to the protocol."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RunRecord:
    """The run that gave a system's answers, as its node says; times are ISO 8601 with their zone.

    `ours` tells that the comparison made it itself, from the pool; `answered_here` that our readers or a
    model of ours wrote its answers, and not a system from outside. `generator` is empty where who answers
    is the system's own business; `finished_at` where it has not ended.
    """

    system: str
    run: str
    ours: bool
    answered_here: bool
    made_by: str
    generator: str
    prompts: tuple[str, ...]
    embedder: str
    dataset: str
    started_at: str
    finished_at: str = ""
