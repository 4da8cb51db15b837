"""What the benchmark of paths measures: seconds by the wall and of processors, and how engines compare."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter, process_time

import psutil


def load_average() -> float:
    """Processes that wanted a core in the last minute."""
    return round(os.getloadavg()[0], 2)


@dataclass(slots=True)
class Timing:
    """Seconds of a piece of work: by the wall, of this process, and of the managed server if it took part."""

    wall: float = 0.0
    cpu: float = 0.0
    server_cpu: float = 0.0

    @property
    def all_cpu(self) -> float:
        """Processor time of both."""
        return self.cpu + self.server_cpu


@dataclass(frozen=True, slots=True)
class Ratio:
    """How many times as long as the first engine."""

    wall: float
    cpu: float


@dataclass(slots=True)
class Result:
    """What an engine took: to load, to count all pairs, to count and draw; `extrapolated` says from what."""

    engine: str
    load: Timing = field(default_factory=Timing)
    census: Timing = field(default_factory=Timing)
    census_and_paths: Timing = field(default_factory=Timing)
    with_caps: Timing | None = None
    pairs: dict[int, int] = field(default_factory=dict)
    extrapolated: str = ""
    times_the_first: Ratio | None = None
    load_average: float = field(default_factory=load_average)
    """Of the machine, when the engine's turn began."""


@contextmanager
def measure_time(timing: Timing, server: psutil.Process | None = None) -> Iterator[None]:
    wall, cpu, server_cpu = perf_counter(), process_time(), cpu_of(server)
    yield
    timing.wall, timing.cpu = round(perf_counter() - wall, 3), round(process_time() - cpu, 3)
    timing.server_cpu = round(cpu_of(server) - server_cpu, 3)


def cpu_of(server: psutil.Process | None) -> float:
    if server is None:
        return 0.0
    times = server.cpu_times()
    return times.user + times.system


def scale(timing: Timing, factor: float) -> Timing:
    return Timing(round(timing.wall * factor, 3), round(timing.cpu * factor, 3))
