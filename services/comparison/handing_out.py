"""What a system from elsewhere is handed to take part: which questions, and which texts it may show."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

from kg.corpus import read_properties
from kg.errors import InputError, NothingToDoError, SettingsError, command
from kg.ids import run_id
from kg.queries import query
from kg.store.graph import Graph, Row
from kg.text.tokens import count_tokens
from services.comparison.collect import read_record
from services.comparison.folder import folder_of, in_a_line
from services.comparison.locking import Lock, read_lock, read_locked, refuse_changed
from services.comparison.pool import frozen_pools
from services.comparison.protocol import Protocol
from services.comparison.protocol_file import read_protocol
from services.comparison.records import Candidates
from services.comparison.refusals import record_breaches, refuse

QUESTIONS_A_BATCH = 50
"""Whose texts are in memory at once: those of 5,000 chunks where pools hold 100."""


@dataclass(frozen=True, slots=True)
class RequestedRun:
    """The name of a run, empty for the default, and the ids of the questions to ask, None for all."""

    run: str
    questions: frozenset[str] | None


def asked_of_run(graph: Graph, corpus: str, folder: Path, run: str) -> RequestedRun:
    """What a locked comparison on this corpus asks of a run; `run` may be empty where it names only one.

    Raises:
        NothingToDoError: it is not locked yet, so that the run would be refused as made before.
        SettingsError: it is about another corpus, or names no such run.
        RefusedError: the run is there already, and was begun before the lock.
        ProtocolChangedError, InputError: its files are not those that were locked, or can't be read.
    """
    protocol = read_protocol(folder)
    if protocol.dataset.corpus != corpus:
        raise SettingsError(
            f"the comparison {protocol.name!r} is on corpus {protocol.dataset.corpus!r}, not {corpus!r}.",
            f"Give it: --corpus {quote(protocol.dataset.corpus)}",
        )
    name = _named(protocol, run)
    locked = read_locked(graph, corpus, protocol.name) or read_lock(folder_of(folder))
    if locked is None:
        raise NothingToDoError(
            f"the comparison {protocol.name!r} is not locked yet, and holds no run that was begun before.",
            f"Lock it: {command('standard run', str(folder))}; it ends by naming the run that is missing.",
        )
    refuse_changed(protocol, locked)
    _refuse_early(graph, protocol, locked.lock, name)
    return RequestedRun(name, frozenset(pool.question for pool in _frozen(folder, protocol)))


def candidate_lines(graph: Graph, folder: Path) -> Iterator[str]:
    """A line of JSON for each question of a comparison, in the order of their ids.

    Each has `id`, `question`, `evidence_tokens` and `answer_tokens`, and in `candidates` what may be shown,
    best first: `chunk`, `title`, `text`, and `tokens` as the budget counts them. The gold is not in it.

    Raises:
        InputError: the comparison's files can't be read, or its pools are not those of the protocol.
    """
    protocol = read_protocol(folder)
    frozen = _frozen(folder, protocol)
    for start in range(0, len(frozen), QUESTIONS_A_BATCH):
        pools = frozen[start : start + QUESTIONS_A_BATCH]
        shown = {chunk for pool in pools for chunk, _ in pool.chunks}
        chunks = _rows(graph, protocol, "chunks/read_chunks", sorted(shown))
        candidates = {chunk: _candidate(row) for chunk, row in chunks.items()}
        questions = _rows(graph, protocol, "comparisons/collect_questions", [pool.question for pool in pools])
        for pool in pools:
            line = {
                "id": pool.question,
                "question": questions[pool.question]["text"],
                "evidence_tokens": protocol.budget.evidence_tokens,
                "answer_tokens": protocol.budget.answer_tokens,
                "candidates": [candidates[chunk] for chunk, _ in pool.chunks],
            }
            yield f"{json.dumps(line, ensure_ascii=False)}\n"


def _candidate(row: Row) -> dict[str, str | int]:
    return {
        "chunk": row["id"],
        "title": row["title"],
        "text": row["text"],
        "tokens": count_tokens(row["text"]),
    }


def _named(protocol: Protocol, run: str) -> str:
    runs = [system.run for system in protocol.systems if system.run is not None]
    if run in runs or (not run and len(runs) == 1):
        return run or runs[0]
    told = f"its runs are {', '.join(runs)}" if runs else "it has none"
    what = f"names no run {run!r}" if run else "doesn't tell by itself which run this is"
    remedy = "Give one of them: --name RUN" if runs else "List it in standard.yaml before the lock."
    raise SettingsError(f"the comparison {protocol.name!r} {what}; {told}.", remedy)


def _refuse_early(graph: Graph, protocol: Protocol, lock: Lock, run: str) -> None:
    """Its answers would be kept, and refused in the end."""
    if not read_properties(graph, run_id(protocol.dataset.corpus, run)):
        return
    (system,) = (system for system in protocol.systems if system.run == run)
    record = read_record(graph, protocol, system)
    early = (one for one in record_breaches(protocol, lock, record) if one.rule == "after the lock")
    refuse(protocol.name, tuple(early))


def _frozen(folder: Path, protocol: Protocol) -> Sequence[Candidates]:
    """The pools of a comparison in the order of their questions' ids."""
    pools, findings = frozen_pools(folder_of(folder), protocol)
    if findings:
        raise InputError(
            f"the pools of {protocol.name!r} are not those of its protocol: {in_a_line(findings)}.",
            f"See all: {command('standard check', str(folder))}",
        )
    return [pools[question] for question in sorted(pools)]


def _rows(graph: Graph, protocol: Protocol, statement: str, ids: Sequence[str]) -> dict[str, Row]:
    found = {row["id"]: row for row in graph.read_in_batches(query(statement), ids)}
    if missing := next((id_ for id_ in ids if id_ not in found), None):
        raise InputError(
            f"corpus {protocol.dataset.corpus!r} holds {missing} no more, of which the pools are.",
            f"Begin a comparison on what there is now: {command('standard init')}",
        )
    return found
