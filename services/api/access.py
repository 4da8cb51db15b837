"""Who may ask: a bearer token or a cookie, and against other sites' pages the names of host and origin."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from services.api.login import LOGIN, Login, cookie_name, login_page
from services.api.problems import problem
from services.api.wrong_tokens import WrongTokens

OPEN_PATHS = frozenset({"/health", "/ready"})
"""What whoever watches the process may ask without a token."""
API = "/api"
STATIC = "/static/"
"""Scripts and styles, the same for everybody: the form that asks for the token needs them."""
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})

SECURITY_HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data:; connect-src 'self'; font-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # None at all would leave our own forms without an Origin.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


@dataclass(frozen=True, slots=True)
class Access:
    """Who may ask: whoever has `token`, or a cookie that `login` gave for it; without one, everybody here.

    Requests have to be addressed to this machine: to one of its loopback names, to one of `names`, or with
    `any_address` to an IP address, which no foreign name can be made to stand for.
    """

    token: str | None = None
    names: frozenset[str] = frozenset()
    any_address: bool = False
    login: Login = field(default_factory=Login)

    def answers_to(self, host: str) -> bool:
        """Whether a Host header names this server."""
        name = _name(host)
        if is_loopback(name) or (self.token is not None and name.lower() in self.names):
            return True
        return self.token is not None and self.any_address and _is_address(name)


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
        refused = self._misled(headers) or _foreign(headers, scope) or self._unknown(headers, scope)
        await (refused or self._app)(scope, receive, send)

    def _misled(self, headers: Headers) -> Response | None:
        """The answer to a request for another host: a page's own name can lead here (DNS rebinding)."""
        if self._access.answers_to(headers.get("host", "")):
            return None
        return problem(
            403,
            "this server does not answer to that host's name.",
            "Use 127.0.0.1, or start it with: kg serve --allow-host NAME",
        )

    def _unknown(self, headers: Headers, scope: Scope) -> Response | None:
        """The answer to whoever has neither the token nor a cookie that stands for it."""
        path: str = scope["path"]
        if self._access.token is None or path == LOGIN or path.startswith(STATIC):
            return None
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
        if authorization:
            self._wrong.count(client)
        elif self._logged_in(headers, scope):
            return _unproven(headers, scope)
        if not _is_api(path) and "text/html" in headers.get("accept", ""):
            return login_page(401, "This server asks who you are.", path)
        return problem(
            401,
            "the token is missing or wrong.",
            "Send it as: Authorization: Bearer TOKEN",
            headers={"WWW-Authenticate": 'Bearer realm="hopgrade"'},
        )

    def _logged_in(self, headers: Headers, scope: Scope) -> bool:
        server = scope.get("server")
        cookie = cookie_parser(headers.get("cookie", "")).get(cookie_name(server[1] if server else None))
        return cookie is not None and self._access.login.holds(cookie)


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
    return scheme.lower() == "bearer" and secrets.compare_digest(given.strip().encode(), token.encode())


def _foreign(headers: Headers, scope: Scope) -> Response | None:
    """The answer to a page of another site, whose reader did not mean to ask here."""
    if _of_another_origin(headers):
        return problem(403, "pages of other sites may not ask for anything here.")
    if scope["method"] not in SAFE_METHODS:
        if _of_another_site(headers):
            return problem(403, "pages of other sites may not change anything here.")
    elif _of_another_site(headers) and not _opens_a_page(headers, scope):
        return problem(403, "pages of other sites may link to pages here, and ask for nothing else.")
    return None


def _unproven(headers: Headers, scope: Scope) -> Response | None:
    """The answer to a change by cookie that no browser says comes from a page of ours."""
    own = headers.get("sec-fetch-site") == "same-origin" or "origin" in headers
    if scope["method"] in SAFE_METHODS or own:
        return None
    return problem(
        403,
        "with a cookie, only pages of this server may change something.",
        "Send the token: Authorization: Bearer TOKEN",
    )


def _of_another_site(headers: Headers) -> bool:
    """Whether a browser says so (Fetch metadata); another port of this machine is one too."""
    return headers.get("sec-fetch-site") in {"cross-site", "same-site"}


def _of_another_origin(headers: Headers) -> bool:
    """Whether there is an Origin that is not this server's, or none of anything."""
    origin = headers.get("origin")
    if origin is None:
        return False
    try:
        parts = urlsplit(origin)
        return (
            parts.scheme not in {"http", "https"} or parts.netloc.lower() != headers.get("host", "").lower()
        )
    except ValueError:
        # Such as "http://[", which is no address of anything.
        return True


def _opens_a_page(headers: Headers, scope: Scope) -> bool:
    """Whether a reader follows a link to one of our pages: an image, a frame or a script does not."""
    whole = headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
    return whole and scope["method"] == "GET" and not _is_api(scope["path"])


def _is_api(path: str) -> bool:
    return path == API or path.startswith(f"{API}/")


def _is_address(name: str) -> bool:
    try:
        ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


def _name(host: str) -> str:
    """A Host header without its port."""
    if host.startswith("["):
        return host.partition("]")[0] + "]"
    return host.partition(":")[0]
