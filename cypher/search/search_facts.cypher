// The chunks that state the facts whose vectors are nearest to each question's, best first; of a corpus, or where a row has shelves of these
//   and of its time; score is the index' (1 + cosine) / 2.
// params: corpus: STRING, rows: LIST<MAP>, limit: INTEGER
// returns: question: STRING, chunk: STRING, unit: STRING, score: FLOAT
// mode: read
CYPHER 25
UNWIND $rows AS row
CALL (row) {
  WHEN row.shelves IS NULL THEN {
    MATCH ()-[r:RELATES]->()
    SEARCH r IN (
      VECTOR INDEX relates_embedding FOR row.vector
      WHERE r.corpus = $corpus
      LIMIT $limit
    ) SCORE AS score
    RETURN r.claim AS claim, r.id AS unit, score
  }
  ELSE {
    MATCH ()-[r:RELATES]->()
    SEARCH r IN (
      VECTOR INDEX relates_embedding FOR row.vector
      WHERE r.shelf IN row.shelves AND r.published >= row.since AND r.published <= row.until
      LIMIT $limit
    ) SCORE AS score
    RETURN r.claim AS claim, r.id AS unit, score
  }
}
OPTIONAL MATCH (c:Chunk)-[:HAS_CLAIM]->(:Claim {id: claim})
RETURN row.id AS question, c.id AS chunk, unit, score ORDER BY question, score DESC, unit, chunk
