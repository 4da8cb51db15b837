"""A comparison begins: questions are drawn, their pools frozen, and a protocol is written to be edited.

A comparison begins again from its archive: the same protocol, and the same frozen pools.
"""

import os
from dataclasses import dataclass
from pathlib import Path

from kg.embed.choose import Embedder
from kg.errors import InputError, SettingsError, command
from kg.progress import Progress
from kg.settings import Settings
from kg.store.graph import Graph
from services.comparison.archive import read_archive
from services.comparison.collect import collect_questions
from services.comparison.folder import DRAWN_FILE, POOL_FILE, PROTOCOL_FILE, refuse_taken, writing
from services.comparison.journal import Journal, lock_of
from services.comparison.locking import read_locked
from services.comparison.pool import PoolMethod, drawn_by, pool_hash, write_pool
from services.comparison.pool_drawing import PoolRecall, draw_pools, pool_recall
from services.comparison.protocol import Dataset, Protocol
from services.comparison.records import Candidates
from services.comparison.sampling import sample_questions
from services.comparison.template import FirstOptions, check_options, first_protocol, protocol_text
from services.questions.dataset import dataset_version
from services.questions.spans.question_spans import renew_spans
from services.rag.retrieval.choose import check_retriever

REPEAT = command("standard repeat ARCHIVE FOLDER")


def repeat_standard(archive: Path, folder: Path) -> Protocol:
    """Write what an archive was made by into a folder, to be checked and run where its corpus is.

    Raises:
        InputError: it is no archive, or its pools are not those of its protocol.
        SettingsError: the folder holds a comparison already, or can't be written.
    """
    comparison = read_archive(archive)
    protocol = comparison.protocol
    drawn, pools = drawn_by(protocol.pool), list(comparison.pool)
    if pool_hash(drawn, pools) != protocol.pool.hash:
        raise InputError(
            f"the pools in {archive.name} are not those of its protocol.",
            f"See what was changed: {command('standard verify', str(archive))}",
        )
    refuse_taken(folder, REPEAT)
    with writing(folder, REPEAT):
        folder.mkdir(parents=True, exist_ok=True)
        write_pool(folder / POOL_FILE, drawn, pools)
        # The protocol comes last: a folder without one was cut off, and can be filled again.
        (folder / PROTOCOL_FILE).write_text(protocol_text(protocol), encoding="utf-8")
    return protocol


INIT = command("standard init FOLDER")


@dataclass(frozen=True, slots=True)
class NewComparison:
    """A comparison that was begun: its protocol, how many questions it has, and what gold the pools hold."""

    protocol: Protocol
    questions: int
    recall: PoolRecall


def begin_standard(
    graph: Graph,
    corpus: str,
    folder: Path,
    options: FirstOptions,
    settings: Settings,
    embedder: Embedder,
    progress: Progress,
) -> NewComparison:
    """Draw, freeze and write; nothing is asked.

    Into the graph goes at most what questions span, where an older version made them or they came from
    elsewhere. Cut off while pools are drawn, it goes on with those that are left.

    Raises:
        SettingsError: an option can't work, or the folder holds a comparison already.
        InputError: another command is beginning one in it, or it can't be written.
        NothingToDoError: the corpus has no questions, or a pool would be empty.
    """
    check_options(options)
    check_retriever(options.pool_by)
    _refuse_taken(graph, corpus, folder, options.name)
    renew_spans(graph, corpus)
    drawn = sample_questions(graph, corpus, options.questions, options.seed)
    dataset = Dataset(
        corpus=corpus, version=dataset_version(graph, corpus), questions=options.questions and len(drawn)
    )
    first_protocol(options, dataset, "-", settings, len(drawn))  # a mistake in it shows before the work
    progress.begin("pools")
    with Journal(folder / DRAWN_FILE, Candidates) as journal:
        # Another command may have begun one here, and ended, since it was looked at.
        _refuse_taken(graph, corpus, folder, options.name)
        pools = draw_pools(
            graph, corpus, options.pool_by, options.pool_size, drawn, embedder, progress, journal
        )
        progress.end(f"{len(pools):,} by {options.pool_by}, at most {options.pool_size:,} chunks each")
        with writing(folder, INIT):
            part = folder / f".{POOL_FILE}.{os.getpid()}"
            digest = write_pool(part, PoolMethod(options.pool_by, options.pool_size), pools.values())
            protocol = first_protocol(options, dataset, digest, settings, len(drawn))
            part.replace(folder / POOL_FILE)
            # The protocol comes last: a folder without one was cut off, and can be filled again.
            part = folder / f".{PROTOCOL_FILE}.{os.getpid()}"
            part.write_text(protocol_text(protocol), encoding="utf-8")
            part.replace(folder / PROTOCOL_FILE)
    with writing(folder, INIT):
        _forget_drawn(folder)
    return NewComparison(protocol, len(drawn), pool_recall(collect_questions(graph, protocol, drawn), pools))


def _forget_drawn(folder: Path) -> None:
    """Delete the journal of what was drawn: all of it is in the frozen pools.

    Whoever opens it after this finds the protocol, and ends.
    """
    for path in (folder / DRAWN_FILE, lock_of(folder / DRAWN_FILE)):
        path.unlink(missing_ok=True)


def _refuse_taken(graph: Graph, corpus: str, folder: Path, name: str) -> None:
    refuse_taken(folder, INIT)
    locked = read_locked(graph, corpus, name)
    if locked is not None:
        raise SettingsError(
            f"corpus {corpus!r} has a comparison {name!r}, locked at {locked.lock.locked_at}.",
            "Give this one another name: --name NAME",
        )
