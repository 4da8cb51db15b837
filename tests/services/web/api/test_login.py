"""The one-time link, the form for the token, and the cookie that both give."""

import re
from collections.abc import Iterator
from html import unescape

import pytest
from starlette.testclient import TestClient

from kg.settings import Settings
from services.web.api.access import LINK_SECONDS, LONGEST_ADDRESS, MOST_WRONG, Access, Login, own_address
from services.web.api.app import create_app
from tests.examples import examples
from tests.services.web.api.conftest import HERE, TOKEN

PAGE = {"Accept": "text/html"}


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def access(clock: Clock) -> Access:
    return Access(TOKEN, login=Login(clock=clock))


@pytest.fixture
def browser(access: Access, api_settings: Settings) -> Iterator[TestClient]:
    """A browser that has not logged in, before the application with a token."""
    with TestClient(create_app(api_settings, access), base_url=HERE, follow_redirects=False) as client:
        yield client


def test_the_link_gives_a_strict_cookie_and_leads_to_an_address_without_a_secret(
    browser: TestClient, access: Access
) -> None:
    assert browser.get("/", headers=PAGE).status_code == 401
    answer = browser.get(access.login.link)
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    given = answer.headers["set-cookie"]
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= {part.strip() for part in given.split(";")}
    assert TOKEN not in given
    assert browser.get("/").status_code == 200
    assert browser.get("/api/corpora").status_code == 200


def test_the_link_works_once(browser: TestClient, access: Access) -> None:
    link = access.login.link
    assert browser.get(link).status_code == 303
    browser.cookies.clear()
    assert browser.get(link).status_code == 403
    assert browser.get("/api/corpora").status_code == 401


def test_the_link_works_for_a_bounded_time(browser: TestClient, access: Access, clock: Clock) -> None:
    clock.now = LINK_SECONDS + 1
    assert browser.get(access.login.link).status_code == 403
    assert not browser.cookies


@pytest.mark.campaign
@pytest.mark.parametrize("code", ["", "x", "x" * 200, "é"])
def test_another_code_opens_nothing_and_leaves_the_link_whole(
    browser: TestClient, access: Access, code: str
) -> None:
    assert browser.get("/login", params={"code": code}).status_code == 403
    assert browser.get(access.login.link).status_code == 303


def test_the_cookie_of_another_start_opens_nothing(browser: TestClient) -> None:
    browser.cookies.set("hopgrade_8700", Login().session)
    assert browser.get("/api/corpora").status_code == 401


def test_the_form_takes_the_token(browser: TestClient) -> None:
    form = browser.get("/", headers=PAGE)
    assert 'action="/login"' in form.text
    origin = {"Origin": HERE, "Sec-Fetch-Site": "same-origin"}
    assert browser.post("/login", data={"token": "wrong"}, headers=origin).status_code == 401
    assert browser.post("/login", data={"token": TOKEN}, headers=origin).status_code == 303
    assert browser.get("/").status_code == 200


def test_the_form_is_no_way_around_the_wait_after_wrong_tokens(browser: TestClient) -> None:
    for number in range(MOST_WRONG):
        assert browser.post("/login", data={"token": f"wrong {number}"}).status_code == 401
    assert browser.post("/login", data={"token": TOKEN}).status_code == 429
    bearer = {"Authorization": f"Bearer {TOKEN}"}
    assert browser.get("/api/corpora", headers=bearer).status_code == 429


def test_a_page_of_another_site_logs_nobody_in(browser: TestClient) -> None:
    headers = {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}
    assert browser.post("/login", data={"token": TOKEN}, headers=headers).status_code == 403


def leads_on_to(form: str) -> str:
    """The address that the form for the token leads on to."""
    found = re.search(r'name="to" value="([^"]*)"', form)
    assert found is not None
    return unescape(found[1])


@examples("opened")
def test_the_form_leads_on_to_the_address_that_was_opened(browser: TestClient, opened: str) -> None:
    form = browser.get(opened, headers=PAGE).text
    wrong = browser.post("/login", data={"token": "wrong", "to": leads_on_to(form)})
    answer = browser.post("/login", data={"token": TOKEN, "to": leads_on_to(wrong.text)})
    assert (answer.status_code, answer.headers["location"]) == (303, opened)


@examples("to")
def test_the_form_leads_on_to_this_server_only(to: str) -> None:
    assert own_address(to) == "/"


def test_what_a_form_was_made_to_send_leads_nowhere_else(browser: TestClient) -> None:
    for to in ("//evil.example", "/" + "x" * LONGEST_ADDRESS):
        answer = browser.post("/login", data={"token": TOKEN, "to": to})
        assert (answer.status_code, answer.headers["location"]) == (303, "/")


@pytest.mark.parametrize("path", ["//evil.example/x", "/\\evil.example", '/"><script>'])
def test_the_form_holds_no_address_of_elsewhere(browser: TestClient, path: str) -> None:
    text = browser.request("GET", f"{HERE}{path}", headers=PAGE).text
    assert 'href="/' in text
    for wrong in ('href="//', 'href="/\\', 'value="//', 'value="/\\', "<script>"):
        assert wrong not in text


@pytest.mark.campaign
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 403),
        ({"Origin": "http://127.0.0.1:9999"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec-Fetch-Site": "none"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Origin": HERE}, 404),
        ({"Sec-Fetch-Site": "same-origin"}, 404),
    ],
)
def test_a_change_by_cookie_comes_from_a_page_of_this_server(
    browser: TestClient, access: Access, headers: dict[str, str], status: int
) -> None:
    browser.get(access.login.link)
    assert browser.delete("/api/jobs/none", headers=headers).status_code == status
    bearer = {"Authorization": f"Bearer {TOKEN}"}
    browser.cookies.clear()
    assert browser.delete("/api/jobs/none", headers=bearer).status_code == 404


def test_without_a_token_nothing_is_spent_on_a_model(api: TestClient, at: str) -> None:
    refused = api.post(f"{at}/runs", json={"generator": "model"})
    assert refused.status_code == 403
    assert "--no-token" in refused.json()["detail"]
