"""A graph that says exactly what a test tells: articles, facts, missing links, drawn paths."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from kg.ids import node_id
from kg.model import EntityType
from kg.paths.path_rows import Way, write_ways
from kg.store.graph import Graph
from tests.graph_reading import change

_WRITE_ARTICLES = """
CYPHER 25
UNWIND $rows AS row
CREATE (a:Article {id: row.id, corpus: $corpus, title: row.title, source: row.source, body: row.body,
                   published_at: CASE WHEN row.day = '' THEN null ELSE datetime(row.day) END})
CREATE (a)-[:HAS_CHUNK]->(:Chunk {id: row.chunk, corpus: $corpus, position: 0, text: row.body})
"""
_WRITE_ENTITIES = """
CYPHER 25
UNWIND $rows AS row
CREATE (e:Entity {id: row.id, corpus: $corpus, name: row.name, type: row.type, aliases: row.aliases,
                  named: NOT row.type IN ['CONCEPT', 'DATE', 'NUMBER'],
                  literal: row.type IN ['DATE', 'NUMBER'],
                  hub: false})
"""
_WRITE_CLAIMS = """
CYPHER 25
UNWIND $rows AS row
MATCH (k:Chunk {id: row.chunk})
CREATE (k)-[:HAS_CLAIM]->(c:Claim {id: row.id, corpus: $corpus, text: row.sentence, sentence: row.sentence,
                                   article: row.article, verified: row.verified, factual: 1.0})
WITH c, row
UNWIND row.entities AS entity
MATCH (e:Entity {id: entity})
CREATE (c)-[:MENTIONS {role: 'subject', name: e.name}]->(e)
"""
_WRITE_TRIPLES = """
CYPHER 25
UNWIND $rows AS row
MATCH (s:Entity {id: row.from}), (o:Entity {id: row.to})
CREATE (s)-[:RELATES {id: row.id, corpus: $corpus, predicate: row.predicate, subject: row.subject,
                      object: row.object, claim: row.claim, article: row.article, negated: row.negated,
                      stated: row.stated, in_paths: row.stated, confidence: 1.0}]->(o)
"""
_WRITE_LINKS = """
CYPHER 25
UNWIND $rows AS row
MATCH (a:Entity {id: row.one}), (b:Entity {id: row.other})
CREATE (a)-[:CONTEXT_EQUIVALENT {cluster: 'cluster', score: 0.8, evidence: 'a test'}]->(b)
"""
_WRITE_CLUSTER = """
CYPHER 25
MATCH (c:Claim {corpus: $corpus})
WITH collect(c) AS claims
CREATE (k:Cluster {id: $id, corpus: $corpus})
WITH k, claims UNWIND claims AS c
CREATE (c)-[:IN_CLUSTER {probability: 1.0}]->(k)
"""


@dataclass(frozen=True, slots=True)
class Told:
    """A sentence "subject predicate object." of an article, and whether it is stated as a fact."""

    article: str
    subject: str
    predicate: str
    object: str
    stated: bool = True
    negated: bool = False

    @property
    def sentence(self) -> str:
        """What the article says."""
        return f"{self.subject} {self.predicate} {self.object}."


@dataclass(frozen=True, slots=True)
class World:
    """What a graph is to hold. `articles` maps a key to a source and a day; `types` default to ORG.

    `aliases` maps a name to more names, `links` are contextual equivalents, `said` are sentences without a
    triple (article, text, verified, names that they mention).
    """

    articles: Mapping[str, tuple[str, str]]
    facts: Sequence[Told]
    types: Mapping[str, EntityType] = field(default_factory=dict)
    aliases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    links: Sequence[tuple[str, str]] = ()
    said: Sequence[tuple[str, str, bool, tuple[str, ...]]] = ()
    titles: Mapping[str, str] = field(default_factory=dict)


def entity_id(corpus: str, name: str) -> str:
    """The id of an entity of a world."""
    return node_id(corpus, "entity", name)


def triple_id(corpus: str, fact: Told) -> str:
    """The id of a fact's triple."""
    return node_id(corpus, "triple", fact.article, fact.sentence)


def chunk_id(corpus: str, article: str) -> str:
    """The id of the only chunk of an article."""
    return node_id(corpus, "chunk", article)


def tell(graph: Graph, corpus: str, world: World) -> None:
    """Write a world into an empty corpus."""
    names = {name for fact in world.facts for name in (fact.subject, fact.object)}
    names |= {name for pair in world.links for name in pair}
    names |= {name for *_, mentioned in world.said for name in mentioned}
    change(
        graph, _WRITE_ARTICLES, corpus=corpus, rows=[_article(corpus, world, key) for key in world.articles]
    )
    change(
        graph,
        _WRITE_ENTITIES,
        corpus=corpus,
        rows=[
            {
                "id": entity_id(corpus, name),
                "name": name,
                "type": world.types.get(name, "ORG"),
                "aliases": list(world.aliases.get(name, ())),
            }
            for name in sorted(names)
        ],
    )
    change(graph, _WRITE_CLAIMS, corpus=corpus, rows=list(_claims(corpus, world)))
    change(graph, _WRITE_TRIPLES, corpus=corpus, rows=[_triple(corpus, fact) for fact in world.facts])
    links = [{"one": entity_id(corpus, a), "other": entity_id(corpus, b)} for a, b in world.links]
    change(graph, _WRITE_LINKS, rows=links)
    change(graph, _WRITE_CLUSTER, corpus=corpus, id=node_id(corpus, "cluster"))


def draw_path(graph: Graph, corpus: str, facts: Sequence[Told]) -> None:
    """Write a drawn path that goes forward along some facts."""
    stops = [facts[0].subject, *(fact.object for fact in facts)]
    way = Way(
        tuple(entity_id(corpus, name) for name in stops),
        tuple(triple_id(corpus, fact) for fact in facts),
        1,
        1,
    )
    list(write_ways(graph, corpus, [way], "drawn"))


def _article(corpus: str, world: World, key: str) -> dict[str, str]:
    source, day = world.articles[key]
    sentences = [fact.sentence for fact in world.facts if fact.article == key]
    sentences += [text for article, text, *_ in world.said if article == key]
    return {
        "id": node_id(corpus, "article", key),
        "title": world.titles.get(key, f"News {key}"),
        "source": source,
        "day": day,
        "body": " ".join(sentences),
        "chunk": chunk_id(corpus, key),
    }


def _claims(corpus: str, world: World) -> Iterable[dict[str, object]]:
    for fact in world.facts:
        yield _claim(corpus, fact.article, fact.sentence, True, (fact.subject, fact.object))
    for article, text, verified, mentioned in world.said:
        yield _claim(corpus, article, text, verified, mentioned)


def _claim(
    corpus: str, article: str, sentence: str, verified: bool, mentioned: Iterable[str]
) -> dict[str, object]:
    return {
        "id": node_id(corpus, "claim", article, sentence),
        "chunk": chunk_id(corpus, article),
        "article": node_id(corpus, "article", article),
        "sentence": sentence,
        "verified": verified,
        "entities": [entity_id(corpus, name) for name in mentioned],
    }


def _triple(corpus: str, fact: Told) -> dict[str, object]:
    return {
        "id": triple_id(corpus, fact),
        "from": entity_id(corpus, fact.subject),
        "to": entity_id(corpus, fact.object),
        "predicate": fact.predicate,
        "subject": fact.subject,
        "object": fact.object,
        "claim": node_id(corpus, "claim", fact.article, fact.sentence),
        "article": node_id(corpus, "article", fact.article),
        "negated": fact.negated,
        "stated": fact.stated,
    }
