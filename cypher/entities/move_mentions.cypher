// Hang MENTIONS edges on the entity that their name was merged into.
// params: rows: LIST<MAP>
// returns: none
// mode: write
CYPHER 25
UNWIND $rows AS row
MATCH (old:Entity {id: row.from})<-[n:MENTIONS {name: row.name}]-(c:Claim)
MATCH (new:Entity {id: row.to})
WITH new, n, c, properties(n) AS kept
MERGE (c)-[m:MENTIONS {role: n.role, name: n.name}]->(new)
SET m = kept
DELETE n
