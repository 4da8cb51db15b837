"""What goes wrong is told as a problem, in one sentence, with the status that fits.

Who opened an address in a browser is told on a page; programs, and the API, are told problems.
"""

import base64
import json
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from kg.paths.protocol import QUESTION_HOPS
from kg.settings import Settings
from services.web.api.access import SECURITY_HEADERS
from services.web.api.app import create_app
from services.web.api.problems import MEDIA_TYPE
from tests.examples import examples


def problem(api: TestClient, method: str, address: str, **more: object) -> dict[str, object]:
    answer = api.request(method, address, **more)  # type: ignore[arg-type]
    assert answer.headers["content-type"] == MEDIA_TYPE
    told: dict[str, object] = answer.json()
    assert told["status"] == answer.status_code
    assert told["detail"]
    return told


@examples("tail")
def test_what_is_not_there_is_404_and_named(api: TestClient, at: str, tail: str) -> None:
    told = problem(api, "GET", f"/api/corpora/no%20such{tail}")
    assert told["status"] == 404
    assert "'no such'" in str(told["detail"])
    if "/x" in tail or "=x" in tail:
        if tail == "/entities/search?text=x":
            return
        told = problem(api, "GET", f"{at}{tail}")
        assert told["status"] == 404
        assert "'x'" in str(told["detail"])


@examples("tail, field")
def test_a_field_that_can_not_be_read_is_named(api: TestClient, at: str, tail: str, field: str) -> None:
    told = problem(api, "GET", f"{at}{tail}")
    assert told["status"] == 422
    assert [one["field"] for one in told["errors"]] == [field]  # type: ignore[attr-defined]
    detail = str(told["detail"])
    assert detail.startswith(f"{field}: ")
    assert detail.endswith(".")


@examples("method, tail, known")
def test_a_parameter_that_there_is_not_is_refused_and_the_others_named(
    api: TestClient, at: str, method: str, tail: str, known: str
) -> None:
    address = f"{tail}{'&' if '?' in tail else '?'}foo=9&password=hunter2-hunter2"
    told = problem(api, method, address if tail.startswith("/api") else f"{at}{address}")
    assert told["status"] == 422
    assert [one["field"] for one in told["errors"]] == [  # type: ignore[attr-defined]
        "query.foo",
        "query.password",
    ]
    assert known in str(told["detail"])
    assert "hunter2" not in str(told)


def test_hops_have_the_same_bounds_in_the_api_and_on_the_page(api: TestClient, small_corpus: str) -> None:
    page, in_api = (f"{place}/{quote(small_corpus)}/questions" for place in ("/c", "/api/corpora"))
    for hops in range(-1, 12):
        allowed = hops in QUESTION_HOPS
        asked = {"params": {"hops": hops}}
        assert api.get(page, **asked).status_code == (200 if allowed else 400), hops  # type: ignore[arg-type]
        assert api.get(in_api, **asked).status_code == (200 if allowed else 422), hops  # type: ignore[arg-type]


def _cursor(place: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(place).encode()).decode().rstrip("=")


@pytest.mark.parametrize(
    "cursor",
    [
        "x",
        "é",
        "%ff",
        _cursor([1]),
        _cursor({}),
        _cursor(["a", "b"]),
        _cursor([2**80, "a"]),
        _cursor([1, "\ud800"]),
        _cursor([True, "a"]),
        "W" * 1_000,
    ],
)
def test_a_cursor_of_elsewhere_is_refused(api: TestClient, at: str, cursor: str) -> None:
    told = problem(api, "GET", f"{at}/questions", params={"cursor": cursor})
    assert told["status"] == 422
    assert "cursor" in str(told["detail"])


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"question": ""},
        {"question": "  "},
        {"question": "Who?", "top": 0},
        {"question": "Who?", "top": "3"},
        {"question": "Who?", "retriever": "crystal ball"},
        {"question": "Who?", "system": "oracle"},
        {"question": "Who?", "reranker": "http://localhost/rerank"},
        {"question": "Who?", "more": 1},
        {"question": "\ud800"},
    ],
)
def test_a_question_that_can_not_be_asked_is_refused(
    api: TestClient, at: str, body: dict[str, object]
) -> None:
    told = problem(
        api, "POST", f"{at}/ask", content=json.dumps(body), headers={"Content-Type": "application/json"}
    )
    assert told["status"] == 422


def test_an_unknown_address_and_a_wrong_method(api: TestClient) -> None:
    assert problem(api, "GET", "/api/nothing")["status"] == 404
    told = problem(api, "DELETE", "/api/corpora")
    assert (told["status"], told["remedy"]) == (405, "Ask with GET.")


def test_a_name_that_two_entities_bear_is_no_address(api: TestClient, at: str) -> None:
    told = problem(
        api, "GET", f"{at}/paths/between", params={"start": "Mira Tolland", "end": "nobody at all"}
    )
    assert told["status"] == 404


def test_a_secret_that_was_sent_does_not_come_back(api: TestClient, at: str) -> None:
    answer = api.post(f"{at}/ask", json={"question": {"password": "hunter2-hunter2"}})
    assert answer.status_code == 422
    assert "hunter2" not in answer.text


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
