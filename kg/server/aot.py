"""Java's ahead-of-time cache: classes loaded and linked once, so that later starts take half the time.

A cache fits exactly one Java and one list of jars, so both are in its name. It is made by
`kg.server.training`, in the background. docs/decisions/0003-managed-server.md has the measurements.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import psutil

from kg.server.java import java_version
from kg.server.layout import ServerCache

NEEDED_MEMORY_BYTES = 2 * 2**30
"""A training run takes 1.5 GiB for some seconds."""

NEEDED_DISK_BYTES = 2**30


def aot_cache(cache: ServerCache, java: Path, jars: Sequence[Path]) -> Path:
    """Where the cache for a Java and the server's jars lies, whether it was made yet or not.

    Java refuses a cache whose jars have another path, size or time, so all three are in the name.
    """
    digest = hashlib.sha256(f"{java} {java_version(java)}".encode())
    for jar in jars:
        stat = jar.stat()
        digest.update(f"\n{jar} {stat.st_size} {stat.st_mtime_ns}".encode())
    return cache.aot / f"neo4j-{digest.hexdigest()[:16]}.aot"


def options_to_use(aot: Path) -> list[str]:
    """Java's options to use a cache if it is there.

    Java starts without one that is damaged or doesn't fit, but only if told to verify it: otherwise a
    flipped byte ends the process.
    """
    if not aot.is_file():
        return []
    return [f"-XX:AOTCache={aot}", "-XX:+VerifySharedSpaces", "-Xlog:aot*=error"]


def options_to_make(aot: Path) -> list[str]:
    """Java's options to write a cache when the process ends."""
    return [f"-XX:AOTCacheOutput={aot}", "-Xlog:aot*=error"]


def was_refused(console: str) -> bool:
    """Whether a server's console log says that Java could not use the cache."""
    return "Unable to map shared spaces" in console


def failure_note(aot: Path) -> Path:
    """The file that says why a cache could not be made; while it is there, nobody tries again."""
    return aot.with_suffix(".failed")


def train_in_background(cache: ServerCache, aot: Path) -> bool:
    """Start to make a missing cache in a detached process of lowest priority; whether one was started.

    Nothing is started where it would hurt: on one core, or with little memory or disk left.
    """
    if aot.is_file() or failure_note(aot).exists():
        return False
    if (os.cpu_count() or 1) < 2 or psutil.virtual_memory().available < NEEDED_MEMORY_BYTES:
        return False
    cache.aot.mkdir(parents=True, exist_ok=True)
    if shutil.disk_usage(cache.aot).free < NEEDED_DISK_BYTES:
        return False
    package_folder = str(Path(__file__).parents[2])
    search_path = os.pathsep.join(filter(None, (package_folder, os.environ.get("PYTHONPATH"))))
    with (cache.aot / "training.log").open("wb") as log:
        process = subprocess.Popen(  # noqa: S603
            [sys.executable, "-m", "kg.server.training", str(cache.folder)],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd=cache.aot,
            env={**os.environ, "PYTHONPATH": search_path},
            start_new_session=True,
        )
    # It outlives us on purpose; without this, Popen would warn that it was never waited for.
    process.returncode = 0
    return True
