// Forget what an annotator decided on a question.
// params: question: STRING, annotator: STRING
// returns: none
// mode: write
CYPHER 25
MATCH (:Question {id: $question})-[:HAS_REVIEW]->(v:Review {annotator: $annotator})
DETACH DELETE v
