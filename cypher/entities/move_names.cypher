// Hang NAMES edges on the entity that their name was merged into; with an article, only those of it.
// params: rows: LIST<MAP>
// returns: none
// mode: write
CYPHER 25
UNWIND $rows AS row
MATCH (old:Entity {id: row.from})<-[n:NAMES {name: row.name}]-(c:Chunk)
WHERE row.article IS NULL OR EXISTS { (:Article {id: row.article})-[:HAS_CHUNK]->(c) }
MATCH (new:Entity {id: row.to})
WITH new, n, c, properties(n) AS kept
MERGE (c)-[m:NAMES {surface: n.surface, name: n.name, type: n.type}]->(new)
SET m = kept
DELETE n
