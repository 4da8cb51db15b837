// Note that a run has answered every question.
// params: id: STRING
// returns: none
// mode: write
CYPHER 25
MATCH (r:Run {id: $id}) SET r.finished_at = datetime()
