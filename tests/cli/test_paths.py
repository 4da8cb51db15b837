"""`kg graph paths` as a user meets it, on the small world whose chain of facts is known by design."""

import json
import re
from pathlib import Path

import pytest

from kg.ledger import record_stage
from kg.store.graph import Graph
from tests.cli.conftest import Built, Kg
from tests.graph_reading import change, value
from tests.small_world import CHAIN, run_small_job

ALIASES = Path(__file__).parents[2] / "seed" / "gold" / "aliases.jsonl"
FIRST, LAST = CHAIN[0], CHAIN[4]


def test_the_census_counts_pairs_with_and_without_mirrored_edges(built: Built, kg: Kg) -> None:
    ended = kg("graph", "paths", "census", "--corpus", built.corpus, "--json")
    assert ended.code == 0, ended.err
    mirrored, told = ended.json["walks"]
    assert (mirrored["mirrored"], told["mirrored"]) == (True, False)
    assert mirrored["engine"] == "sparse"
    assert re.fullmatch(r"chosen by size: \d+ edges, no more than 5,000,000", mirrored["reason"])
    assert sum(mirrored["pairs"]) > sum(told["pairs"]) > 0
    for walk in (mirrored, told):
        needing = walk["needing_two_articles"]
        assert all(few <= many for few, many in zip(needing, walk["pairs"], strict=True))
        assert needing[0] == 0, "a fact needs one article"
        assert sum(needing) > 0


def test_both_engines_count_the_same(built: Built, kg: Kg) -> None:
    for more in ((), ("--undirected",)):
        sparse, cypher = (
            kg(
                "graph", "paths", "census", "--corpus", built.corpus, "--engine", engine, "--json", *more
            ).json["walks"]
            for engine in ("sparse", "cypher")
        )
        assert [walk["pairs"] for walk in sparse] == [walk["pairs"] for walk in cypher]
        assert {walk["engine"] for walk in cypher} == {"cypher"}
        assert {walk["needing_two_articles"] for walk in cypher} == {None}


def test_the_census_is_printed_with_its_engine_and_time(built: Built, kg: Kg) -> None:
    shown = kg("graph", "paths", "census", "--corpus", built.corpus).out
    assert "2 hops" in shown
    assert "need two articles" in shown
    assert "sparse engine, chosen by size: " in shown
    assert "starts searched in" in shown


def test_all_shortest_paths_between_two_entities_are_told(built: Built, kg: Kg) -> None:
    ended = kg("graph", "paths", "between", FIRST, LAST, "--corpus", built.corpus)
    assert ended.code == 0, ended.err
    assert f"{FIRST} to {LAST}: 4 hops" in ended.out
    for sentence in (
        "plays for the Ostby Rovers",
        "are owned by Halden Shipping",
        "studied at Verrin University",
    ):
        assert sentence in ended.out
    assert "1. Mira Tolland > " in ended.out
    assert "2. Mira Tolland > " in ended.out
    assert "the first fact" in ended.out
    assert "the same name" in ended.out
    assert "Rovers" in ended.out
    assert "Teacher" in ended.out, "the title of an article"


def test_paths_between_as_json(built: Built, kg: Kg) -> None:
    """The fact that Greta Lindqvist founded Halden Shipping stands in two articles: two paths."""
    found = kg("graph", "paths", "between", FIRST, LAST, "--corpus", built.corpus, "--json").json
    assert (found["hops"], found["alternatives"]) == (4, 2)
    for path in found["paths"]:
        assert [entity["name"] for entity in path["entities"]] == list(CHAIN)
        assert len(path["hops"]) == 4
        assert all(hop["sentence"] and hop["article"] and not hop["reversed"] for hop in path["hops"])
    assert len({path["hops"][2]["article"] for path in found["paths"]}) == 2
    assert found["saved"] == []


def test_fewer_are_printed_than_there_are_and_it_says_so(built: Built, kg: Kg) -> None:
    ended = kg("graph", "paths", "between", FIRST, LAST, "--corpus", built.corpus, "--limit", "1")
    assert "4 hops, 2 shortest paths" in ended.out
    assert "1 more; print them with --limit." in ended.err


def test_any_name_of_an_entity_will_do(built: Built, kg: Kg) -> None:
    found = kg("graph", "paths", "between", "nhb", "Otto Pelham", "--corpus", built.corpus, "--json").json
    assert found["start"]["name"] == "Norholm Health Board"
    assert found["hops"] == 1


@pytest.mark.parametrize(
    ("arguments", "complaint", "remedy"),
    [
        ((LAST, FIRST), "no path of at most 5 hops leads from", "--undirected"),
        ((FIRST, LAST, "--hops", "3"), "no path of at most 3 hops", "--hops 5"),
        ((FIRST, FIRST), "both names mean 'Mira Tolland'", "two different entities"),
        ((FIRST, "Nobody Atall"), "has no entity 'Nobody Atall'", "Check the spelling"),
    ],
    ids=["the other way", "too far", "the same", "unknown"],
)
def test_where_there_is_no_path_one_sentence_says_why(
    built: Built, kg: Kg, arguments: tuple[str, ...], complaint: str, remedy: str
) -> None:
    ended = kg("graph", "paths", "between", *arguments, "--corpus", built.corpus)
    assert ended.code == 2
    assert complaint in ended.err
    assert remedy in ended.err
    assert "Traceback" not in ended.err


def test_edges_are_walked_backwards_when_asked(built: Built, kg: Kg) -> None:
    found = kg(
        "graph", "paths", "between", LAST, FIRST, "--undirected", "--corpus", built.corpus, "--json"
    ).json
    assert found["hops"] == 4
    assert all(hop["reversed"] for path in found["paths"] for hop in path["hops"])


@pytest.mark.campaign
def test_a_saved_path_is_listed_and_shown(built: Built, kg: Kg, graph: Graph) -> None:
    questions = "MATCH (q:Question {corpus: $corpus}) RETURN count(q)"
    before = value(graph, questions, corpus=built.corpus)
    ended = kg("graph", "paths", "between", LAST, FIRST, "--undirected", "--save", "--corpus", built.corpus)
    assert "saved 2 paths." in ended.err
    listed = kg("graph", "paths", "list", "--saved", "--corpus", built.corpus, "--json").json
    assert [row["names"] for row in listed] == [list(reversed(CHAIN))] * 2
    assert all(row["saved"] for row in listed)
    shown = kg("graph", "paths", "show", listed[0]["id"]).out
    assert " > ".join(reversed(CHAIN)) in shown
    assert "4 hops, one of 2 shortest paths, crosses articles, saved by hand" in shown
    assert "against" in shown, "the edges are walked backwards"
    assert "plays for the Ostby Rovers" in shown
    assert kg("graph", "paths", "show", listed[0]["id"], "--json").json["path"]["id"] == listed[0]["id"]
    assert value(graph, questions, corpus=built.corpus) == before
    single = kg("graph", "paths", "between", "NHB", "Otto Pelham", "--save", "--corpus", built.corpus)
    assert "not saved: a single fact is no hop path." in single.err


def test_drawn_paths_are_listed_by_depth(built: Built, kg: Kg) -> None:
    listed = kg("graph", "paths", "list", "--hops", "4", "--corpus", built.corpus, "--json").json
    assert {row["hops"] for row in listed} == {4}
    assert (
        " > ".join(listed[0]["names"])
        in kg("graph", "paths", "list", "--hops", "4", "--corpus", built.corpus).out
    )
    wrong = kg("graph", "paths", "list", "--hops", "6", "--corpus", built.corpus)
    assert (wrong.code, "Give some of 2,3,4,5" in wrong.err) == (2, True)


def test_a_list_that_was_cut_or_is_empty_says_so(built: Built, kg: Kg) -> None:
    cut = kg("graph", "paths", "list", "--limit", "1", "--corpus", built.corpus)
    assert cut.out.count("path-") == 1
    assert "there are more; see them with --limit" in cut.err
    whole = kg("graph", "paths", "list", "--limit", "999", "--corpus", built.corpus)
    assert "there are more" not in whole.err
    saved = kg("graph", "paths", "list", "--saved", "--hops", "2,3", "--corpus", built.corpus)
    assert (saved.code, saved.out) == (0, "")
    assert "has no saved path of 2, 3 hops. Make some: kg graph paths between START END --save" in saved.err


def test_an_unknown_path_is_one_sentence(built: Built, kg: Kg) -> None:
    ended = kg("graph", "paths", "show", "path-unknown")
    assert ended.code == 2
    assert "there is no path 'path-unknown'. See the ids: kg graph paths list." in ended.err


def test_a_corpus_without_a_graph_has_nothing_to_draw_from(kg: Kg, corpus: str, built: Built) -> None:
    assert kg("corpus", "ingest", str(built.articles), "--corpus", corpus, "--min-tokens", "1").code == 0
    ended = kg("graph", "paths", "draw", "--corpus", corpus)
    assert ended.code == 2
    assert f"is not built yet. Build it: kg corpus build --corpus {corpus}" in ended.err


@pytest.mark.campaign
def test_a_draw_is_the_stage_of_the_build_and_is_remembered(kg: Kg, corpus: str, built: Built) -> None:
    assert kg("corpus", "ingest", str(built.articles), "--corpus", corpus, "--min-tokens", "1").code == 0
    assert kg("corpus", "build", "--corpus", corpus, "--per-depth", "5").code == 0
    first = kg("graph", "paths", "draw", "--corpus", corpus, "--per-depth", "2", "--per-start", "1", "--json")
    assert first.code == 0, first.err
    assert {first.json[f"paths_{depth}_hops"] for depth in (2, 3)} == {2}
    listed = kg("graph", "paths", "list", "--corpus", corpus, "--json").json
    starts = [(row["hops"], row["names"][0]) for row in listed]
    assert len(set(starts)) == len(starts), "one path of each depth from one start"
    assert first.json["engine_reason"].startswith("chosen by size: ")
    again = kg("graph", "paths", "draw", "--corpus", corpus, "--engine", "cypher")
    assert "done before" in again.err, "the same options, whoever searches"
    assert "sparse engine, done before" in again.out
    short = kg("graph", "paths", "draw", "--corpus", corpus, "--per-depth", "50")
    assert "no other pair has a path that fits and is within the caps. What can be loosened" in short.out
    assert "What the drawn paths have most of" in short.out
    assert "sparse engine, chosen by size: " in short.out
    told = kg(
        "graph", "paths", "draw", "--corpus", corpus, "--no-mirrored", "--engine", "cypher", "--json"
    ).json
    assert (told["engine"], told["engine_reason"]) == ("cypher", "as asked for")
    assert told["context"] == 0, "a link by context is a mirrored edge"
    back = kg("graph", "paths", "draw", "--corpus", corpus, "--mirrored", "--json").json
    assert back["context"] > 0
    refused = kg("graph", "paths", "draw", "--corpus", corpus, "--domain", "Sports")
    assert (refused.code, "has the category 'Sports'" in refused.err) == (2, True)


@pytest.mark.campaign
def test_a_build_keeps_what_was_drawn_last(kg: Kg, corpus: str, built: Built) -> None:
    where = ("--corpus", corpus)
    assert kg("corpus", "ingest", str(built.articles), *where, "--min-tokens", "1").code == 0
    assert kg("corpus", "build", *where, "--per-depth", "5").code == 0
    drawn = kg("graph", "paths", "draw", "--undirected", "--seed", "9", *where, "--json").json
    again = kg("corpus", "build", *where, "--json")
    assert [again.json[f"pairs_{depth}_hops"] for depth in (2, 3)] == [
        drawn[f"pairs_{depth}_hops"] for depth in (2, 3)
    ]
    stages = [line for line in again.err.splitlines() if line.startswith("  ")]
    assert len(stages) == 5
    assert all("done before" in line for line in stages), stages
    assert "Next: kg questions make" in kg("corpus", "status", *where).out


def test_articles_that_came_since_the_build_are_named_with_the_command(
    kg: Kg, corpus: str, tmp_path: Path
) -> None:
    articles, where = tmp_path / "articles.jsonl", ("--corpus", corpus)
    for number in (1, 2):
        article = {"title": f"Kestrel {number}", "body": f"Ana Brel founded Kestrel {number} in Oslo."}
        articles.write_text(json.dumps(article), encoding="utf-8")
        assert kg("corpus", "ingest", str(articles), *where, "--min-tokens", "1").code == 0
        if number == 1:
            assert "Next: kg corpus build" in kg("corpus", "status", *where).out
            assert kg("corpus", "build", *where).code == 0
    shown = kg("corpus", "status", *where)
    assert f"1 article came since and is not in the graph yet. Next: kg corpus build --corpus {corpus}" in (
        " ".join(shown.out.split())
    )
    assert kg("corpus", "status", *where, "--json").json["articles_to_build"] == 1


@pytest.mark.campaign
def test_who_draws_anew_is_told_what_went_with_the_old_paths(graph: Graph, kg: Kg, corpus: str) -> None:
    run_small_job(graph, corpus)
    draw = ("graph", "paths", "draw", "--per-depth", "1", "--corpus", corpus)
    refused = kg(*draw)
    assert refused.code == 2
    assert "questions and the run 'single-step'. Save a run's answers: kg run export RUN" in refused.err
    assert kg("questions", "list", "--corpus", corpus).out
    ended = kg(*draw, "--discard-work")
    assert "note: made from other paths and deleted: questions, run single-step." in ended.err
    assert "kg run-all" in ended.err
    listed = kg("questions", "list", "--corpus", corpus)
    assert (listed.code, listed.out) == (0, "")
    assert "has no kept question. Make some: kg questions make" in listed.err
    shown = kg("corpus", "status", "--corpus", corpus)
    assert "outdated" in shown.out
    assert f"Go on with kg corpus build --corpus {corpus}" in shown.out


@pytest.mark.campaign
@pytest.mark.parametrize(
    "arguments",
    [
        ("graph", "paths", "census"),
        ("graph", "paths", "draw"),
        ("graph", "paths", "between", FIRST, LAST),
        ("corpus", "graph"),
        ("corpus", "audit"),
        ("benchmark", "resolution", "--gold", str(ALIASES)),
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_a_graph_that_is_being_made_anew_gives_no_figures(
    graph: Graph, kg: Kg, corpus: str, built: Built, arguments: tuple[str, ...]
) -> None:
    assert kg("corpus", "ingest", str(built.articles), "--corpus", corpus, "--min-tokens", "1").code == 0
    record_stage(graph, corpus, "resolution", "key", {"entities": 0})
    change(
        graph, "MATCH (s:Stage {corpus: $corpus, name: 'resolution'}) SET s.state = 'running'", corpus=corpus
    )
    ended = kg(*arguments, "--corpus", corpus)
    assert (ended.code, ended.out) == (2, "")
    assert "is not whole: a build is at work, or was cut off." in ended.err
    assert f"kg corpus build --corpus {corpus}" in ended.err
