"""One question answered in the open, with the facts that lead to the answer."""

import json
from itertools import product
from pathlib import Path

import pytest

from cli.ask import print_asking
from kg.errors import NothingToDoError
from kg.progress import Silent
from kg.queries import query
from kg.settings import Settings
from kg.stages.articles import ArticleLimits, ingest_articles
from kg.store.graph import Graph
from kg.text.chunks import parse_chunk_size
from services.pipeline import run_job
from services.python_api.questions import read_path_graph
from services.rag.ask import LEAST_TOLD, PathStep, ask, word_coverage
from services.rag.reader import NO_ANSWER, READER
from services.settled_options import GivenOptions, prepare_job
from tests.graph_reading import change, read
from tests.services.questions.filters.little_world import Said, World
from tests.small_world import ARTICLES, tools


def test_an_answer_comes_with_its_chunk_and_the_fact(graph: Graph, small_corpus: str) -> None:
    asking = ask(
        graph, small_corpus, "Which club does Mira Tolland play for?", tools().embedder, 3, Settings()
    )
    assert asking.reading.answer == "Ostby Rovers"
    assert asking.path == (PathStep("Mira Tolland", "plays for", "Ostby Rovers"),)
    assert len(asking.hits) == len(asking.passages) == 3
    assert [hit.chunk for hit in asking.hits] == [passage.chunk for passage in asking.passages]
    (read_from,) = [passage for passage in asking.passages if passage.chunk == asking.reading.chunk]
    assert asking.reading.sentence in read_from.text


def test_a_path_leads_over_several_facts_and_against_their_direction(graph: Graph, small_corpus: str) -> None:
    question = "Which person founded the company that owns the club of Mira Tolland?"
    asking = ask(graph, small_corpus, question, tools().embedder, 14, Settings())
    assert asking.reading.answer == "Greta Lindqvist"
    assert [step.predicate for step in asking.path] == ["plays for", "are owned by", "was founded by"]
    backwards = ask(graph, small_corpus, "Who plays for the Ostby Rovers?", tools().embedder, 5, Settings())
    assert backwards.reading.answer == "Mira Tolland"
    assert backwards.path == (PathStep("Mira Tolland", "plays for", "Ostby Rovers"),)


def test_of_several_shortest_paths_the_first_by_names_and_predicates_is_told(
    graph: Graph, corpus: str
) -> None:
    world = World(graph, corpus)
    for middle, verb in product(("Zed Hall", "Abe Hall"), ("sells to", "lends to")):
        world.plant(Said("Otto Pelham", verb, middle, "k1"), Said(middle, verb, "Halden Shipping", "k2"))
    change(graph, "CYPHER 25 MATCH ()-[r:RELATES {corpus: $corpus}]->() SET r.stated = true", corpus=corpus)
    (row,) = graph.rows(
        query("paths/find_between"), starts=[world.id("Otto Pelham")], end=world.id("Halden Shipping")
    )
    assert row["names"] == ["Otto Pelham", "Abe Hall", "Halden Shipping"]
    assert [step["predicate"] for step in row["steps"]] == ["lends to", "lends to"]


def test_what_is_reported_is_asked_read_and_shown_where_the_corpus_was_built_so(
    graph: Graph, corpus: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stated = "Halden Shipping was founded by Greta Lindqvist."
    texts = [
        text.replace(stated, f"Otto Pelham said that {stated}")
        for name, text in ARTICLES.items()
        if name != "board"
    ]
    file = tmp_path / "articles.jsonl"
    rows = [{"title": f"News {number}", "body": text} for number, text in enumerate(texts)]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    kept = (
        "MATCH (q:Question {corpus: $corpus, status: 'kept', kind: 'chain'})-[:FOLLOWS]->(p) "
        "WHERE q.text CONTAINS 'ccording to Otto Pelham' RETURN p.id AS path"
    )
    found = {}
    for attributed in (False, True):
        given = GivenOptions(chunk_size=parse_chunk_size("16-48/8"), attributed=attributed)
        job, made = prepare_job(graph, corpus, given, Settings())
        ingest_articles(graph, corpus, [file], {}, ArticleLimits(1), Silent())
        run_job(graph, corpus, job, made, Silent())
        asking = ask(graph, corpus, "Who founded Halden Shipping?", tools().embedder, 14, Settings())
        facts = {fact.object.name for passage in asking.passages for fact in passage.facts}
        print_asking(asking)
        edges = [
            fact
            for row in read(graph, kept, corpus=corpus)
            for *_, fact in read_path_graph(graph, corpus, row["path"]).edges(data=True)
        ]
        founded = {fact["attributed_to"] for fact in edges if fact["predicate"] == "was founded by"}
        found[attributed] = (
            len(read(graph, kept, corpus=corpus)) > 0,
            "Greta Lindqvist" in facts,
            [(step.predicate, step.attributed_to) for step in asking.path],
            founded,
        )
    assert found == {
        False: (False, False, [], set()),
        True: (True, True, [("was founded by", "Otto Pelham")], {"Otto Pelham"}),
    }
    told = "  Halden Shipping -> was founded by -> Greta Lindqvist (says Otto Pelham)"
    assert told in capsys.readouterr().out.splitlines()


def test_a_mirrored_edge_is_said_by_whoever_said_the_fact_that_it_mirrors(graph: Graph, corpus: str) -> None:
    world = World(graph, corpus)
    world.plant(Said("Otto Pelham", "leads", "Halden Shipping", "k1"), Said("Ana Brel", "met", "Brel", "k2"))
    mirror = (
        "CYPHER 25 MATCH (o:Entity {id: $of})-[r:RELATES]->(s) SET r.attributed_to = 'the coroner' "
        "WITH * MATCH (a:Entity {id: $to}) "
        "CREATE (a)-[m:MIRRORED {id: $corpus + ' m', corpus: $corpus, mirror_of: r.id}]->(s) "
        "SET m.predicate = r.predicate"
    )
    ids = {name: world.id(name) for name in ("Otto Pelham", "Ana Brel", "Halden Shipping")}
    change(graph, mirror, corpus=corpus, of=ids["Otto Pelham"], to=ids["Ana Brel"])
    (row,) = graph.rows(query("paths/find_between"), starts=[ids["Ana Brel"]], end=ids["Halden Shipping"])
    (step,) = row["steps"]
    assert (step["subject"], step["predicate"], step["attributed_to"]) == ("Ana Brel", "leads", "the coroner")


def test_a_date_that_a_fact_states_has_a_path(graph: Graph, small_corpus: str) -> None:
    asking = ask(graph, small_corpus, "When was Verrin University founded?", tools().embedder, 5, Settings())
    assert (asking.reading.answer, asking.path) == (
        "1412",
        (PathStep("Verrin University", "was founded in", "1412"),),
    )


def test_without_an_answer_there_is_no_path(graph: Graph, small_corpus: str) -> None:
    asking = ask(graph, small_corpus, "Zzyzx qwghlm?", tools().embedder, 5, Settings())
    assert (asking.reading.answer, asking.path) == (NO_ANSWER, ())


@pytest.mark.parametrize(
    ("retriever", "told"), [("vector", "nothing to search yet"), ("graph", "is not built yet")]
)
def test_a_corpus_without_vectors_says_what_to_do(
    graph: Graph, corpus: str, retriever: str, told: str
) -> None:
    question = "Who plays for the Ostby Rovers?"
    with pytest.raises(NothingToDoError, match=told) as caught:
        ask(graph, corpus, question, tools().embedder, 5, Settings(), retriever=retriever)
    assert f"kg corpus build --corpus {corpus}" in caught.value.remedy


def test_a_system_shows_its_steps(graph: Graph, small_corpus: str) -> None:
    question = "Which person founded the company that owns the club of Mira Tolland?"
    asking = ask(graph, small_corpus, question, tools().embedder, 3, Settings(), "multi-step")
    assert (asking.system, asking.generator) == ("multi-step", READER)
    assert [step.action for step in asking.steps] == ["retrieve", "answer", "retrieve", "answer"]
    assert [step.index for step in asking.steps] == [1, 2, 3, 4]
    assert asking.steps[2].query.startswith(question)
    assert 3 <= len(asking.hits) <= 6


def test_a_question_for_which_nothing_is_found_has_no_answer(graph: Graph, small_corpus: str) -> None:
    asking = ask(graph, small_corpus, "Zzyzx qwghlm?", tools().embedder, 5, Settings(), retriever="words")
    assert (asking.reading.answer, asking.hits, asking.passages) == (NO_ANSWER, (), ())


def test_a_path_is_shown_where_it_says_what_the_question_asks() -> None:
    question = "Who leads the university headquartered in Dunmarrow?"
    told = (
        PathStep("University of Dunmarrow", "is headquartered in", "Dunmarrow"),
        PathStep("Helena Brandvold", "leads", "University of Dunmarrow"),
    )
    assert word_coverage(question, told) == 1
    other = (
        PathStep("Stenbury Commission", "sat in", "Dunmarrow"),
        PathStep("Helena Brandvold", "advised", "Stenbury Commission"),
    )
    assert word_coverage(question, other) == 0 < LEAST_TOLD
    # One of two relations, and no word but names and what is asked for.
    assert word_coverage("Which club won and lost the cup?", (PathStep("Rovers", "won", "cup"),)) == 0.5
    assert word_coverage("Which club is the Rovers' rival?", (PathStep("Rovers", "met", "rival"),)) == 0
    # "Where is" asks where something is located, and for nothing else.
    university = "Where is the University of Dunmarrow?"
    grant = PathStep("University of Dunmarrow", "gave scholarship to", "Wilhelmina Garrick")
    assert word_coverage(university, (grant,)) == 0
    assert (
        word_coverage(university, (PathStep("University of Dunmarrow", "is located in", "Dunmarrow"),)) == 1
    )
