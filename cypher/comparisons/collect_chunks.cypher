// Chunks with their text and article.
// params: ids: LIST<STRING>
// returns: id: STRING, article: STRING, title: STRING, text: STRING
// mode: read
CYPHER 25
UNWIND $ids AS id
MATCH (a:Article)-[:HAS_CHUNK]->(c:Chunk {id: id})
RETURN c.id AS id, a.id AS article, coalesce(a.title, '') AS title, c.text AS text
