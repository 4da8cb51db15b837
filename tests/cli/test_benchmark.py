"""`kg benchmark`: retrievers and embedders beside each other, on files in the forms of other sets."""

import json
from collections.abc import Callable
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from kg.queries import Query, parse_query
from kg.settings import Settings
from kg.store.graph import Graph
from services.benchmarks.cluster_spread import AGAINST
from services.benchmarks.contenders import LIBRARIES
from services.python_api.corpus import Corpus
from services.rag.protocol import RagQuestion
from services.rag.retrieval.choose import DEPTH, open_retriever
from tests.examples import examples
from tests.kg_command import Ended, run_kg
from tests.services.benchmarks.passage_sets import (
    QUESTIONS,
    Question,
    write_hotpotqa,
    write_kg_rag,
    write_musique,
)
from tests.small_world import tools

Kg = Callable[..., Ended]

pytestmark = pytest.mark.usefixtures("kg_environment", "corpora_dropped")


@pytest.fixture
def kg(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Kg:
    def run(*arguments: object) -> Ended:
        return run_kg(capsys, monkeypatch, "benchmark", *map(str, arguments))

    return run


def system(result: Ended, name: str, of: int = 0) -> Any:  # noqa: ANN401
    return next(one for one in result.json["sets"][of]["retrievers"] if one["name"] == name)


@pytest.mark.campaign
def test_a_set_is_measured_and_its_graph_found_again(kg: Kg, tmp_path: Path) -> None:
    files = write_musique(tmp_path)
    call = (
        "retrieval",
        "--corpus",
        files.corpus,
        "--questions",
        files.questions,
        "--retriever",
        "vector,words",
    )
    first = kg(*call, "--json")
    assert first.code == 0, first.err
    found = first.json["sets"][0]
    assert (found["passages"], found["chunks"], found["questions"]) == (12, 12, len(QUESTIONS))
    vector = system(first, "vector")
    assert vector["measures"]["Recall@10"]["value"] > 0.6
    assert vector["measures"]["Recall@10"]["interval"]["low"] <= vector["measures"]["Recall@10"]["value"]
    assert vector["latency"]["median"] <= vector["latency"]["p95"]
    assert vector["memory_mib"]["most"] > 0
    assert vector["against_base"] == {}
    assert set(system(first, "words")["against_base"]) == {"Recall@5", "AllGold@10", "MAP@10"}
    assert found["clusters"] == len(QUESTIONS)

    files.questions.write_text(json.dumps(json.loads(files.questions.read_text())[:2]))
    again = kg(*call, "--json")
    assert again.json["sets"][0]["questions"] == 2
    assert again.json["sets"][0]["corpus"] == found["corpus"]
    assert "resolution: " in again.err
    assert "done before" in again.err
    assert system(again, "vector")["gold_ranks"] == vector["gold_ranks"][:2]


@pytest.mark.campaign
def test_all_retrievers_stand_in_the_tables_of_each_set(kg: Kg, graph: Graph, tmp_path: Path) -> None:
    for library in LIBRARIES.values():
        pytest.importorskip(library)
    hotpotqa, kg_rag = write_hotpotqa(tmp_path), write_kg_rag(tmp_path)
    ended = kg(
        "retrieval", "--corpus", hotpotqa.corpus, "--questions", hotpotqa.questions,
        "--corpus", kg_rag.corpus, "--questions", kg_rag.questions, "--name", "pairs", "--name", "ids",
        "--retriever", "bm25s,graphrag-vector,graphrag-hybrid,vector",
    )  # fmt: skip
    assert ended.code == 0, ended.err
    assert "pairs: 4 questions over 12 passages" in ended.out
    assert "ids: 4 questions over 12 passages" in ended.out
    assert ended.out.count("graphrag-hybrid") == 2 * 6
    assert "…" not in ended.out
    assert max(map(len, ended.out.splitlines())) <= 100
    # What the library of others needed is gone again.
    assert not [row for row in graph.rows(_all_labels()) if row["label"] == "BenchmarkPassage"]


def _all_labels() -> Query:
    header = "// Labels in use.\n// params: none\n// returns: label: STRING\n// mode: read\n"
    return parse_query(
        "test", f"{header}CYPHER 25\nMATCH (n) UNWIND labels(n) AS label RETURN DISTINCT label"
    )


@pytest.mark.campaign
def test_the_same_vectors_give_the_same_ranking_to_both_libraries(kg: Kg, tmp_path: Path) -> None:
    pytest.importorskip("neo4j_graphrag")
    files = write_kg_rag(tmp_path)
    ended = kg(
        "retrieval", "--corpus", files.corpus, "--questions", files.questions,
        "--retriever", "graphrag-vector,vector", "--json",
    )  # fmt: skip
    assert ended.code == 0, ended.err
    assert system(ended, "graphrag-vector")["gold_ranks"] == system(ended, "vector")["gold_ranks"]


def test_gold_that_the_corpus_lacks_is_told_and_counts_as_not_found(kg: Kg, tmp_path: Path) -> None:
    lost = Question("Who paints the lighthouse of Atlantis?", "Nobody", ("Atlantis", "Marlow Bay"))
    nowhere = Question("Who rules Atlantis?", "Nobody", ("Atlantis", "Lemuria"))
    files = write_musique(tmp_path, (QUESTIONS[0], lost, nowhere))
    ended = kg(
        "retrieval",
        "--corpus",
        files.corpus,
        "--questions",
        files.questions,
        "--retriever",
        "vector",
        "--json",
    )
    assert ended.code == 0, ended.err
    found = ended.json["sets"][0]
    assert found["questions"] == 2
    assert found["questions_partly_found"] == 1
    assert found["questions_not_found"] == 1
    assert len(found["unmatched_gold"]) == 3
    ranks = system(ended, "vector")["gold_ranks"][1]
    assert sorted(rank is None for rank in ranks) == [False, True]
    assert system(ended, "vector")["measures"]["AllGold@10"]["value"] == 0.5


@pytest.mark.campaign
def test_triples_that_come_with_a_set_make_a_graph_of_their_own(kg: Kg, graph: Graph, tmp_path: Path) -> None:
    files = write_musique(tmp_path)
    passage = json.loads(files.corpus.read_text())[0]
    title, text = passage["title"], passage["text"]
    given, unknown = f"{title}\n{text}", "Atlantis\nNobody was there."
    triples = tmp_path / "triples.json"
    docs = [
        {"passage": one, "extracted_entities": [], "extracted_triples": [[title, "rhymes with", title[:4]]]}
        for one in (given, unknown)
    ]
    triples.write_text(json.dumps({"docs": docs}))
    call = ("retrieval", "--corpus", files.corpus, "--questions", files.questions)
    ended = kg(*call, "--retriever", "fact-pagerank", "--triples", triples, "--json")
    assert ended.code == 0, ended.err
    found = ended.json["sets"][0]
    assert ended.json["settings"]["triples"] == [str(triples)]
    assert (found["triples"]["passages"], found["triples"]["matched"]) == (2, 1)
    assert len(found["triples"]["unmatched"]) == 1
    plain = kg(*call, "--retriever", "fact-pagerank", "--json").json["sets"][0]
    assert plain["triples"] is None
    assert plain["corpus"] != found["corpus"]


def test_all_files_are_checked_before_the_first_set_and_what_was_measured_outlives_a_later_failure(
    kg: Kg, tmp_path: Path
) -> None:
    first = write_musique(tmp_path)
    other = tmp_path / "other.jsonl"

    def measured() -> Ended:
        sets = ("--corpus", first.corpus, "--questions", first.questions, "--corpus", first.corpus)
        return kg("retrieval", *sets, "--questions", other, "--retriever", "words", "--json")

    other.write_text('{"what": "is this?"}\n', encoding="utf-8")
    ended = measured()
    assert (ended.code, ended.out) == (2, "")
    assert "other.jsonl" in ended.err
    assert "articles" not in ended.err
    # Its form is right, and none of its evidence is among the passages.
    foreign = json.loads(first.questions.read_text(encoding="utf-8"))
    for paragraph in (one for row in foreign for one in row["paragraphs"]):
        paragraph["title"] = paragraph["paragraph_text"] = "Elsewhere."
    other.write_text(json.dumps(foreign), encoding="utf-8")
    ended = measured()
    assert ended.code != 0
    assert "has evidence among the passages" in ended.err
    assert len(ended.json["sets"]) == 1


@examples("arguments, says")
def test_what_can_not_work_is_said_in_one_sentence(
    kg: Kg,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    arguments: tuple[str, ...],
    says: str,
) -> None:
    monkeypatch.setenv("HOPGRADE_SHARED", str(tmp_path / "nothing"))
    ended = kg("retrieval", *arguments)
    assert ended.code == 2
    assert says in ended.err
    assert "Traceback" not in ended.err


@pytest.mark.campaign
def test_embedders_are_measured_with_and_without_a_reranker(
    kg: Kg,
    tmp_path: Path,
    graph: Graph,
    small_corpus: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ended = kg(
        "embedders", "--corpus", small_corpus, "--embedder", "builtin", "--reranker", "lexical", "--json"
    )
    assert ended.code == 0, ended.err
    plain, reranked = ended.json["cells"]
    assert (plain["reranker"], reranked["reranker"]) == ("none", "lexical")
    assert plain["embedder"] == reranked["embedder"]
    assert 0 < plain["means"]["MRR@10"]["value"] <= 1
    # Only questions along a path have sentences for facts; others have the chunks of their evidence.
    assert 0 < plain["official_n"] <= ended.json["questions"]
    assert plain["official"]["hits_at_4"] <= plain["official"]["hits_at_10"] <= 1
    monkeypatch.setenv("COLUMNS", "80")
    shown = kg("embedders", "--corpus", small_corpus, "--limit", "2").out
    assert "+ lexical" in shown
    assert "…" not in shown
    assert "MRR@10  MAP@10  Hits@10  Hits@4  R@10    R@4" in shown
    other = kg("embedders", "--corpus", small_corpus, "--chunks", "32-96/16", "--json")
    assert other.json["chunking"] == "32-96/16"
    assert len(other.json["cells"]) == 2


def test_what_clusters_add_to_retrieval_is_measured_on_a_corpus(
    kg: Kg, graph: Graph, small_corpus: str
) -> None:
    top = 2
    ended = kg("clusters", "--corpus", small_corpus, "--top", top, "--json")
    assert ended.code == 0, ended.err
    rows = {one["retriever"]: one for one in ended.json["rows"]}
    assert list(rows) == list(AGAINST)
    # Of the pieces of evidence of each question, by hand, what the first chunks of the vector search hold.
    corpus = Corpus(graph, small_corpus, Settings())
    retriever = open_retriever("vector", graph, small_corpus, tools().embedder, DEPTH)
    shares = []
    for question in corpus.questions():
        pieces = {
            hop: {one.chunk for one in question.evidence if one.hop == hop}
            for hop in {one.hop for one in question.evidence}
        }
        if question.kind == "null" or not pieces:
            continue
        (vector,) = tools().embedder.embed_queries([question.text])
        (hits,) = retriever.retrieve([RagQuestion(question.id, question.text, vector)])
        shown = {hit.chunk for hit in hits[:top]}
        shares.append(fmean(bool(piece & shown) for piece in pieces.values()))
    assert ended.json["questions"] == len(shares)
    assert rows["vector"]["hops"] == pytest.approx(fmean(shares))
    assert rows["vector"]["whole"] == pytest.approx(fmean(share == 1 for share in shares))
    assert rows["vector"]["hops_change"] is None
    for one in rows.values():
        assert 0 < one["whole"] <= one["hops"] <= 1
        assert 0 < one["clusters"] <= 1
        if one["against"] and (change := one["hops_change"]):
            assert change["difference"] == pytest.approx(one["hops"] - rows[one["against"]]["hops"])
            assert change["low"] <= change["difference"] <= change["high"]
    shown_rows = kg("clusters", "--corpus", small_corpus, "--limit", "3").out
    assert "clustered, 0.75" in shown_rows
    assert "3 questions" in shown_rows
