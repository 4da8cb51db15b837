// Give chunks the fields of their articles, and their claims and facts what these are filtered by; the vectors of these chunks, made without titles, go.
// params: rows: LIST<MAP>
// returns: none
// mode: write
CYPHER 25
UNWIND $rows AS row
MATCH (:Article {id: row.article})-[:HAS_CHUNK]->(c:Chunk)
SET c += row.fields
REMOVE c.embedding
WITH DISTINCT c, row
MATCH (c)-[:HAS_CLAIM]->(k:Claim)
SET k.shelf = row.fields.shelf, k.published = row.fields.published
WITH DISTINCT k
MATCH ()-[r:RELATES {claim: k.id}]->()
SET r.shelf = k.shelf, r.published = k.published
