// The answers of a run, those to prefix questions aside, in the order of their questions.
// params: run: STRING
// returns: answer: STRING
// mode: read
CYPHER 25
MATCH (:Run {id: $run})-[:GAVE]->(a:Answer)-[:TO]->(q:Question)
RETURN a.id AS answer ORDER BY q.kind, q.hops, q.id
