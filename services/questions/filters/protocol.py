"""What a filter is, and how a chain of them is run."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from services.questions.draft import Check, Draft, Made


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a draft passes; a failure says why in a few words without a full stop; `hop` as in `Check`."""

    passed: bool
    reason: str = ""
    hop: int = 0


PASS = Verdict(passed=True)


def fail(reason: str, hop: int = 0) -> Verdict:
    """A failure with its reason."""
    return Verdict(passed=False, reason=reason, hop=hop)


class Filter(Protocol):
    """A rule over drafts; it gets a batch, so that one statement or one round of calls serves many."""

    @property
    def name(self) -> str:
        """What funnels and reports call it."""
        ...

    def check(self, drafts: Sequence[Draft]) -> list[Verdict]:
        """One verdict a draft, in order."""
        ...


@dataclass(frozen=True, slots=True)
class Rule:
    """A filter that looks at one draft at a time."""

    name: str
    rule: Callable[[Draft], Verdict]

    def check(self, drafts: Sequence[Draft]) -> list[Verdict]:
        """One verdict a draft, in order."""
        return [self.rule(draft) for draft in drafts]


def run_filters(
    filters: Sequence[Filter], drafts: Sequence[Draft], watch: Callable[[str, int], None] | None = None
) -> list[Made]:
    """Put drafts through the filters in their order; what fails one is not shown to the next.

    `watch` is told each filter's name and how many drafts it is about to see.
    """
    checks: list[list[Check]] = [[] for _ in drafts]
    passing = list(range(len(drafts)))
    for one in filters:
        if not passing:
            break
        if watch is not None:
            watch(one.name, len(passing))
        verdicts = one.check([drafts[at] for at in passing])
        for at, verdict in zip(passing, verdicts, strict=True):
            checks[at].append(Check(one.name, verdict.passed, verdict.reason, verdict.hop))
        passing = [at for at, verdict in zip(passing, verdicts, strict=True) if verdict.passed]
    return [Made(draft, tuple(said)) for draft, said in zip(drafts, checks, strict=True)]
