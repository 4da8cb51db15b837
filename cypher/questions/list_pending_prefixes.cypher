// The questions of the first hops of some questions, but for those that a filter rejected, and whether a run has answered them; with $retry
// answers that failed don't count.
// params: run: STRING, questions: LIST<STRING>, retry: BOOLEAN
// returns: id: STRING, answered: BOOLEAN
// mode: read
CYPHER 25
UNWIND $questions AS question
MATCH (:Question {id: question})-[:HAS_PREFIX]->(p:Question) WHERE p.rejected_by IS NULL
WITH DISTINCT p
RETURN p.id AS id,
       EXISTS {
         (p)<-[:TO]-(a:Answer)<-[:GAVE_PREFIX]-(:Run {id: $run}) WHERE NOT $retry OR coalesce(a.error, '') = ''
       } AS answered
ORDER BY id
