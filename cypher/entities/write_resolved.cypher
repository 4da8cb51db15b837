// Write the entities that resolution decided on, with name, type and aliases.
// params: corpus: STRING, rows: LIST<MAP>
// returns: none
// mode: write
CYPHER 25
UNWIND $rows AS row
MERGE (e:Entity {id: row.id})
SET e.embedding = CASE WHEN e.name = row.name THEN e.embedding ELSE null END
SET e += row, e.corpus = $corpus
