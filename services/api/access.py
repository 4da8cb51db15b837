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
from services.api.wrong_tokens import WrongTokens

OPEN_PATHS = frozenset({"/health", "/ready"})
"""What whoever watches the process may ask without a token."""
API = "/api"
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
    """Answers 401, 403 or 429 in place of a request that may not be asked."""

    def __init__(self, app: ASGIApp, access: Access, wrong: WrongTokens | None = None) -> None:
        self._app = app
        self._access = access
        self._wrong = WrongTokens() if wrong is None else wrong

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand the request on, or refuse it."""
        if scope["type"] != "http" or scope["path"] in OPEN_PATHS:
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refused = self._unknown(headers, scope) or self._foreign(headers, scope)
        await (refused or self._app)(scope, receive, send)

    def _unknown(self, headers: Headers, scope: Scope) -> Response | None:
        """The answer to whoever has no token, or no name of this machine where there is no token."""
        if self._access.token is None:
            # A page from elsewhere could have its own name point to this machine (DNS rebinding).
            if is_loopback(_name(headers.get("host", ""))):
                return None
            return problem(403, "this server answers to names of this machine only.", "Use 127.0.0.1.")
        authorization = headers.get("authorization", "")
        client = scope["client"][0] if scope.get("client") else ""
        # Who has to wait is not heard even with the right token: it would tell a guesser that it is right.
        if authorization and (seconds := self._wrong.wait(client)):
            return problem(
                429,
                "too many wrong tokens came from this address.",
                f"Wait {seconds} seconds.",
                headers={"Retry-After": str(seconds)},
            )
        if _has(authorization, self._access.token):
            self._wrong.forget(client)
            return None
        # A browser asks without one first, which is no guess.
        if authorization:
            self._wrong.count(client)
        # A browser asks for the password then, and any name with it will do.
        return problem(
            401,
            "the token is missing or wrong.",
            "Send it as: Authorization: Bearer TOKEN",
            headers={"WWW-Authenticate": 'Bearer realm="hopgrade", Basic realm="hopgrade", charset="UTF-8"'},
        )

    def _foreign(self, headers: Headers, scope: Scope) -> Response | None:
        """The answer to a page of another site, whose reader did not mean to ask here."""
        if scope["method"] not in SAFE_METHODS:
            if _of_another_site(headers) or _of_another_origin(headers):
                return problem(403, "pages of other sites may not change anything here.")
        elif _of_another_site(headers) and not _opens_a_page(headers, scope["path"]):
            return problem(403, "pages of other sites may link to pages here, and ask for nothing else.")
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


def _of_another_site(headers: Headers) -> bool:
    """Whether a browser says so (Fetch metadata); another port of this machine is one too."""
    return headers.get("sec-fetch-site") in {"cross-site", "same-site"}


def _of_another_origin(headers: Headers) -> bool:
    origin = headers.get("origin")
    if origin is None:
        return False
    try:
        return urlsplit(origin).netloc.lower() != headers.get("host", "").lower()
    except ValueError:
        # Such as "http://[", which is no address of anything.
        return True


def _opens_a_page(headers: Headers, path: str) -> bool:
    """Whether a reader follows a link to one of our pages: an image, a frame or a script does not."""
    whole = headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
    return whole and path != API and not path.startswith(f"{API}/")


def _name(host: str) -> str:
    """A Host header without its port."""
    if host.startswith("["):
        return host.partition("]")[0] + "]"
    return host.partition(":")[0]
