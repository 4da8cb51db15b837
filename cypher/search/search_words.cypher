// The chunks that hold words of each question, best first: a word counts the more the rarer it is in the corpus of so many chunks, and by half more where it is in the title.
// params: rows: LIST<MAP>, chunks: INTEGER, hits: INTEGER, limit: INTEGER
// returns: question: STRING, chunk: STRING, score: FLOAT
// mode: read
CYPHER 25
UNWIND $rows AS row
CALL (row) {
  UNWIND row.words AS word
  CALL (word) {
    CALL db.index.fulltext.queryNodes('chunk_text', word, {limit: $hits}) YIELD node, score
    RETURN collect({chunk: node.id, titled: score > 0}) AS found
  }
  WITH found, log(1 + ($chunks - size(found) + 0.5) / (size(found) + 0.5)) AS rarity
  UNWIND found AS one
  WITH one.chunk AS chunk, round(sum(CASE WHEN one.titled THEN 1.5 * rarity ELSE rarity END), 6) AS score
  RETURN chunk, score ORDER BY score DESC, chunk LIMIT $limit
}
RETURN row.id AS question, chunk, score ORDER BY question, score DESC, chunk
