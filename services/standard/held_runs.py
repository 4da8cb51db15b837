"""The answers of a system's run as rows of a comparison, or a refusal where the run broke the protocol."""

from collections.abc import Mapping, Sequence

from kg.ids import content_hash
from kg.store.graph import Graph
from services.standard.collect import answer_of, answer_rows, read_record
from services.standard.journal import KEY_DIGITS, Journal, Written
from services.standard.locking import Lock
from services.standard.protocol import Protocol, SystemUnderTest
from services.standard.records import Answer, Candidates, Question
from services.standard.refusals import (
    Unseen,
    answer_breaches,
    missing_breaches,
    record_breaches,
    refuse,
    unseen_breaches,
)
from services.standard.run_record import RunRecord


def held_answers(
    graph: Graph,
    protocol: Protocol,
    lock: Lock,
    system: SystemUnderTest,
    questions: Sequence[Question],
    pool: Mapping[str, Candidates],
    tokens: Mapping[str, int],
    kept: Journal[Answer],
) -> tuple[RunRecord, Written[Answer]]:
    """What is recorded of a system's run, and its answers in the order of `questions`, kept in a journal.

    `tokens` are those of each chunk of a pool by our count.

    Raises:
        NothingToDoError: there is no such run.
        RefusedError: it broke the protocol.
    """
    record = read_record(graph, protocol, system)
    refuse(protocol.name, record_breaches(protocol, lock, record))
    keys: dict[str, str] = {}
    untold: set[str] = set()
    unaligned: dict[str, int] = {}
    for row in answer_rows(graph, protocol, system, [question.id for question in questions]):
        answer = answer_of(system.name, row, tokens)
        keys[answer.question] = content_hash((answer.question,), KEY_DIGITS)
        kept.add(keys[answer.question], answer)
        if not row["told"]:
            untold.add(answer.question)
        if row["unaligned"]:
            unaligned[answer.question] = row["unaligned"]
    answers = Written(kept, [keys[question.id] for question in questions if question.id in keys])
    pairs = ((pool[answer.question], answer) for answer in answers)
    refuse(
        protocol.name,
        (
            *missing_breaches(system.name, [question.id for question in questions], keys),
            *unseen_breaches(system.name, len(keys), Unseen(frozenset(untold), unaligned)),
            *answer_breaches(protocol, system.name, pairs, tokens),
        ),
    )
    return record, answers
