// Why answers of a run failed, the most frequent reasons first.
// params: run: STRING, limit: INTEGER
// returns: error: STRING, answers: INTEGER
// mode: read
CYPHER 25
MATCH (:Run {id: $run})-[:GAVE]->(a:Answer) WHERE coalesce(a.error, '') <> ''
RETURN a.error AS error, count(*) AS answers ORDER BY answers DESC, error LIMIT $limit
