// Write onto every Chunk the share of wrong answers, over all runs, to the questions that it is evidence for.
// params: corpus: STRING
// returns: none
// mode: write alone
CYPHER 25
MATCH (n:Chunk {corpus: $corpus})
CALL (n) {
  OPTIONAL MATCH (n)<-[:SUPPORTED_BY]-(:Question {status: 'kept'})<-[:TO]-(a:Answer)
  WITH n, count(DISTINCT a) AS answers, count(DISTINCT CASE WHEN a.correct THEN null ELSE a END) AS errors
  SET n.answers = answers, n.error_rate = CASE WHEN answers = 0 THEN null ELSE 1.0 * errors / answers END
} IN TRANSACTIONS OF 1000 ROWS
