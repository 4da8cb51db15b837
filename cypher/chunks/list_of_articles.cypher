// The ids of the chunks of some articles.
// params: ids: LIST<STRING>
// returns: id: STRING, article: STRING
// mode: read
CYPHER 25
UNWIND $ids AS article
MATCH (:Article {id: article})-[:HAS_CHUNK]->(c:Chunk)
RETURN c.id AS id, article ORDER BY id
