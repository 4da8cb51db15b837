"""Logging a browser in: a link that works once, or the token in a form, in exchange for a cookie."""

import secrets
from collections.abc import Callable
from time import monotonic
from typing import Annotated
from urllib.parse import parse_qs, quote

from fastapi import APIRouter, Query, Request
from fastapi.responses import RedirectResponse, Response

from services.page.rendering import page

LOGIN = "/login"
LINK_SECONDS = 600.0
"""How long the link works."""
LONGEST_CODE = 200
_LONGEST_FORM = 8_192

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


def login_page(status: int, said: str, path: str = "/") -> Response:
    """The form for the token, with what is to be said and the page that was asked for."""
    # Two slashes in front would lead to another host.
    here = quote("/" + path.lstrip("/\\"))
    answer = page("login.html", "Log in", status=status, said=said, path=here)
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
    """Take the token for a cookie and lead on to the page."""
    body = await request.body()
    fields = parse_qs(body[:_LONGEST_FORM].decode("utf-8", errors="replace"))
    token = fields.get("token", [""])[0]
    client = request.client.host if request.client else ""
    wrong, expected = request.app.state.wrong_tokens, request.app.state.access.token
    if seconds := wrong.wait(client):
        refused = login_page(429, f"Too many wrong tokens came from this address: wait {seconds} seconds.")
        refused.headers["Retry-After"] = str(seconds)
        return refused
    if expected is not None and secrets.compare_digest(token.strip().encode(), expected.encode()):
        wrong.forget(client)
        return _logged_in(request)
    wrong.count(client)
    return login_page(401, "This is not the token.")


def _logged_in(request: Request) -> Response:
    server = request.scope.get("server")
    # 303: a browser asks for the page with GET, and the address with the code stays out of its history.
    answer = RedirectResponse("/", 303, {"Cache-Control": "no-store"})
    answer.set_cookie(
        cookie_name(server[1] if server else None),
        request.app.state.access.login.session,
        path="/",
        httponly=True,
        samesite="strict",
    )
    return answer
