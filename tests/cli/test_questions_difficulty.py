"""`kg questions difficulty`: own difficulties, other chunkings, and what it says when it can't."""

import pytest

from kg.store.graph import Graph
from tests.cli.conftest import Built, Kg
from tests.examples import examples
from tests.graph_reading import value

RUN = "MATCH (r:Run {corpus: $corpus}) RETURN r.name"
RATINGS = "MATCH (g:Rating {corpus: $corpus}) RETURN count(g)"


@pytest.mark.campaign
def test_without_options_it_prints_the_corpus_own(kg: Kg, graph: Graph, built: Built) -> None:
    before = value(graph, RATINGS, corpus=built.corpus)
    ended = kg("questions", "difficulty", "--corpus", built.corpus)
    assert ended.code == 0, ended.err
    assert "the corpus' own" in ended.out
    for line in ("2 hops", "weakest hop", "mean of hops", "power mean", "in these quartiles"):
        assert line in ended.out
    assert "another quartile" not in ended.out
    assert value(graph, RATINGS, corpus=built.corpus) == before


@pytest.mark.parametrize("preset", [("small", "64-128/25"), ("large", "256-512/100")])
def test_another_chunking_is_computed_kept_and_compared(
    kg: Kg, graph: Graph, built: Built, preset: tuple[str, str]
) -> None:
    name, size = preset
    ended = kg("questions", "difficulty", "--corpus", built.corpus, "--chunking", name)
    assert ended.code == 0, ended.err
    assert f"chunks of {size} tokens" in ended.out
    assert "rank correlation" in ended.out
    found = kg("questions", "difficulty", "--corpus", built.corpus, "--chunking", size, "--json").json
    assert found["chunking"] == size
    assert found["run"] == value(graph, RUN, corpus=built.corpus)
    assert found["matrix"]["total"]["n"] == len(found["questions"])
    assert found["moved"][-1]["n"] == len(found["questions"]) > 0
    kept = "MATCH (:Rating {corpus: $corpus, chunking: $size})-[r:RATES]->() RETURN count(r)"
    assert value(graph, kept, corpus=built.corpus, size=size) == len(found["questions"])


@examples("options, complaint")
def test_a_mistake_ends_in_a_sentence_with_the_remedy(
    kg: Kg, built: Built, options: tuple[str, str], complaint: str
) -> None:
    ended = kg("questions", "difficulty", "--corpus", built.corpus, *options)
    assert ended.code == 2
    assert complaint in ended.err
    assert "Traceback" not in ended.err
