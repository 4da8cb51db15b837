"""A judged comparison from its lock to its archive; however often it is cut off, it goes on where it was.

lock      before the first answer, or the protocol is the locked one
brought   runs that the protocol names are held to it before anything is spent on others
answers   each system with a selector answers from its pools, as a run of its own
judges    both judge every answer, and answers of known quality
archive   everything in one file, and in it what follows from it; the results are in the graph too

The answers of a system's run as rows of a comparison, or a refusal where the run broke the protocol.
"""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from kg.embed.choose import Embedder
from kg.errors import UserError, command
from kg.ids import content_hash
from kg.llm.budget import Budget
from kg.llm.roles import role_budget
from kg.progress import Progress
from kg.settings import Settings
from kg.store.graph import Graph
from services.comparison.analysis.content import Results
from services.comparison.archive import ROLES, Comparison, JudgeRole, Look, write_archive
from services.comparison.checks import check_standard
from services.comparison.collect import (
    answer_of,
    answer_rows,
    chosen_look,
    collect_chunks,
    collect_questions,
    known_answers,
    questions_at,
    read_record,
    run_of,
)
from services.comparison.folder import KEY_DIGITS, POOL_FILE, Journal, Written, archive_name, in_a_line
from services.comparison.judged import (
    archived_results,
    archived_results_text,
    judge_all,
    render_outcome,
)
from services.comparison.locking import Lock, last_look, lock_protocol, record_results
from services.comparison.pool import read_pool
from services.comparison.pool_systems import outside_of
from services.comparison.protocol import Protocol, SystemUnderTest
from services.comparison.records import Answer, Candidates, Question, RunRecord
from services.comparison.refusals import (
    Unseen,
    answer_breaches,
    judge_breaches,
    missing_breaches,
    record_breaches,
    refuse,
    unseen_breaches,
)
from services.comparison.rejudging import judge_of
from services.questions.spans.question_spans import renew_spans
from services.rag.run_options import RunOptions
from services.runs.start import start_run


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
    for row in answer_rows(graph, protocol, run_of(protocol, system), [one.id for one in questions]):
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


MOST_BREACHES = 5
"""Breaches that a message tells; more are counted."""


@dataclass(frozen=True, slots=True)
class Budgets:
    """What may be spent on models: a budget for each of them, at its price; none where rules do the work."""

    answer: Budget | None = None
    judges: Mapping[JudgeRole, Budget] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RunOrder:
    """What is asked of a run: which look, None for the last; and whether to ask again what failed."""

    look: int | None = None
    retry_failed: bool = False


@dataclass(frozen=True, slots=True)
class CompletedComparison:
    """A comparison that was run: its archive, and what it shows."""

    protocol: Protocol
    lock: Lock
    look: Look
    archive: Path
    results: Results


def archive_of(folder: Path, protocol: Protocol, look: int) -> Path:
    """Where the archive of a look lies."""
    return folder / archive_name(protocol.name, look, len(protocol.inference.looks))


def open_budgets(protocol: Protocol, settings: Settings) -> Budgets:
    """The settings' budget for each model of a protocol.

    Raises:
        SettingsError: there is a budget in money, and a model has no price.
    """
    answer = None
    if protocol.generator.kind == "model":
        named = settings.model_copy(update={"hopgrade_answer_model": protocol.generator.name})
        answer = role_budget("answer", named)
    judges = {role: judge_of(protocol, role) for role in ROLES}
    return Budgets(
        answer,
        {
            role: role_budget("judge", settings.model_copy(update={"hopgrade_judge_model": judge.name}))
            for role, judge in judges.items()
            if judge.kind == "model"
        },
    )


def run_standard(
    graph: Graph,
    protocol: Protocol,
    folder: Path,
    order: RunOrder,
    settings: Settings,
    embedder: Embedder,
    progress: Progress,
    budgets: Budgets,
) -> CompletedComparison:
    """Run a comparison, or go on with it.

    Raises:
        UserError: the protocol can't be run, or plans no such look.
        ProtocolChangedError: it is not the one that was locked.
        RefusedError: a run, or a judge, breaks it.
        NothingToDoError: a run that it names is not there yet.
        ModelRefusedError, ModelUnavailableError, BudgetReachedError: a model can't go on; what was answered
            and judged is kept.
    """
    look = chosen_look(protocol, order.look)
    _refuse_unfit(graph, protocol, folder, settings)
    lock = lock_protocol(graph, protocol, folder)
    renew_spans(graph, protocol.dataset.corpus)
    pool = read_pool(folder / POOL_FILE).of
    sample = collect_questions(graph, protocol, list(pool))
    chunks = collect_chunks(graph, protocol, pool, sample)
    questions = questions_at(protocol, sample, look)
    clusters = {chunk.id: chunk.cluster for chunk in chunks.values()}
    tokens = {chunk.id: chunk.tokens for chunk in chunks.values()}
    with TemporaryDirectory() as scratch, ExitStack() as opened:
        found: dict[str, tuple[RunRecord, Written[Answer]]] = {}
        # Those that others made first: a refusal then costs nothing.
        for one in sorted(protocol.systems, key=lambda one: one.selector is not None):
            if one.selector is not None:
                options = RunOptions(
                    name=run_of(protocol, one),
                    retry_failed=order.retry_failed,
                    covers=frozenset(question.id for question in questions),
                    outside=outside_of(protocol, one, pool, clusters, settings, embedder, budgets.answer),
                )
                corpus = protocol.dataset.corpus
                start_run(graph, corpus, options, settings, embedder, progress, budgets.answer)
            kept = opened.enter_context(Journal(Path(scratch) / f"{len(found)}.jsonl", Answer))
            found[one.name] = held_answers(graph, protocol, lock, one, questions, pool, tokens, kept)
        records = tuple(found[one.name][0] for one in protocol.systems)
        refuse(protocol.name, judge_breaches(protocol, records))
        answers = {one.name: found[one.name][1] for one in protocol.systems}
        seen = Look(look, len(questions), len(sample))
        comparison = Comparison(
            protocol=protocol,
            lock=lock,
            look=seen,
            questions=questions,
            runs=records,
            chunks=tuple(chunks.values()),
            pool=tuple(pool[name] for name in sorted(pool)),
            answers=answers,
            judgements={},
            calibration={},
            sample=sample,
            known=known_answers(graph, protocol, sample, chunks),
        )
        comparison = judge_all(comparison, folder, settings, budgets.judges, opened, progress)
        archive = archive_of(folder, protocol, look)
        progress.begin("analysis and archive")
        write_archive(archive, comparison, render_outcome)
        progress.end(archive.name)
    if look >= last_look(graph, protocol):  # an earlier look, repeated, doesn't replace what came later
        record_results(graph, protocol, archived_results_text(archive), [record.run for record in records])
    return CompletedComparison(protocol, lock, seen, archive, archived_results(archive))


def _refuse_unfit(graph: Graph, protocol: Protocol, folder: Path, settings: Settings) -> None:
    breaches = check_standard(graph, protocol, folder, settings).breaches
    if not breaches:
        return
    told = in_a_line(breaches[:MOST_BREACHES])
    more = f"; and {len(breaches) - MOST_BREACHES} more" if len(breaches) > MOST_BREACHES else ""
    raise UserError(
        f"standard {protocol.name!r} can't be run: {told}{more}.",
        f"Mend what is told, or begin another comparison: {command('standard init')}. See "
        f"all: {command('standard check', str(folder))}",
    )
