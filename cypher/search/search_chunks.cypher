// The chunks whose vectors are nearest to each question's, best first; score is the index' (1 + cosine) / 2.
// params: corpus: STRING, rows: LIST<MAP>, limit: INTEGER
// returns: question: STRING, chunk: STRING, unit: STRING, score: FLOAT
// mode: read
CYPHER 25
UNWIND $rows AS row
CALL (row) {
  MATCH (c:Chunk)
  SEARCH c IN (
    VECTOR INDEX chunk_embedding FOR row.vector
    WHERE c.corpus = $corpus
    LIMIT $limit
  ) SCORE AS score
  RETURN c.id AS chunk, c.id AS unit, score
}
RETURN row.id AS question, chunk, unit, score ORDER BY question, score DESC, unit, chunk
