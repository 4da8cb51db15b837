// Write how hard some questions are under one embedder and chunking.
// params: corpus: STRING, rating: MAP, rows: LIST<MAP>
// returns: none
// mode: write
CYPHER 25
MERGE (g:Rating {id: $rating.id})
SET g += $rating, g.corpus = $corpus
WITH g
UNWIND $rows AS row
MATCH (q:Question {id: row.question})
MERGE (g)-[r:RATES]->(q)
SET r.min = row.min, r.mean = row.mean, r.power = row.power, r.bin = row.bin
