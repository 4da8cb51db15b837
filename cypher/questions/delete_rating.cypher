// Delete a rating; the questions that it rates stay.
// params: id: STRING
// returns: none
// mode: write
CYPHER 25
MATCH (g:Rating {id: $id})
DETACH DELETE g
