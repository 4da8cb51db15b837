"""Several processes read as one does, and none is left behind, however the reading ends."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import count, islice
from pathlib import Path

import psutil
import pytest

from kg.errors import SettingsError
from kg.extract import rules
from kg.extract.article import read_article
from kg.extract.pipeline import load_model
from kg.extract.protocol import ExtractionInput
from kg.extract.rules import (
    ARTICLES_AHEAD,
    SENTENCES_BEFORE_HELP,
    RuleExtractor,
    WorkOrder,
    available_processes,
    read_together,
)
from kg.model import Extraction, Reject
from tests.kg.extract.conftest import as_input
from tests.representatives import representatives

SECONDS = 60
ROOT = Path(__file__).parents[3]
ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)
READ_FOR_EVER = """
from itertools import count
from kg.extract.rules import RuleExtractor
from tests.kg.extract.conftest import as_input
stream = (as_input(f"Anna Keller joined Nova Labs {n}. She left.") for n in count())
for done, _ in enumerate(RuleExtractor(2).extract(stream)):
    if done % 500 == 0:
        print(done, flush=True)
"""

ReadHere = Callable[[ExtractionInput], Extraction]


@pytest.fixture(scope="module")
def read_here() -> ReadHere:
    model = load_model()
    return lambda item: read_article(model, item)


def stream(number: int | None = None) -> Iterator[ExtractionInput]:
    numbers = count() if number is None else iter(range(number))
    for n in numbers:
        names = ("Anna Keller", "Peter Novak", "Angela Merkel")[n % 3]
        yield as_input(f"{names} visited Berlin on Monday. " * (1 + n % 5) + f"She met John Carter {n}.")


def children() -> list[psutil.Process]:
    return [child for child in psutil.Process().children() if "kg.extract.rules" in " ".join(command(child))]


def command(process: psutil.Process) -> Sequence[str]:
    with suppress(psutil.Error):
        return process.cmdline()
    return []


def workers_of(process: "subprocess.Popen[str]") -> list[psutil.Process]:
    return psutil.Process(process.pid).children()


def test_several_processes_read_what_one_reads_in_the_same_order(read_here: ReadHere) -> None:
    alone = [read_here(item) for item in stream(60)]
    for processes in (1, 3):
        assert list(read_together(stream(60), read_here, WorkOrder(processes))) == alone
    assert children() == []


@pytest.mark.campaign
def test_a_worker_reads_a_part_of_a_long_stream(read_here: ReadHere) -> None:
    here = 0

    def counting(item: ExtractionInput) -> Extraction:
        nonlocal here
        here += 1
        return read_here(item)

    assert len(list(read_together(stream(300), counting, WorkOrder(2)))) == 300
    assert 0 < here < 300


@pytest.mark.campaign
def test_the_extractor_calls_for_help_in_a_long_stream_only() -> None:
    extractor = RuleExtractor(2)
    short = extractor.extract(stream(3))
    next(short)
    assert children() == []
    long = extractor.extract(stream())
    read = 0
    for item, _ in zip(stream(), long, strict=False):
        read += len(item.sentences)
        if read > 2 * SENTENCES_BEFORE_HELP:
            break
    assert len(children()) == 1
    long.close()  # type: ignore[attr-defined]
    assert children() == []


@pytest.mark.campaign
def test_no_more_is_taken_from_the_stream_than_is_said(read_here: ReadHere) -> None:
    taken = 0

    def watched() -> Iterator[ExtractionInput]:
        nonlocal taken
        for item in stream():
            taken += 1
            yield item

    reading = read_together(watched(), read_here, WorkOrder(2))
    for given in range(1, 30):
        next(reading)
        assert taken <= given + 2 * ARTICLES_AHEAD
    reading.close()  # type: ignore[attr-defined]


@pytest.mark.campaign
def test_a_killed_worker_loses_nothing(read_here: ReadHere) -> None:
    alone = [read_here(item) for item in stream(120)]
    reading = read_together(stream(120), read_here, WorkOrder(3))
    together = list(islice(reading, 20))
    killed, *_ = children()
    killed.kill()
    together += reading
    assert together == alone
    assert children() == []


def test_without_processes_it_reads_alone(read_here: ReadHere, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    assert list(read_together(stream(10), read_here, WorkOrder(2))) == [
        read_here(item) for item in stream(10)
    ]


def test_an_error_in_the_stream_ends_the_workers(read_here: ReadHere) -> None:
    def broken() -> Iterator[ExtractionInput]:
        yield from stream(20)
        raise RuntimeError("the graph went away")

    with pytest.raises(RuntimeError, match="went away"):
        list(read_together(broken(), read_here, WorkOrder(2)))
    assert children() == []


@pytest.mark.campaign
@pytest.mark.skipif(os.name == "nt", reason="signals as shells send them are POSIX")
@pytest.mark.parametrize("ending", representatives(ENDINGS, signal.SIGKILL))
def test_workers_end_with_their_caller(ending: signal.Signals) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", READ_FOR_EVER],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    try:
        assert process.stdout is not None
        lines = iter(process.stdout)
        while not workers_of(process):
            next(lines)
        workers = workers_of(process)
        # As the terminal does: to every process of the group.
        os.killpg(process.pid, ending)
        process.wait(SECONDS)
        _, alive = psutil.wait_procs(workers, SECONDS)
        assert workers
        assert alive == []
    finally:
        process.kill()
        process.wait()


def test_no_processes_are_refused() -> None:
    with pytest.raises(SettingsError, match="0 processes"):
        RuleExtractor(0)


def test_there_are_as_many_processes_as_cores_within_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    assert 1 <= available_processes() <= rules.MOST_PROCESSES
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(64)), raising=False)
    assert available_processes() == rules.MOST_PROCESSES
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3})
    assert available_processes() == 1


ENDS = """
from os import _exit
from time import sleep
from kg.extract import article, rules
read = article.read_article
def poisoned(model, item, check):
    if "{poison}" in item.body:
        {does}
    return read(model, item, check)
article.read_article = poisoned
rules.main({{seconds!r}})
"""
POISON = "A poisoned sentence."


@pytest.mark.campaign
def test_an_article_that_ends_its_workers_is_set_aside_and_the_others_are_read(read_here: ReadHere) -> None:
    code = ENDS.format(poison=POISON, does="_exit(1)")
    items = [as_input(POISON), *stream(6)]
    crew = rules._Crew(WorkOrder(2, code=code))
    try:
        first = crew.new_worker()
        lost, second = rules._read(crew, first, items[0])
        assert lost.failures == (Reject("", rules.LOST),)
        assert second is not None
        found = [rules._read(crew, second, item)[0] for item in items[1:]]
    finally:
        crew.end()
    assert found == [read_here(item) for item in items[1:]]


@pytest.mark.campaign
def test_an_article_that_hangs_its_worker_is_set_aside_once_its_processor_time_is_spent() -> None:
    spent = iter([0.0, 0.0, 1e9])
    code = ENDS.format(poison=POISON, does="sleep(10_000)")
    crew = rules._Crew(WorkOrder(2, seconds=7.0, spent=lambda _: next(spent), code=code))
    watch = threading.Thread(target=crew.watch, daemon=True)
    try:
        worker = crew.new_worker()
        watch.start()
        lost, _ = rules._read(crew, worker, as_input(POISON))
    finally:
        crew.end()
    assert [failure.reason for failure in lost.failures] == [
        "reading it took more than 7 s of processor time (HOPGRADE_ARTICLE_SECONDS)"
    ]


def test_workers_that_never_get_ready_cost_no_article(read_here: ReadHere) -> None:
    order = WorkOrder(3, code="raise SystemExit({seconds!r})")
    assert list(read_together(stream(20), read_here, order)) == [read_here(item) for item in stream(20)]
