// Write embeddings of Claim nodes.
// params: rows: LIST<MAP>
// returns: none
// mode: write
CYPHER 25
UNWIND $rows AS row
MATCH (n:Claim {id: row.id})
CALL db.create.setNodeVectorProperty(n, 'embedding', row.vector)
