// Forget one verdict.
// params: id: STRING
// returns: none
// mode: write
CYPHER 25
MATCH (v:Verdict {id: $id})
DETACH DELETE v
