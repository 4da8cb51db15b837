// The facts of a corpus with the claim that each was read from.
// params: corpus: STRING
// returns: id: STRING, subject: STRING, predicate: STRING, object: STRING, claim: STRING, vector: VECTOR
// mode: read
CYPHER 25
MATCH (s:Entity {corpus: $corpus})-[r:RELATES]->(o:Entity)
WITH s, r, o ORDER BY r.id
RETURN r.id AS id, s.id AS subject, r.predicate AS predicate, o.id AS object, r.claim AS claim,
       vector(r.embedding, size(r.embedding), FLOAT32) AS vector
