"""Who opened an address in a browser is told on a page; programs, and the API, are told problems."""

import pytest
from starlette.testclient import TestClient

from kg.settings import Settings
from services.web.api.access import SECURITY_HEADERS
from services.web.api.app import create_app
from services.web.api.problems import MEDIA_TYPE

BROWSER = {"Accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"}


def test_an_unknown_address_is_a_page_for_people(api: TestClient) -> None:
    page = api.get("/nothing/<b>", headers=BROWSER)
    assert page.status_code == 404
    assert page.headers["content-type"].startswith("text/html")
    assert "There is nothing at" in page.text
    assert "<b>" not in page.text.replace("<bdi>", "")


@pytest.mark.parametrize(
    ("path", "headers"), [("/nothing", {}), ("/api/nothing", BROWSER), ("/api", BROWSER)]
)
def test_and_a_problem_for_programs(api: TestClient, path: str, headers: dict[str, str]) -> None:
    told = api.get(path, headers=headers)
    assert told.status_code == 404
    assert told.headers["content-type"] == MEDIA_TYPE
    assert path in told.json()["detail"]


def test_a_method_that_is_not_possible_says_which_are(api: TestClient) -> None:
    for headers in ({}, BROWSER):
        refused = api.post("/", headers=headers)
        assert refused.status_code == 405
        assert refused.headers["allow"] == "GET"


@pytest.mark.parametrize("headers", [{}, BROWSER])
def test_a_mistake_of_ours_has_the_security_headers_too(headers: dict[str, str]) -> None:
    # Without its lifespan the application lacks what every request needs.
    client = TestClient(
        create_app(Settings(neo4j_uri=None)), base_url="http://127.0.0.1", raise_server_exceptions=False
    )
    answer = client.get("/", headers=headers)
    assert answer.status_code == 500
    assert {name: answer.headers.get(name) for name in SECURITY_HEADERS} == dict(SECURITY_HEADERS)
    assert answer.headers["x-request-id"]
    assert answer.headers["content-type"].startswith("text/html" if headers else MEDIA_TYPE)


@pytest.mark.parametrize(
    ("path", "where"), [("/c/mine/", "/c/mine"), ("/c/a%252Fb/runs//", "/c/a%252Fb/runs"), ("/c/", "/")]
)
def test_a_slash_too_many_is_forgiven(api: TestClient, path: str, where: str) -> None:
    answer = api.get(path, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (308, where)
