"""What a run or a judge does against the protocol, each as a sentence with counts and an example.

A run that breaks the protocol is refused whole: to leave out the answers that broke it would compare systems
on questions that one of them chose.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

from kg.errors import UserError, command
from kg.llm.roles import model_behind
from services.comparison.locking import Lock
from services.comparison.protocol import Protocol
from services.comparison.records import Answer, Candidates, RunRecord, answer_length

Rule = Literal[
    "dataset",
    "generator",
    "after the lock",
    "questions",
    "told evidence",
    "pool",
    "budget",
    "answer cap",
    "judge",
]
"""What of a protocol was broken."""


@dataclass(frozen=True, slots=True)
class Breach:
    """A rule that was broken, by which system, and what was found; `run` is its run, where that is known."""

    system: str
    rule: Rule
    found: str
    run: str = ""


class RefusedError(UserError):
    """Runs or judges break the protocol; `breaches` says how."""

    def __init__(self, name: str, breaches: tuple[Breach, ...]) -> None:
        text = "; ".join(f"{breach.system}: {breach.found}" for breach in breaches)
        super().__init__(
            f"standard {name!r} refuses what breaks its protocol: {text}.",
            f"{_drop(breaches)} again within the protocol, or write another protocol under another name: "
            f"{command('standard init')}",
        )
        self.breaches = breaches


def _drop(breaches: Iterable[Breach]) -> str:
    runs = list(dict.fromkeys(breach.run for breach in breaches if breach.run))
    dropped = "; ".join(command("run drop", run) for run in runs or ["RUN"])
    return f"Delete the {'runs' if runs[1:] else 'run'} ({dropped}) and make {'them' if runs[1:] else 'it'}"


@dataclass(slots=True)
class _Count:
    """How many answers broke a rule, and the first that did."""

    answers: int = 0
    example: str = ""

    def add(self, example: str) -> None:
        self.answers += 1
        self.example = self.example or example


@dataclass(frozen=True, slots=True)
class Unseen:
    """What a run keeps to itself, by the ids of the questions: answers that don't tell what they retrieved,
    and answers with how many texts that are in no chunk of the corpus."""

    untold: frozenset[str] = frozenset()
    unaligned: Mapping[str, int] = field(default_factory=dict)


def refuse(name: str, breaches: Iterable[Breach]) -> None:
    """Raise what was found, if anything was.

    Raises:
        RefusedError: something was.
    """
    found = tuple(breaches)
    if found:
        raise RefusedError(name, found)


def judge_breaches(protocol: Protocol, runs: Iterable[RunRecord] = ()) -> Iterator[Breach]:
    """Judges that would judge their own answers: those of the protocol's generator, or of a run's."""
    generators = {"every system": (protocol.generator.name if protocol.generator.kind == "model" else "", "")}
    generators |= {run.system: (run.generator, run.run) for run in runs if not run.ours}
    for role, judge in (("judge", protocol.judge), ("second judge", protocol.second_judge)):
        for system, (generator, run) in generators.items():
            if judge.kind == "model" and generator and model_behind(judge.name) == model_behind(generator):
                text = f"its answers are written by {generator}, which is the {role}"
                yield Breach(system, "judge", text, run)


def record_breaches(protocol: Protocol, lock: Lock, run: RunRecord) -> Iterator[Breach]:
    """What the record of a run says against it, whatever its answers are."""
    if run.dataset != protocol.dataset.version:
        yield Breach(
            run.system,
            "dataset",
            f"run {run.run!r} answered version {run.dataset or 'unknown'} of the questions, not "
            f"{protocol.dataset.version}",
            run.run,
        )
    if run.answered_here and run.generator != protocol.generator.name:
        yield Breach(
            run.system,
            "generator",
            f"run {run.run!r} was answered by {run.generator}, not by {protocol.generator.name}",
            run.run,
        )
    elif run.ours and (other := set(run.prompts) - set(protocol.generator.prompts)):
        yield Breach(
            run.system,
            "generator",
            f"run {run.run!r} used {', '.join(sorted(other))}, which the protocol doesn't name",
            run.run,
        )
    begun, locked = moment(run.started_at), moment(lock.locked_at)
    if begun < locked:
        early, late = _told_apart(begun, locked)
        yield Breach(
            run.system,
            "after the lock",
            f"run {run.run!r} was begun at {early}, but the protocol was locked at {late}",
            run.run,
        )


def missing_breaches(
    system: str, questions: Iterable[str], answered: Mapping[str, object] | frozenset[str]
) -> Iterator[Breach]:
    """Questions that a run didn't answer."""
    asked = list(questions)
    missing = [question for question in asked if question not in answered]
    if missing:
        yield Breach(
            system,
            "questions",
            f"{len(missing):,} of {len(asked):,} questions have no answer (for example {missing[0]})",
        )


def unseen_breaches(system: str, answers: int, unseen: Unseen) -> Iterator[Breach]:
    """Evidence that nobody can hold against the pool, because it was not told or is no chunk."""
    if unseen.untold:
        yield Breach(
            system,
            "told evidence",
            f"{len(unseen.untold):,} of {answers:,} answers don't tell what they were given "
            f"(for example {min(unseen.untold)})",
        )
    if unseen.unaligned:
        first = min(unseen.unaligned)
        yield Breach(
            system,
            "pool",
            f"{len(unseen.unaligned):,} of {answers:,} answers show texts that are in no chunk of the corpus "
            f"({first} shows {unseen.unaligned[first]:,})",
        )


def answer_breaches(
    protocol: Protocol,
    system: str,
    rows: Iterable[tuple[Candidates, Answer]],
    tokens: Mapping[str, int],
) -> Iterator[Breach]:
    """Answers of a system outside their pool, budget or cap; `tokens` are those of each chunk by our count.

    What an answer says of its tokens is not believed: it is counted again.
    """
    run = next((one.run for one in protocol.systems if one.name == system and one.run is not None), "")
    pool, budget, cap, answers = _Count(), _Count(), _Count(), 0
    for candidates, answer in rows:
        answers += 1
        allowed = {chunk for chunk, _ in candidates.chunks}
        outside = [shown.chunk for shown in answer.evidence if shown.chunk not in allowed]
        if outside:
            pool.add(f"{answer.question} shows {outside[0]}")
        spent = sum(tokens.get(chunk, 0) for chunk in {shown.chunk for shown in answer.evidence})
        if spent > protocol.budget.evidence_tokens:
            budget.add(f"{answer.question} with {spent:,}")
        length = answer_length(answer.text)
        if length > protocol.budget.answer_tokens:
            cap.add(f"{answer.question} with {length:,}")
    if pool.answers:
        yield Breach(
            system,
            "pool",
            f"{pool.answers:,} of {answers:,} answers show chunks that are not in the pool of their question "
            f"({pool.example})",
            run,
        )
    if budget.answers:
        yield Breach(
            system,
            "budget",
            f"{budget.answers:,} of {answers:,} answers show more than {protocol.budget.evidence_tokens:,} "
            f"tokens of evidence ({budget.example})",
            run,
        )
    if cap.answers:
        yield Breach(
            system,
            "answer cap",
            f"{cap.answers:,} of {answers:,} answers are longer than {protocol.budget.answer_tokens:,} "
            f"tokens ({cap.example})",
            run,
        )


def _told_apart(*times: datetime) -> list[str]:
    """Times in UTC to the second, or further where that makes no difference between them."""
    for unit in ("seconds", "microseconds"):
        told = [time.astimezone(UTC).isoformat(timespec=unit).replace("+00:00", "Z") for time in times]
        if len(set(told)) == len(times):
            break
    return told


def moment(text: str) -> datetime:
    """A time as Neo4j writes it, with its zone; the name of a zone behind its offset says nothing more."""
    return datetime.fromisoformat(text.partition("[")[0])
