// Write the edges that contextual equivalence adds.
// params: corpus: STRING, rows: LIST<MAP>
// returns: none
// mode: write
CYPHER 25
UNWIND $rows AS row
MATCH (s:Entity {id: row.from}), (o:Entity {id: row.to})
MERGE (s)-[m:MIRRORED {id: row.mirror.id}]->(o)
SET m += row.mirror, m.corpus = $corpus
