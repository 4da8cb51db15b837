// The embeddings of some chunks.
// params: ids: LIST<STRING>
// returns: id: STRING, vector: VECTOR
// mode: read
CYPHER 25
UNWIND $ids AS id
MATCH (c:Chunk {id: id})
RETURN id, vector(c.embedding, size(c.embedding), FLOAT32) AS vector
