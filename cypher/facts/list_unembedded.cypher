// The facts that have no embedding yet.
// params: corpus: STRING
// returns: id: STRING
// mode: read
CYPHER 25
MATCH (:Entity {corpus: $corpus})-[r:RELATES]->() WHERE r.embedding IS NULL
RETURN r.id AS id
