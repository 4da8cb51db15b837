"""What the API tells of a corpus, beside what the small world holds by design.

ETags: who has the newest answer gets none again.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.small_world import ARTICLES, CHAIN, ENDS

Json = Any


def get(api: TestClient, address: str, **params: str | int | bool) -> Json:
    answer = api.get(address, params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()


def slices(api: TestClient, address: str, limit: int, **params: str) -> Iterator[Json]:
    """The items of a list, slice by slice."""
    cursor: dict[str, str] = {}
    while True:
        found = get(api, address, limit=limit, **params, **cursor)
        assert 0 < len(found["items"]) <= limit
        yield from found["items"]
        if found["next_cursor"] is None:
            return
        cursor = {"cursor": found["next_cursor"]}


def test_corpora(api: TestClient, at: str, small_corpus: str) -> None:
    (listed,) = [one for one in get(api, "/api/corpora") if one["name"] == small_corpus]
    assert listed["articles"] == len(ARTICLES)
    stages = {one["name"]: one for one in get(api, at)["stages"]}
    assert stages["articles"]["counts"]["articles"] == len(ARTICLES)
    assert stages["resolution"]["state"] == "done"


def test_a_corpus_in_figures(api: TestClient, at: str) -> None:
    found = get(api, f"{at}/statistics")
    assert found["total"]["articles"] == len(ARTICLES)
    assert sum(one["share"] for one in found["types"]) == pytest.approx(1)


@pytest.mark.parametrize(
    ("noun", "limit"),
    [("articles", 3), ("chunks", 5), ("claims", 7), ("entities", 4), ("paths", 5), ("questions", 5)],
)
def test_a_list_comes_whole_in_slices_with_nothing_twice(
    api: TestClient, at: str, noun: str, limit: int
) -> None:
    whole = get(api, f"{at}/{noun}", limit=200)["items"]
    sliced = list(slices(api, f"{at}/{noun}", limit))
    assert len(whole) > limit
    assert sliced == whole
    assert len({one["id"] for one in sliced}) == len(sliced)


@pytest.mark.parametrize("noun", ["articles", "chunks", "claims", "entities", "paths", "questions"])
def test_what_a_list_tells_of_an_item_the_item_tells_too(api: TestClient, at: str, noun: str) -> None:
    listed = get(api, f"{at}/{noun}", limit=1)["items"][0]
    told = get(api, f"{at}/{noun}/{listed['id']}")
    assert {key: told[key] for key in listed if key != "names"} == {
        key: value for key, value in listed.items() if key != "names"
    }


def test_an_article_has_its_text_and_its_chunks(api: TestClient, at: str) -> None:
    listed = get(api, f"{at}/articles", text="rovers")["items"]
    assert [one["title"] for one in listed] == ["Rovers"]
    article = get(api, f"{at}/articles/{listed[0]['id']}")
    assert article["body"] == ARTICLES["rovers"]
    chunks = get(api, f"{at}/chunks", article=article["id"])["items"]
    assert {one["id"] for one in chunks} == {one["id"] for one in article["chunks"]}
    assert all(article["body"][one["start"] : one["end"]] == one["text"] for one in chunks)


def test_a_search_finds_by_beginning_by_misspelling_and_by_another_name(api: TestClient, at: str) -> None:
    def first(text: str) -> str:
        return str(get(api, f"{at}/entities/search", text=text)["items"][0]["name"])

    assert first("halden ship") == "Halden Shipping"
    assert first("Linqvist") == "Greta Lindqvist"
    assert first("NHB") == "Norholm Health Board"


@pytest.mark.parametrize("text", ['"', "a AND (b", "*", "~~", "\\", "name:x", "()", "a" * 400, "a " * 200])
def test_a_search_takes_any_text(api: TestClient, at: str, text: str) -> None:
    get(api, f"{at}/entities/search", text=text)


def test_an_entity_tells_what_was_merged_and_its_neighbours_with_their_sentences(
    api: TestClient, at: str
) -> None:
    board = get(api, f"{at}/entities/search", text="NHB")["items"][0]
    assert "NHB" in [one["name"] for one in get(api, f"{at}/entities/{board['id']}")["aliases"]]
    edges = get(api, f"{at}/entities/{board['id']}/neighbours")["items"]
    founded = [one for one in edges if one["object"]["name"] == "Otto Pelham"]
    assert founded[0]["sentence"] == "The NHB was founded by Otto Pelham."
    plain = get(api, f"{at}/entities/{board['id']}/neighbours", mirrored=False)["items"]
    assert not any(one["mirrored"] for one in plain)


def test_the_way_between_two_entities_is_the_chain(api: TestClient, at: str) -> None:
    found = get(api, f"{at}/paths/between", start=CHAIN[0], end=ENDS[0])
    assert found["hops"] == len(CHAIN)
    way = found["ways"][0]
    assert [one["name"] for one in way["entities"]] == [*CHAIN, ENDS[0]]
    assert "The Ostby Rovers are owned by Halden Shipping." in [one["sentence"] for one in way["hops"]]
    too_short = get(api, f"{at}/paths/between", start=CHAIN[0], end=ENDS[0], max_hops=3)
    assert (too_short["hops"], too_short["ways"]) == (None, [])


def test_questions_are_filtered(api: TestClient, at: str) -> None:
    two = get(api, f"{at}/questions", hops=2, kind="chain", limit=200)["items"]
    assert two
    assert {one["hops"] for one in two} == {2}
    question = two[0]
    assert question in get(api, f"{at}/questions", text=question["text"][:20], limit=200)["items"]
    told = get(api, f"{at}/questions/{question['id']}")
    path = get(api, f"{at}/paths/{told['path']}")
    assert (path["id"], path["hops"], len(path["steps"])) == (told["path"], 2, 2)
    around = get(api, f"{at}/questions", entity=told["entities"][0]["id"], limit=200)["items"]
    assert question in around
    funnel = get(api, f"{at}/questions/funnel")
    assert sum(one["kept"] for one in funnel) == len(get(api, f"{at}/questions", limit=200)["items"])


def test_a_run_its_matrix_and_its_answers_say_the_same(api: TestClient, at: str) -> None:
    (run,) = get(api, f"{at}/runs")
    assert get(api, f"{at}/runs/{run['name']}") == run
    cells = get(api, f"{at}/runs/{run['name']}/matrix")["cells"]
    wrong = list(slices(api, f"{at}/runs/{run['name']}/answers", 7, correct="false"))
    right = get(api, f"{at}/runs/{run['name']}/answers", correct=True, limit=200)["items"]
    assert len(wrong) + len(right) == run["answers"]
    assert len(right) == run["right"]
    for cell in cells:
        inside = [
            one
            for one in wrong
            if one["kind"] == "chain"
            and one["bin"] is not None
            and cell["hops"] in {None, one["hops"]}
            and cell["bin"] in {None, one["bin"]}
        ]
        assert cell["errors"] == len(inside)


def test_an_answer_has_its_trace(api: TestClient, at: str) -> None:
    (run,) = get(api, f"{at}/runs")
    listed = get(api, f"{at}/runs/{run['name']}/answers", limit=1)["items"][0]
    told = get(api, f"{at}/answers/{listed['id']}")
    assert told["run"] == run["name"]
    assert [one["rank"] for one in told["retrieved"]] == list(range(1, len(told["retrieved"]) + 1))
    assert [one["action"] for one in told["steps"]] == ["retrieve", "answer"]


def test_a_run_does_not_differ_from_itself(api: TestClient, at: str) -> None:
    (run,) = get(api, f"{at}/runs")
    assert get(api, f"{at}/compare", first=run["name"], second=run["name"]) == []


def test_a_question_is_answered_in_the_open(api: TestClient, at: str) -> None:
    body = {"question": "Who founded Halden Shipping?", "retriever": "vector"}
    answer = api.post(f"{at}/ask", json=body).json()
    assert answer["answer"] == "Greta Lindqvist"
    assert answer["sentence"] == "Halden Shipping was founded by Greta Lindqvist."
    assert answer["path"]
    assert any(answer["sentence"] in one["text"] for one in answer["retrieved"])
    picked = api.post(f"{at}/ask", json={**body, "reranker": "lexical", "candidates": 9, "top": 2}).json()
    assert [(one["action"], one["top_k"]) for one in picked["steps"]] == [
        ("retrieve", 9),
        ("rerank", 2),
        ("answer", None),
    ]


def test_formats_are_listed(api: TestClient) -> None:
    names = {one["name"] for one in get(api, "/api/formats")}
    assert {"beir", "graphml"} <= names


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
