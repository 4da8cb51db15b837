// The ids of the chunks, claims, entities or facts of a corpus that have no embedding yet.
// params: corpus: STRING, target: STRING
// returns: id: STRING
// mode: read
CYPHER 25
CALL () {
  WHEN $target = 'chunks' THEN { MATCH (n:Chunk {corpus: $corpus}) WHERE n.embedding IS NULL RETURN n.id AS id }
  WHEN $target = 'claims' THEN { MATCH (n:Claim {corpus: $corpus}) WHERE n.embedding IS NULL RETURN n.id AS id }
  WHEN $target = 'entities' THEN { MATCH (n:Entity {corpus: $corpus}) WHERE n.embedding IS NULL RETURN n.id AS id }
  WHEN $target = 'facts' THEN { MATCH (:Entity {corpus: $corpus})-[r:RELATES]->() WHERE r.embedding IS NULL RETURN r.id AS id }
}
RETURN id
