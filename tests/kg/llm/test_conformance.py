"""The same small job through every endpoint and model that people really use."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kg.llm.calls import contact_endpoints
from kg.llm.protocol import Message, Model, ModelRequest, ToolSpec, json_object
from kg.llm.roles import open_model
from kg.settings import ReasoningEffort, Settings
from tests.kg.llm.asking import CLAIMS, failure, one, reply, request, value
from tests.kg.llm.endpoint_behaviours import (
    ANTHROPIC,
    AZURE,
    BEHAVIOURS,
    DEEPSEEK,
    GPT_5,
    LONG,
    LONG_WORDS,
    QWEN_VLLM,
    Behaviour,
)
from tests.scripted_endpoint import KEY, Asked, Endpoint, scripted_endpoint

LOOK_UP = ToolSpec("look_up", "Looks a name up.", json_object(name={"type": "string"}))

each = pytest.mark.parametrize("behaviour", BEHAVIOURS, ids=lambda one: one.name)


def settings(behaviour: Behaviour, endpoint: Endpoint, home: Path, **changes: object) -> Settings:
    """As a user has them, with the room for thinking that is usual."""
    url = endpoint.base_url.removesuffix("/v1") + behaviour.path
    return endpoint.settings(home, openai_base_url=url, hopgrade_model_output_room=4.0, **changes)


@contextmanager
def opened(behaviour: Behaviour, home: Path, **changes: object) -> Iterator[tuple[Endpoint, Model]]:
    """A model behind an endpoint that behaves so."""
    with scripted_endpoint(behaviour.respond) as endpoint:
        given = settings(behaviour, endpoint, home, **changes)
        with open_model("judge", given, sleep=lambda _: None) as model:
            yield endpoint, model


def bodies(endpoint: Endpoint) -> list[dict[str, object]]:
    return [asked.body for asked in endpoint.requests]


@each
@pytest.mark.parametrize("reasoning", [None, "off", "minimal", "low", "high"])
def test_the_same_job(behaviour: Behaviour, reasoning: ReasoningEffort | None, tmp_path: Path) -> None:
    with scripted_endpoint(behaviour.respond) as endpoint:
        given = settings(behaviour, endpoint, tmp_path, hopgrade_model_reasoning=reasoning)
        with open_model("judge", given, sleep=lambda _: None) as model:
            assert value(one(model, request("one", CLAIMS))) == {"claims": ["one"]}
            assert value(one(model, request("two", CLAIMS))) == {"claims": ["two"]}
            sent = len(endpoint.requests)
            assert value(one(model, request("three", CLAIMS))) == {"claims": ["three"]}
            # By then everything is learnt.
            assert len(endpoint.requests) == sent + 1
            assert reply(one(model, request("four"))).text == "You said four."
            tools = ModelRequest((Message("user", "five"),), "test@1", tools=(LOOK_UP,))
            (call,) = reply(one(model, tools)).calls
            assert (call.name, call.arguments) == ("look_up", '{"name": "five"}')
            sent = len(endpoint.requests)
            found = reply(one(model, request(LONG)))
            assert found.text == " ".join(["word"] * LONG_WORDS)
            assert len(endpoint.requests) == sent + 2
        assert model_spent(endpoint, behaviour, sent) == found.usage.output_tokens
        with open_model("judge", given) as again:
            assert reply(one(again, request("one", CLAIMS))).cached


@each
def test_the_doctor_reaches_it_as_the_job_does(behaviour: Behaviour, tmp_path: Path) -> None:
    with scripted_endpoint(behaviour.respond) as endpoint:
        (contact,) = contact_endpoints(settings(behaviour, endpoint, tmp_path, hopgrade_model="m"))
    assert (contact.state, contact.remedy) == ("ok", "")


def model_spent(endpoint: Endpoint, behaviour: Behaviour, start: int) -> int:
    """The tokens that the model wrote for the requests from `start` on, as the endpoint counts them."""
    total = 0
    for asked in endpoint.requests[start:]:
        room = asked.body.get("max_completion_tokens") or asked.body["max_tokens"]
        thought = behaviour.thinks(asked.body)
        total += thought + min(LONG_WORDS, max(0, room - thought))
    return total


@each
def test_thinking_is_off_where_that_is_wanted_and_possible(behaviour: Behaviour, tmp_path: Path) -> None:
    with scripted_endpoint(behaviour.respond) as endpoint:
        given = settings(behaviour, endpoint, tmp_path, hopgrade_judge_reasoning="off")
        with open_model("judge", given, sleep=lambda _: None) as model:
            reply(one(model, request("one", CLAIMS)))
        asked = bodies(endpoint)[-1]
        assert behaviour.thinks(asked) == 0 if behaviour.spared else behaviour.thinks(asked) <= 900
        sent = len(endpoint.requests)
        with open_model("extract", given, sleep=lambda _: None) as model:
            reply(one(model, request("one", CLAIMS)))
    switches = {"reasoning_effort", "chat_template_kwargs", "thinking"}
    assert not any(switches & body.keys() for body in bodies(endpoint)[sent:])


@each
def test_what_is_told_of_thinking_and_of_the_cache_of_prompts_is_kept(
    behaviour: Behaviour, tmp_path: Path
) -> None:
    with opened(behaviour, tmp_path) as (endpoint, model):
        found = reply(one(model, request("four"))).usage
        counted = behaviour.counts(4, behaviour.thinks(bodies(endpoint)[-1]), 3)
    assert found.output_tokens == counted["completion_tokens"]
    told = counted.get("completion_tokens_details", {}).get("reasoning_tokens", 0)
    assert found.reasoning_tokens == told
    assert found.cached_input_tokens == (2 if "cache" in str(counted) else 0)


def test_a_schema_that_is_ignored_stands_in_the_message_after_two_answers(tmp_path: Path) -> None:
    with opened(ANTHROPIC, tmp_path) as (endpoint, model):
        for text in ("one", "two", "three"):
            assert value(one(model, request(text, CLAIMS))) == {"claims": [text]}
    asked = endpoint.requests
    assert [one.said_schema is not None for one in asked] == [False, True, False, True, True]
    assert [len(one.messages) for one in asked] == [2, 4, 2, 4, 2]
    assert {one.system for one in asked} == {"Be brief."}


def test_a_deployment_of_azure_is_reached_by_its_path_version_and_key(tmp_path: Path) -> None:
    with opened(AZURE, tmp_path) as (endpoint, model):
        assert reply(one(model, request("one")))
        refused = failure(one(model, request("a crime")))
    asked: Asked = endpoint.requests[0]
    assert (asked.query, asked.headers["api-key"]) == ("api-version=2024-10-21", KEY)
    assert refused.kind == "refusal"


def test_room_that_an_endpoint_does_not_allow_is_learnt(tmp_path: Path) -> None:
    with opened(ANTHROPIC, tmp_path) as (endpoint, model):
        assert reply(one(model, request("one", max_output_tokens=4_096)))
        assert reply(one(model, request("two", max_output_tokens=4_096)))
    assert [body["max_tokens"] for body in bodies(endpoint)] == [4 * 4_096, 8_192, 8_192]


@pytest.mark.parametrize("behaviour", [GPT_5, QWEN_VLLM, DEEPSEEK], ids=lambda one: one.name)
def test_a_field_of_the_users_own_is_sent_as_it_is(behaviour: Behaviour, tmp_path: Path) -> None:
    extra = {"seed": None, "max_completion_tokens": 5_000, "max_tokens": None}
    with opened(behaviour, tmp_path, hopgrade_judge_extra_body=extra) as (endpoint, model):
        assert reply(one(model, request("one")))
    last = bodies(endpoint)[-1]
    assert last["max_completion_tokens"] == 5_000
    assert not {"seed", "max_tokens"} & last.keys()
