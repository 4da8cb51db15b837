// The chunks whose vectors are nearest to each question's, best first; of a corpus, or where a row has shelves of these
//   and of its time; score is the index' (1 + cosine) / 2.
// params: corpus: STRING, rows: LIST<MAP>, limit: INTEGER
// returns: question: STRING, chunk: STRING, unit: STRING, score: FLOAT
// mode: read
CYPHER 25
UNWIND $rows AS row
CALL (row) {
  WHEN row.shelves IS NULL THEN {
    MATCH (c:Chunk)
    SEARCH c IN (
      VECTOR INDEX chunk_embedding FOR row.vector
      WHERE c.corpus = $corpus
      LIMIT $limit
    ) SCORE AS score
    RETURN c.id AS unit, score
  }
  ELSE {
    MATCH (c:Chunk)
    SEARCH c IN (
      VECTOR INDEX chunk_embedding FOR row.vector
      WHERE c.shelf IN row.shelves AND c.published >= row.since AND c.published <= row.until
      LIMIT $limit
    ) SCORE AS score
    RETURN c.id AS unit, score
  }
}
RETURN row.id AS question, unit AS chunk, unit, score ORDER BY question, score DESC, unit, chunk
