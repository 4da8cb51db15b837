// Write claims under the chunks that hold their sentences, with what their article is filtered by.
// params: corpus: STRING, rows: LIST<MAP>
// returns: none
// mode: write
CYPHER 25
UNWIND $rows AS row
MERGE (c:Claim {id: row.claim.id})
SET c += row.claim, c.corpus = $corpus
WITH c, row
UNWIND row.chunks AS chunk
MATCH (k:Chunk {id: chunk})
MERGE (k)-[:HAS_CLAIM]->(c)
SET c.shelf = k.shelf, c.published = k.published
