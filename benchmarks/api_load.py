"""How fast the API answers many readers: `python -m benchmarks.api_load URL CORPUS RUN`.

Requests are sent at a fixed rate whether or not earlier ones were answered (an open loop), so that a slow
answer delays none but itself in the figures. One in two searches entities, with words of names of the corpus
that change from request to request; the other reads the matrix of the run. The client is plain sockets: it
takes a fraction of a core, which a full HTTP client would not. With `--pid`, the processor time of the
server's process is told too.
"""

import argparse
import asyncio
import json
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from time import perf_counter
from urllib.parse import quote, urlsplit
from urllib.request import urlopen

import numpy as np
import psutil

CONNECTIONS = 64
WARM_UP = 200


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument("corpus")
    parser.add_argument("run")
    parser.add_argument("--rate", type=float, default=200.0)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--pid", type=int)
    given = parser.parse_args()
    base = f"{given.url}/api/corpora/{quote(given.corpus)}"
    with urlopen(f"{base}/entities?limit=200") as answer:
        names = [item["name"] for item in json.load(answer)["items"]]
    matrix = urlsplit(f"{base}/runs/{quote(given.run)}/matrix")
    searches = [urlsplit(f"{base}/entities/search?text={quote(word)}") for word in _words(names)]
    targets = [
        f"{part.path}?{part.query}" if part.query else part.path
        for pair in zip(searches, [matrix] * len(searches), strict=True)
        for part in pair
    ]
    place = urlsplit(given.url)
    asyncio.run(_load(place.hostname or "", place.port or 80, targets, WARM_UP / 2, WARM_UP))
    before = _busy(given.pid)
    count = int(given.rate * given.seconds)
    statuses, milliseconds = asyncio.run(
        _load(place.hostname or "", place.port or 80, targets, given.rate, count)
    )
    _tell(given.rate, statuses, milliseconds)
    if before is not None:
        used = 1_000 * ((_busy(given.pid) or 0.0) - before) / count
        print(f"processor time of the server's process: {used:.2f} ms a request")


def _words(names: Sequence[str]) -> list[str]:
    """What people type: whole names, and how they begin."""
    return [word for name in names if name for word in (name, name[: max(3, len(name) // 2)])]


def _busy(pid: int | None) -> float | None:
    if pid is None:
        return None
    times = psutil.Process(pid).cpu_times()
    return float(times.user + times.system)


async def _load(
    host: str, port: int, targets: Sequence[str], rate: float, count: int
) -> tuple[Counter[int], list[float]]:
    """Statuses, and the milliseconds from when each request was due to when its answer was whole."""
    free: asyncio.Queue[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = asyncio.Queue()
    for _ in range(CONNECTIONS):
        free.put_nowait(await asyncio.open_connection(host, port))
    statuses: Counter[int] = Counter()
    taken: list[float] = []
    begin = perf_counter()

    async def one(due: float, target: str) -> None:
        reader, writer = await free.get()
        statuses[await _ask(reader, writer, host, target)] += 1
        taken.append(1_000 * (perf_counter() - due))
        free.put_nowait((reader, writer))

    async with asyncio.TaskGroup() as group:
        for number in range(count):
            due = begin + number / rate
            await asyncio.sleep(max(0.0, due - perf_counter()))
            group.create_task(one(due, targets[number % len(targets)]))
    while not free.empty():
        free.get_nowait()[1].close()
    return statuses, taken


async def _ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, host: str, target: str) -> int:
    writer.write(f"GET {target} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
    head = await reader.readuntil(b"\r\n\r\n")
    lines = head.split(b"\r\n")
    length = next(int(line.split(b":")[1]) for line in lines if line.lower().startswith(b"content-length"))
    await reader.readexactly(length)
    return int(lines[0].split()[1])


def _tell(rate: float, statuses: Counter[int], milliseconds: Sequence[float]) -> None:
    counted = ", ".join(f"{number:,} of status {status}" for status, number in sorted(statuses.items()))
    shares = (50, 95, 99, 100)
    values = np.percentile(np.asarray(milliseconds), shares)
    shown = ", ".join(f"p{share} {value:.1f} ms" for share, value in zip(shares, values, strict=True))
    load = " ".join(f"{one:.1f}" for one in islice(psutil.getloadavg(), 2))
    print(f"{rate:g} requests/s: {counted}; {shown}; load average {load}")


if __name__ == "__main__":
    main()
