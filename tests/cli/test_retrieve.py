"""`kg retrieve` as a user meets it."""

from pathlib import Path

import pytest

from services.rag.retrieval.choose import RETRIEVERS
from tests.cli.conftest import Kg
from tests.examples import examples

QUESTION = "When was the university founded at which the founder of Halden Shipping studied?"


@pytest.fixture
def retrieve(kg: Kg, small_corpus: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Kg:
    """The command on the small world, with a cache of its own."""
    monkeypatch.setenv("HOPGRADE_CACHE", str(tmp_path / "cache"))
    return lambda *arguments: kg("retrieve", *arguments, "--corpus", small_corpus)


def test_it_shows_where_the_answer_stands(retrieve: Kg) -> None:
    shown = retrieve(QUESTION, "--top", "4")
    assert shown.code == 0
    assert shown.out.splitlines()[0].strip() == "Found by graph"
    assert "School" in shown.out
    assert "Verrin University was designed by" in shown.out


@pytest.mark.campaign
@pytest.mark.parametrize("name", [name for name in RETRIEVERS if name != "pagerank-gds"])
def test_every_retriever_can_be_asked(retrieve: Kg, name: str) -> None:
    shown = retrieve(QUESTION, "--retriever", name, "--top", "3", "--json").json
    (result,) = shown["results"]
    assert result["retriever"] == f"{name}-3"
    assert [hit["rank"] for hit in result["hits"]] == [1, 2, 3]
    assert all(hit["parts"] and hit["text"] and hit["title"] for hit in result["hits"])
    assert result["explanation"] is None


@pytest.mark.campaign
@pytest.mark.parametrize("name", ["graph", "pagerank", "entities", "paths"])
def test_it_explains_what_the_question_names_and_the_ways_to_each_chunk(retrieve: Kg, name: str) -> None:
    question = "What links the Ostby Rovers to Greta Lindqvist?"
    (result,) = retrieve(question, "--retriever", name, "--explain", "--json").json["results"]
    linked = {one["words"]: one["name"] for one in result["explanation"]["linked"]}
    assert linked == {"Ostby Rovers": "Ostby Rovers", "Greta Lindqvist": "Greta Lindqvist"}
    reasons = result["explanation"]["reasons"]
    assert [reason["chunk"] for reason in reasons] == [hit["chunk"] for hit in result["hits"]]
    assert any(reason["ways"] for reason in reasons)
    shown = retrieve(question, "--retriever", name, "--explain")
    assert "Linked entities" in shown.out
    assert (" | are owned by | " if name == "paths" else '"Ostby Rovers" -> Ostby Rovers') in shown.out


def test_masses_add_up_to_the_score_of_a_walk(retrieve: Kg) -> None:
    (result,) = retrieve(QUESTION, "--retriever", "pagerank", "--explain", "--json").json["results"]
    for hit, reason in zip(result["hits"], result["explanation"]["reasons"], strict=True):
        told = reason["own"] + reason["rest"] + sum(way["mass"] for way in reason["ways"])
        assert told == pytest.approx(hit["score"], rel=1e-3)


def test_a_comparison_tells_what_only_one_found(retrieve: Kg) -> None:
    arguments = (QUESTION, "--compare", "vector,entities", "--top", "3")
    results = retrieve(*arguments, "--json").json["results"]
    vector, entities = ({hit["chunk"] for hit in result["hits"]} for result in results)
    shown = retrieve(*arguments).out
    assert "Side by side" in shown
    assert f"Only vector found {len(vector - entities)} of 3" in shown
    assert f"Only entities found {len(entities - vector)} of 3" in shown


@pytest.mark.campaign
def test_filters_and_a_reranker_are_applied(retrieve: Kg) -> None:
    nothing = retrieve(QUESTION, "--source", "Nobody", "--since", "2024-01-01")
    assert nothing.code == 0
    assert "found nothing" in nothing.out
    assert "no article has the source 'Nobody'" in nothing.err
    dated = retrieve(QUESTION, "--since", "2999-01-01")
    assert "nothing was found within the filters" in dated.err
    (result,) = retrieve(QUESTION, "--rerank", "lexical", "--top", "2", "--json").json["results"]
    assert result["retriever"] == "graph-6+lexical"
    assert len(result["hits"]) == 2
    assert list(result["hits"][0]["parts"])[:2] == ["reranker", "retriever"]
    wider = ("--reranker", "lexical", "--candidates", "20", "--top", "2", "--json")
    assert retrieve(QUESTION, *wider).json["results"][0]["retriever"] == "graph-20+lexical"


@examples("arguments, told")
def test_mistakes_are_told_in_a_sentence(retrieve: Kg, arguments: tuple[str, ...], told: str) -> None:
    ended = retrieve(*arguments)
    assert ended.code == 2
    assert ended.out == ""
    assert told in ended.err
    assert ended.err.splitlines()[-1].startswith("error: ")


def test_reasons_fit_a_narrow_terminal_and_say_what_the_parts_of_a_score_mean(
    retrieve: Kg, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    shown = retrieve(QUESTION, "--explain", "--top", "4").out
    assert "likeness to the question" in shown
    assert "against" in shown
    assert "from itself and back, over " in shown
    assert max(map(len, shown.splitlines())) <= 81


def test_parts_of_another_retriever_keep_their_names(retrieve: Kg) -> None:
    shown = retrieve("Who owns the Ostby Rovers?", "--retriever", "hybrid", "--explain", "--top", "1").out
    assert "for it" in shown
    assert "words of the question" not in shown
    assert "--retriever graph tells the ways" in shown


@pytest.mark.campaign
def test_an_explanation_tells_why_nothing_was_found(retrieve: Kg) -> None:
    shown = retrieve("Zzyzx qwghlm?", "--retriever", "paths", "--explain")
    assert shown.code == 0
    assert "paths found nothing" in shown.out
    assert "names no entity of the corpus" in shown.out
