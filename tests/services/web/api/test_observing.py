"""What the process tells of itself, and what it keeps to itself."""

import json
import logging
import re

import pytest
from prometheus_client.parser import text_string_to_metric_families
from starlette.testclient import TestClient

from kg.settings import Settings
from services.web.api.app import create_app
from services.web.api.middleware import JsonLines
from tests.services.web.api.conftest import HERE


def samples(api: TestClient, name: str) -> dict[tuple[str, ...], float]:
    families = text_string_to_metric_families(api.get("/metrics").text)
    return {
        tuple(sample.labels[key] for key in sorted(sample.labels)): sample.value
        for family in families
        for sample in family.samples
        if sample.name == name
    }


def test_requests_are_counted_by_their_route_not_by_their_address(api: TestClient, at: str) -> None:
    def count(route: str, status: str) -> float:
        return samples(api, "hopgrade_requests_total").get(("GET", route, status), 0)

    before = count("/api/corpora/{corpus}/runs", "200"), count("other", "404")
    for number in range(3):
        api.get(f"{at}/runs")
        api.get(f"/api/nothing/{number}")
    after = count("/api/corpora/{corpus}/runs", "200"), count("other", "404")
    assert (after[0] - before[0], after[1] - before[1]) == (3, 3)


def test_a_line_of_the_log_has_the_id_of_the_answer_and_nothing_that_was_sent(
    api: TestClient, at: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "hopgrade.api"):
        answer = api.get(
            f"{at}/entities/search?text=hunter2",
            headers={"Authorization": "Bearer hunter2", "X-Any": "hunter2"},
        )
    (record,) = [one for one in caplog.records if one.message == "request"]
    line = json.loads(JsonLines().format(record))
    assert line["request"] == answer.headers["x-request-id"]
    assert (line["status"], line["method"], line["route"]) == (
        200,
        "GET",
        "/api/corpora/{corpus}/entities/search",
    )
    assert "hunter2" not in json.dumps(line)


def test_no_path_forges_a_line() -> None:
    record = logging.makeLogRecord({"msg": "request", "path": '/x\n{"event": "forged"}\x1b[2J'})
    line = JsonLines().format(record)
    assert not re.search(r"[\n\x1b]", line)
    assert json.loads(line)["path"].startswith("/x\n")


def test_it_lives_and_is_not_ready_while_neo4j_does_not_answer(api_settings: Settings) -> None:
    app = create_app(api_settings)
    with TestClient(app, base_url=HERE) as client:
        assert client.get("/ready").status_code == 200

        async def gone() -> None:
            await app.state.resources.graph.close()

        assert client.portal is not None
        client.portal.call(gone)
        assert client.get("/health").status_code == 200
        unready = client.get("/ready")
        assert unready.status_code == 503
        assert unready.headers["retry-after"]
