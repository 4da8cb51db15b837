// The claims on which a run's answers go wrong most often: those that a question rests on.
// params: run: STRING, least: INTEGER, small: INTEGER, limit: INTEGER
// returns: id: STRING, name: STRING, answers: INTEGER, wrong: INTEGER
// mode: read
CYPHER 25
MATCH (:Run {id: $run})-[:GAVE]->(a:Answer)-[:TO]->(q:Question {status: 'kept'})-[:RESTS_ON]->(n:Claim)
WITH n, count(DISTINCT a) AS answers, count(DISTINCT CASE WHEN a.correct THEN null ELSE a END) AS wrong
WHERE answers >= $least AND wrong > 0
RETURN n.id AS id, n.text AS name, answers, wrong ORDER BY answers < $small, 1.0 * wrong / answers DESC, answers DESC, name, id LIMIT $limit
