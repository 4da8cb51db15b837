"""Who may ask, and what a browser is told about every answer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from services.web.api.access import SECURITY_HEADERS, Access, CheckAccess, is_loopback
from tests.examples import examples

TOKEN = "a token that is long enough"
HERE = "http://127.0.0.1:8700"


async def _hello(_: Request) -> PlainTextResponse:
    return PlainTextResponse("hello")


PATHS = ("/", "/health", "/ready", "/metrics", "/api", "/api/corpora", "/apiary", "/login")


def client(access: Access, base_url: str = HERE) -> TestClient:
    routes = [Route(path, _hello, methods=["GET", "POST"]) for path in PATHS]
    return TestClient(CheckAccess(Starlette(routes=routes), access), base_url=base_url)


@pytest.mark.parametrize("header", [f"Bearer {TOKEN}", f"bearer {TOKEN}"])
def test_the_token_opens_by_the_names_of_the_server(header: str) -> None:
    access = Access(TOKEN, frozenset({"graph.example"}), any_address=True)
    for base_url in (HERE, "http://graph.example", "http://10.0.0.7:8700"):
        assert client(access, base_url).get("/", headers={"Authorization": header}).text == "hello"


@pytest.mark.parametrize("host", ["evil.example", "10.0.0.7", "127.0.0.1.evil.example:8700", ""])
def test_another_name_that_points_here_is_refused_with_the_token_too(host: str) -> None:
    headers = {"Authorization": f"Bearer {TOKEN}", "Host": host}
    assert client(Access(TOKEN)).get("/", headers=headers).status_code == 403
    assert client(Access(TOKEN)).get("/login", headers=headers).status_code == 403


@given(st.text(st.characters(min_codepoint=33, max_codepoint=126)))
def test_nothing_else_opens(given_token: str) -> None:
    # Each example has a server of its own, because after many wrong tokens none is compared any more.
    asked = client(Access(TOKEN))
    for header in (given_token, f"Bearer {given_token}", f"Basic {given_token}"):
        answer = asked.get("/", headers={"Authorization": header})
        assert answer.status_code == 401
        assert "Bearer" in answer.headers["www-authenticate"]
        assert TOKEN not in answer.text


def test_who_watches_needs_no_token_but_metrics_do() -> None:
    asked = client(Access(TOKEN))
    assert [asked.get(path).status_code for path in ("/health", "/ready", "/metrics")] == [200, 200, 401]


@pytest.mark.parametrize("host", ["127.0.0.1:8700", "localhost", "LOCALHOST:1", "[::1]:8700", "127.8.8.8"])
def test_without_a_token_names_of_this_machine_open(host: str) -> None:
    assert client(Access()).get("/", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example:8700", "localhost.evil", "10.0.0.7", ""]
)
def test_a_foreign_name_that_points_here_does_not(host: str) -> None:
    assert client(Access()).get("/", headers={"Host": host}).status_code == 403


@examples("headers")
def test_a_page_of_elsewhere_changes_nothing(headers: dict[str, str]) -> None:
    asked = client(Access())
    assert asked.post("/", headers=headers).status_code == 403
    if "Origin" in headers:
        assert asked.get("/", headers=headers).status_code == 403
    assert "access-control-allow-origin" not in asked.get("/", headers=headers).headers


def test_our_own_page_does() -> None:
    headers = {"Origin": HERE, "Sec-Fetch-Site": "same-origin"}
    assert client(Access()).post("/", headers=headers).status_code == 200


def asked_by_a_browser(path: str, site: str, mode: str, dest: str) -> int:
    fetch = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": mode, "Sec-Fetch-Dest": dest}
    return client(Access()).get(path, headers=fetch).status_code


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
@examples("path, mode, dest")
def test_a_page_of_elsewhere_gives_us_no_work(site: str, path: str, mode: str, dest: str) -> None:
    assert asked_by_a_browser(path, site, mode, dest) == 403


@examples("path, site, mode, dest")
def test_links_to_a_page_and_our_own_pages_are_answered(path: str, site: str, mode: str, dest: str) -> None:
    assert asked_by_a_browser(path, site, mode, dest) == 200


@examples("host, expected")
def test_what_is_this_machine_alone(host: str, expected: bool) -> None:
    assert is_loopback(host) is expected


@pytest.mark.parametrize("path", ["/", "/health", "/api/corpora", "/api/nothing", "/static/page.css"])
def test_every_answer_has_the_security_headers(api: TestClient, path: str) -> None:
    headers = api.get(path).headers
    assert {name: headers.get(name) for name in SECURITY_HEADERS} == dict(SECURITY_HEADERS)


def test_the_policy_lets_no_inline_script_or_style_run() -> None:
    policy = SECURITY_HEADERS["Content-Security-Policy"]
    assert "unsafe" not in policy
    assert "http:" not in policy
    assert "*" not in policy
