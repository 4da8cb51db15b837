// Make entities that are not there yet; resolution decides their name and type later.
// params: corpus: STRING, rows: LIST<MAP>
// returns: none
// mode: write
CYPHER 25
UNWIND $rows AS row
MERGE (e:Entity {id: row.id})
ON CREATE SET e += row, e.corpus = $corpus
