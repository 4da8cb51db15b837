"""`kg corpus graph` as a person and a program read it."""

import json
from dataclasses import asdict

import pytest

from cli.corpus import print_graph_quality
from kg.progress import Silent
from kg.store.graph import Graph
from services.evaluate.graph_quality import read_graph_quality
from tests.cli.conftest import Built


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
