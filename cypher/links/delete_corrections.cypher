// Forget some corrections.
// params: ids: LIST<STRING>
// returns: none
// mode: write
CYPHER 25
UNWIND $ids AS id
MATCH (c:Correction {id: id})
DELETE c
