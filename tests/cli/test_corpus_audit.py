"""The audit: merges and links drawn for a human reader, with the sentences behind them."""

import json

import pytest

from cli.articles import print_audit
from cli.console import ConsoleProgress
from cli.session import Session
from kg.settings import Settings
from kg.store.graph import Graph
from tests.cli.conftest import Built, Kg
from tests.graph_reading import value


@pytest.fixture
def session(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> Session:
    monkeypatch.setenv("COLUMNS", "300")
    return Session(Settings(), graph, ConsoleProgress())


def test_each_side_of_a_merge_and_of_a_link_has_its_sentences(
    session: Session, graph: Graph, built: Built, capsys: pytest.CaptureFixture[str]
) -> None:
    print_audit(session, built.corpus, 30, 0, as_json=True)
    found = json.loads(capsys.readouterr().out)
    (board,) = [row for row in found["merged"] if row["name"] == "Norholm Health Board"]
    (short,) = [alias for alias in board["aliases"] if alias["name"] == "NHB"]
    assert short["sentences"] == [{"sentence": "The NHB was founded by Otto Pelham.", "article": "History"}]
    assert any("Norholm Health Board (NHB)" in row["sentence"] for row in board["sentences"])
    assert short["evidence"]
    (link,) = found["links"]
    by_name = {side["name"]: side["sentences"] for side in (link["a"], link["b"])}
    assert [row["sentence"] for row in by_name["Venning"]] == ["The Corrin Medal was awarded to Venning."]
    assert by_name["Orla Venning"][0]["sentence"].startswith("Orla Venning directs")
    assert [one["cluster"].startswith("cluster-") for one in link["clusters"]] == [True]
    mirrored = "MATCH (:Entity {corpus: $corpus})-[m:MIRRORED]->() RETURN count(m)"
    assert link["mirrored"] == value(graph, mirrored, corpus=built.corpus)
    assert found["links_total"] == len(found["links"])


def test_people_read_the_same(session: Session, built: Built, capsys: pytest.CaptureFixture[str]) -> None:
    print_audit(session, built.corpus, 30, 0, as_json=False)
    out = capsys.readouterr().out
    assert "= NHB  [" in out
    assert "“The NHB was founded by Otto Pelham.” — History" in out
    assert "in 1 cluster, mirrored edges: " in out
    assert "Venning (PERSON)" in out
    assert "kg graph entity split" in out


def test_a_draw_is_as_large_as_asked_and_repeats_by_seed(
    session: Session, graph: Graph, seed_corpus: str, capsys: pytest.CaptureFixture[str]
) -> None:
    drawn = []
    for seed in (1, 1, 2):
        print_audit(session, seed_corpus, 3, seed, as_json=True)
        drawn.append(json.loads(capsys.readouterr().out))
    assert drawn[0] == drawn[1]
    assert {row["id"] for row in drawn[0]["merged"]} != {row["id"] for row in drawn[2]["merged"]}
    merged = "MATCH (a:Alias {corpus: $corpus})-->(e) RETURN count(DISTINCT e)"
    assert drawn[0]["merged_total"] == value(graph, merged, corpus=seed_corpus)
    assert len(drawn[0]["merged"]) == min(3, drawn[0]["merged_total"])
    assert len(drawn[0]["links"]) == min(3, drawn[0]["links_total"])


def test_groups_that_were_kept_apart_are_all_listed(
    session: Session, graph: Graph, seed_corpus: str, capsys: pytest.CaptureFixture[str]
) -> None:
    print_audit(session, seed_corpus, 1, 0, as_json=True)
    found = json.loads(capsys.readouterr().out)["kept_apart"]
    groups = "MATCH (g:SplitGroup {corpus: $corpus}) RETURN count(g)"
    assert len(found) == value(graph, groups, corpus=seed_corpus)
    for group in found:
        assert group["reason"]
        assert len({member["part"] for member in group["members"]}) > 1


def test_a_build_lists_them_when_asked(
    built: Built, kg: Kg, session: Session, capsys: pytest.CaptureFixture[str]
) -> None:
    print_audit(session, built.corpus, 30, 0, as_json=False)
    audit = capsys.readouterr().out
    shown = kg("corpus", "build", "--audit", "--corpus", built.corpus)
    assert shown.code == 0, shown.err
    assert shown.out.startswith(f"corpus '{built.corpus}': ")
    assert audit in shown.out
    found = kg("corpus", "build", "--audit", "--corpus", built.corpus, "--json").json
    assert found["pairs_2_hops"] > 0
    assert len(found["audit"]["links"]) == 1
