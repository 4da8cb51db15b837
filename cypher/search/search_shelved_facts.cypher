// The chunks that state the facts on some shelves and of some time whose vectors are nearest to each question's, best first; score is the index' (1 + cosine) / 2.
// params: rows: LIST<MAP>, limit: INTEGER
// returns: question: STRING, chunk: STRING, unit: STRING, score: FLOAT
// mode: read
CYPHER 25
UNWIND $rows AS row
CALL (row) {
  MATCH ()-[r:RELATES]->()
  SEARCH r IN (
    VECTOR INDEX relates_embedding FOR row.vector
    WHERE r.shelf IN row.shelves AND r.published >= row.since AND r.published <= row.until
    LIMIT $limit
  ) SCORE AS score
  OPTIONAL MATCH (c:Chunk)-[:HAS_CLAIM]->(:Claim {id: r.claim})
  RETURN c.id AS chunk, r.id AS unit, score
}
RETURN row.id AS question, chunk, unit, score ORDER BY question, score DESC, unit, chunk
