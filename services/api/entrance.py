"""How a reader's browser comes in: by a link that opens once, which leaves a cookie.

A token in an address ends in histories and logs. The link holds a code that is good once, and for a short
time; whoever opens it gets a cookie that no script can read, and that a page of another site makes no browser
send.
"""

import hmac
import secrets
from collections.abc import Callable
from hashlib import sha256
from http.cookies import CookieError, SimpleCookie
from time import monotonic

from starlette.responses import HTMLResponse, Response

PATH = "/enter"
LINK_SECONDS = 600.0
"""How long the link opens."""
_BYTES = 24


class Entrance:
    """The codes and the cookies of one process; `clock` gives seconds."""

    def __init__(self, clock: Callable[[], float] = monotonic, seconds: float = LINK_SECONDS) -> None:
        self._clock = clock
        self._seconds = seconds
        self._codes: dict[str, float] = {}
        self._sessions: set[str] = set()

    def link(self, address: str) -> str:
        """A link to the page at an address, such as http://127.0.0.1:8700, that opens once."""
        code = secrets.token_urlsafe(_BYTES)
        self._codes[_digest(code)] = self._clock() + self._seconds
        return f"{address}{PATH}?code={code}"

    def enter(self, code: str) -> str | None:
        """The cookie's value for a code that is good, and no longer is; None for another."""
        until = self._codes.pop(_digest(code), None)
        if until is None or self._clock() > until:
            return None
        session = secrets.token_urlsafe(_BYTES)
        self._sessions.add(_digest(session))
        return session

    def knows(self, cookies: str, port: int) -> bool:
        """Whether the Cookie header of a request holds a cookie of ours."""
        try:
            found = SimpleCookie(cookies).get(_name(port))
        except CookieError:
            return False
        given = _digest("" if found is None else found.value)
        return any(hmac.compare_digest(given, one) for one in self._sessions)


def welcome(session: str, port: int) -> Response:
    """Sets the cookie, and goes on to the page.

    By a page in place of a redirect: what a link in a mail is redirected to comes without such a cookie.
    """
    page = '<!doctype html><meta http-equiv="refresh" content="0;url=/"><a href="/">Hopgrade</a>'
    answer = HTMLResponse(page, headers={"Cache-Control": "no-store"})
    answer.set_cookie(_name(port), session, path="/", httponly=True, samesite="strict")
    return answer


def _name(port: int) -> str:
    """Of a name for each port: browsers don't keep cookies of two servers on one machine apart."""
    return f"hopgrade-{port}"


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()
