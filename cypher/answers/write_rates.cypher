// Write onto articles, chunks, claims, entities, paths and questions the share of wrong answers, over all runs: to the kept questions that they are
//   evidence for, that rest on them, whose path visits them, that ask about them or that they answer; of a path to those that follow it, of a
//   question to itself. Of twenty answers or more, a label of the entity tells how large it is.
// params: corpus: STRING
// returns: none
// mode: write alone
CYPHER 25
MATCH (n:Article|Chunk|Claim|Entity|Path|Question {corpus: $corpus})
CALL (n) {
  // Without the label of questions, so that every walk begins at the node and never at all questions.
  OPTIONAL CALL (n) {
    WHEN n:Article THEN { MATCH (n)-[:HAS_CHUNK]->()<-[:SUPPORTED_BY]-(q) WHERE q.status = 'kept' RETURN q }
    WHEN n:Chunk THEN { MATCH (n)<-[:SUPPORTED_BY]-(q) WHERE q.status = 'kept' RETURN q }
    WHEN n:Claim THEN { MATCH (n)<-[:RESTS_ON]-(q) WHERE q.status = 'kept' RETURN q }
    WHEN n:Entity THEN {
      MATCH (n)<-[:VISITS]-()<-[:FOLLOWS]-(q) WHERE q.status = 'kept' RETURN q
      UNION
      MATCH (n)<-[:ASKS_ABOUT|ANSWERED_BY]-(q) WHERE q.status = 'kept' RETURN q
    }
    WHEN n:Path THEN { MATCH (n)<-[:FOLLOWS]-(q) RETURN q }
    ELSE { RETURN n AS q }
  }
  OPTIONAL MATCH (q)<-[:TO]-(a)
  WITH n, count(DISTINCT a) AS answers, count(DISTINCT CASE WHEN a.correct THEN null ELSE a END) AS errors
  SET n.answers = answers, n.error_rate = CASE WHEN answers = 0 THEN null ELSE 1.0 * errors / answers END
  // Neo4j Browser can't colour a node by a number, only by a label.
  REMOVE n:WrongOver25:WrongOver50:WrongOver75
  SET n:$(CASE
    WHEN NOT n:Entity OR n.answers < 20 OR n.error_rate <= 0.25 THEN []
    WHEN n.error_rate <= 0.5 THEN ['WrongOver25']
    WHEN n.error_rate <= 0.75 THEN ['WrongOver50']
    ELSE ['WrongOver75']
  END)
} IN TRANSACTIONS OF 1000 ROWS
