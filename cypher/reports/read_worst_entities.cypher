// The entities on which a run's answers go wrong most often: those that a question's path visits, that it asks about or that answer it; no dates. Those with few answers come last.
// params: run: STRING, least: INTEGER, small: INTEGER, limit: INTEGER
// returns: id: STRING, name: STRING, answers: INTEGER, wrong: INTEGER
// mode: read
CYPHER 25
MATCH (:Run {id: $run})-[:GAVE]->(a:Answer)-[:TO]->(q:Question {status: 'kept'})
CALL (q) {
  MATCH (q)-[:FOLLOWS]->(:Path)-[:VISITS]->(n:Entity) RETURN n
  UNION
  MATCH (q)-[:ASKS_ABOUT|ANSWERED_BY]->(n:Entity) RETURN n
}
WITH n, count(*) AS answers, count(CASE WHEN a.correct THEN null ELSE 1 END) AS wrong
WHERE answers >= $least AND wrong > 0 AND coalesce(n.type, '') <> 'DATE'
RETURN n.id AS id, n.name AS name, answers, wrong ORDER BY answers < $small, 1.0 * wrong / answers DESC, answers DESC, name, id LIMIT $limit
