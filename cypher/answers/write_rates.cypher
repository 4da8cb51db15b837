// Write onto articles, chunks, claims, entities, paths and questions the share of wrong answers, over all runs: to the kept questions that they
//   are evidence for, that rest on them, whose path visits them, that ask about them or that they answer; of a path to those that follow it,
//   of a question to itself. Of twenty answers or more, a label of the entity tells how large it is.
// params: corpus: STRING
// returns: none
// mode: write alone
CYPHER 25
MATCH (n:Article|Chunk|Claim|Entity|Path|Question {corpus: $corpus})
CALL (n) {
  // Without labels, so that every walk begins at the node and never at all questions.
  WITH n, COLLECT {
    MATCH (n)-[:HAS_CHUNK]->{0,1}()<-[:SUPPORTED_BY]-(q)<-[:TO]-(a) WHERE q.status = 'kept' RETURN a
    UNION
    MATCH (n)<-[:RESTS_ON|ASKS_ABOUT|ANSWERED_BY]-(q)<-[:TO]-(a) WHERE q.status = 'kept' RETURN a
    UNION
    MATCH (n)<-[:VISITS]-()<-[:FOLLOWS]-(q)<-[:TO]-(a) WHERE q.status = 'kept' RETURN a
    UNION
    MATCH (n)<-[:FOLLOWS]-()<-[:TO]-(a) RETURN a
    UNION
    MATCH (n)<-[:TO]-(a) RETURN a
  } AS answers
  SET n.answers = size(answers),
      n.error_rate = CASE WHEN answers = [] THEN null ELSE 1.0 * size([a IN answers WHERE NOT coalesce(a.correct, false)]) / size(answers) END
  // Neo4j Browser can't colour a node by a number, only by a label.
  REMOVE n:WrongOver25:WrongOver50:WrongOver75
  SET n:$(CASE
    WHEN NOT n:Entity OR n.answers < 20 OR n.error_rate <= 0.25 THEN []
    WHEN n.error_rate <= 0.5 THEN ['WrongOver25']
    WHEN n.error_rate <= 0.75 THEN ['WrongOver50']
    ELSE ['WrongOver75']
  END)
} IN TRANSACTIONS OF 1000 ROWS
