"""Neo4j's settings and its first password, as files.

The guide that Neo4j Browser plays: the analysts' own queries from `cypher/browser/`, in five chapters.
"""

import hashlib
import os
import secrets
import time
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from http import HTTPStatus
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import ProxyHandler, build_opener

from kg.errors import ServerError, command
from kg.files import PRIVATE, bundled_folder, write_whole
from kg.queries import Query, query
from kg.server.layout import ServerHome
from kg.server.ports import browser_address

FOLDER = "hopgrade"
"""Below Browser's own address."""

GUIDE_FILE = "guide.html"
STYLE_FILE = "style.grass"

SERVED_SECONDS = 60.0
"""Neo4j unpacks Browser while it answers queries already: a second or two, more on a busy machine."""

_POLL_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class Chapter:
    """A slide: what it is about, and the names of its queries."""

    title: str
    about: str
    queries: tuple[str, ...]


CHAPTERS = (
    Chapter(
        "1. What is in the graph",
        "Articles are cut into chunks, chunks hold claims, claims mention entities, and facts join entities. "
        "A name that many articles share joins them; one that joins everything makes paths that mean little.",
        (
            "graph_nodes",
            "graph_relationships",
            "graph_quality",
            "entity_types",
            "shared_entities",
            "hubs",
        ),
    ),
    Chapter(
        "2. One article, all the way",
        "From the text to the facts: each fact keeps the sentence that it was read from. What is denied, "
        "only said by somebody, or can't be verified stays in the graph, marked, and out of the paths.",
        (
            "article_picture",
            "article_facts",
            "claim_picture",
            "claim_source",
            "entity_picture",
            "entity_sources",
            "unverified_claims",
            "facts_kept_out",
            "negated_and_attributed",
            "contradictions",
            "not_read",
        ),
    ),
    Chapter(
        "3. A path of four hops",
        "A path goes from entity to entity along facts, each hop beginning where the last one ended. Paths "
        "are shortest ones, drawn evenly for each depth, and become questions.",
        (
            "hop_path_picture",
            "hop_path",
            "shortest_paths",
            "shortest_paths_told",
            "paths_by_depth",
            "longest_ways",
            "saved_paths",
        ),
    ),
    Chapter(
        "4. A link that two names hide",
        "Exact links merge names of one thing everywhere. Contextual links hold within one cluster of claims "
        "only: there, every fact of one name is mirrored to the other, as a grey edge.",
        (
            "missing_links",
            "merged_names_picture",
            "merged_names",
            "names_kept_apart",
            "corrections",
            "context_links_picture",
            "context_links",
            "clusters",
            "cluster_members",
            "mirrored_edges_picture",
            "mirrored_edges",
            "paths_with_exact_links",
            "paths_with_mirrored_edges",
            "delete_mirrored_edges",
        ),
    ),
    Chapter(
        "5. Where the system fails",
        "After a run, the share of wrong answers stands on everything that a question touched: entities, "
        "claims, articles and the cells of the difficulty matrix.",
        (
            "worst_cells",
            "worst_entities",
            "worst_claims",
            "worst_articles",
            "errors_by_link",
            "lost_hops",
            "retrieval_misses",
            "wrong_answers",
            "answer_picture",
            "answer_trace",
            "answer_beside_chain",
            "answer_beside_chain_picture",
            "runs_compared",
            "question_picture",
            "question_evidence",
            "rejected_questions",
        ),
    ),
)


def guide_url(browser_url: str) -> str:
    """Where the guide is, given the address of Browser, which ends with a slash."""
    return f"{browser_url}{FOLDER}/{GUIDE_FILE}"


def style_url(browser_url: str) -> str:
    """Where the style file is."""
    return f"{browser_url}{FOLDER}/{STYLE_FILE}"


def is_served(address: str, timeout_seconds: float = SERVED_SECONDS) -> bool:
    """Whether a server on this machine has a page there, as soon as it answers; False if it never does."""
    # A proxy for the rest of the world knows nothing of this machine.
    direct = build_opener(ProxyHandler({}))
    until = time.monotonic() + timeout_seconds
    while True:
        try:
            with direct.open(address, timeout=timeout_seconds) as answer:
                return bool(answer.status == HTTPStatus.OK)
        except HTTPError:
            return False
        except OSError:
            if time.monotonic() > until:
                return False
        time.sleep(_POLL_SECONDS)


_LEAST_VECTOR = 64
_SHORT = ", ".join(f'[title="Array({length})"]' for length in range(_LEAST_VECTOR))
_WITHOUT_VECTORS = (
    '<style>[data-testid="viz-details-pane-properties-table"] tr[title^="Array("]'
    f":not({_SHORT}) {{ display: none }}</style>"
)
"""Browser lists every property of what is clicked. While a slide is shown, vectors are left out: lists of so
many values."""


def guide_html(browser_url: str) -> str:
    """The guide as Browser wants it: slides whose runnable blocks go to the editor at a click."""
    slides = [_contents(browser_url), *(_slide(chapter) for chapter in CHAPTERS)]
    body = "\n".join(
        f'<slide class="row-fluid">{_WITHOUT_VECTORS}<div class="col-sm-12">\n{slide}\n</div></slide>'
        for slide in slides
    )
    return (
        '<article class="guide">\n<title>Hopgrade</title>\n<carousel class="deck container-fluid">\n'
        f"{body}\n</carousel>\n</article>\n"
    )


def style_grass() -> str:
    """Colours, sizes and captions of nodes and relationships, in Browser's own format."""
    return (bundled_folder("cypher") / "browser" / STYLE_FILE).read_text(encoding="utf-8")


def _contents(browser_url: str) -> str:
    chapters = "<br>\n".join(escape(chapter.title) for chapter in CHAPTERS)
    return (
        "<h3>The graph behind the questions</h3>\n"
        "<p>Pin this guide first, by the pin at its upper right corner: each answer opens above what is not "
        "pinned. Click a query to put it into the editor, then run it. Nothing runs by itself.</p>\n"
        "<p>Entities are coloured by type, mirrored edges are grey, and every caption says what it stands "
        "on: a name, a title, a predicate. Back to Browser's own style: <code>:style reset</code>. Ours "
        "again:</p>\n"
        f"{_block(f':style {style_url(browser_url)}')}\n"
        "<p>Where a query chooses an entity, an article or a path for you, a line that begins with "
        "<code>// Instead of</code> says what to write there to choose your own. A picture holds what its "
        "query found; to see the other edges between its nodes, switch on <em>Connect result nodes</em> in "
        "the settings.</p>\n"
        f"<p>The arrow leads on:</p>\n<p>{chapters}</p>"
    )


def _slide(chapter: Chapter) -> str:
    queries = "\n".join(_query_html(query(f"browser/{name}")) for name in chapter.queries)
    return f"<h3>{escape(chapter.title)}</h3>\n<p>{escape(chapter.about)}</p>\n{queries}"


def _query_html(found: Query) -> str:
    return "\n".join(_parts(found))


def _parts(found: Query) -> Iterator[str]:
    yield f"<h4>{escape(found.name.partition('/')[2].replace('_', ' ').capitalize())}</h4>"
    yield f"<p>{escape(found.purpose)}</p>"
    yield _block(found.text, runnable=found.mode == "read")
    if found.mode != "read":
        yield "<p><em>It writes, so no click runs it: copy it if you mean it.</em></p>"


def _block(text: str, runnable: bool = True) -> str:
    kind = "pre-scrollable code runnable" if runnable else "pre-scrollable code"
    mode = ' mode="cypher"' if runnable else ""
    return f'<figure><pre{mode} class="{kind}">{escape(text, quote=False)}</pre></figure>'


USERNAME = "neo4j"
_HASH_ROUNDS = 1024

# Loopback only; nothing is reported to anybody; short transaction logs; a stop that doesn't idle.
# Transaction logs get their room in advance, as Neo4j does by itself: where a disk filled up in the middle
# of a commit, a log that grew as it went could often not be read again, and the store was lost.
# Browser takes our style, shows of a picture what its query found and no other edges between its nodes, and
# plays our guide when somebody logs in; guides and styles come from this machine only. Left to itself, it
# loads fonts, a feedback tool and usage statistics from the web and reports errors there.
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
browser.post_connect_cmd=config autoComplete: false; style {style_url}; play {guide_url}
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
        style_url=style_url(browser_address(http_port)),
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
            f"Put it back if you know it; {command('server reset')} makes a new, empty "
            "store with a new password.",
        )
    return password


def auth_line(password: str, salt: bytes) -> str:
    """A user's line of auth.ini, as Neo4j's own tool writes it: salted SHA-256, 1,024 rounds."""
    digest = hashlib.sha256(salt + password.encode()).digest()
    for _ in range(_HASH_ROUNDS - 1):
        digest = hashlib.sha256(digest).digest()
    return f"{USERNAME}:SHA-256,{digest.hex()},{salt.hex()},{_HASH_ROUNDS}:"
