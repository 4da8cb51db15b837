// Write which entities are hubs, and why.
// params: rows: LIST<MAP>
// returns: none
// mode: write
CYPHER 25
UNWIND $rows AS row
MATCH (e:Entity {id: row.id})
SET e.hub = true, e.hub_reason = row.reason
