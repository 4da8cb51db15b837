import pytest
from pydantic import SecretStr

from kg.errors import SettingsError
from kg.llm.roles import PROVIDERS, role_endpoint, with_provider
from kg.settings import Settings
from tests.examples import examples


def settings(**given: str) -> Settings:
    nothing = dict.fromkeys(("openai_api_key", "groq_api_key", "hopgrade_model", "openai_base_url"))
    values = {key: SecretStr(value) if key.endswith("_key") else value for key, value in given.items()}
    return Settings().model_copy(update={**nothing, **values})


@pytest.mark.parametrize("name", ["openai", "anthropic", "groq", "fireworks"])
def test_a_provider_gets_its_own_key_at_its_own_address(name: str) -> None:
    known = settings(**{f"{name}_api_key": f"key-of-{name}"})
    endpoint = role_endpoint("answer", with_provider(known, "answer", name, "some-model"))
    assert endpoint.base_url == PROVIDERS[name].base_url
    assert endpoint.key.get_secret_value() == f"key-of-{name}"
    assert endpoint.model == "some-model"


def test_a_general_endpoint_does_not_stand_in_for_a_named_provider() -> None:
    known = settings(openai_base_url="http://elsewhere.test/v1", groq_api_key="secret")
    chosen = with_provider(known, "answer", "groq", "m")
    assert role_endpoint("answer", chosen).base_url == PROVIDERS["groq"].base_url
    assert role_endpoint("judge", chosen.model_copy(update={"hopgrade_model": "m"})).base_url == (
        "http://elsewhere.test/v1"
    )


def test_ollama_needs_neither_key_nor_model() -> None:
    endpoint = role_endpoint("answer", with_provider(settings(), "answer", "ollama", None))
    assert endpoint.base_url == "http://localhost:11434/v1"
    assert (endpoint.model, endpoint.key.get_secret_value()) == ("llama3.2", "")


def test_an_address_is_never_sent_the_key_of_another_endpoint() -> None:
    known = settings(openai_api_key="openai-secret", groq_api_key="groq-secret")
    endpoint = role_endpoint("answer", with_provider(known, "answer", "http://localhost:8000/v1", "m"))
    assert endpoint.base_url == "http://localhost:8000/v1"
    assert endpoint.key.get_secret_value() == ""


def test_an_address_is_sent_the_key_of_its_role() -> None:
    known = settings(hopgrade_answer_api_key="own-secret")
    endpoint = role_endpoint("answer", with_provider(known, "answer", "http://localhost:8000/v1", "m"))
    assert endpoint.key.get_secret_value() == "own-secret"


def test_without_a_provider_only_the_model_changes() -> None:
    known = settings(openai_base_url="http://elsewhere.test/v1")
    assert with_provider(known, "answer", None, None) == known
    assert role_endpoint("answer", with_provider(known, "answer", None, "m")).base_url == (
        "http://elsewhere.test/v1"
    )


@examples("provider, model, what")
def test_what_is_missing_is_said(provider: str, model: str | None, what: str) -> None:
    with pytest.raises(SettingsError, match=what) as caught:
        with_provider(settings(), "answer", provider, model)
    assert caught.value.remedy
