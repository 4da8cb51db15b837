// Write triples as edges between entities.
// params: corpus: STRING, rows: LIST<MAP>
// returns: none
// mode: write
CYPHER 25
UNWIND $rows AS row
MATCH (s:Entity {id: row.from}), (o:Entity {id: row.to})
MERGE (s)-[r:RELATES {id: row.triple.id}]->(o)
SET r += row.triple, r.corpus = $corpus
