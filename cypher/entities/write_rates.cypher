// Write onto every Entity the share of wrong answers, over all runs, to the questions whose path visits it, that ask about it or that it answers; of twenty answers or more, a label tells how large it is.
// params: corpus: STRING
// returns: none
// mode: write alone
CYPHER 25
MATCH (n:Entity {corpus: $corpus})
CALL (n) {
  WITH n, COLLECT {
    MATCH (n)<-[:VISITS]-(:Path)<-[:FOLLOWS]-(:Question {status: 'kept'})<-[:TO]-(a:Answer) RETURN a
    UNION
    MATCH (n)<-[:ASKS_ABOUT|ANSWERED_BY]-(:Question {status: 'kept'})<-[:TO]-(a:Answer) RETURN a
  } AS answers
  SET n.answers = size(answers),
      n.error_rate = CASE WHEN answers = [] THEN null ELSE 1.0 * size([a IN answers WHERE NOT a.correct]) / size(answers) END
  // Neo4j Browser can't colour a node by a number, only by a label.
  REMOVE n:WrongOver25:WrongOver50:WrongOver75
  SET n:$(CASE
    WHEN n.answers < 20 OR n.error_rate <= 0.25 THEN []
    WHEN n.error_rate <= 0.5 THEN ['WrongOver25']
    WHEN n.error_rate <= 0.75 THEN ['WrongOver50']
    ELSE ['WrongOver75']
  END)
} IN TRANSACTIONS OF 1000 ROWS
