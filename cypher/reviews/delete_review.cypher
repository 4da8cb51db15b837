// Forget what an annotator decided on a question.
// params: question: STRING, annotator: STRING, adjudicates: BOOLEAN
// returns: none
// mode: write
CYPHER 25
MATCH (:Question {id: $question})-[:HAS_REVIEW]->(v:Review {annotator: $annotator} WHERE coalesce(v.adjudicates, false) = $adjudicates)
DETACH DELETE v
