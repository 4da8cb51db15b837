"""Who may ask: a bearer token, and against other sites' pages the names of the host and of the origin."""

import base64
import binascii
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from services.api.problems import problem

OPEN_PATHS = frozenset({"/health", "/ready"})
"""What whoever watches the process may ask without a token."""
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})

SECURITY_HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data:; connect-src 'self'; font-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


@dataclass(frozen=True, slots=True)
class Access:
    """Who may ask. With a `token` everybody who has it; without one, only by a name of this machine."""

    token: str | None = None


def is_loopback(host: str) -> bool:
    """Whether a host's name or address is this machine's own, reachable from nowhere else."""
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


class CheckAccess:
    """Answers 401 or 403 in place of a request that may not be asked."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand the request on, or refuse it."""
        if scope["type"] != "http" or scope["path"] in OPEN_PATHS:
            await self._app(scope, receive, send)
            return
        refused = self._refused(Headers(scope=scope), scope["method"])
        await (refused or self._app)(scope, receive, send)

    def _refused(self, headers: Headers, method: str) -> Response | None:
        if self._access.token is None:
            # A page from elsewhere could have its own name point to this machine (DNS rebinding).
            if not is_loopback(_name(headers.get("host", ""))):
                return problem(403, "this server answers to names of this machine only.", "Use 127.0.0.1.")
        elif not _has(headers.get("authorization", ""), self._access.token):
            # A browser asks for the password then, and any name with it will do.
            return problem(
                401,
                "the token is missing or wrong.",
                "Send it as: Authorization: Bearer TOKEN",
                headers={
                    "WWW-Authenticate": 'Bearer realm="hopgrade", Basic realm="hopgrade", charset="UTF-8"'
                },
            )
        if method not in SAFE_METHODS and _from_elsewhere(headers):
            return problem(403, "pages of other sites may not change anything here.")
        return None


class AddSecurityHeaders:
    """Adds to every response what keeps a browser from running or embedding anything foreign."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._lines = [(name.lower().encode(), value.encode()) for name, value in SECURITY_HEADERS.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand the request on, and add the headers to its answer."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def with_headers(message: dict[str, object]) -> None:
            if message["type"] == "http.response.start":
                given = message.get("headers", ())
                message["headers"] = [*given, *self._lines]  # type: ignore[misc]
            await send(message)

        await self._app(scope, receive, with_headers)  # type: ignore[arg-type]


def _has(authorization: str, token: str) -> bool:
    scheme, _, given = authorization.partition(" ")
    if scheme.lower() == "basic":
        try:
            given = base64.b64decode(given.strip(), validate=True).decode().partition(":")[2]
        except (binascii.Error, UnicodeDecodeError):
            return False
    elif scheme.lower() != "bearer":
        return False
    return secrets.compare_digest(given.strip().encode(), token.encode())


def _from_elsewhere(headers: Headers) -> bool:
    if headers.get("sec-fetch-site") in {"cross-site", "same-site"}:
        return True
    origin = headers.get("origin")
    return origin is not None and urlsplit(origin).netloc.lower() != headers.get("host", "").lower()


def _name(host: str) -> str:
    """A Host header without its port."""
    if host.startswith("["):
        return host.partition("]")[0] + "]"
    return host.partition(":")[0]
