// The answer that a run gave to a question.
// params: run: STRING, question: STRING
// returns: id: STRING
// mode: read
CYPHER 25
MATCH (:Run {id: $run})-[:GAVE|GAVE_PREFIX]->(a:Answer)-[:TO]->(:Question {id: $question})
RETURN a.id AS id
