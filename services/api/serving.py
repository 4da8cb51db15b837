"""Serve the application until it is told to stop."""

import logging
import socket
import sys

import uvicorn
from fastapi import FastAPI

from services.api.observing import JsonLines

CONNECTIONS = 512
"""Connections that are open at once; more are answered 503."""
SECONDS_TO_END = 5
"""How long requests that are under way at a stop may take to end."""


def serve_on(app: FastAPI, listening: socket.socket) -> None:
    """Serve on a socket that listens already, with a log of JSON lines on standard error, until Ctrl-C."""
    _log_as_json()
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        limit_concurrency=CONNECTIONS,
        timeout_graceful_shutdown=SECONDS_TO_END,
        lifespan="on",
    )
    uvicorn.Server(config).run(sockets=[listening])


def _log_as_json() -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    for name in ("hopgrade.api", "uvicorn"):
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.setLevel(logging.INFO)
        logger.propagate = False
