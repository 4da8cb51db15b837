"""`kg benchmark multihop-rag`: both tables and the figure, over a small set in the form of the authors'."""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from services.benchmarks.multihop_rag import check_experiment, paper_name, published_results
from tests.kg_command import Ended, run_kg
from tests.multihop_rag_files import FACTS, QUERIES, write_set
from tests.scripted_endpoint import Answer, Asked, Status, scripted_endpoint
from tests.services.rag.scripted_answers import fences

Kg = Callable[..., Ended]

pytestmark = pytest.mark.usefixtures("kg_environment", "corpora_dropped")


@pytest.fixture
def kg(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Kg:
    def run(*arguments: object) -> Ended:
        return run_kg(capsys, monkeypatch, "benchmark", "multihop-rag", *map(str, arguments))

    return run


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    return write_set(tmp_path)


def read_fact(asked: Asked) -> Answer:
    """Answers with the key where both facts are shown and nothing else, else that it can't tell."""
    given = fences(asked)
    shown = [text for label, text in given.items() if label.startswith("passage")]
    facts = [fact for _, fact in list(FACTS.values())[:2]]
    both = len(shown) == 2 and all(any(fact in text for text in shown) for fact in facts)
    answers = {text: answer for text, answer, *_ in QUERIES}
    return f"Answer: {answers[given['question']] if both else 'Insufficient information.'}"


def accuracy(
    document: Any,  # noqa: ANN401
    evidence: str,
    query_type: str,
    reader: str = "scripted",
) -> tuple[float, int]:
    wanted = (reader, evidence, query_type)
    (row,) = [
        one for one in document["accuracy"] if (one["reader"], one["evidence"], one["query_type"]) == wanted
    ]
    return row["any_word"]["value"], row["any_word"]["n"]


def test_tables_and_figure_stand_beside_what_the_paper_prints(
    kg: Kg, files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    with scripted_endpoint(read_fact) as endpoint:
        for name, value in endpoint.environment().items():
            monkeypatch.setenv(name, value)
        dry = kg(*files, "--model", "scripted", "--dry-run", "--json")
        assert not endpoint.requests
        ended = kg(*files, "--model", "scripted", "--no-preflight", "--json")
        assert ended.code == 0, ended.err
        sent = len(endpoint.requests)
        # Three questions from what was retrieved, and from the facts the two that have some.
        assert dry.json["calls"] == sent == 5
        again = kg(*files, "--model", "scripted", "--no-preflight")
        # The corpus is found again, and the replies are kept.
        assert len(endpoint.requests) == sent > 0
    document = ended.json
    assert (document["articles"], document["asked"], document["readers"]) == (4, 3, ["scripted"])
    assert [cell["reranker"] for cell in document["retrieval"]] == ["none", "lexical"]
    for cell in document["retrieval"]:
        assert cell["means"]["Hits@10"]["value"] == cell["official"]["hits_at_10"] == 1
    # All four chunks are retrieved, where this reader abstains; from the facts alone it knows both answers.
    share, asked = accuracy(document, "retrieved chunks", "all")
    assert (round(share, 4), asked) == (0.3333, 3)
    assert accuracy(document, "retrieved chunks", "null") == (1.0, 1)
    assert accuracy(document, "ground-truth evidence", "all") == (1.0, 2)
    assert "4 articles, where the paper has 609." in document["differences"]
    assert again.code == 0, again.err
    for said in ("Table 5", "paper: voyage-02", "Table 6", "paper: GPT-4", "Figure 3", "What differs"):
        assert said in again.out


def asked_of(requests: Sequence[Asked]) -> Counter[str]:
    """How many requests each model got."""
    return Counter(request.body["model"] for request in requests)


def read_or_refuse(asked: Asked) -> Answer | Status:
    """As `read_fact`; "silent" abstains always, and "gone" is no longer served."""
    match asked.body["model"]:
        case "gone":
            return Status(404, "There is no such model.")
        case "silent":
            return "Answer: Insufficient information."
        case _:
            return read_fact(asked)


def test_several_readers_have_their_rows_and_a_stopped_call_goes_on(
    kg: Kg, files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    with scripted_endpoint(read_or_refuse) as endpoint:
        for name, value in endpoint.environment().items():
            monkeypatch.setenv(name, value)
        both = ("--model", "scripted", "--model", "silent", "--model", "scripted")
        dry = kg(*files, *both, "--dry-run", "--json")
        shown = kg(*files, *both, "--dry-run")
        assert not endpoint.requests
        stopped = kg(*files, "--model", "scripted", "--model", "gone", "--no-preflight")
        before = asked_of(endpoint.requests)
        ended = kg(*files, *both, "--no-preflight", "--json")
        told = kg(*files, *both, "--no-preflight")
        after = asked_of(endpoint.requests) - before
    # What each reader would be asked, and all of them.
    assert {name: one["calls"] for name, one in dry.json["readers"].items()} == {"scripted": 5, "silent": 5}
    assert dry.json["calls"] == 10
    assert "answers of silent" in shown.out
    # The first reader's answers outlast a stop at the second, and nobody is asked twice.
    assert stopped.code != 0
    assert before["scripted"] == 5
    assert after == {"silent": 5}
    document = ended.json
    assert document["readers"] == ["scripted", "silent"]
    # From the facts alone one knows both answers; the other is right where there is none.
    assert accuracy(document, "ground-truth evidence", "all") == (1.0, 2)
    assert accuracy(document, "ground-truth evidence", "all", "silent") == (0.0, 2)
    assert accuracy(document, "retrieved chunks", "null", "silent") == (1.0, 1)
    assert any("Read by scripted, silent, with" in one for one in document["differences"])
    for said in ("scripted, any word", "silent, any word", "silent, match"):
        assert said in told.out


def test_a_reader_without_a_price_is_refused_before_anything_is_done(
    kg: Kg, files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    with scripted_endpoint(read_fact) as endpoint:
        for name, value in endpoint.environment().items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("HOPGRADE_BUDGET_MONEY", "1")
        monkeypatch.setenv("HOPGRADE_MODEL_PRICES", '{"scripted": [1, 1]}')
        ended = kg(*files, "--model", "scripted", "--model", "dear")
        assert not endpoint.requests
    assert ended.code == 2
    assert "dear" in ended.err or "price" in ended.err


def test_files_are_looked_at_before_anything_is_done(
    kg: Kg, files: tuple[Path, Path], tmp_path: Path
) -> None:
    corpus, questions = files
    none, other = tmp_path / "none.json", tmp_path / "other.json"
    other.write_text(json.dumps([{"query": "Who?", "answer": "Nobody", "question_type": "null_query"}]))
    for arguments in ((none, questions), (corpus, none), (corpus, other)):
        ended = kg(*arguments)
        assert ended.code == 2
        assert ended.err.count("\n") == 1


def test_a_limit_takes_all_types_alike_and_a_larger_one_adds(files: tuple[Path, Path]) -> None:
    rows = json.loads(files[1].read_text())
    many = [{**rows[number % 3], "query": f"{number}: {rows[number % 3]['query']}"} for number in range(30)]
    files[1].write_text(json.dumps(many))
    six, nine = (check_experiment(*files, limit).sample for limit in (6, 9))
    assert sorted(one.type for one in six) == sorted(["inference", "comparison", "null"] * 2)
    assert {one.id for one in six} < {one.id for one in nine}


def test_the_published_figures_have_their_places() -> None:
    paper = published_results()
    assert paper.retrieval["voyage-02"]["reranked"] == [0.586, 0.4795, 0.7467, 0.6625]
    assert paper.accuracy["GPT-4"] == [0.56, 0.89]
    assert all(len(row) == 4 for rows in paper.retrieval.values() for row in rows.values())
    assert paper_name("sentence-transformers:BAAI/bge-large-en-v1.5") == "bge-large-en-v1.5"
    assert paper_name("builtin/all-MiniLM-L6-v2-int8w") == ""
