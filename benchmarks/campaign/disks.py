"""Faults of what a home lies on: full, read-only, and a network file system that two machines use."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from socket import gethostname
from time import sleep

from benchmarks.campaign.chain import (
    CHAIN,
    Bench,
    Ended,
    Place,
    Row,
    chain_well,
    sentence,
    until_well,
    well,
    words_of,
)
from benchmarks.job import ROOT
from kg.progress import Silent
from kg.server import ensure_running
from tests.small_disk import ext4_of, fail_ext4, fill, small_ext4

IMAGE_MEGABYTES = 3_000
FULL_MEGABYTES = 1_000
LONGEST_SECONDS = 1_200
"""After so long a command on a store that can't be written counts as one that doesn't end."""
REMOUNT_TRIES = 60
POLL_SECONDS = 0.2
NO_FLOOR = {"HOPGRADE_LEAST_FREE_DISK": "0m"}
"""Else nothing of ours would write until the disk is full."""
FILLED_AT = ("build", "make", "start", "import")
"""The second words of the commands under which the disk fills up."""


def read_only_store(bench: Bench) -> Row:
    """The store's file system meets an error amid a build; mounted anew, it can be written again."""
    place, whole, seconds = bench.place, bench.whole, bench.seconds
    row = Row("the store's file system turns read-only", place.name, struck=1)
    with _on_a_disk(place, IMAGE_MEGABYTES) as (inside, image):
        well(inside, words_of(CHAIN[0], inside))
        building = inside.start(words_of(CHAIN[1], inside))
        sleep(seconds[1] / 2)
        fail_ext4(inside.home.parent)
        ended = _ended(inside, building)
        row.never_ended += ended.code == 0
        row.tracebacks += "Traceback" in ended.said
        row.note = sentence(ended)
        stop_for_good(inside)
        subprocess.run(["umount", "--lazy", str(inside.home.parent)], check=True)
        with ext4_of(image, inside.home.parent):
            chain_well(inside, row, whole)
            stop_for_good(inside)
    return row


def read_only_home(bench: Bench) -> Row:
    """A home is mounted read-only before a command begins, its server down, and then its server up."""
    place, whole = bench.place, bench.whole
    row = Row("a home on a read-only file system", place.name)
    notes: list[str] = []
    with _on_a_disk(place, IMAGE_MEGABYTES) as (inside, _):
        disk = str(inside.home.parent)
        well(inside, words_of(CHAIN[0], inside))
        well(inside, ("server", "stop"))
        _remount(disk, "ro")
        for words in (words_of(CHAIN[1], inside), ["corpus", "list"]):
            ended = inside.kg(*words)
            row.struck += 1
            row.never_ended += ended.code == 0
            row.tracebacks += "Traceback" in ended.said
            notes.append(f"kg {' '.join(words[:2])}: {sentence(ended)}")
        row.tracebacks += "Traceback" in inside.kg("doctor").said
        _remount(disk, "rw")
        chain_well(inside, row, whole)
        stop_for_good(inside)
    row.note = "; ".join(notes)
    return row


def _remount(disk: str, mode: str) -> None:
    """Mount a disk anew, as "ro" once nobody has a file open on it that he may write to.

    Raises:
        SystemExit: somebody has for a minute.
    """
    for _ in range(REMOUNT_TRIES):
        done = subprocess.run(["mount", "-o", f"remount,{mode}", disk], check=False, capture_output=True)
        if not done.returncode:
            return
        sleep(1)
    users = subprocess.run(["fuser", "-vm", disk], check=False, capture_output=True, text=True)
    raise SystemExit(f"{disk} can't be mounted anew ({mode}): {done.stderr.decode()}{users.stderr}")


def full_disk(bench: Bench) -> Row:
    """The disk fills up under one command after another; freed, and the server started anew, it goes on.

    With the setting that keeps some of a disk free, a command is refused before it writes.
    """
    place, whole, seconds = bench.place, bench.whole, bench.seconds
    row = Row("the disk is full", place.name)
    notes: list[str] = []
    with _on_a_disk(place, FULL_MEGABYTES) as (inside, _):
        careful = replace(inside, environment={})
        for at, command in enumerate(CHAIN):
            words = words_of(command, inside)
            if command[1] in FILLED_AT:
                working = inside.start(words)
                sleep(seconds[at] / 3)
                ballast = fill(inside.home.parent)
                ended = _ended(inside, working)
                told = [ended, careful.kg(*words)]
                ballast.unlink()
                for one in told:
                    row.struck += one.code != 0
                    row.tracebacks += "Traceback" in one.said
                    notes += [f"kg {' '.join(command[:2])}: {sentence(one)}"] if one.code else []
                well(inside, ("server", "stop"))
            row.again += until_well(inside, words, row)
        chain_well(inside, row, whole)
        stop_for_good(inside)
    row.note = "; ".join(notes[:3])
    return row


@contextmanager
def _on_a_disk(place: Place, megabytes: int) -> Iterator[tuple[Place, Path]]:
    """The same corpus with a home on an ext4 of its own; the image of the latter."""
    place.clear()
    place.kg("server", "stop")
    image, disk = place.folder / "image", place.folder / "disk"
    inside = Place(place.name, place.folder, place.articles, disk / "home", NO_FLOOR)
    with small_ext4(disk, image, megabytes):
        try:
            yield inside, image
        finally:
            stop_for_good(inside)
    image.unlink()


def _ended(place: Place, process: "subprocess.Popen[bytes]") -> Ended:
    """How a command ended by itself, or that it had to be killed: then with 0, which is never well here."""
    try:
        return Ended(process.wait(LONGEST_SECONDS), place.said(), 0.0)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return Ended(0, place.said(), LONGEST_SECONDS)


def stop_for_good(place: Place) -> None:
    """Stop a server; where its files can't be written, by a signal."""
    place.kg("server", "stop")
    if (server := place.server()) is not None:
        server.kill()
        server.wait()


ANSWERS = 20
PUT = """
import sys
from pathlib import Path
from kg.llm.cache import ResponseCache
from kg.llm.protocol import Usage
cache = ResponseCache(Path(sys.argv[1]) / "responses.sqlite")
for line in sys.stdin:
    cache.store(line.strip(), "answer", Usage(1, 1, 0, 0), "model", "prompt")
    print(flush=True)
"""
"""Keeps an answer for each line, as one of two machines does that ask by turns."""
KEPT = """
import sys
from pathlib import Path
from kg.llm.cache import ResponseCache
print(ResponseCache(Path(sys.argv[1]) / "responses.sqlite").count())
"""


def network_home(bench: Bench) -> Row:
    """A home on a network file system, which two clients mount, as two machines do.

    Both keep answers of models by turns. A server can't lie there, so that a command is refused; with a Neo4j
    of one's own, as its remedy says, one client builds, and the other one is refused the same corpus.
    """
    place, whole = bench.place, bench.whole
    row = Row("a home on a network file system (GlusterFS)", place.name)
    with two_clients(place.folder / "network") as clients:
        if clients is None:
            row.note = "not tried: no GlusterFS volume can be mounted here"
            return row
        row.struck = 3
        row.differences += ANSWERS - answers_kept(*clients)
        homeless = replace(place, home=clients[0] / "home", environment={})
        without_server = homeless.kg(*words_of(CHAIN[0], homeless))
        elsewhere = replace(place, home=place.folder / "elsewhere", environment={})
        own = ensure_running(elsewhere.settings(), Silent())
        environment = {"NEO4J_URI": own.uri, "NEO4J_USERNAME": own.username, "NEO4J_PASSWORD": own.password}
        here = replace(homeless, environment=environment)
        there = replace(here, home=clients[1] / "home", folder=place.folder / "there")
        there.folder.mkdir()
        well(here, words_of(CHAIN[0], here))
        building = here.start(words_of(CHAIN[1], here))
        while "chunks" not in here.said() and building.poll() is None:
            sleep(POLL_SECONDS)
        other = there.kg(*words_of(CHAIN[1], there))
        for refused in (without_server, other):
            row.never_ended += refused.code == 0
            row.tracebacks += "Traceback" in refused.said
        os.killpg(building.pid, signal.SIGKILL)
        building.wait()
        chain_well(here, row, whole)
        well(there, ("corpus", "list"))
        stop_for_good(elsewhere)
        row.note = (
            f"{sentence(without_server)}; with an own Neo4j all went on, the other client's build meanwhile: "
            f"{sentence(other)}; all {ANSWERS} answers kept"
        )
    return row


def answers_kept(*clients: Path) -> int:
    """How many of the answers that clients keep by turns are there in the end, by the client with fewest."""
    with ExitStack() as stack:
        putting = [
            stack.enter_context(
                subprocess.Popen(
                    [sys.executable, "-c", PUT, str(client)],
                    cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                )
            )
            for client in clients
        ]  # fmt: skip
        for number in range(ANSWERS):
            turn = putting[number % len(putting)]
            assert turn.stdin is not None
            assert turn.stdout is not None
            turn.stdin.write(f"{number}\n")
            turn.stdin.flush()
            turn.stdout.readline()
        for turn in putting:
            turn.communicate()
    command = [sys.executable, "-c", KEPT]
    counted = [
        subprocess.run([*command, client], check=False, cwd=ROOT, capture_output=True, text=True).stdout
        for client in clients
    ]
    return min(int(one or 0) for one in counted)


@contextmanager
def two_clients(folder: Path) -> Iterator[tuple[Path, Path] | None]:
    """Two mounts of one volume that this machine serves to itself; None where that is not possible.

    Nothing is cached by the clients, as GlusterFS asks of those who keep databases on it.
    """
    name, brick = f"hopgrade-{os.getpid()}", folder / "brick"
    clients = folder / "one", folder / "two"
    for path in (brick, *clients):
        path.mkdir(parents=True)
    volume = f"{gethostname()}:{brick}"
    options = "direct-io-mode=enable,attribute-timeout=0,entry-timeout=0"
    made = [
        ["gluster", "--mode=script", "volume", "create", name, volume, "force"],
        ["gluster", "--mode=script", "volume", "start", name],
        *(["mount", "-t", "glusterfs", "-o", options, f"{gethostname()}:/{name}", str(at)] for at in clients),
    ]
    try:
        if shutil.which("glusterd") is None:
            yield None
            return
        subprocess.run(["glusterd"], check=False, capture_output=True)
        sleep(5)
        if any(subprocess.run(command, check=False, capture_output=True).returncode for command in made):
            yield None
            return
        yield clients
    finally:
        for client in clients:
            subprocess.run(["umount", "--lazy", str(client)], check=False, capture_output=True)
        for order in ("stop", "delete"):
            command = ["gluster", "--mode=script", "volume", order, name]
            if shutil.which("gluster") is not None:
                subprocess.run(command, check=False, capture_output=True)
