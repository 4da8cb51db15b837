"""A label of an entity tells how often answers go wrong on it; the style of Browser draws it as a ring."""

import re

import pytest

from kg.files import bundled_folder
from kg.queries import parse_query, query
from kg.store.graph import Graph

HEADER = "// Of this test.\n// params: {}\n// returns: {}\n// mode: write\n"
ANSWERED = parse_query(
    "test/answered",
    HEADER.format("corpus: STRING, right: INTEGER, wrong: INTEGER", "none")
    + """CYPHER 25
MERGE (e:Entity {id: $corpus + 'e'}) SET e.corpus = $corpus
CREATE (e)<-[:ASKS_ABOUT]-(q:Question {id: $corpus + randomUUID(), corpus: $corpus, status: 'kept'})
FOREACH (i IN range(1, $right) |
  CREATE (q)<-[:TO]-(:Answer {id: $corpus + randomUUID(), corpus: $corpus, correct: true}))
FOREACH (i IN range(1, $wrong) |
  CREATE (q)<-[:TO]-(:Answer {id: $corpus + randomUUID(), corpus: $corpus, correct: false}))
""",
)
LABELS = parse_query(
    "test/labels",
    HEADER.format("corpus: STRING", "labels: LIST<STRING>")
    + "CYPHER 25\nMATCH (e:Entity {corpus: $corpus}) RETURN labels(e) AS labels",
)


def labels(graph: Graph, corpus: str) -> set[str]:
    graph.rows(query("answers/write_rates"), corpus=corpus)
    (row,) = graph.rows(LABELS, corpus=corpus)
    return set(row["labels"]) - {"Entity"}


@pytest.mark.parametrize(
    ("right", "wrong", "expected"),
    [
        (0, 19, set[str]()),
        (15, 5, set[str]()),
        (14, 6, {"WrongOver25"}),
        (10, 10, {"WrongOver25"}),
        (5, 16, {"WrongOver75"}),
        (9, 11, {"WrongOver50"}),
    ],
)
def test_the_label_goes_by_the_error_rate(
    graph: Graph, corpus: str, right: int, wrong: int, expected: set[str]
) -> None:
    graph.rows(ANSWERED, corpus=corpus, right=right, wrong=wrong)
    assert labels(graph, corpus) == expected


def test_the_label_follows_further_answers(graph: Graph, corpus: str) -> None:
    graph.rows(ANSWERED, corpus=corpus, right=0, wrong=20)
    assert labels(graph, corpus) == {"WrongOver75"}
    graph.rows(ANSWERED, corpus=corpus, right=15, wrong=0)
    assert labels(graph, corpus) == {"WrongOver50"}


def test_the_style_draws_each_and_after_the_types() -> None:
    style = (bundled_folder("cypher") / "browser" / "style.grass").read_text(encoding="utf-8")
    order = re.findall(r"^node\.(\w+) \{$", style, re.MULTILINE)
    # Of two labels the later rule of the file wins.
    assert order[-3:] == ["WrongOver25", "WrongOver50", "WrongOver75"]
