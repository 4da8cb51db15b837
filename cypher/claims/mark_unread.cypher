// Mark articles as not read yet; what was extracted from them stays until they are read again.
// params: ids: LIST<STRING>
// returns: none
// mode: write
CYPHER 25
UNWIND $ids AS id
MATCH (a:Article {id: id})
SET a.extracted = null
