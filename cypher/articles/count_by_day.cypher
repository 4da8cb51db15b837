// How many articles were published on each day, and how many entities an article of that day was the first to name.
// params: corpus: STRING
// returns: day: STRING, articles: INTEGER, entities: INTEGER
// mode: read
CYPHER 25
CALL () {
  MATCH (a:Article {corpus: $corpus}) WHERE a.published_at IS NOT NULL
  RETURN date(a.published_at) AS at, count(*) AS articles, 0 AS entities
  UNION ALL
  MATCH (a:Article {corpus: $corpus})-[:HAS_CHUNK]->(:Chunk)-[:NAMES]->(e:Entity) WHERE a.published_at IS NOT NULL
  WITH e, min(date(a.published_at)) AS at
  RETURN at, 0 AS articles, count(*) AS entities
}
RETURN toString(at) AS day, sum(articles) AS articles, sum(entities) AS entities
ORDER BY day
