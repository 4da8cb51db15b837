// The questions of the first hops of some questions, and whether a run has answered them.
// params: run: STRING, questions: LIST<STRING>
// returns: id: STRING, answered: BOOLEAN
// mode: read
CYPHER 25
UNWIND $questions AS question
MATCH (:Question {id: question})-[:HAS_PREFIX]->(p:Question)
WITH DISTINCT p
RETURN p.id AS id, EXISTS { (p)<-[:TO]-(:Answer)<-[:GAVE_PREFIX]-(:Run {id: $run}) } AS answered
ORDER BY id
