import importlib.util

import pytest
from pydantic import SecretStr

from kg.embed.choose import CHOICES, make_embedder
from kg.errors import EmbeddingError, SettingsError, installation
from kg.settings import Settings
from tests.scripted_endpoint import scripted_endpoint

NOTHING = Settings(openai_api_key=None, openai_base_url=None)


def test_the_builtin_embedder() -> None:
    assert make_embedder("builtin", NOTHING).name == "builtin/all-MiniLM-L6-v2-int8w"


def test_an_endpoint_gets_the_key_and_the_model() -> None:
    with scripted_endpoint() as endpoint:
        settings = NOTHING.model_copy(
            update={"openai_api_key": SecretStr("abc"), "openai_base_url": endpoint.base_url}
        )
        made = make_embedder("openai:org/model:v2", settings)
        assert made.name == "openai/org/model:v2"
        made.embed(["a"])
    assert {request.key for request in endpoint.requests} == {"abc"}


def test_a_local_endpoint_needs_no_key() -> None:
    with scripted_endpoint() as endpoint:
        settings = NOTHING.model_copy(update={"openai_base_url": endpoint.base_url})
        assert make_embedder("openai:m", settings).embed(["a"]).shape[0] == 1


def test_openai_without_key_and_address_is_refused_before_anything_is_sent() -> None:
    with pytest.raises(SettingsError, match="OPENAI_API_KEY"):
        make_embedder("openai:text-embedding-3-small", NOTHING)


@pytest.mark.parametrize("spec", ["", "minilm", "openai", "openai:", "sentence-transformers:", "builtin:x"])
def test_other_specs_are_refused_with_the_choices(spec: str) -> None:
    with pytest.raises(SettingsError) as caught:
        make_embedder(spec, NOTHING)
    assert all(choice in caught.value.remedy for choice in CHOICES)


def test_a_missing_extra_is_named_in_the_remedy() -> None:
    if importlib.util.find_spec("sentence_transformers") is not None:
        pytest.skip("sentence-transformers is installed")
    with pytest.raises(EmbeddingError) as caught:
        make_embedder("sentence-transformers:all-MiniLM-L6-v2", NOTHING)
    assert installation("sentence-transformers") in caught.value.remedy
