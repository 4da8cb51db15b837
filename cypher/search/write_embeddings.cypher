// Write embeddings of chunks, claims, entities or facts.
// params: target: STRING, rows: LIST<MAP>
// returns: none
// mode: write
CYPHER 25
UNWIND $rows AS row
CALL (row) {
  WHEN $target = 'chunks' THEN { MATCH (n:Chunk {id: row.id}) CALL db.create.setNodeVectorProperty(n, 'embedding', row.vector) }
  WHEN $target = 'claims' THEN { MATCH (n:Claim {id: row.id}) CALL db.create.setNodeVectorProperty(n, 'embedding', row.vector) }
  WHEN $target = 'entities' THEN { MATCH (n:Entity {id: row.id}) CALL db.create.setNodeVectorProperty(n, 'embedding', row.vector) }
  WHEN $target = 'facts' THEN { MATCH ()-[r:RELATES {id: row.id}]->() CALL db.create.setRelationshipVectorProperty(r, 'embedding', row.vector) }
}
