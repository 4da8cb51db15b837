// The chunks of a corpus with the articles that they are of.
// params: corpus: STRING
// returns: chunk: STRING, article: STRING, title: STRING, text: STRING
// mode: read
CYPHER 25
MATCH (a:Article)-[:HAS_CHUNK]->(c:Chunk {corpus: $corpus})
RETURN c.id AS chunk, a.id AS article, a.title AS title, c.text AS text ORDER BY chunk
