"""The analysts' own queries: each is in the guide, runs without parameters, and finds something."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from neo4j import Driver, GraphDatabase
from neo4j import Query as DriverQuery
from neo4j.graph import Path as GraphPath
from neo4j.time import Date, DateTime

from kg.queries import Query, area_queries, query
from kg.server.configuration import CHAPTERS
from kg.store.graph import Graph
from tests.conftest import ServerAddress

QUERIES = list(area_queries("browser"))
READING = [statement for statement in QUERIES if statement.mode == "read"]

INSTEAD = re.compile(r"// Instead of the (?P<lines>line|two lines) (?P<side>above|below): (?P<other>.+)")

MAY_BE_EMPTY = {
    f"browser/{name}"
    for name in ("names_kept_apart", "corrections", "saved_paths", "not_read", "runs_compared")
}
"""What nobody has made in the bundled corpus; `test_it_finds_what_was_planted` makes it."""

SCALARS: dict[str, type | tuple[type, ...]] = {
    "STRING": str,
    "INTEGER": int,
    "FLOAT": float,
    "BOOLEAN": bool,
    "PATH": GraphPath,
    "ANY": (str, Date, DateTime),
}


def fits(value: object, kind: str) -> bool:
    """Whether a value is of the declared type; any may be missing."""
    if value is None:
        return True
    if kind.startswith("LIST<"):
        return isinstance(value, list) and all(fits(item, kind[5:-1]) for item in value)
    return isinstance(value, SCALARS[kind])


@pytest.fixture(scope="module")
def driver(server_address: ServerAddress, graph: Graph) -> Iterator[Driver]:
    address = server_address
    with GraphDatabase.driver(
        address.uri, auth=(address.username, address.password), notifications_min_severity="OFF"
    ) as opened:
        yield opened


def test_there_are_many_and_the_guide_has_each_once() -> None:
    told = [f"browser/{name}" for chapter in CHAPTERS for name in chapter.queries]
    assert sorted(told) == [statement.name for statement in QUERIES]
    assert len(told) >= 20


@pytest.mark.parametrize("statement", QUERIES, ids=lambda statement: statement.name)
def test_it_can_be_pasted_as_it_is(statement: Query) -> None:
    assert statement.params == {}
    assert ";" not in statement.text


@pytest.mark.parametrize("statement", READING, ids=lambda statement: statement.name)
def test_it_finds_something_in_the_bundled_corpus(
    driver: Driver, seed_corpus: str, server_address: ServerAddress, statement: Query
) -> None:
    with driver.session(database=server_address.database) as session:
        rows = [
            dict(zip(row.keys(), row.values(), strict=True))
            for row in session.run(DriverQuery(statement.text))
        ]
    assert rows or statement.name in MAY_BE_EMPTY
    wrong = [
        (column, row[column])
        for row in rows
        for column, kind in statement.returns.items()
        if not fits(row[column], kind)
    ]
    assert wrong == []


def with_the_other_choice(text: str) -> str:
    """The query after doing what its comment says: "Instead of the line above: MATCH ..."."""
    lines = text.splitlines()
    at, found = next((at, match) for at, line in enumerate(lines) if (match := INSTEAD.fullmatch(line)))
    if found["side"] == "below":
        return "\n".join([*lines[:at], found["other"], *lines[at + 2 :]])
    dropped = {"line": 1, "two lines": 2}[found["lines"]]
    return "\n".join([*lines[: at - dropped], found["other"], *lines[at + 1 :]])


CHOOSING = [statement for statement in QUERIES if "// Instead of" in statement.text]


@pytest.mark.parametrize("statement", CHOOSING, ids=lambda statement: statement.name)
def test_the_other_choice_that_it_offers_works(graph: Graph, statement: Query) -> None:
    other = replace(statement, text=with_the_other_choice(statement.text))
    assert other.text != statement.text
    assert graph.explain(other)[0] == list(statement.returns)


def test_there_are_queries_that_offer_one() -> None:
    assert len(CHOOSING) >= 5


@pytest.mark.usefixtures("seed_corpus")
def test_mirrored_edges_are_deleted_by_one_statement(driver: Driver, server_address: ServerAddress) -> None:
    with driver.session(database=server_address.database) as session, session.begin_transaction() as work:
        before = work.run("MATCH ()-[m:MIRRORED]->() RETURN count(*)").single(strict=True)[0]
        deleted = work.run(query("browser/delete_mirrored_edges").text).single(strict=True)["deleted"]
        after = work.run("MATCH ()-[m:MIRRORED]->() RETURN count(*)").single(strict=True)[0]
        work.rollback()
    assert before > 0
    assert (deleted, after) == (before, 0)


PLANTED = """
CYPHER 25
UNWIND [
  ['Ada Brook', 'was born in', 'Lanmere', 'GPE'], ['Ada Brook', 'was born in', 'Orrin', 'GPE'],
  ['Ben Carr', 'was born in', 'Lanmere', 'GPE'], ['Cleo Dun', 'was born in', 'Orrin', 'GPE'],
  ['Ada Brook', 'visited', 'Lanmere', 'GPE'], ['Ada Brook', 'visited', 'Orrin', 'GPE'],
  ['Ada Brook', 'is', 'keeper', 'CONCEPT'], ['Ada Brook', 'is', 'good swimmer', 'CONCEPT']
] AS fact
MERGE (s:Entity {id: $corpus + fact[0]}) SET s.corpus = $corpus, s.name = fact[0], s.type = 'PERSON'
MERGE (o:Entity {id: $corpus + fact[2]}) SET o.corpus = $corpus, o.name = fact[2], o.type = fact[3]
WITH s, o, fact, $corpus + fact[0] + fact[1] + fact[2] AS id
CREATE (:Claim {id: id, corpus: $corpus, sentence: fact[0] + ' ' + fact[1] + ' ' + fact[2] + '.'})
CREATE (s)-[:RELATES {id: id, corpus: $corpus, claim: id, predicate: fact[1], stated: true}]->(o)
"""

SAME_IN_CONTEXT = """
CYPHER 25
MATCH (a:Entity {corpus: $corpus, name: 'Lanmere'}), (b:Entity {corpus: $corpus, name: 'Orrin'})
CREATE (a)-[:CONTEXT_EQUIVALENT {cluster: 'one'}]->(b)
"""


def test_a_contradiction_is_found_and_what_may_well_be_true_is_not(
    driver: Driver, corpus: str, server_address: ServerAddress
) -> None:
    with driver.session(database=server_address.database) as session:
        session.run(PLANTED, corpus=corpus).consume()
        found = session.run(query("browser/contradictions").text).data()
        session.run(SAME_IN_CONTEXT, corpus=corpus).consume()
        found_of_one_thing = session.run(query("browser/contradictions").text).data()
    ours = [row for row in found if row["corpus"] == corpus]
    assert [(row["subject"], row["predicate"], {row["one"], row["other"]}) for row in ours] == [
        ("Ada Brook", "was born in", {"Lanmere", "Orrin"})
    ]
    assert "Ada Brook was born in Orrin." in {ours[0]["one_sentence"], ours[0]["other_sentence"]}
    assert [row for row in found_of_one_thing if row["corpus"] == corpus] == []


MADE_BY_HAND = """
CYPHER 25
CREATE (s:Entity {id: $corpus + 'a', corpus: $corpus, name: 'Ada Brook', aliases: []}),
       (o:Entity {id: $corpus + 'b', corpus: $corpus, name: 'Lanmere', aliases: []}),
       (c:Claim {id: $corpus + 'c', corpus: $corpus, sentence: 'Ada Brook was born in Lanmere.'}),
       (p:Path {id: $corpus + 'p', corpus: $corpus, hops: 1, saved: true, alternatives: 1}),
       (p)-[:HOP {index: 1, subject: 'Ada Brook', predicate: 'was born in', object: 'Lanmere',
                  attributed_to: 'the clerk'}]->(c),
       (:Correction {id: $corpus + 'm', corpus: $corpus, kind: 'split', name: 'Ada Brook', other: 'A. Brook',
                     by: 'Zoe', reason: 'mother and daughter', created_at: '2031-05-01T10:00:00+00:00'}),
       (:Reject {id: $corpus + 'r', corpus: $corpus, kind: 'failed', place: 'a.txt:7', reason: 'cut off'}),
       (g:SplitGroup {id: $corpus + 'g', corpus: $corpus, reason: 'types differ'}),
       (g)-[:KEPT_APART {name: 'Ada Brook', part: 0}]->(s), (g)-[:KEPT_APART {name: 'Lanmere', part: 1}]->(o),
       (:Run {id: $corpus + 'u', corpus: $corpus, name: 'one'})-[:HAS_FINDING]->
         (:Finding {id: $corpus + 'f', corpus: $corpus, measure: 'difference in accuracy', scope: 'all',
                    other_run: 'two', n: 90, value: 0.1234, low: -0.05, high: 0.3, p: 0.2, p_naive: 0.01})
"""

FOUND: dict[str, dict[str, object]] = {
    "saved_paths": {
        "hops": 1,
        "path": ["Ada Brook | was born in | Lanmere (says the clerk)"],
        "also_drawn": False,
    },
    "corrections": {
        "says": "two things",
        "name": "Ada Brook",
        "other": "A. Brook",
        "by": "Zoe",
        "reason": "mother and daughter",
        "made": "2031-05-01T10:00:00+00:00",
        "effect": "not applied yet",
    },
    "not_read": {"kind": "failed", "place": "a.txt:7", "reason": "cut off"},
    "names_kept_apart": {"reason": "types differ", "parts": [["Ada Brook"], ["Lanmere"]]},
    "runs_compared": {
        "first": "one",
        "second": "two",
        "scope": "all",
        "questions": 90,
        "difference": 0.123,
        "low": -0.05,
        "high": 0.3,
        "p": 0.2,
        "p_naive": 0.01,
    },
}


@pytest.mark.parametrize("name", sorted(FOUND))
def test_it_finds_what_was_planted(
    driver: Driver, corpus: str, server_address: ServerAddress, name: str
) -> None:
    with driver.session(database=server_address.database) as session:
        session.run(MADE_BY_HAND, corpus=corpus).consume()
        found = [row for row in session.run(query(f"browser/{name}").text).data() if row["corpus"] == corpus]
    assert [{key: row[key] for key in FOUND[name]} for row in found] == [FOUND[name]]


@pytest.mark.parametrize("name", ["paths_by_depth", "missing_links"])
def test_a_path_that_was_only_saved_is_no_part_of_the_sample(
    driver: Driver, corpus: str, server_address: ServerAddress, name: str
) -> None:
    with driver.session(database=server_address.database) as session:
        session.run(MADE_BY_HAND, corpus=corpus).consume()
        saved = session.run(query(f"browser/{name}").text).data()
        session.run("MATCH (p:Path {corpus: $corpus}) SET p.drawn = true", corpus=corpus).consume()
        drawn = session.run(query(f"browser/{name}").text).data()
    assert [row for row in saved if row["corpus"] == corpus] == []
    assert [row["paths"] for row in drawn if row["corpus"] == corpus] == [1]


def test_the_folder_holds_only_queries_and_the_style() -> None:
    folder = Path(__file__).parents[2] / "cypher" / "browser"
    assert {path.suffix for path in folder.iterdir()} == {".cypher", ".grass"}
