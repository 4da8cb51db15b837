// The embeddings of some chunks.
// params: ids: LIST<STRING>
// returns: id: STRING, vector: LIST<FLOAT>
// mode: read
CYPHER 25
UNWIND $ids AS id
MATCH (c:Chunk {id: id})
RETURN id, c.embedding AS vector
