// How many named entities stand in so many articles.
// params: corpus: STRING
// returns: articles: INTEGER, entities: INTEGER
// mode: read
CYPHER 25
MATCH (e:Entity {corpus: $corpus}) WHERE e.named
CALL (e) {
  MATCH (e)<-[:NAMES]-(:Chunk)<-[:HAS_CHUNK]-(a:Article) RETURN a.id AS article
  UNION
  MATCH (e)<-[:MENTIONS]-(c:Claim) RETURN c.article AS article
}
WITH e, count(article) AS articles
RETURN articles, count(e) AS entities ORDER BY articles
