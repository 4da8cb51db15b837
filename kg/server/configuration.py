"""Neo4j's settings and its first password, as files."""

import hashlib
import os
import secrets
from pathlib import Path

from kg.errors import ServerError
from kg.files import PRIVATE, write_whole
from kg.server.guide import guide_url
from kg.server.layout import ServerHome
from kg.server.ports import browser_address

USERNAME = "neo4j"
_HASH_ROUNDS = 1024

# Loopback only; nothing is reported to anybody; short transaction logs; a stop that doesn't idle.
# Transaction logs get their room in advance, as Neo4j does by itself: where a disk filled up in the middle
# of a commit, a log that grew as it went could often not be read again, and the store was lost.
# Browser plays our guide when somebody logs in, and takes guides and styles from this machine only. Left to
# itself, it loads fonts, a feedback tool and usage statistics from the web and reports errors there.
# No line holds a path: Neo4j misreads letters beyond ASCII here, but not on its command line (--home-dir).
_CONFIGURATION = """\
server.default_listen_address=127.0.0.1
server.default_advertised_address=127.0.0.1
server.bolt.enabled=true
server.bolt.listen_address=127.0.0.1:{bolt_port}
server.bolt.advertised_address=127.0.0.1:{bolt_port}
server.bolt.tls_level=DISABLED
server.http.enabled=true
server.http.listen_address=127.0.0.1:{http_port}
server.http.advertised_address=127.0.0.1:{http_port}
server.http.x_forward.enabled=false
server.https.enabled=false
server.fleet_discovery.enabled=false
dbms.fleet_manager.enabled=false
dbms.usage_report.enabled=false
client.allow_telemetry=false
browser.post_connect_cmd=play {guide_url}
browser.remote_content_hostname_whitelist=127.0.0.1,localhost
dbms.security.http_static_content_security_policy_header={browser_policy}
internal.server.bolt.thread_pool_shutdown_wait_time=0s
server.memory.heap.initial_size={heap}
server.memory.heap.max_size={heap}
server.memory.pagecache.size={page_cache}
db.tx_log.rotation.retention_policy=1 files
db.tx_log.rotation.size=32M
db.tx_log.preallocate=true
"""
_HERE = " ".join(f"{scheme}://{host}:*" for scheme in ("ws", "http") for host in ("127.0.0.1", "localhost"))
_BROWSER_POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    f"font-src 'self' data:; connect-src 'self' {_HERE}; base-uri 'none'; object-src 'none'; "
    "frame-ancestors 'none'"
)
_CUT_LOGS = """\
internal.dbms.tx_log.fail_on_corrupted_log_files=false
"""
_GDS = """\
server.directories.plugins=gds
dbms.security.procedures.unrestricted=gds.*
"""


def write_configuration(
    home: ServerHome,
    bolt_port: int,
    http_port: int,
    heap: str,
    page_cache: str,
    gds_jars: Path | None = None,
    cut_logs: bool = False,
) -> None:
    """Write neo4j.conf; sizes are such as "512m".

    Neo4j looks for procedures in one folder only: with `gds_jars` in that one. With `cut_logs` it drops what
    it can't read at the end of a transaction log, and refuses to open such a store without.
    """
    text = _CONFIGURATION.format(
        bolt_port=bolt_port,
        http_port=http_port,
        heap=heap,
        page_cache=page_cache,
        guide_url=guide_url(browser_address(http_port)),
        browser_policy=_BROWSER_POLICY,
    )
    home.gds_plugins.unlink(missing_ok=True)
    if gds_jars is not None:
        home.gds_plugins.symlink_to(gds_jars)
        text += _GDS
    if cut_logs:
        text += _CUT_LOGS
    (home.configuration / "neo4j.conf").write_text(text, encoding="ascii")


def ensure_password(home: ServerHome) -> str:
    """The server's password; made, and given to Neo4j, where the store doesn't exist yet.

    Raises:
        ServerError: the store exists but its password file is gone.
    """
    if home.system_store.exists():
        return read_password(home)
    if not home.password_file.exists():
        write_whole(home.password_file, secrets.token_urlsafe(18), PRIVATE)
    password = read_password(home)
    home.auth_file.parent.mkdir(parents=True, exist_ok=True)
    write_whole(home.auth_file, auth_line(password, os.urandom(32)) + "\n", PRIVATE)
    return password


def read_password(home: ServerHome) -> str:
    """The server's password as the file holds it.

    Raises:
        ServerError: there is no such file, or it is empty.
    """
    try:
        password = home.password_file.read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        password = ""
    if not password:
        raise ServerError(
            f"the server's password is not in {home.password_file}.",
            "Put it back if you know it; `kg server reset` makes a new, empty store with a new password.",
        )
    return password


def auth_line(password: str, salt: bytes) -> str:
    """A user's line of auth.ini, as Neo4j's own tool writes it: salted SHA-256, 1,024 rounds."""
    digest = hashlib.sha256(salt + password.encode()).digest()
    for _ in range(_HASH_ROUNDS - 1):
        digest = hashlib.sha256(digest).digest()
    return f"{USERNAME}:SHA-256,{digest.hex()},{salt.hex()},{_HASH_ROUNDS}:"
