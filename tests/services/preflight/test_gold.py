"""Gold items: each makes a real request, its right reply is accepted and its wrong one is not."""

import json

import pytest
from jsonschema import Draft202012Validator

from kg.llm.prompts import all_prompts
from kg.llm.protocol import JsonValue, ModelRequest, Reply, ToolCall, Usage
from services.preflight.asking import BUILDERS, check_reply, gold_request
from services.preflight.gold import gold_prompts, read_gold
from tests.gold_replies import reply_text

LEAST_ITEMS = 12
FIRST_ITEMS = 3


def as_reply(given: JsonValue, request: ModelRequest) -> Reply:
    """A gold reply as the client would hand it on."""
    value = reply_text(given, request)
    if request.schema is not None:
        Draft202012Validator(dict(request.schema.definition)).validate(value)
        return Reply(json.dumps(value), value, Usage())
    if request.tools:
        assert isinstance(value, dict)
        names = {tool.name: tool for tool in request.tools}
        calls = []
        for number, one in enumerate(value.get("calls", ())):
            Draft202012Validator(dict(names[one["name"]].parameters or {})).validate(one["arguments"]) if one[
                "name"
            ] in names else pytest.fail(f"no tool is called {one['name']}")
            calls.append(ToolCall(f"call{number}", one["name"], json.dumps(one["arguments"])))
        return Reply(str(value.get("text", "")), None, Usage(), calls=tuple(calls))
    assert isinstance(value, str)
    return Reply(value.strip(), None, Usage())


def test_every_prompt_has_items_and_a_request() -> None:
    prompts = {prompt.name for prompt in all_prompts()}
    assert prompts == set(BUILDERS) == set(gold_prompts())
    for prompt in prompts:
        items = read_gold(prompt)
        assert len(items) >= LEAST_ITEMS
        # The first ones are what a job is begun on.
        assert any(one.hard for one in items[:FIRST_ITEMS])


@pytest.mark.parametrize("prompt", gold_prompts())
def test_the_right_reply_passes_and_the_wrong_one_does_not(prompt: str) -> None:
    for item in read_gold(prompt):
        request = gold_request(item)
        assert request.prompt.partition("@")[0] == item.prompt == prompt
        assert item.note or not item.hard, item.id
        right = check_reply(item, request, as_reply(item.right, request))
        assert (right.result, right.why) == ("passed", ""), item.id
        wrong = check_reply(item, request, as_reply(item.wrong, request))
        assert wrong.result == "wrong", item.id
        assert wrong.why
