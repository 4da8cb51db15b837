// Hang NAMES and MENTIONS edges on the entity that their name was merged into; with an article, only those of it.
// params: rows: LIST<MAP>
// returns: none
// mode: write
CYPHER 25
UNWIND $rows AS row
MATCH (old:Entity {id: row.from}), (new:Entity {id: row.to})
CALL (row, old, new) {
  MATCH (old)<-[n:NAMES {name: row.name}]-(c:Chunk)
  WHERE row.article IS NULL OR EXISTS { (:Article {id: row.article})-[:HAS_CHUNK]->(c) }
  WITH new, n, c, properties(n) AS kept
  MERGE (c)-[m:NAMES {surface: n.surface, name: n.name, type: n.type}]->(new)
  SET m = kept
  DELETE n
}
CALL (row, old, new) {
  MATCH (old)<-[n:MENTIONS {name: row.name}]-(c:Claim)
  WHERE row.article IS NULL OR EXISTS { (:Article {id: row.article})-[:HAS_CHUNK]->()-[:HAS_CLAIM]->(c) }
  WITH new, n, c, properties(n) AS kept
  MERGE (c)-[m:MENTIONS {role: n.role, name: n.name}]->(new)
  SET m = kept
  DELETE n
}
