"""Endpoints and their maps: what is sent, what is read, what is tried again, and what ends the run."""

from pathlib import Path

import httpx2
import pytest

from kg.errors import ModelRefusedError, SettingsError
from kg.own_system import OwnAnswer, RetrievedText
from services.external.calls import Patience, TryAgainError, open_calls
from services.external.endpoint import EndpointMap, EndpointSystem, external_endpoint, read_map
from services.external.outside_system import FEWEST_TO_STOP
from services.external.replies import BadReplyError
from tests.examples import examples
from tests.web_system import Received, Sent, web_system

MAP = """
request:
  headers: {Authorization: "Bearer ${RAG_TOKEN}"}
  params: {mode: deep}
  body: {query: "{question}", options: {tags: ["about {question}", 3]}}
response:
  answer: data.answer
  retrieved: "data.sources[].{text: content, title: name, score: score}"
  input_tokens: usage.prompt
"""
REPLY = {
    "data": {"answer": "Oda", "sources": [{"content": "a text", "name": "Pier", "score": 0.5}]},
    "usage": {"prompt": 12},
}
PATIENCE = Patience(2, 5, 2)


def asked(url: str, form: EndpointMap, question: str = "Who?") -> OwnAnswer:
    """What an endpoint answers, asked once."""
    with httpx2.Client(headers=None) as client:
        return EndpointSystem(url, form, client)(question)


def written(folder: Path, text: str) -> EndpointMap:
    """The map of this text."""
    path = folder / "rag.yaml"
    path.write_text(text, encoding="utf-8")
    return read_map(path)


def test_a_map_says_what_is_sent_and_where_the_answer_is(tmp_path: Path) -> None:
    with web_system(lambda _: Sent(REPLY)) as web:
        answer = asked(web.url, written(tmp_path, MAP), 'Who said "{question}"?')
    assert answer == OwnAnswer("Oda", (RetrievedText("a text", title="Pier", score=0.5),), input_tokens=12)
    (request,) = web.received
    assert (request.method, request.path) == ("POST", "/answer?mode=deep")
    assert request.body == {
        "query": 'Who said "{question}"?',
        "options": {"tags": ['about Who said "{question}"?', 3]},
    }


def test_without_a_map_the_question_is_posted_and_the_replys_own_fields_are_read() -> None:
    with web_system(lambda _: Sent({"answer": "Oda", "retrieved": ["chunk-1"]})) as web:
        assert asked(web.url, EndpointMap()) == OwnAnswer("Oda", (RetrievedText(chunk="chunk-1"),))
    assert web.received[0].body == {"question": "Who?"}


def test_a_question_can_stand_in_the_address() -> None:
    with web_system(lambda _: Sent({"answer": "x"})) as web:
        form = EndpointMap.model_validate({"request": {"method": "GET"}})
        asked(f"{web.url}?k=3&q={{question}}", form, "Who & what?")
    assert web.received[0].path == "/answer?k=3&q=Who%20%26%20what%3F"
    assert web.received[0].body is None


def test_headers_get_what_the_environment_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    form = written(tmp_path, MAP)
    with pytest.raises(SettingsError, match="RAG_TOKEN, which is not set"):
        external_endpoint("http://localhost/x", form, PATIENCE)
    monkeypatch.setenv("RAG_TOKEN", "secret-1")
    outside = external_endpoint("http://me:word@localhost:1/x?key=secret-2", form, PATIENCE)
    assert outside.system == "endpoint http://localhost:1/x"
    for secret in ("secret-1", "secret-2", "word"):
        assert secret not in repr((outside.name, outside.system, outside.source))
    assert outside.source != external_endpoint("http://localhost:1/x", EndpointMap(), PATIENCE).source


@pytest.mark.parametrize("status", [408, 425, 429, 500, 503])
def test_a_passing_failure_may_be_tried_again_when_the_endpoint_says(status: int) -> None:
    with (
        web_system(lambda _: Sent({}, status, {"Retry-After": "7"})) as web,
        pytest.raises(TryAgainError) as caught,
    ):
        asked(web.url, EndpointMap())
    assert caught.value.pause == 7


@pytest.mark.parametrize("status", [301, 401, 403, 404, 405])
def test_what_is_said_to_every_question_ends_the_run(status: int) -> None:
    with (
        web_system(lambda _: Sent(b"no entry", status)) as web,
        pytest.raises(ModelRefusedError, match=f"HTTP {status}: no entry"),
    ):
        asked(web.url, EndpointMap())


def test_what_is_said_to_one_question_is_its_error() -> None:
    with web_system(lambda _: Sent({"detail": "too long"}, 422)) as web:
        assert asked(web.url, EndpointMap()).error == 'HTTP 422: {"detail": "too long"}'


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"<html>", "not JSON"),
        ({"data": {}}, "nothing is at 'data.answer'"),
        ({"data": {"answer": {"x": 1}}}, '"answer" is not a text'),
    ],
)
def test_an_unreadable_reply_is_told(tmp_path: Path, body: object, why: str) -> None:
    form = written(tmp_path, MAP)
    with web_system(lambda _: Sent(body)) as web, pytest.raises(BadReplyError, match=why):
        asked(web.url, form)


@pytest.mark.parametrize("given", ["never", "once", "empty"])
def test_a_map_that_looks_for_what_was_retrieved_in_the_wrong_place_is_told(given: str) -> None:
    """By the eighth reply that lacks it; one that has it, empty or not, shows that the place is right."""
    form = EndpointMap.model_validate({"response": {"answer": "data.answer", "retrieved": "data.docs"}})
    lacking: dict[str, object] = {"data": {"answer": "Oda", "documents": ["x"]}, "took": 1}
    having = {"data": {"answer": "Oda", "docs": [] if given == "empty" else ["chunk-1"]}}

    def respond(_: Received) -> Sent:
        return Sent(lacking if given == "never" or len(web.received) > 1 else having)

    with web_system(respond) as web, httpx2.Client() as client:
        system = EndpointSystem(web.url, form, client)
        for _ in range(FEWEST_TO_STOP - 1):
            system("Who?")
        if given != "never":
            assert system("Who?").text == "Oda"
            return
        with pytest.raises(SettingsError) as caught:
            system("Who?")
    assert "nothing is at 'data.docs', where the map looks for what was retrieved" in str(caught.value)
    assert "The last has: data.answer, data.documents, took." in str(caught.value)
    with web_system(respond) as web, httpx2.Client() as client:
        patient = EndpointSystem(web.url, form, client, fewest_to_stop=None)
        assert {patient("Who?").text for _ in range(FEWEST_TO_STOP)} == {"Oda"}


def test_what_an_endpoint_repeats_of_secrets_is_blotted_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAG_TOKEN", "secret-1")
    form = written(
        tmp_path,
        """
request: {headers: {Authorization: "Bearer ${RAG_TOKEN}", X-Api-Key: secret-2}, body: {q: "{question}"}}
response: {answer: answer, error: said}
""",
    )
    said = "secret-1 secret-2 secret-3 secret-4 bWU6c2VjcmV0LTM="
    replies = iter([Sent(said.encode(), 422), Sent({"said": said}), Sent(said.encode(), 403)])
    with web_system(lambda _: next(replies)) as web:
        url = web.url.replace("http://", "http://me:secret-3@") + "?api_key=secret-4"
        assert asked(url, form).error == "HTTP 422: *** *** *** *** ***"
        assert asked(url, form).error == "*** *** *** *** ***"
        with pytest.raises(ModelRefusedError) as caught:
            asked(url, form)
    assert "secret" not in str(caught.value)


def test_an_address_that_cannot_be_asked_is_not_repeated() -> None:
    with pytest.raises(SettingsError) as caught:
        external_endpoint("htp://me:secret-1@localhost/x?key=secret-2", EndpointMap(), PATIENCE)
    assert "secret" not in str(caught.value)


def test_a_lost_connection_may_be_tried_again() -> None:
    with web_system(lambda _: Sent({})) as web:
        url = web.url
    with pytest.raises(TryAgainError, match="ConnectError"):
        asked(url, EndpointMap())


def test_after_too_many_requests_the_answer_comes() -> None:
    def respond(request: Received) -> Sent:
        again = sum(one.body == request.body for one in web.received) > 1
        return Sent({"answer": "late"}) if again else Sent({}, 429, {"Retry-After": "0"})

    with (
        web_system(respond) as web,
        httpx2.Client() as client,
        open_calls(EndpointSystem(web.url, EndpointMap(), client), PATIENCE) as calls,
    ):
        found = calls.ask(["one", "two", "three"])
    assert [answer.text for answer in found] == ["late"] * 3
    assert len(web.received) == 6


@examples("text, why")
def test_a_map_that_cannot_be_used_is_told(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(SettingsError) as caught:
        written(tmp_path, text)
    assert why in caught.value.message


@pytest.mark.parametrize("url", ["localhost:80/x", "ftp://localhost", "http://", "http://localhost:99999"])
def test_an_address_that_is_none_is_told(url: str) -> None:
    with pytest.raises(SettingsError, match="is not the address"):
        external_endpoint(url, EndpointMap(), PATIENCE)


def test_a_map_that_sends_no_question_is_told() -> None:
    form = EndpointMap.model_validate({"request": {"body": {"query": "always the same"}}})
    with pytest.raises(SettingsError, match="sends no question"):
        external_endpoint("http://localhost/x", form, PATIENCE)
