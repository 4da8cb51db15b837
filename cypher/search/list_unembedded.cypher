// The chunks, claims, entities or facts of a corpus that have no embedding yet; of claims and facts, of which several say the same, with what is embedded.
// params: corpus: STRING, target: STRING
// returns: id: STRING, text: STRING
// mode: read
CYPHER 25
CALL () {
  WHEN $target = 'chunks' THEN { MATCH (n:Chunk {corpus: $corpus}) WHERE n.embedding IS NULL RETURN n.id AS id, null AS text }
  WHEN $target = 'claims' THEN { MATCH (n:Claim {corpus: $corpus}) WHERE n.embedding IS NULL RETURN n.id AS id, n.text AS text }
  WHEN $target = 'entities' THEN { MATCH (n:Entity {corpus: $corpus}) WHERE n.embedding IS NULL RETURN n.id AS id, null AS text }
  WHEN $target = 'facts' THEN { MATCH (:Entity {corpus: $corpus})-[r:RELATES]->() WHERE r.embedding IS NULL RETURN r.id AS id, r.subject + ' ' + r.predicate + ' ' + r.object AS text }
}
RETURN id, text
