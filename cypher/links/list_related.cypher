// The pairs of entities that may be one in some context, or of which one is said to have to do with the other.
// params: rows: LIST<MAP>
// returns: one: STRING, other: STRING
// mode: read
CYPHER 25
UNWIND $rows AS row
MATCH (a:Entity {id: row.one}), (b:Entity {id: row.other})
WHERE EXISTS { (a)-[:CONTEXT_EQUIVALENT|RELATES]-(b) }
   OR EXISTS { (a)-[:CONTEXT_EQUIVALENT]-()-[:CONTEXT_EQUIVALENT|RELATES]-(b) }
   OR EXISTS { (a)-[:RELATES]-()-[:CONTEXT_EQUIVALENT]-(b) }
RETURN row.one AS one, row.other AS other
