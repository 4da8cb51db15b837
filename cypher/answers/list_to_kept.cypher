// The answers of a run to kept questions, in the order of the questions.
// params: run: STRING
// returns: answer: STRING
// mode: read
CYPHER 25
MATCH (:Run {id: $run})-[:GAVE]->(a:Answer)-[:TO]->(q:Question {status: 'kept'})
RETURN a.id AS answer ORDER BY q.id
