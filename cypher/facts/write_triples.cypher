// Write triples as edges between entities, with what the article of their claim is filtered by.
// params: corpus: STRING, rows: LIST<MAP>
// returns: none
// mode: write
CYPHER 25
UNWIND $rows AS row
MATCH (s:Entity {id: row.from}), (o:Entity {id: row.to})
OPTIONAL MATCH (c:Claim {id: row.triple.claim})
MERGE (s)-[r:RELATES {id: row.triple.id}]->(o)
SET r += row.triple, r.corpus = $corpus, r.shelf = c.shelf, r.published = c.published
