"""Who may ask: a token, or the cookie of a link; and from where a browser's request comes."""

import base64
import binascii
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from services.api.entrance import PATH, Entrance, welcome
from services.api.problems import problem
from services.api.wrong_tokens import WrongTokens

OPEN_PATHS = frozenset({"/health", "/ready"})
"""What whoever watches the process may ask without a token."""
API = "/api"
FORWARDED = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via")
"""Headers by which proxies name whom they ask for."""
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
    """Who may ask. With a `token` everybody who has it, or the cookie that `entrance` gave; without one, only
    by a name of this machine, not through a proxy, and for nothing that spends on models."""

    token: str | None = None
    entrance: Entrance | None = None

    @property
    def spends(self) -> bool:
        """Whether a request may make models work that are paid for."""
        return self.token is not None


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
        if scope["path"] == PATH and scope["method"] == "GET" and self._access.entrance is not None:
            await self._enter(self._access.entrance, scope)(scope, receive, send)
            return
        refused = self._unknown(headers, scope) or self._foreign(headers, scope)
        await (refused or self._app)(scope, receive, send)

    def _enter(self, entrance: Entrance, scope: Scope) -> Response:
        """The answer to whoever opens a link; a wrong code is a guess like a wrong token."""
        client = _client(scope)
        if seconds := self._wrong.wait(client):
            return _too_many(seconds)
        code = parse_qs(scope["query_string"].decode("latin-1")).get("code", [""])[0]
        session = entrance.enter(code)
        if session is None:
            self._wrong.count(client)
            return problem(
                403, "this link was opened before, or is too old.", "Start kg serve again, or send the token."
            )
        return welcome(session, _port(scope))

    def _unknown(self, headers: Headers, scope: Scope) -> Response | None:
        """The answer to whoever has neither token nor cookie, or no name of this machine where none is."""
        if self._access.token is None:
            return _of_another_machine(headers)
        entrance = self._access.entrance
        if entrance is None or not entrance.knows(headers.get("cookie", ""), _port(scope)):
            return self._without_token(headers, _client(scope), self._access.token)
        if scope["method"] in SAFE_METHODS or _of_our_own_page(headers):
            return None
        return problem(403, "with a cookie, only our own pages may change something here.")

    def _without_token(self, headers: Headers, client: str, token: str) -> Response | None:
        """The answer to whoever sends no token, or a wrong one."""
        authorization = headers.get("authorization", "")
        # Who has to wait is not heard even with the right token: it would tell a guesser that it is right.
        if authorization and (seconds := self._wrong.wait(client)):
            return _too_many(seconds)
        if _has(authorization, token):
            self._wrong.forget(client)
            return None
        # A browser asks without one first, which is no guess.
        if authorization:
            self._wrong.count(client)
        # A browser asks for the password then, and any name with it will do.
        return problem(
            401,
            "the token is missing or wrong.",
            "Send it as: Authorization: Bearer TOKEN; or open the link that kg serve printed.",
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


def _of_another_machine(headers: Headers) -> Response | None:
    """The answer, where no token is asked for, to whoever is not on this machine or may not be."""
    # A page from elsewhere could have its own name point to this machine (DNS rebinding).
    if not is_loopback(_name(headers.get("host", ""))):
        return problem(403, "this server answers to names of this machine only.", "Use 127.0.0.1.")
    if any(name in headers for name in FORWARDED):
        return problem(403, "behind a proxy this server needs a token.", "Start it without --no-token.")
    return None


def _client(scope: Scope) -> str:
    return str(scope["client"][0]) if scope.get("client") else ""


def _port(scope: Scope) -> int:
    server = scope.get("server")
    return int(server[1] or 0) if server else 0


def _too_many(seconds: int) -> Response:
    return problem(
        429,
        "too many wrong tokens came from this address.",
        f"Wait {seconds} seconds.",
        headers={"Retry-After": str(seconds)},
    )


def _of_our_own_page(headers: Headers) -> bool:
    """Whether a browser says that one of our pages asks."""
    if "sec-fetch-site" in headers:
        return headers["sec-fetch-site"] == "same-origin"
    return "origin" in headers and not _of_another_origin(headers)


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
