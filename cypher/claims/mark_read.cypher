// Mark articles whose claims are all written.
// params: ids: LIST<STRING>
// returns: none
// mode: write
CYPHER 25
UNWIND $ids AS id
MATCH (a:Article {id: id})
SET a.extracted = true
