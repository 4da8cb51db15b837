// The texts and embeddings of all claims, in the order of their ids.
// params: corpus: STRING
// returns: id: STRING, text: STRING, vector: LIST<FLOAT>
// mode: read
CYPHER 25
MATCH (c:Claim {corpus: $corpus}) RETURN c.id AS id, c.text AS text, c.embedding AS vector ORDER BY id
