// The texts and embeddings of all claims, in the order of their ids.
// params: corpus: STRING
// returns: id: STRING, text: STRING, vector: VECTOR
// mode: read
CYPHER 25
MATCH (c:Claim {corpus: $corpus})
WITH c ORDER BY c.id
RETURN c.id AS id, c.text AS text, vector(c.embedding, size(c.embedding), FLOAT32) AS vector
