// Link claims to the entities that they mention, with role and name.
// params: rows: LIST<MAP>
// returns: none
// mode: write
CYPHER 25
UNWIND $rows AS row
MATCH (c:Claim {id: row.claim}), (e:Entity {id: row.entity})
MERGE (c)-[:MENTIONS {role: row.role, name: row.name}]->(e)
