// Link chunks to the entities that they name, with surface form and count.
// params: rows: LIST<MAP>
// returns: none
// mode: write
CYPHER 25
UNWIND $rows AS row
MATCH (c:Chunk {id: row.chunk}), (e:Entity {id: row.entity})
MERGE (c)-[n:NAMES {surface: row.surface, name: row.name, type: row.type}]->(e)
SET n.count = row.count
