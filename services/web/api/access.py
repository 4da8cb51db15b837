"""Who may ask: a bearer token or a cookie, and against other sites' pages the names of host and origin.

Logging a browser in: a link that works once, or the token in a form, in exchange for a cookie. The form leads
on to the address that was opened.

Guesses at the token: a client that sends different wrong ones in a row has to wait.
"""

import secrets
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from ipaddress import IPv6Address, ip_address, ip_network
from math import ceil
from time import monotonic
from typing import Annotated
from urllib.parse import parse_qs, urlsplit

from fastapi import APIRouter, Query, Request
from fastapi.responses import RedirectResponse, Response
from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.types import ASGIApp, Receive, Scope, Send

from kg.errors import command
from services.web.api.problems import problem
from services.web.pages.rendering import page

LOGIN = "/login"
LINK_SECONDS = 600.0
"""How long the link works."""
LONGEST_CODE = 200
LONGEST_ADDRESS = 8_192
"""Characters of an address that the form leads on to; a longer one is forgotten."""
_LONGEST_FORM = 4 * LONGEST_ADDRESS

router = APIRouter(include_in_schema=False)


class Login:
    """The one-time code of a server's link, and the session that its cookies name; both end with the process.

    `clock` gives seconds.
    """

    def __init__(self, seconds: float = LINK_SECONDS, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._until = clock() + seconds
        self._code: str | None = secrets.token_urlsafe(32)
        self.session = secrets.token_urlsafe(32)

    @property
    def link(self) -> str:
        """Path and query of the link; empty once it was used."""
        return "" if self._code is None else f"{LOGIN}?code={self._code}"

    def redeem(self, code: str) -> bool:
        """Whether a code opens the session; the right one does once, and not after its time."""
        if self._code is None or not secrets.compare_digest(code.encode(), self._code.encode()):
            return False
        self._code = None
        return self._clock() <= self._until

    def holds(self, cookie: str) -> bool:
        """Whether a cookie's value names the session."""
        return secrets.compare_digest(cookie.encode(), self.session.encode())


def cookie_name(port: int | None) -> str:
    """The cookie of the server at a port: cookies of one host go to all its ports."""
    return f"hopgrade_{port or 0}"


def own_address(given: str) -> str:
    """A path of this server with its query, to lead on to after logging in; "/" for anything else.

    Anybody can send a link to the form, so what it leads on to is no other host's, however it is written: one
    slash in front, nothing that a browser reads as a second one or leaves out, and not the form again.
    """
    plain = given.isascii() and given.isprintable() and not {" ", "\\"} & set(given)
    within = given.startswith("/") and not given.startswith("//") and len(given) <= LONGEST_ADDRESS
    return given if plain and within and urlsplit(given).path != LOGIN else "/"


def login_page(status: int, said: str, to: str = "/") -> Response:
    """The form for the token, with what is to be said and the address that was asked for."""
    answer = page("login.html", "Log in", status=status, said=said, to=own_address(to))
    answer.headers["Cache-Control"] = "no-store"
    return answer


@router.get(LOGIN)
async def open_link(
    request: Request, code: Annotated[str | None, Query(max_length=LONGEST_CODE)] = None
) -> Response:
    """Take the code of the link for a cookie and lead on to the page; without a code, the form."""
    if code is None:
        return login_page(200, "")
    if request.app.state.access.login.redeem(code):
        return _logged_in(request)
    return login_page(403, "This link was used already, or its time is over.")


@router.post(LOGIN)
async def send_token(request: Request) -> Response:
    """Take the token for a cookie and lead on to the page that was opened."""
    body = await request.body()
    fields = parse_qs(body[:_LONGEST_FORM].decode("utf-8", errors="replace"))
    token, to = (fields.get(name, [""])[0] for name in ("token", "to"))
    client = request.client.host if request.client else ""
    wrong, expected = request.app.state.wrong_tokens, request.app.state.access.token
    if seconds := wrong.wait(client):
        refused = login_page(
            429, f"Too many wrong tokens came from this address: wait {seconds} seconds.", to
        )
        refused.headers["Retry-After"] = str(seconds)
        return refused
    if expected is not None and secrets.compare_digest(token.strip().encode(), expected.encode()):
        wrong.forget(client)
        return _logged_in(request, to)
    wrong.count(client, token)
    return login_page(401, "This is not the token.", to)


def _logged_in(request: Request, to: str = "/") -> Response:
    server = request.scope.get("server")
    # 303: a browser asks for the page with GET, and the address with the code stays out of its history.
    answer = RedirectResponse(own_address(to), 303, {"Cache-Control": "no-store"})
    answer.set_cookie(
        cookie_name(server[1] if server else None),
        request.app.state.access.login.session,
        path="/",
        httponly=True,
        samesite="strict",
    )
    return answer


MOST_WRONG = 10
"""Different wrong tokens in a row that cost a client no waiting."""
WAIT_SECONDS = 30.0
"""How long a client is not heard after each wrong token from there on."""
MOST_CLIENTS = 4_096
"""Clients that are remembered; beyond them the one that erred longest ago is forgotten."""
_NETWORK_BITS = 64
"""What one client of IPv6 usually has for itself."""


@dataclass(slots=True)
class _Record:
    wrong: int = 0
    until: float = 0.0
    lately: deque[bytes] = field(default_factory=lambda: deque(maxlen=MOST_WRONG))


class WrongTokens:
    """How many wrong tokens came in a row from each client, and until when it has to wait.

    The same one again is no further guess: a script with the token of yesterday's server would lock everybody
    out who asks from the same machine. `clock` gives seconds. Clients behind one proxy are one client.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._records: OrderedDict[str, _Record] = OrderedDict()

    def __len__(self) -> int:
        return len(self._records)

    def wait(self, client: str) -> int:
        """Whole seconds that a client of this address has to wait; 0 where it is heard."""
        record = self._records.get(_network(client))
        return 0 if record is None else max(0, ceil(record.until - self._clock()))

    def count(self, client: str, token: str) -> None:
        """Note a wrong token of a client, unless it is among the last that this one sent."""
        key, digest = _network(client), blake2b(token.strip().encode(), digest_size=16).digest()
        record = self._records.setdefault(key, _Record())
        self._records.move_to_end(key)
        if digest in record.lately:
            return
        record.lately.append(digest)
        record.wrong += 1
        if record.wrong >= MOST_WRONG:
            record.until = self._clock() + WAIT_SECONDS
        if len(self._records) > MOST_CLIENTS:
            self._records.popitem(last=False)

    def forget(self, client: str) -> None:
        """Note that a client sent the right token."""
        self._records.pop(_network(client), None)


def _network(client: str) -> str:
    """What counts as one client: an address, of IPv6 the network that it can choose addresses from."""
    try:
        address = ip_address(client.partition("%")[0])
    except ValueError:
        return client
    if not isinstance(address, IPv6Address):
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ip_network((address, _NETWORK_BITS), strict=False))


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
            f"Use 127.0.0.1, or start it with: {command('serve --allow-host NAME')}",
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
            self._wrong.count(client, authorization)
        elif self._logged_in(headers, scope):
            return _unproven(headers, scope)
        if not _is_api(path) and "text/html" in headers.get("accept", ""):
            return login_page(401, "This server asks who you are.", _opened(scope))
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


def _opened(scope: Scope) -> str:
    """The address of a request as it was sent: its path with whatever is escaped in it, and its query."""
    path, query = scope["raw_path"].decode("latin-1"), scope["query_string"].decode("latin-1")
    return f"{path}?{query}" if query else path


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
