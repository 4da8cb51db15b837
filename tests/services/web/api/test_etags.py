"""ETags: who has the newest answer gets none again."""

from starlette.testclient import TestClient


def test_an_answer_that_is_known_comes_without_a_body(api: TestClient, at: str) -> None:
    first = api.get(f"{at}/runs")
    tag = first.headers["etag"]
    for sent in (tag, f"W/{tag}", f'"other", {tag}', "*"):
        again = api.get(f"{at}/runs", headers={"If-None-Match": sent})
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["etag"] == tag


def test_another_answer_has_another_tag(api: TestClient, at: str) -> None:
    tags = {api.get(f"{at}/entities", params={"limit": limit}).headers["etag"] for limit in (1, 2, 3)}
    assert len(tags) == 3
    assert api.get(f"{at}/runs", headers={"If-None-Match": tags.pop()}).status_code == 200


def test_errors_and_what_changes_something_have_none(api: TestClient, at: str) -> None:
    assert "etag" not in api.get(f"{at}/entities/x").headers
    asked = api.post(f"{at}/ask", json={"question": "Who?", "retriever": "vector"})
    assert "etag" not in asked.headers
