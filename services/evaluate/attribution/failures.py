"""The failures of a run one by one, each with its answer to look at, and where most of them are."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from services.evaluate.attribution.behaviours import Behaviour
from services.evaluate.attribution.causes import Cause
from services.evaluate.attribution.diagnose import Diagnosis


@dataclass(frozen=True, slots=True)
class Failure:
    """An answer of a run that is not right, by ids: why, at which hop where one can be told, and how."""

    run: str
    answer: str
    question: str
    cause: Cause
    hop: int | None
    why: str
    behaviours: tuple[Behaviour, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """How many failures have this cause at this hop, and one of them: that with the least question id."""

    cause: Cause
    hop: int | None
    count: int
    example: Failure


def failures_of(run: str, diagnoses: Iterable[Diagnosis]) -> tuple[Failure, ...]:
    """The failures among a run's diagnoses, in their order; `run` is its name."""
    return tuple(
        Failure(
            run, one.answer, one.question, one.failure.cause, one.failure.hop, one.failure.why, one.behaviours
        )
        for one in diagnoses
        if one.failure is not None
    )


def frequent_places(failures: Iterable[Failure], most: int) -> tuple[Place, ...]:
    """The causes and hops with most failures, at most so many, the most frequent first."""
    found: defaultdict[tuple[Cause, int | None], list[Failure]] = defaultdict(list)
    for one in failures:
        found[one.cause, one.hop].append(one)
    places = [
        Place(cause, hop, len(some), min(some, key=lambda one: one.question))
        for (cause, hop), some in found.items()
    ]
    # Among those that are as frequent, the earlier hop first: a failure there hides those farther on.
    places.sort(key=lambda one: (-one.count, one.hop is None, one.hop or 0, one.cause))
    return tuple(places[:most])
