// Which chunk of a corpus follows which in its article.
// params: corpus: STRING
// returns: before: STRING, after: STRING
// mode: read
CYPHER 25
MATCH (c:Chunk {corpus: $corpus})-[:NEXT]->(d:Chunk)
RETURN c.id AS before, d.id AS after
