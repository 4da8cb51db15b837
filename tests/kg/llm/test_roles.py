from pathlib import Path

import pytest

from kg.errors import SettingsError
from kg.llm.protocol import Role
from kg.llm.roles import model_behind, open_model, role_endpoint
from kg.settings import Settings
from tests.examples import examples
from tests.kg.llm.asking import one, reply, request
from tests.scripted_endpoint import KEY, Endpoint, Status

ROLES: tuple[Role, ...] = ("extract", "generate", "answer", "judge")


@pytest.fixture(autouse=True)
def nothing_of_the_users(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for name in Settings.model_fields:
        monkeypatch.delenv(name.upper(), raising=False)


def settings(**given: object) -> Settings:
    return Settings.model_validate(given)


@pytest.mark.parametrize("role", ROLES)
def test_a_role_has_its_own_model_and_endpoint_or_the_general_one(role: Role) -> None:
    general = {"hopgrade_model": "big", "openai_base_url": "https://one.example/v1", "openai_api_key": "a"}
    found = role_endpoint(role, settings(**general))
    assert (found.model, found.base_url, found.key.get_secret_value()) == (
        "big",
        general["openai_base_url"],
        "a",
    )
    assert (found.model_setting, found.url_setting, found.key_setting) == (
        "HOPGRADE_MODEL",
        "OPENAI_BASE_URL",
        "OPENAI_API_KEY",
    )
    own = {
        f"hopgrade_{role}_model": "small",
        f"hopgrade_{role}_base_url": "http://localhost:1234/v1",
        f"hopgrade_{role}_api_key": "b",
    }
    found = role_endpoint(role, settings(**general, **own))
    assert (found.model, found.base_url, found.key.get_secret_value()) == (
        "small",
        "http://localhost:1234/v1",
        "b",
    )
    assert found.key_setting == f"HOPGRADE_{role.upper()}_API_KEY"
    assert found.description == 'The endpoint at localhost for the model "small"'


@examples("given, words, remedy")
def test_settings_that_cannot_work_are_refused_with_a_remedy(
    given: dict[str, str], words: str, remedy: str
) -> None:
    with pytest.raises(SettingsError, match=words) as caught:
        role_endpoint("judge", settings(**given))
    assert remedy in caught.value.remedy
    assert "sk-" not in str(caught.value)


def test_thinking_its_room_and_fields_of_the_users_own_are_set_by_role_or_for_all() -> None:
    given = {"hopgrade_model": "m", "openai_api_key": "a"}
    plain = role_endpoint("judge", settings(**given))
    assert (plain.reasoning, plain.extra_body) == (None, {})
    assert (plain.room(100), plain.room(1_000)) == (2_000, 4_000)
    general = {
        **given,
        "hopgrade_model_reasoning": "low",
        "hopgrade_model_output_room": "8",
        "hopgrade_model_extra_body": {"top_k": 1, "top_p": 0.5},
    }
    own = {
        "hopgrade_judge_reasoning": "off",
        "hopgrade_judge_output_room": 1,
        "hopgrade_judge_extra_body": {"top_k": 2},
    }
    judge, other = (role_endpoint(role, settings(**general, **own)) for role in ("judge", "extract"))
    assert (judge.reasoning, judge.room(100), judge.extra_body) == ("off", 100, {"top_k": 2, "top_p": 0.5})
    assert (other.reasoning, other.room(1_000), other.extra_body["top_k"]) == ("low", 8_000, 1)


def test_a_key_is_never_shown() -> None:
    found = role_endpoint("judge", settings(hopgrade_model="m", openai_api_key=KEY))
    assert KEY not in f"{found} {found!r} {found.key} {vars(type(found))}"


def test_a_password_in_an_address_is_not_shown() -> None:
    url = "http://me:hush@models.example/v1"
    found = role_endpoint("judge", settings(hopgrade_model="m", openai_base_url=url))
    assert found.description == 'The endpoint at models.example for the model "m"'


def test_open_model_wires_all_together(endpoint: Endpoint, tmp_path: Path) -> None:
    with open_model("answer", endpoint.settings(tmp_path)) as model:
        assert model.name == "scripted"
        assert reply(one(model, request("one"))).text == "one"
        assert reply(one(model, request("one"))).cached
    assert [asked.key for asked in endpoint.requests] == [KEY]


def test_a_local_endpoint_needs_no_key(endpoint: Endpoint, tmp_path: Path) -> None:
    endpoint.faults = [Status(503)]
    with open_model(
        "answer", endpoint.settings(tmp_path, openai_api_key=None), sleep=lambda _: None
    ) as model:
        assert reply(one(model, request("one"))).text == "one"
    assert KEY not in {asked.key for asked in endpoint.requests}


def test_an_endpoint_of_a_role_is_never_sent_the_general_key() -> None:
    given = {"hopgrade_model": "m", "openai_api_key": "sk-general"}
    elsewhere = role_endpoint("judge", settings(**given, hopgrade_judge_base_url="http://judge.example/v1"))
    assert elsewhere.key.get_secret_value() == ""
    assert elsewhere.key_setting == "HOPGRADE_JUDGE_API_KEY"
    own = settings(**given, hopgrade_judge_base_url="http://judge.example", hopgrade_judge_api_key="sk-own")
    assert role_endpoint("judge", own).key.get_secret_value() == "sk-own"
    assert role_endpoint("answer", own).key.get_secret_value() == "sk-general"


def test_a_model_is_known_behind_any_name() -> None:
    for name in (
        "gpt-x", "openai/gpt-x", "azure/gpt-x", "accounts/fireworks/models/GPT-x", "gpt-x:latest",
        "openai/gpt-x:free", "gpt-x-2026-08-06", "us.openai.gpt-x-20260806-v1:0",
    ):  # fmt: skip
        assert model_behind(name) == "gpt-x", name
    others = ("gpt-x-mini", "gpt-x:8b", "gpt-y", "llama3.2", "latest")
    assert [model_behind(name) for name in others] == list(others)
