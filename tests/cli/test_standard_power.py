"""`kg standard power`: tables and JSON, without a graph unless there is a pilot."""

from kg.store.graph import Graph
from tests.cli.conftest import Kg
from tests.services.report.planted import Given, Planted, answer, plant


def test_it_plans_without_a_graph(kg: Kg) -> None:
    ended = kg("standard", "power", "--difference", "0.05", "--icc", "0.2")
    assert ended.code == 0
    assert "To show a difference of 0.05" in ended.out
    assert "1,264" in ended.out
    assert "given" in ended.out
    assert "assumed" in ended.out


def test_json_has_the_whole_plan(kg: Kg) -> None:
    words = ("--questions", "400", "--clusters", "100", "--difference", "0.05", "--sd", "0.4", "--json")
    found = kg("standard", "power", *words).json
    assert (found["questions"], found["clusters"]) == (400, 100)
    assert found["spread"]["per_cluster"] == 4
    assert found["spread"]["sd"] == 0.4
    assert 0 < found["power"] < 0.8
    assert found["detectable"] > 0.05
    assert found["pilot"] is None


def test_either_of_questions_and_clusters_is_enough(kg: Kg) -> None:
    by_clusters = kg("standard", "power", "--clusters", "50", "--per-cluster", "3", "--json").json
    by_questions = kg("standard", "power", "--questions", "150", "--per-cluster", "3", "--json").json
    assert by_clusters == by_questions
    assert by_clusters["questions"] == 150


def test_what_can_not_be_planned_is_a_sentence(kg: Kg) -> None:
    for words in ((), ("--questions", "5", "--clusters", "9"), ("--difference", "0.1", "--power", "0.04")):
        ended = kg("standard", "power", *words)
        assert ended.code == 2
        assert ended.err.startswith("error:")
        assert "Traceback" not in ended.err


def test_few_clusters_are_warned_of(kg: Kg) -> None:
    ended = kg("standard", "power", "--clusters", "5", "--difference", "0.1")
    assert ended.code == 0
    assert "warning: A sign-flip test over 5 clusters" in ended.err


def test_a_pilot_gives_the_spread(kg: Kg, graph: Graph, corpus: str) -> None:
    questions = [Planted(f"{start}-{i}", start=start) for start in range(6) for i in range(2)]
    plant(graph, corpus, questions)
    answer(graph, corpus, "one", [Given(q.name, right=True) for q in questions])
    answer(graph, corpus, "other", [Given(q.name, right=q.start > 1) for q in questions])
    words = ("standard", "power", "--difference", "0.1", "--pilot", "one", "other", "--corpus", corpus)
    ended = kg(*words)
    assert ended.code == 0
    assert "by the pilot" in ended.out
    assert "'other' less 'one' is -0.333 on 12 questions in 6 clusters" in ended.out
    found = kg(*words, "--json").json
    assert found["pilot"]["spread"] == found["spread"]
    assert kg(*words, "--icc", "0", "--json").json["clusters"] < found["clusters"]
