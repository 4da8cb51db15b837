// The chunks that support some questions, with their vectors.
// params: ids: LIST<STRING>
// returns: question: STRING, hop: INTEGER, chunk: STRING, vector: VECTOR
// mode: read
CYPHER 25
UNWIND $ids AS id
MATCH (:Question {id: id})-[s:SUPPORTED_BY]->(c:Chunk)
RETURN id AS question, s.hop AS hop, c.id AS chunk, vector(c.embedding, size(c.embedding), FLOAT32) AS vector ORDER BY question, hop, chunk
