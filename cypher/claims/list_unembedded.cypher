// The Claim nodes that have no embedding yet.
// params: corpus: STRING
// returns: id: STRING
// mode: read
CYPHER 25
MATCH (n:Claim {corpus: $corpus}) WHERE n.embedding IS NULL
RETURN n.id AS id
