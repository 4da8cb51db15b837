// Write which entities mean the same within one cluster.
// params: rows: LIST<MAP>
// returns: none
// mode: write
CYPHER 25
UNWIND $rows AS row
MATCH (a:Entity {id: row.a}), (b:Entity {id: row.b})
MERGE (a)-[m:CONTEXT_EQUIVALENT {cluster: row.cluster}]->(b)
SET m.score = row.score, m.evidence = row.evidence
