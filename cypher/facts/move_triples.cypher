// Hang triples on the entities that their subject and object were merged into.
// params: rows: LIST<MAP>
// returns: none
// mode: write
CYPHER 25
UNWIND $rows AS row
MATCH ()-[r:RELATES {id: row.id}]->()
MATCH (s:Entity {id: row.from}), (o:Entity {id: row.to})
WITH s, o, r, properties(r) AS kept
DELETE r
CREATE (s)-[n:RELATES]->(o)
SET n = kept
