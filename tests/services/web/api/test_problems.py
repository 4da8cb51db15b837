"""What goes wrong is told as a problem, in one sentence, with the status that fits."""

import base64
import json

import pytest
from starlette.testclient import TestClient

from services.web.api.problems import MEDIA_TYPE


def problem(api: TestClient, method: str, address: str, **more: object) -> dict[str, object]:
    answer = api.request(method, address, **more)  # type: ignore[arg-type]
    assert answer.headers["content-type"] == MEDIA_TYPE
    told: dict[str, object] = answer.json()
    assert told["status"] == answer.status_code
    assert told["detail"]
    return told


@pytest.mark.parametrize(
    "tail",
    [
        "",
        "/articles",
        "/chunks",
        "/claims",
        "/entities",
        "/paths",
        "/questions",
        "/runs",
        "/articles/x",
        "/chunks/x",
        "/claims/x",
        "/entities/x",
        "/entities/x/neighbours",
        "/entities/search?text=x",
        "/paths/x",
        "/questions/x",
        "/questions/funnel",
        "/runs/x",
        "/runs/x/matrix",
        "/runs/x/answers",
        "/answers/x",
        "/compare?first=x&second=y",
        "/paths/between?start=x&end=y",
    ],
)
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


@pytest.mark.parametrize(
    ("tail", "field"),
    [
        ("/articles?limit=0", "query.limit"),
        ("/articles?limit=201", "query.limit"),
        ("/articles?since=yesterday", "query.since"),
        ("/questions?hops=many", "query.hops.0"),
        ("/questions?status=lost", "query.status"),
        ("/entities/search", "query.text"),
        ("/entities?type=PLANET", "query.type"),
    ],
)
def test_a_field_that_can_not_be_read_is_named(api: TestClient, at: str, tail: str, field: str) -> None:
    told = problem(api, "GET", f"{at}{tail}")
    assert told["status"] == 422
    assert [one["field"] for one in told["errors"]] == [field]  # type: ignore[attr-defined]


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
    assert problem(api, "DELETE", "/api/corpora")["status"] == 405


def test_a_name_that_two_entities_bear_is_no_address(api: TestClient, at: str) -> None:
    told = problem(
        api, "GET", f"{at}/paths/between", params={"start": "Mira Tolland", "end": "nobody at all"}
    )
    assert told["status"] == 404


def test_a_secret_that_was_sent_does_not_come_back(api: TestClient, at: str) -> None:
    answer = api.post(f"{at}/ask", json={"question": {"password": "hunter2-hunter2"}})
    assert answer.status_code == 422
    assert "hunter2" not in answer.text
