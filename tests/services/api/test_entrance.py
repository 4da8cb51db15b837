"""A link opens once and leaves a cookie; with the cookie, only our own pages change something."""

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from services.api.access import Access, CheckAccess
from services.api.entrance import LINK_SECONDS, Entrance
from services.api.wrong_tokens import MOST_WRONG

HERE = "http://127.0.0.1:8700"
OURS = {"Origin": HERE, "Sec-Fetch-Site": "same-origin"}


async def _hello(_: Request) -> PlainTextResponse:
    return PlainTextResponse("hello")


class Clock:
    """Seconds that a test moves."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def browser(entrance: Entrance) -> TestClient:
    """A browser that asks a server with this entrance."""
    routes = [Route("/", _hello, methods=["GET", "POST"])]
    return TestClient(CheckAccess(Starlette(routes=routes), Access("x" * 20, entrance)), base_url=HERE)


def test_a_link_opens_once_and_its_browser_needs_no_token() -> None:
    entrance = Entrance()
    link = entrance.link(HERE)
    first, second = browser(entrance), browser(entrance)
    assert first.get("/").status_code == 401
    assert first.head(link).status_code == 401, "who looks at a link ahead does not use it up"
    entered = first.get(link)
    assert entered.status_code == 200
    assert 'content="0;url=/"' in entered.text
    cookie = entered.headers["set-cookie"]
    assert all(part in cookie for part in ("HttpOnly", "SameSite=strict", "Path=/", "hopgrade-8700="))
    assert entered.headers["cache-control"] == "no-store"
    assert first.get("/").text == "hello"
    assert second.get(link).status_code == 403
    assert second.get("/").status_code == 401


def test_a_link_grows_too_old() -> None:
    clock = Clock()
    entrance = Entrance(clock)
    link = entrance.link(HERE)
    clock.now = LINK_SECONDS + 1
    assert browser(entrance).get(link).status_code == 403


def test_codes_can_not_be_guessed_without_a_bound() -> None:
    entrance = Entrance()
    link = entrance.link(HERE)
    guesser = browser(entrance)
    assert [guesser.get(f"/enter?code={n}").status_code for n in range(MOST_WRONG)] == [403] * MOST_WRONG
    assert guesser.get(link).status_code == 429


@pytest.mark.parametrize(
    "cookie", ["", "hopgrade-8700=", "hopgrade-8700=wrong", "hopgrade-1=x", "\x01=;;", "a" * 5000]
)
def test_other_cookies_open_nothing(cookie: str) -> None:
    entrance = Entrance()
    browser(entrance).get(entrance.link(HERE))
    assert browser(entrance).get("/", headers={"Cookie": cookie}).status_code == 401


def test_a_cookie_of_another_port_opens_nothing() -> None:
    """Browsers send a machine's cookies to all of its ports; two servers on it don't take each other's."""
    first, second = Entrance(), Entrance()
    visitor = browser(first)
    visitor.get(first.link(HERE))
    cookies = "; ".join(f"{name}={value}" for name, value in visitor.cookies.items())
    assert browser(second).get("/", headers={"Cookie": cookies}).status_code == 401


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        (OURS, 200),
        ({"Origin": HERE}, 200),
        ({}, 403),
        ({"Sec-Fetch-Site": "none"}, 403),
        ({"Origin": HERE, "Sec-Fetch-Site": "same-site"}, 403),
        ({"Origin": "http://127.0.0.1:9999"}, 403),
        ({"Origin": "null"}, 403),
    ],
)
def test_with_a_cookie_only_our_own_pages_change_something(headers: dict[str, str], status: int) -> None:
    entrance = Entrance()
    visitor = browser(entrance)
    visitor.get(entrance.link(HERE))
    assert visitor.post("/", headers=headers).status_code == status
