// Write which claims belong to which clusters, with probability.
// params: rows: LIST<MAP>
// returns: none
// mode: write
CYPHER 25
UNWIND $rows AS row
MATCH (c:Claim {id: row.claim}), (k:Cluster {id: row.cluster})
MERGE (c)-[m:IN_CLUSTER]->(k)
SET m.probability = row.probability
