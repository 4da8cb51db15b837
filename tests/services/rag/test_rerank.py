"""From what stands behind --reranker to what a run records of it."""

import pytest

from kg.errors import SettingsError
from services.rag.rerank import DEFAULT_MODEL, HttpReranker, reranker_name


@pytest.mark.parametrize(
    ("option", "name"),
    [
        ("lexical", "lexical"),
        (" cross-encoder ", f"cross-encoder:{DEFAULT_MODEL}"),
        ("cross-encoder:", f"cross-encoder:{DEFAULT_MODEL}"),
        ("cross-encoder:some/model", "cross-encoder:some/model"),
    ],
)
def test_a_run_records_the_reranker_by_its_whole_name(option: str, name: str) -> None:
    assert reranker_name(option) == name


@pytest.mark.parametrize("option", ["http://there/rerank#m", "http:http://there/rerank#m"])
def test_an_endpoint_has_one_name_however_it_was_given(option: str) -> None:
    assert reranker_name(option) == HttpReranker("http://there/rerank#m").name


def test_what_is_no_reranker_is_refused_before_a_run_is_recorded() -> None:
    with pytest.raises(SettingsError, match="is not a reranker"):
        reranker_name("best")


def test_an_address_with_a_password_is_refused_and_the_password_not_shown() -> None:
    with pytest.raises(SettingsError, match="credentials before 'there'") as caught:
        reranker_name("https://me:sesame@there/rerank")
    assert "sesame" not in f"{caught.value}{caught.value.remedy}"
