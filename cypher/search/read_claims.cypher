// The claims of a corpus with the chunks that hold their sentences.
// params: corpus: STRING
// returns: id: STRING, text: STRING, chunks: LIST<STRING>, vector: VECTOR
// mode: read
CYPHER 25
MATCH (c:Claim {corpus: $corpus})
WITH c ORDER BY c.id
RETURN c.id AS id, c.text AS text, COLLECT { MATCH (k:Chunk)-[:HAS_CLAIM]->(c) RETURN k.id } AS chunks,
       vector(c.embedding, size(c.embedding), FLOAT32) AS vector
