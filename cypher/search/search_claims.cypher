// The chunks of the claims whose vectors are nearest to each question's, best first; of a corpus, or where a row has shelves of these
//   and of its time; score is the index' (1 + cosine) / 2.
// params: corpus: STRING, rows: LIST<MAP>, limit: INTEGER
// returns: question: STRING, chunk: STRING, unit: STRING, score: FLOAT
// mode: read
CYPHER 25
UNWIND $rows AS row
CALL (row) {
  WHEN row.shelves IS NULL THEN {
    MATCH (k:Claim)
    SEARCH k IN (
      VECTOR INDEX claim_embedding FOR row.vector
      WHERE k.corpus = $corpus
      LIMIT $limit
    ) SCORE AS score
    RETURN k, k.id AS unit, score
  }
  ELSE {
    MATCH (k:Claim)
    SEARCH k IN (
      VECTOR INDEX claim_embedding FOR row.vector
      WHERE k.shelf IN row.shelves AND k.published >= row.since AND k.published <= row.until
      LIMIT $limit
    ) SCORE AS score
    RETURN k, k.id AS unit, score
  }
}
OPTIONAL MATCH (c:Chunk)-[:HAS_CLAIM]->(k)
RETURN row.id AS question, c.id AS chunk, unit, score ORDER BY question, score DESC, unit, chunk
