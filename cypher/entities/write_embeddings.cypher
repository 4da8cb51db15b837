// Write embeddings of Entity nodes.
// params: rows: LIST<MAP>
// returns: none
// mode: write
CYPHER 25
UNWIND $rows AS row
MATCH (n:Entity {id: row.id})
CALL db.create.setNodeVectorProperty(n, 'embedding', row.vector)
