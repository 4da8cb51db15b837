"""A protocol held against the corpus, the frozen pools and the lock, before a run."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from kg.corpus import require_corpus
from kg.errors import InputError, NothingToDoError, SettingsError
from kg.settings import Settings
from kg.store.graph import Graph
from services.questions.dataset import dataset_version
from services.standard.check_parts import (
    check_calibration,
    check_draws,
    check_endpoints,
    check_evidence,
    check_judges,
    check_power,
    check_systems,
)
from services.standard.collect import collect_questions
from services.standard.findings import Finding, breach
from services.standard.frozen_pools import frozen_pools
from services.standard.hashing import protocol_hash
from services.standard.locking import Lock, Locked, changes_since, read_lock, read_locked
from services.standard.looks import questions_at
from services.standard.planned_calls import PlannedCalls, planned_calls
from services.standard.planned_power import PlannedPower, planned_powers
from services.standard.pool import chunks_of
from services.standard.pool_drawing import PoolRecall, missing_chunks, pool_recall
from services.standard.protocol import Protocol
from services.standard.records import Candidates, Question
from services.standard.sampling import sample_questions


@dataclass(frozen=True, slots=True)
class Checked:
    """A protocol as it was found; `lock` is None before it is locked, `recall` without readable pools."""

    protocol: Protocol
    hash: str
    lock: Lock | None
    questions: int
    clusters: int
    recall: PoolRecall | None
    findings: tuple[Finding, ...]
    power: tuple[PlannedPower, ...]
    calls: PlannedCalls

    @property
    def breaches(self) -> tuple[Finding, ...]:
        """What a run would be refused for."""
        return tuple(one for one in self.findings if one.kind == "breach")


def check_standard(graph: Graph, protocol: Protocol, folder: Path, settings: Settings) -> Checked:
    """Hold a protocol against everything that is known before its run; nothing is asked or written.

    Raises:
        CorpusError: there is no such corpus.
    """
    require_corpus(graph, protocol.dataset.corpus)
    pools, findings = frozen_pools(folder, protocol)
    drawn, undrawn = _drawn(graph, protocol)
    findings += _dataset(graph, protocol, pools, drawn, undrawn)
    locked, changed = _lock(graph, protocol, folder)
    findings += changed
    findings += check_systems(graph, protocol, locked is not None)
    findings += check_judges(protocol)
    findings += check_calibration(protocol)
    findings += check_endpoints(protocol, settings)
    questions = collect_questions(graph, protocol, sorted(pools or drawn))
    power = tuple(planned_powers(protocol, questions))
    findings += _looks(protocol, questions)
    findings += check_evidence(questions)
    findings += check_power(power)
    findings += check_draws(protocol)
    return Checked(
        protocol=protocol,
        hash=protocol_hash(protocol),
        lock=None if locked is None else locked.lock,
        questions=len(questions),
        clusters=len({one.cluster for one in questions}),
        recall=pool_recall(questions, pools) if pools else None,
        findings=tuple(findings),
        power=power,
        calls=planned_calls(protocol, len(questions)),
    )


def _dataset(
    graph: Graph,
    protocol: Protocol,
    pools: Mapping[str, Candidates],
    drawn: Sequence[str],
    undrawn: list[Finding],
) -> Iterator[Finding]:
    """Whether the questions are those of the protocol, and the pools of these questions and this corpus."""
    dataset = protocol.dataset
    missing = missing_chunks(graph, dataset.corpus, sorted(chunks_of(pools)))
    if missing:
        told = f"{len(missing):,} chunks of the pools are in the corpus no more, such as {missing[0]}."
        yield breach("pool", told)
    version = dataset_version(graph, dataset.corpus)
    if version != dataset.version:
        yield breach(
            "dataset.version",
            f"the questions of corpus {dataset.corpus!r} are version {version} now, not {dataset.version}, "
            "for they changed since the protocol was written: begin a comparison anew: kg standard init",
        )
        return
    if undrawn:
        yield from undrawn
    elif pools and pools.keys() != set(drawn):
        same = len(pools.keys() & set(drawn))
        yield breach(
            "dataset.questions",
            f"the protocol draws {len(drawn):,} questions, and the pools are of {len(pools):,}, "
            f"{same:,} of them the same: number and seed must be those of the pools.",
        )


def _drawn(graph: Graph, protocol: Protocol) -> tuple[tuple[str, ...], list[Finding]]:
    """The questions that the protocol draws, none with the reason where the corpus has not as many."""
    dataset = protocol.dataset
    try:
        return sample_questions(graph, dataset.corpus, dataset.questions, protocol.seeds.sample), []
    except (SettingsError, NothingToDoError) as error:
        return (), [breach("dataset.questions", f"{error}")]


def _looks(protocol: Protocol, questions: Sequence[Question]) -> Iterator[Finding]:
    """Looks that come after no more questions than the one before, clusters being looked at whole."""
    looks = range(1, len(protocol.inference.looks) + 1)
    held = [len(questions_at(protocol, questions, look)) for look in looks]
    for look, (early, late) in enumerate(pairwise(held), start=1):
        if questions and early == late:
            yield breach(
                "inference.looks",
                f"looks {look} and {look + 1} hold equally many questions ({early:,}): "
                "set them further apart, or leave one out.",
            )


def _lock(graph: Graph, protocol: Protocol, folder: Path) -> tuple[Locked | None, list[Finding]]:
    """The lock in the graph or else in the folder, and what changed since, by either."""
    try:
        kept = read_lock(folder)
    except InputError as error:
        return None, [breach("lock", f"{error}")]
    known = read_locked(graph, protocol.dataset.corpus, protocol.name)
    changes = {
        change: locked.lock.locked_at
        for locked in (kept, known)
        if locked is not None
        for change in changes_since(protocol, locked)
    }
    return known or kept, [
        breach(change.path, f"it was locked at {at} otherwise: {change.told}.")
        for change, at in changes.items()
    ]
