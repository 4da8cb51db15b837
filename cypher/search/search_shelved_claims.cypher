// The chunks of the claims on some shelves and of some time whose vectors are nearest to each question's, best first; score is the index' (1 + cosine) / 2.
// params: rows: LIST<MAP>, limit: INTEGER
// returns: question: STRING, chunk: STRING, unit: STRING, score: FLOAT
// mode: read
CYPHER 25
UNWIND $rows AS row
CALL (row) {
  MATCH (k:Claim)
  SEARCH k IN (
    VECTOR INDEX claim_embedding FOR row.vector
    WHERE k.shelf IN row.shelves AND k.published >= row.since AND k.published <= row.until
    LIMIT $limit
  ) SCORE AS score
  OPTIONAL MATCH (c:Chunk)-[:HAS_CLAIM]->(k)
  RETURN c.id AS chunk, k.id AS unit, score
}
RETURN row.id AS question, chunk, unit, score ORDER BY question, score DESC, unit, chunk
