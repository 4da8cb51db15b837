// The embeddings of all claims, in the order of their ids.
// params: corpus: STRING
// returns: id: STRING, vector: LIST<FLOAT>
// mode: read
CYPHER 25
MATCH (c:Claim {corpus: $corpus}) RETURN c.id AS id, c.embedding AS vector ORDER BY id
