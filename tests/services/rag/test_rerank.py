"""From what stands behind --reranker to what a run records of it.

A rerank endpoint with faults, over real connections.

The order that the weights make of what speaks for a chunk.
"""

import numpy as np
import pytest

from kg.errors import ModelRefusedError, ModelUnavailableError, SettingsError
from services.rag.graph_search.evidence import (
    ALONE,
    ANCHORS,
    BESIDE,
    FIRST,
    SECOND,
    TEMPERATURE,
    Anchors,
    Candidates,
    Values,
    anchors_of,
    first_scores,
    score_parts,
)
from services.rag.rerank import DEFAULT_MODEL, DOCUMENTS_A_REQUEST, HttpReranker, reranker_name
from tests.services.rag.graph_search.small_library import DIRECTOR, FILM, STUDIO, TOWN, library, sought
from tests.services.rag.passages import passage
from tests.services.rag.scripted_rerankers import rerank_endpoint


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


KEY = "rk-very-secret"
PASSAGES = [passage(text, number) for number, text in enumerate(["a dog", "the club won", "the club"], 1)]


@pytest.mark.parametrize("texts_only", [False, True], ids=["jina and cohere", "tei"])
def test_both_dialects_are_spoken_and_learnt_once(texts_only: bool) -> None:
    with rerank_endpoint(texts_only=texts_only) as endpoint:
        reranker = HttpReranker(f"{endpoint.url}#some-model", KEY)
        for _ in range(2):
            hits = reranker.rerank("the club won", PASSAGES)
            assert [(hit.chunk, hit.score) for hit in hits] == [
                ("chunk-2", 0.3),
                ("chunk-3", 0.2),
                ("chunk-1", 0.0),
            ]
        assert len(endpoint.bodies) == 2 + texts_only
        assert {body["model"] for body in endpoint.bodies} == {"some-model"}
        assert set(endpoint.keys) == {f"Bearer {KEY}"}


@pytest.mark.parametrize("fault", [429, 500, 503, "silence", "page", "short"])
def test_what_may_pass_is_tried_again(fault: int | str) -> None:
    with rerank_endpoint([fault]) as endpoint:
        hits = HttpReranker(endpoint.url, KEY, timeout_seconds=0.3).rerank("the club won", PASSAGES)
        assert [hit.chunk for hit in hits] == ["chunk-2", "chunk-3", "chunk-1"]
        assert len(endpoint.bodies) == 2


def test_what_does_not_pass_ends_with_what_to_check() -> None:
    with rerank_endpoint([429] * 5) as endpoint:
        with pytest.raises(ModelUnavailableError, match="failed 3 times on end") as caught:
            HttpReranker(endpoint.url, KEY, retries=2).rerank("the club", PASSAGES)
        assert "same command again" in caught.value.remedy
        assert len(endpoint.bodies) == 3


def test_a_refusal_is_not_tried_again_and_does_not_show_the_key() -> None:
    with rerank_endpoint([401]) as endpoint:
        with pytest.raises(ModelRefusedError, match="HTTP 401") as caught:
            HttpReranker(endpoint.url, KEY).rerank("the club", PASSAGES)
        assert KEY not in str(caught.value)
        assert "HOPGRADE_RERANK_API_KEY" in caught.value.remedy
        assert len(endpoint.bodies) == 1


def test_many_passages_go_in_several_requests() -> None:
    many = [passage(f"the club {number}", number) for number in range(DOCUMENTS_A_REQUEST + 3)]
    with rerank_endpoint() as endpoint:
        hits = HttpReranker(endpoint.url).rerank("club 33", many)
        assert hits[0].chunk == "chunk-33"
        assert sorted(hit.chunk for hit in hits) == sorted(one.chunk for one in many)
        assert [len(body["documents"]) for body in endpoint.bodies] == [DOCUMENTS_A_REQUEST, 3]


@pytest.mark.parametrize("url", ["ftp://there/rerank", "http://", "http://there:x/"])
def test_what_is_no_address_is_refused_at_once(url: str) -> None:
    with pytest.raises(SettingsError, match="can't be asked"):
        HttpReranker(url)


def candidates(*chunks: int) -> Candidates:
    """Chunks that the walks came to alike."""
    return Candidates(np.array(chunks, dtype=np.int32), np.ones(len(chunks)), np.ones(len(chunks)))


def beside_scores(wanted: Candidates, found: Anchors) -> Values:
    """The sums of the parts."""
    scores: Values = np.sum(list(score_parts(library(), sought(), wanted, found).values()), axis=0)
    return scores


def test_every_feature_has_a_weight() -> None:
    assert set(FIRST) == set(ALONE)
    assert set(SECOND) == set(BESIDE)


def test_the_page_that_the_question_names_leads_at_first() -> None:
    scores = first_scores(library(), sought(), candidates(STUDIO, FILM, DIRECTOR))
    assert int(scores.argmax()) == 1


def test_the_page_of_what_the_anchor_names_comes_before_what_merely_stands_near() -> None:
    found = Anchors(np.array([FILM], dtype=np.int32), np.ones(1))
    scores = beside_scores(candidates(DIRECTOR, STUDIO), found)
    assert scores[0] > scores[1]


def test_anchors_are_the_best_and_weaken_with_their_distance_from_the_best_score() -> None:
    found = anchors_of(candidates(FILM, DIRECTOR, TOWN), np.array([1.0, 3.0, 3.0 - TEMPERATURE]))
    assert list(found.chunks) == [DIRECTOR, FILM, TOWN] or list(found.chunks) == [DIRECTOR, TOWN, FILM]
    assert found.strengths[0] == 1
    assert found.strengths[list(found.chunks).index(TOWN)] == pytest.approx(np.exp(-1))


def test_there_are_only_so_many_anchors_and_equal_ones_keep_their_order() -> None:
    many = candidates(*range(ANCHORS + 3))
    found = anchors_of(many, np.zeros(ANCHORS + 3))
    assert list(found.chunks) == list(range(ANCHORS))
    assert list(found.strengths) == [1.0] * ANCHORS


def test_no_candidates_give_no_anchors() -> None:
    found = anchors_of(candidates(), np.zeros(0))
    assert len(found.chunks) == len(found.strengths) == 0
    assert beside_scores(candidates(), found).shape == (0,)


def test_each_part_is_its_feature_times_its_weight() -> None:
    wanted = candidates(FILM, DIRECTOR, TOWN, STUDIO)
    found = Anchors(np.array([FILM, TOWN], dtype=np.int32), np.array([1.0, 0.5]))
    parts = score_parts(library(), sought(), wanted, found)
    assert tuple(parts) == BESIDE
    # The question names the film, the film names the director's page.
    assert list(parts["title"]) == [SECOND["title"], 0, 0, 0]
    assert list(parts["page"]) == [0, SECOND["page"], 0, 0]
