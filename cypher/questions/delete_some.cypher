// Delete some questions.
// params: ids: LIST<STRING>
// returns: none
// mode: write
CYPHER 25
UNWIND $ids AS id
MATCH (q:Question {id: id})
DETACH DELETE q
