"""Several processes read as one does, and none is left behind, however the reading ends.

What an engine promises, and how one is chosen.
"""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import count, islice
from pathlib import Path

import psutil
import pytest

from kg.engine import processes
from kg.engine.choose import Fault, Item, Result, Work, make_engine, settled
from kg.engine.processes import AHEAD, Crew, LocalEngine, available_processes, work_together
from kg.errors import EngineError, SettingsError
from kg.extract.article import read_article
from kg.extract.pipeline import load_model
from kg.extract.protocol import ExtractionInput, TimeLimit
from kg.extract.rules import SENTENCES_BEFORE_HELP, RuleExtractor, open_reader
from kg.model import Extraction, Reject
from tests.kg.extract.conftest import as_input
from tests.representatives import representatives

SECONDS = 60
ROOT = Path(__file__).parents[3]
ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)
READ_FOR_EVER = """
from itertools import count
from kg.engine.processes import LocalEngine
from kg.extract.rules import RuleExtractor
from tests.kg.extract.conftest import as_input
stream = (as_input(f"Anna Keller joined Nova Labs {n}. She left.") for n in count())
for done, _ in enumerate(RuleExtractor(LocalEngine(2)).extract(stream)):
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


def reading(seconds: float = 300.0) -> Work[ExtractionInput, Extraction]:
    return Work("reading", partial(open_reader, seconds), seconds=seconds)


def together(
    items: Iterator[ExtractionInput], read_here: ReadHere, number: int, code: str | None = None
) -> Iterator[Extraction | Fault]:
    crew = Crew(number) if code is None else Crew(number, code=code)
    return work_together(items, read_here, reading(), crew)


def children() -> list[psutil.Process]:
    return [
        child for child in psutil.Process().children() if "kg.engine.processes" in " ".join(command(child))
    ]


def command(process: psutil.Process) -> Sequence[str]:
    with suppress(psutil.Error):
        return process.cmdline()
    return []


def workers_of(process: "subprocess.Popen[str]") -> list[psutil.Process]:
    return psutil.Process(process.pid).children()


def test_several_processes_read_what_one_reads_in_the_same_order(read_here: ReadHere) -> None:
    alone = [read_here(item) for item in stream(60)]
    for number in (1, 3):
        assert list(together(stream(60), read_here, number)) == alone
    assert children() == []


@pytest.mark.campaign
def test_a_worker_reads_a_part_of_a_long_stream(read_here: ReadHere) -> None:
    here = 0

    def counting(item: ExtractionInput) -> Extraction:
        nonlocal here
        here += 1
        return read_here(item)

    assert len(list(together(stream(300), counting, 2))) == 300
    assert 0 < here < 300


@pytest.mark.campaign
def test_the_extractor_calls_for_help_in_a_long_stream_only() -> None:
    extractor = RuleExtractor(LocalEngine(2))
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

    outcomes = together(watched(), read_here, 2)
    for given in range(1, 30):
        next(outcomes)
        assert taken <= given + 2 * AHEAD
    outcomes.close()  # type: ignore[attr-defined]


@pytest.mark.campaign
def test_a_killed_worker_loses_nothing(read_here: ReadHere) -> None:
    alone = [read_here(item) for item in stream(120)]
    outcomes = together(stream(120), read_here, 3)
    found = list(islice(outcomes, 20))
    killed, *_ = children()
    killed.kill()
    found += outcomes
    assert found == alone
    assert children() == []


def test_without_processes_it_reads_alone(read_here: ReadHere, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    assert list(together(stream(10), read_here, 2)) == [read_here(item) for item in stream(10)]


def test_an_error_in_the_stream_ends_the_workers(read_here: ReadHere) -> None:
    def broken() -> Iterator[ExtractionInput]:
        yield from stream(20)
        raise RuntimeError("the graph went away")

    with pytest.raises(RuntimeError, match="went away"):
        list(together(broken(), read_here, 2))
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
        LocalEngine(0)


def test_there_are_as_many_processes_as_cores_within_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    assert 1 <= available_processes() <= processes.MOST_PROCESSES
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(64)), raising=False)
    assert available_processes() == processes.MOST_PROCESSES
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3})
    assert available_processes() == 1


ENDS = """
from os import _exit
from time import sleep
from kg.engine import processes
from kg.extract import article
read = article.read_article
def poisoned(model, item, check):
    if "{poison}" in item.body:
        {does}
    return read(model, item, check)
article.read_article = poisoned
processes.main()
"""
POISON = "A poisoned sentence."


@pytest.mark.campaign
def test_an_article_that_ends_its_workers_is_a_fault_and_the_others_are_read(read_here: ReadHere) -> None:
    code = ENDS.format(poison=POISON, does="_exit(1)")
    items = [as_input(POISON), *stream(6)]
    workers = processes._Workers(Crew(2, code=code), reading())
    try:
        first = workers.new_worker()
        lost, second = processes._done_by(workers, first, items[0])
        assert lost == Fault("lost", processes.LOST)
        assert second is not None
        found = [processes._done_by(workers, second, item)[0] for item in items[1:]]
    finally:
        workers.end()
    assert found == [read_here(item) for item in items[1:]]


@pytest.mark.campaign
def test_an_article_that_hangs_its_worker_is_a_fault_once_its_processor_time_is_spent() -> None:
    spent = iter([0.0, 0.0, 1e9])
    code = ENDS.format(poison=POISON, does="sleep(10_000)")
    workers = processes._Workers(Crew(2, spent=lambda _: next(spent), code=code), reading(7.0))
    watch = threading.Thread(target=workers.watch, daemon=True)
    try:
        worker = workers.new_worker()
        watch.start()
        lost, _ = processes._done_by(workers, worker, as_input(POISON))
    finally:
        workers.end()
    assert lost == Fault("time", "it took more than 7 s of processor time")


def test_workers_that_never_get_ready_cost_no_article(read_here: ReadHere) -> None:
    found = list(together(stream(20), read_here, 3, "raise SystemExit"))
    assert found == [read_here(item) for item in stream(20)]


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (
            Fault("time", "too long"),
            "reading it took more than 7 s of processor time (HOPGRADE_ARTICLE_SECONDS)",
        ),
        (Fault("lost", processes.LOST), "each process that read it came to an end"),
        (Fault("item", "KeyError: 1"), "it could not be read (KeyError: 1)"),
    ],
)
def test_an_article_is_set_aside_with_what_befell_it(fault: Fault, reason: str) -> None:
    class Faulty(LocalEngine):
        def map(self, work: Work[Item, Result], items: Iterable[Item]) -> Iterator[Result | Fault]:
            yield from (fault for _ in items)

    extractor = RuleExtractor(Faulty(), TimeLimit(7))
    assert list(extractor.extract(stream(1))) == [Extraction((), (), (Reject("", reason),))]


def shout(greeting: str) -> Callable[[str], str]:
    return lambda name: (greeting + name.removeprefix("-")).upper() if name[0] != "-" else name[99]


@pytest.mark.parametrize("processes_", [1, 2])
def test_one_faulty_item_costs_no_other_and_outcomes_keep_their_order(processes_: int) -> None:
    work: Work[str, str] = Work("shout", shout, shared=["hi "], alone_until=1)
    mapped = LocalEngine(processes_).map(work, ["anna", "-", "peter", "eve"])
    outcomes = list(mapped)
    assert outcomes[0] == "HI ANNA"
    assert outcomes[2:] == ["HI PETER", "HI EVE"]
    fault = outcomes[1]
    assert isinstance(fault, Fault)
    assert (fault.kind, fault.reason) == ("item", "IndexError: string index out of range")


def test_where_no_item_may_fail_its_own_error_is_raised_or_that_it_is_lost() -> None:
    assert settled("fine") == "fine"
    with pytest.raises(SettingsError, match="wrong"):
        settled(Fault("item", "wrong", SettingsError("wrong")))
    with pytest.raises(EngineError, match="each worker"):
        settled(Fault("lost", "each worker that had it came to an end"))


@pytest.mark.parametrize("spec", ["dask", "ray://", "ray://host", "ray://host:port", "http://host:1"])
def test_an_engine_that_there_is_not_is_refused_with_those_that_there_are(spec: str) -> None:
    with pytest.raises(SettingsError, match="local, ray, ray://HOST:PORT"):
        make_engine(spec)


@pytest.mark.parametrize("spec", ["ray", "ray://127.0.0.1:10001"])
def test_without_ray_the_error_names_the_extra(spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # Where Ray is installed it is as if it were not.
    monkeypatch.setattr("kg.engine.choose.find_spec", lambda _: None)
    with pytest.raises(SettingsError, match=r"\.\[ray\]"):
        make_engine(spec)
