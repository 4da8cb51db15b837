// Write embeddings of facts.
// params: rows: LIST<MAP>
// returns: none
// mode: write
CYPHER 25
UNWIND $rows AS row
MATCH ()-[r:RELATES {id: row.id}]->()
CALL db.create.setRelationshipVectorProperty(r, 'embedding', row.vector)
