// The text of some articles, with what an extractor wants to know.
// params: ids: LIST<STRING>
// returns: id: STRING, title: STRING, body: STRING, published_at: ZONED DATETIME, chunks: LIST<MAP>
// mode: read
CYPHER 25
UNWIND $ids AS id
MATCH (a:Article {id: id})
RETURN a.id AS id, a.title AS title, a.body AS body, a.published_at AS published_at,
       COLLECT { MATCH (a)-[:HAS_CHUNK]->(c) RETURN c {.id, .start, .end} ORDER BY c.start } AS chunks
