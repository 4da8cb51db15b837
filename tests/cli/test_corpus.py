"""`kg corpus graph`, `kg corpus explain`: figures on a graph, and what the rules read in a text."""

import json
from dataclasses import asdict

import pytest

from cli.corpus import print_graph_quality
from kg.progress import Silent
from kg.store.graph import Graph
from services.evaluate.graph_quality import read_graph_quality
from tests.cli.conftest import Built, Kg


def test_the_tables_hold_the_figures(graph: Graph, built: Built, capsys: pytest.CaptureFixture[str]) -> None:
    found = read_graph_quality(graph, built.corpus, Silent())
    print_graph_quality(built.corpus, found)
    out = capsys.readouterr().out
    for title in ("Pairs of entities by distance", "Drawn paths", "Edges by reason"):
        assert title in out
    assert f"{found.named_entities:,} named entities" in out
    assert "Facts kept out" in out
    assert {"gate": "negated", "facts": 1, "alone": 1} in found.gates
    assert json.loads(json.dumps(asdict(found)))["path_edges"] == found.path_edges


SENTENCE = "Ana Brel, who was born in Lyon, did not found Norvik Energy on Monday."


def test_it_shows_the_rule_behind_each_triple(kg: Kg) -> None:
    shown = kg("corpus", "explain", SENTENCE, "--date", "2031-05-17")
    assert shown.code == 0
    text = " ".join(shown.out.split())
    assert "Monday [2031-05-12]" in text
    assert "verified yes" in text
    assert "fact (" in text
    assert "verb-object" in text
    assert "negated" in text
    assert "a verb with its direct object." in text


def test_what_does_not_stand_alone_is_told_with_the_reason(kg: Kg) -> None:
    shown = kg("corpus", "explain", "She left Rome. What a terrible night! Who won?")
    assert 'no: what "She" stands for is not said' in " ".join(shown.out.split())
    assert "no claim" in shown.out


def test_as_json_it_is_for_programs(kg: Kg) -> None:
    (one,) = kg("corpus", "explain", SENTENCE, "--json").json
    assert one["statement"]
    assert {"triple", "rule"} == set(one["triples"][0])
    assert one["doubt"] == ""
    assert one["signs"]


def test_mistakes_are_told_in_a_sentence(kg: Kg) -> None:
    for arguments in ((SENTENCE, "--date", "yesterday"), (" ",), ()):
        ended = kg("corpus", "explain", *arguments)
        assert ended.code == 2
        assert ended.err.startswith("error: ")
        assert ended.err.count("\n") == 1
