"""Six articles of an invented paper, two chunks each, with clusters of every kind that are known by design.

    article   region   month     category   claims (component)   communities
    harbour   North    2031-01   trade      sea .9 / land .1     Ann's (ships)
    mill      North    2031-01   sport      land                 Bo's (farms)
    school    South    2031-02   (none)     land                 Bo's
    clinic    South    (none)    sport      sea .4 / land .6     Ann's
    letter    (none)   2031-02   trade      (none)               (nobody known)
    country   Norland  2031-03   trade      sea                  Norland's

Norland holds North and South, and is too broad for a region but where an article names nothing else.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kg.store.graph import Graph
from tests.examples import read_examples
from tests.graph_reading import change

_ARTICLES = """
CYPHER 25
UNWIND $rows AS row
MERGE (a:Article {id: $corpus + '-' + row.name})
SET a.corpus = $corpus, a.title = row.title, a.category = row.category,
    a.published_at = datetime(row.published)
WITH a, row
UNWIND [1, 2] AS position
MERGE (c:Chunk {id: $corpus + '-' + row.name + '-' + position})
SET c.corpus = $corpus, c.article = a.id
MERGE (a)-[:HAS_CHUNK]->(c)
WITH c, row, position
CALL (c, row) {
  UNWIND row.names AS named
  MERGE (e:Entity {id: $corpus + '-' + named.name})
  SET e.corpus = $corpus, e.name = named.name, e.type = named.type, e.named = true, e.degree = 1
  MERGE (c)-[n:NAMES {surface: named.name}]->(e) SET n.count = named.times
}
CALL (c, row, position) {
  UNWIND row.claims AS claim
  MERGE (k:Claim {id: c.id + '-claim'}) SET k.corpus = $corpus
  MERGE (c)-[:HAS_CLAIM]->(k)
  MERGE (g:Cluster {id: $corpus + '-' + claim.cluster}) SET g.corpus = $corpus
  MERGE (k)-[m:IN_CLUSTER]->(g) SET m.probability = claim.probability
}
"""
_FACTS = """
CYPHER 25
UNWIND $rows AS row
MERGE (s:Entity {id: $corpus + '-' + row.subject})
ON CREATE SET s.name = row.subject, s.type = 'GPE', s.corpus = $corpus, s.named = true
MERGE (o:Entity {id: $corpus + '-' + row.object})
ON CREATE SET o.name = row.object, o.type = 'GPE', o.corpus = $corpus, o.named = true
MERGE (s)-[r:RELATES {id: s.id + '-' + row.predicate + '-' + o.id}]->(o)
SET r.predicate = row.predicate, r.negated = row.negated, r.corpus = $corpus
"""


@dataclass(frozen=True)
class Told:
    """What an article tells; `names` has the type of an entity and how often each chunk names it."""

    published: str | None
    category: str
    names: Mapping[str, tuple[str, int]]
    claims: Mapping[str, float] = field(default_factory=dict)


NEWS: Mapping[str, Told] = {
    "harbour": Told(
        "2031-01-31T23:30:00+00:00",
        "trade",
        {"Ostby": ("GPE", 2), "Ann": ("PERSON", 3), "Bo": ("PERSON", 1)},
        {"sea": 0.9, "land": 0.1},
    ),
    "mill": Told(
        "2031-01-02T00:00:00+00:00",
        "sport",
        {"Kaldmere": ("GPE", 1), "Bo": ("PERSON", 2)},
        {"land": 1.0},
    ),
    "school": Told(
        "2031-02-01T00:00:00+00:00", "", {"Vell": ("GPE", 1), "Barley": ("PRODUCT", 2)}, {"land": 1.0}
    ),
    "clinic": Told(None, "sport", {"Vell": ("GPE", 1), "Ann": ("PERSON", 2)}, {"sea": 0.4, "land": 0.6}),
    "letter": Told("2031-02-11T00:00:00+00:00", "trade", {"Nobody": ("PERSON", 1)}),
    "country": Told(
        "2031-03-01T00:00:00+00:00", "trade", {"Norland": ("GPE", 4), "Ann": ("PERSON", 1)}, {"sea": 1.0}
    ),
}
FACTS: tuple[Any, ...] = read_examples("services/questions/spans/news_world")["facts"]


def plant_news(graph: Graph, corpus: str) -> None:
    """Write the world into a corpus."""
    rows = [
        {
            "name": name,
            "title": name.capitalize(),
            "published": told.published,
            "category": told.category,
            "names": [{"name": one, "type": kind, "times": n} for one, (kind, n) in told.names.items()],
            "claims": [{"cluster": one, "probability": share} for one, share in told.claims.items()],
        }
        for name, told in NEWS.items()
    ]
    change(graph, _ARTICLES, corpus=corpus, rows=rows)
    facts = [
        {"subject": one, "predicate": predicate, "object": other, "negated": negated}
        for one, predicate, other, negated in FACTS
    ]
    change(graph, _FACTS, corpus=corpus, rows=facts)
